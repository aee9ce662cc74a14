// Fields of the form as the process uses them (`engine/validation/fields.py`).
import { branchesOf, type Found } from "../tree";
import type { Cond, Field, FieldType, Rights } from "../types";
import { FIELD_TYPES, isHuman } from "../types";
import { checkCond, leavesOf } from "./conditions";
import { below, error, type Finding, printable, warning } from "./finding";
import type { Look } from "./look";
import type { Spot } from "./reading";
import { effective, isWritable, mayAddRows } from "./rights";

const types = (...names: readonly FieldType[]): ReadonlySet<FieldType> => new Set(names);
export const MOMENTS = types("date", "timestamp");
const USERS = types("user");
// What can stand in a line of text.
const IN_TEXT = types(
  ...FIELD_TYPES.filter((type) => type !== "table" && type !== "file" && type !== "note"),
);
const PLACEHOLDERS = new Set(["initiator.name", "flow.name", "number", "today"]);

export function* checkFields(look: Look): Generator<Finding> {
  yield* texts(look);
  yield* neverFilled(look);
  for (const spot of look.spots) {
    yield* references(spot, look);
    if (spot.name === "rights") yield* rights(spot, look);
    if (spot.name !== "cond") continue;
    const cond = spot.part as unknown as Cond;
    yield* checkCond(cond, look.fields, spot.at, spot.step);
    yield* askedSteps(cond, spot, look);
  }
  yield* optional(look);
}

/** Placeholders that nobody fills in; braces are for placeholders only. */
export function* templateFaults(
  text: string,
  look: Look,
  step: string | null,
  at: string,
): Generator<Finding> {
  for (const [, name = ""] of text.matchAll(/\{([^{}]*)\}/g)) {
    if (name.startsWith("form.")) {
      const field = name.slice("form.".length);
      const type = single(field, look);
      const args = { field: printable(field) };
      if (type === undefined) yield error("form.unknown_field", at, step, args);
      else if (!IN_TEXT.has(type)) yield error("form.type_mismatch", at, step, { ...args, type });
    } else if (!PLACEHOLDERS.has(name)) {
      yield error("title.unknown_placeholder", at, step, { placeholder: printable(name) });
    }
  }
  if (/[{}]/.test(text.replace(/\{[^{}]*\}/g, ""))) {
    yield error("title.unknown_placeholder", at, step, { placeholder: "{" });
  }
}

/** The type of a field with one value for the whole request; a column has many. */
function single(name: string, look: Look): FieldType | undefined {
  return name.includes(".") ? undefined : look.typeOf(name);
}

function* texts(look: Look): Generator<Finding> {
  const title = look.flow.title ?? "";
  yield* templateFaults(title, look, null, "/title");
  yield* hiddenInTitle(title, look);
  for (const [number, name] of (look.flow.summary ?? []).entries()) {
    const type = single(name, look);
    if (type !== undefined && IN_TEXT.has(type)) continue;
    const args = { field: printable(name) };
    yield error("summary.unknown_field", below("/summary", number), null, args);
  }
  for (const { step, at } of look.steps) {
    if (step.kind !== "notice") continue;
    yield* templateFaults(step.title, look, step.id, below(at, "title"));
    yield* templateFaults(step.text ?? "", look, step.id, below(at, "text"));
  }
}

/** Everybody who meets a request reads its title, so it must not tell what a step hides. */
function* hiddenInTitle(title: string, look: Look): Generator<Finding> {
  const named = new Set(
    [...title.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name?.replace(/^form\./, "")),
  );
  const shown = [...(look.fields?.keys() ?? [])].filter((name) => named.has(name));
  if (look.fields === null || shown.length === 0) return;
  for (const { step } of look.steps) {
    if (!isHuman(step) && step.kind !== "copy") continue;
    const allowed = effective(step.fields, "read", look.fields);
    for (const name of shown) {
      if (allowed.get(name) === "hide") {
        yield error("title.hidden_field", "/title", step.id, { field: name });
      }
    }
  }
}

type Fitting = ReadonlySet<FieldType> | undefined;
const NAMED: Readonly<Record<string, readonly [member: string, fitting: Fitting]>> = {
  base: ["field", types("user", "department")],
  field_ref: ["field", types("date", "timestamp", "integer")],
  "by:form_users": ["field", USERS],
  "by:form_department_head": ["field", types("department")],
  "step:delay": ["until_field", MOMENTS],
  each: ["field", types("user", "table", "multi_choice")],
  value_of: ["field", undefined],
};

function* references(spot: Spot, look: Look): Generator<Finding> {
  const [member, fitting] = NAMED[spot.name] ?? ["", undefined];
  const name = spot.part[member];
  if (typeof name !== "string") return;
  const at = below(spot.at, member);
  // Only people are gathered from all rows; anything else has to be one value.
  if (name.includes(".") && spot.name !== "by:form_users" && !isCell(spot, name, look)) {
    yield error("form.unknown_field", at, spot.step, { field: printable(name) });
  } else {
    yield* look.fieldFaults(name, at, spot.step, fitting);
  }
}

/** In a subflow for each row of a table, a column is one value: that of the row. */
function isCell(spot: Spot, name: string, look: Look): boolean {
  const step = look.around(spot)?.step;
  if (spot.name !== "value_of" || step?.kind !== "subflow") return false;
  return name.split(".")[0] === step.each?.field;
}

