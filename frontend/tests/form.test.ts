// Fields of a form: changing them, and where the process uses them.
import assert from "node:assert/strict";
import test from "node:test";
import { type Draft, type Field, FIELD_TYPES } from "../src/designer/model";
import {
  addField,
  duplicateField,
  fieldNamed,
  fieldsOf,
  moveField,
  newField,
  removeField,
  renameField,
  retype,
  uses,
} from "../src/designer/model/form";
import { validate } from "../src/designer/model/validate";
import { approve, branch, draftOf, flowOf, FORM } from "./drawn";

const WORDS = { label: "New", option: (number: number) => `Option ${number}` };
const ids = (fields: readonly Field[]): string[] => fields.map(({ id }) => id);

const USED: Draft = {
  ...draftOf(
    flowOf(
      approve("lead", { fields: { set: { total: "hide", "lines.price": "edit" } } }),
      {
        id: "pick",
        kind: "choice",
        name: "Pick",
        branches: [
          {
            ...branch("one"),
            when: {
              any: [
                { field: "total", op: "gt", value: "5" },
                { field: "lines", op: "sum_gt(price)", value: "9" },
              ],
            },
          },
          { ...branch("two"), otherwise: true },
        ],
      },
      {
        id: "tell",
        kind: "notice",
        name: "Tell",
        who: { any_of: [{ by: "initiator" }] },
        channel: ["inbox"],
        title: "{form.total} of {form.reason}",
      },
    ),
    FORM,
  ),
};
const DRAFT: Draft = { ...USED, flow: { ...USED.flow, summary: ["total"] } };

test("every type is new without a problem, also as a column", () => {
  let form = FORM;
  for (const type of FIELD_TYPES) {
    form = addField(form, newField(type, form, WORDS));
    if (type !== "table" && type !== "note") {
      form = addField(form, newField(type, form, WORDS, "lines"), 0, "lines");
    }
  }
  assert.equal(new Set(ids(fieldsOf(form))).size, fieldsOf(form).length);
  assert.deepEqual(validate(draftOf(flowOf(approve("a")), form)), []);
});

test("fields and columns move, go and are doubled", () => {
  assert.deepEqual(ids(fieldsOf(moveField(FORM, "reason", -5))), ["reason", "total", "lines"]);
  assert.equal(moveField(FORM, "reason", 1), FORM);
  const columns = (form: typeof FORM): string[] => ids(fieldNamed(form, "lines")?.columns ?? []);
  assert.deepEqual(columns(moveField(FORM, "lines.price", 1)), ["item", "price"]);
  assert.deepEqual(columns(removeField(FORM, "lines.price")), ["item"]);
  const twice = duplicateField(FORM, "lines.price");
  assert.equal(twice.name, "lines.price_2");
  assert.deepEqual(columns(twice.form), ["price", "price_2", "item"]);
  assert.deepEqual(ids(fieldsOf(duplicateField(FORM, "total").form)).slice(0, 2), [
    "total",
    "total_2",
  ]);
});

test("another type keeps what it knows", () => {
  for (const from of FIELD_TYPES) {
    for (const to of FIELD_TYPES) {
      const field: Field = { ...newField(from, null, WORDS), required: from !== "note" };
      const changed = retype(field, to, WORDS);
      assert.equal(changed.type, to);
      assert.equal(changed.id, field.id);
      const form = { formdoc: 1, fields: [changed] } as const;
      assert.deepEqual(validate(draftOf(flowOf(approve("a")), form)), [], `${from} → ${to}`);
    }
  }
});

test("every use of a field is found, and says how", () => {
  const found = uses(DRAFT, "total").map(({ part, at, how, step, field }) => [
    part,
    at,
    how,
    step ?? field,
  ]);
  assert.deepEqual(found, [
    ["flow", "/steps/0/fields/set/total", "rights", "lead"],
    ["flow", "/steps/1/branches/0/when/any/0/field", "condition", "pick"],
    ["flow", "/steps/2/title", "text", "tell"],
    ["flow", "/summary/0", "summary", null],
    ["form", "/fields/2/show_if/field", "condition", "reason"],
  ]);
  assert.deepEqual(
    uses(DRAFT, "lines").map(({ at }) => at),
    [
      "/steps/0/fields/set/lines.price",
      "/steps/1/branches/0/when/any/1/field",
      "/steps/1/branches/0/when/any/1/op",
      "/fields/0/sum_of/0",
    ],
  );
  assert.equal(uses(DRAFT, "lines.item").length, 0);
});

test("a new id goes everywhere, so that nothing breaks", () => {
  const before = validate(DRAFT);
  for (const name of ["total", "lines", "reason", "lines.price"]) {
    const column = name.includes(".");
    const renamed = renameField(DRAFT, name, "fresh");
    assert.equal(uses(renamed, name).length, 0);
    const now = column ? "lines.fresh" : "fresh";
    assert.equal(uses(renamed, now).length, uses(DRAFT, name).length);
    assert.equal(validate(renamed).length, before.length);
  }
  assert.equal(renameField(DRAFT, "total", "reason"), DRAFT);
});
