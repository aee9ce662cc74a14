// Whether a condition makes sense on a form (`forms/condition_checks.py`); patterns are the server's.
import { isList } from "../paths";
import type { Cond, Field, FieldCond, FieldType, Leaf } from "../types";
import { below, error, type Finding, printable } from "./finding";
import { NUMBER_OPERATORS, operandFits, OPERATORS, TABLE_OPERATOR } from "./operators";
import { isNumber, optionIds } from "./values";

/** Every leaf of a condition with its JSON Pointer, in document order. */
export function* leavesOf(cond: Cond, at: string): Generator<[string, Leaf]> {
  if ("all" in cond) yield* parts(cond.all, below(at, "all"));
  else if ("any" in cond) yield* parts(cond.any, below(at, "any"));
  else if ("not" in cond) yield* leavesOf(cond.not, below(at, "not"));
  else yield [at, cond];
}

function* parts(conds: readonly Cond[], at: string): Generator<[string, Leaf]> {
  for (const [number, cond] of conds.entries()) yield* leavesOf(cond, below(at, number));
}

/** The fields that a condition asks, each once. */
export function fieldsAsked(cond: Cond): readonly string[] {
  const names = [...leavesOf(cond, "")].flatMap(([, leaf]) =>
    "field" in leaf ? [leaf.field] : [],
  );
  return [...new Set(names)];
}

/** Fields that are not there, operators and values that do not fit. */
export function* checkCond(
  cond: Cond,
  fields: ReadonlyMap<string, Field> | null,
  at: string,
  step: string | null,
): Generator<Finding> {
  for (const [where, leaf] of leavesOf(cond, at)) {
    if ("field" in leaf) yield* fieldLeaf(leaf, fields?.get(leaf.field), where, step);
  }
}

function* fieldLeaf(
  leaf: FieldCond,
  field: Field | undefined,
  at: string,
  step: string | null,
): Generator<Finding> {
  const { op } = leaf;
  if (field === undefined) {
    const args = { field: printable(leaf.field) };
    yield error("form.unknown_field", below(at, "field"), step, args);
    return;
  }
  const args = { op: printable(op), field: field.id, type: field.type };
  const table = field.type === "table" ? TABLE_OPERATOR.exec(op) : null;
  if (table !== null) yield* tableLeaf(leaf, field, table, at, step);
  else if (!OPERATORS[field.type].includes(op))
    yield error("cond.bad_op", below(at, "op"), step, args);
  else if (!operandFits(field.type, op, leaf.value)) {
    yield error("cond.bad_value", below(at, "value"), step, args);
  } else if (field.type === "choice" || field.type === "multi_choice") {
    yield* options(leaf, field, at, step);
  }
}

function* tableLeaf(
  leaf: FieldCond,
  field: Field,
  found: RegExpExecArray,
  at: string,
  step: string | null,
): Generator<Finding> {
  const name = found[1] ?? found[2] ?? "";
  const id = found[3];
  const column = field.columns?.find((each) => each.id === id);
  const type: FieldType = column?.type ?? "integer";
  const asked = id === undefined ? field.id : `${field.id}.${id}`;
  const where = below(at, "op");
  if (!NUMBER_OPERATORS.includes(name)) {
    yield error("cond.bad_op", where, step, { op: name, field: asked, type: field.type });
  } else if (column === undefined && id !== undefined) {
    yield error("form.unknown_field", where, step, { field: asked });
  } else if (!isNumber(type)) {
    yield error("form.type_mismatch", where, step, { field: asked, type });
  } else if (!operandFits(type, name, leaf.value)) {
    yield error("cond.bad_value", below(at, "value"), step, { op: leaf.op, field: asked, type });
  }
}

function* options(
  leaf: FieldCond,
  field: Field,
  at: string,
  step: string | null,
): Generator<Finding> {
  const { value } = leaf;
  if (value === undefined) return;
  const known = new Set(optionIds(field));
  const args = { op: leaf.op, field: field.id, type: field.type };
  for (const [number, item] of (isList(value) ? value : [value]).entries()) {
    if (known.has(String(item).normalize("NFC"))) continue;
    const where = isList(value) ? below(at, "value", number) : below(at, "value");
    yield error("cond.bad_value", where, step, args);
  }
}

/** A `show_if` asks fields only, and nothing that changes with the day or the organisation. */
export function* checkShowIf(
  cond: Cond,
  fields: ReadonlyMap<string, Field>,
  at: string,
): Generator<Finding> {
  yield* checkCond(cond, fields, at, null);
  for (const [where, leaf] of leavesOf(cond, at)) {
    if (!("field" in leaf)) yield error("cond.bad_op", where, null, { op: "show_if" });
    else if (["within_last", "within_next", "under"].includes(leaf.op)) {
      yield error("cond.bad_op", below(where, "op"), null, { op: leaf.op });
    }
  }
}