function* rights(spot: Spot, look: Look): Generator<Finding> {
  const part = spot.part as Rights;
  for (const name of Object.keys(part.set ?? {})) {
    const at = below(spot.at, "set", name);
    const args = { field: printable(name) };
    const known = look.fields?.has(name.split(".")[0] ?? "") ?? false;
    if (!known) yield error("form.unknown_field", at, spot.step, args);
    else if (name.includes(".") && look.typeOf(name) === undefined) {
      yield error("form.right_on_missing_column", at, spot.step, args);
    }
  }
  for (const name of Object.keys(part.rows ?? {})) {
    yield* look.fieldFaults(name, below(spot.at, "rows", name), spot.step, types("table"));
  }
}

/** A condition may ask how an earlier step ended, not a later one or one that is not there. */
function* askedSteps(cond: Cond, spot: Spot, look: Look): Generator<Finding> {
  for (const [at, leaf] of leavesOf(cond, spot.at)) {
    if (!("step" in leaf)) continue;
    const asked = look.known.get(leaf.step);
    if (asked !== undefined && asked.number < spot.number) continue;
    yield error("cond.unknown_step", below(at, "step"), spot.step, {
      target: printable(leaf.step),
    });
  }
}

/** A required field that is hidden from, or only shown to, everybody who could fill it in. */
function* neverFilled(look: Look): Generator<Finding> {
  const { fields } = look;
  if (fields === null) return;
  const allowed = [
    effective(look.flow.start?.fields, "edit", fields),
    ...new Set(look.steps.map(({ step }) => effective(step.fields, "read", fields))),
  ];
  for (const field of fields.values()) {
    for (const name of needed(field)) {
      if (allowed.some((each) => isWritable(each.get(name)))) continue;
      // A column is missed only where rows can come into being.
      if (name === field.id || allowed.some((each) => mayAddRows(each, field.id))) {
        yield error("form.required_but_hidden", "/start/fields", null, { field: name });
      }
    }
  }
}

function needed(field: Field): readonly string[] {
  const must = (each: Field): boolean =>
    each.required === true && (each.default === undefined || each.default === null);
  const own = must(field) && !isSum(field) ? [field.id] : [];
  const columns = (field.columns ?? []).filter(must).map((column) => `${field.id}.${column.id}`);
  return [...own, ...columns];
}

function isSum(field: Field): boolean {
  return (field.sum_of ?? []).length > 0;
}

/** What is asked before anybody had to fill it in, without a word about empty. */
function* optional(look: Look): Generator<Finding> {
  const { fields } = look;
  if (fields === null) return;
  const atStart = effective(look.flow.start?.fields, "edit", fields);
  const editable = new Map<string, ReadonlySet<string>>();
  const editableIn = (id: string): ReadonlySet<string> => {
    let names = editable.get(id);
    if (names === undefined) {
      const allowed = effective(look.known.get(id)?.step.fields, "read", fields);
      names = new Set([...allowed].filter(([, right]) => isWritable(right)).map(([name]) => name));
      editable.set(id, names);
    }
    return names;
  };
  for (const found of look.steps) {
    const seen = new Set<string>();
    for (const { name, at, handled } of askedFields(found, look)) {
      const field = fields.get(name);
      if (field === undefined || seen.has(name) || handled.has(name)) continue;
      if (found.dominators.some((id) => editableIn(id).has(name))) continue;
      seen.add(name);
      if (!filledAtStart(field, atStart.get(name))) {
        yield warning("form.condition_on_optional", at, found.step.id, { field: name });
      }
    }
  }
}

function filledAtStart(field: Field, right: string | undefined): boolean {
  if (isSum(field) || (field.default !== undefined && field.default !== null)) return true;
  const must = right === "must" || (field.required === true && right === "edit");
  return must && field.show_if === undefined;
}

interface Asked {
  readonly name: string;
  readonly at: string;
  readonly handled: ReadonlySet<string>;
}

/** Fields that the step asks, where, and those whose emptiness the same block asks about. */
function askedFields(found: Found, look: Look): readonly Asked[] {
  const leaves = [...conditionsOf(found)]
    .flatMap(([cond, at]) => [...leavesOf(cond, at)])
    .flatMap(([at, leaf]) => ("field" in leaf ? [{ at, leaf }] : []));
  const aboutEmpty = leaves.filter(({ leaf }) => leaf.op === "empty" || leaf.op === "not_empty");
  const handled = new Set(aboutEmpty.map(({ leaf }) => leaf.field));
  const inConds = leaves.map(({ at, leaf }) => ({
    name: leaf.field,
    at: below(at, "field"),
    handled,
  }));
  const inPeople = look
    .spotsOf(found)
    .filter(({ name }) => ["base", "by:form_users", "by:form_department_head"].includes(name))
    .map(({ part, at }) => ({
      name: typeof part["field"] === "string" ? part["field"] : "",
      at: below(at, "field"),
      handled: new Set<string>(),
    }));
  return [...inConds, ...inPeople];
}

function* conditionsOf({ step, at }: Found): Generator<[Cond, string]> {
  if (step.kind === "goto" && step.when !== undefined) yield [step.when, below(at, "when")];
  for (const [number, branch] of branchesOf(step).entries()) {
    if (branch.when !== undefined) yield [branch.when, below(at, "branches", number, "when")];
  }
}
