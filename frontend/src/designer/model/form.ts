// What can be done to the fields of a form, and where the process uses them.
import { type Path, pointerOf, setIn } from "./paths";
import { type Reference, referencesOf, renameReferences } from "./references";
import { untaken } from "./tree";
import type { Draft, Field, FieldType, Formdoc, Label, Limits } from "./types";

export const MOST_FIELDS = 500;
export const MOST_COLUMNS = 50;
export const MOST_OPTIONS = 500;
export const NO_FORM: Formdoc = { formdoc: 1, fields: [] };

/** The limits that each type knows. */
export const LIMITS_OF: Readonly<Partial<Record<FieldType, readonly (keyof Limits)[]>>> = {
  text: ["min_length", "max_length"],
  long_text: ["min_length", "max_length"],
  integer: ["min", "max"],
  number: ["min", "max", "decimals"],
  amount: ["min", "max"],
  date: ["earliest", "latest"],
  multi_choice: ["min_count", "max_count"],
  user: ["min_count", "max_count"],
  department: ["min_count", "max_count"],
  file: ["min_count", "max_count"],
  table: ["min_count", "max_count"],
};
export function hasOptions(type: FieldType): boolean {
  return type === "choice" || type === "multi_choice";
}
export function isNumeric(type: FieldType): boolean {
  return type === "integer" || type === "number" || type === "amount";
}
/** Whether a field of the type may start with a value. */
export function mayDefault(type: FieldType): boolean {
  return type !== "note" && type !== "table" && type !== "file";
}
/** Whether the type may be a column. */
export function mayBeColumn(type: FieldType): boolean {
  return type !== "note" && type !== "table";
}

/** A field of the form, or a column of one of its tables. */
export interface FieldRefs {
  readonly field: string;
  readonly column?: string;
}

/** The fields of a form; none without a form. */
export function fieldsOf(form: Formdoc | null): readonly Field[] {
  return form?.fields ?? [];
}

/** The field of that id, or the column that `table.column` names. */
export function fieldNamed(form: Formdoc | null, name: string): Field | undefined {
  const [id, ...rest] = name.split(".");
  const field = fieldsOf(form).find((each) => each.id === id);
  if (field === undefined || rest.length === 0) return field;
  return (field.columns ?? []).find((each) => each.id === rest.join("."));
}

/** The path in the form of a field or of `table.column`. */
export function fieldPath(form: Formdoc | null, name: string): Path | undefined {
  const [id, ...rest] = name.split(".");
  const index = fieldsOf(form).findIndex((each) => each.id === id);
  if (index < 0) return undefined;
  if (rest.length === 0) return ["fields", index];
  const columns = fieldsOf(form)[index]?.columns ?? [];
  const at = columns.findIndex((each) => each.id === rest.join("."));
  return at < 0 ? undefined : ["fields", index, "columns", at];
}

/** A label's text in a language ("en", "zh-hans"), else in the other one, else nothing. */
export function textOf(label: Label | undefined, language: string): string {
  if (label === undefined || typeof label === "string") return label ?? "";
  const zh = label["zh-hans"] ?? "";
  const en = label.en ?? "";
  return language.toLowerCase().startsWith("zh") ? zh || en : en || zh;
}

/** A new field of a type under an id that is free; `words` are the texts of the page. */
export function newField(
  type: FieldType,
  form: Formdoc | null,
  words: { readonly label: string; readonly option: (number: number) => string },
  table?: string,
): Field {
  const siblings = table === undefined ? fieldsOf(form) : (fieldNamed(form, table)?.columns ?? []);
  const taken = new Set(siblings.map((each) => each.id));
  const field: Field = { id: untaken(taken, type), type, label: words.label };
  return { ...field, ...needed(type, words) };
}

function needed(
  type: FieldType,
  words: { readonly label: string; readonly option: (number: number) => string },
): Partial<Field> {
  if (hasOptions(type)) {
    const option = (number: number): { id: string; label: string } => ({
      id: `option_${number}`,
      label: words.option(number),
    });
    return { options: [option(1), option(2)] };
  }
  return type === "table" ? { columns: [{ id: "text", type: "text", label: words.label }] } : {};
}

/** The form with a field (or, with `table`, a column) at a place; -1 = at the end. */
export function addField(form: Formdoc | null, field: Field, index = -1, table?: string): Formdoc {
  const base = form ?? NO_FORM;
  const list = listPath(base, table);
  if (list === undefined) return base;
  const fields = siblingsOf(base, table);
  const most = table === undefined ? MOST_FIELDS : MOST_COLUMNS;
  if (fields.length >= most) return base;
  const at = index < 0 ? fields.length : Math.min(index, fields.length);
  return setIn(base, list, fields.toSpliced(at, 0, field));
}

/** The form with a field, or a column `table.column`, a number of places further down. */
export function moveField(form: Formdoc, name: string, by: number): Formdoc {
  const [table, siblings, index] = stand(form, name);
  const field = siblings[index];
  const to = Math.min(Math.max(index + by, 0), siblings.length - 1);
  const list = listPath(form, table);
  if (field === undefined || list === undefined || to === index) return form;
  return setIn(form, list, siblings.toSpliced(index, 1).toSpliced(to, 0, field));
}

/** The form without a field or column; what names it is left as it is (see `uses`). */
export function removeField(form: Formdoc, name: string): Formdoc {
  const path = fieldPath(form, name);
  return path === undefined ? form : setIn(form, path, undefined);
}

/** The form with a copy of a field or column right after it, and the name of the copy. */
export function duplicateField(
  form: Formdoc,
  name: string,
): { readonly form: Formdoc; readonly name: string | null } {
  const [table, siblings, index] = stand(form, name);
  const field = siblings[index];
  if (field === undefined) return { form, name: null };
  const id = untaken(new Set(siblings.map((each) => each.id)), field.id);
  const next = addField(form, { ...field, id }, index + 1, table);
  if (next === form) return { form, name: null };
  return { form: next, name: table === undefined ? id : `${table}.${id}` };
}

/** The field as another type: what the new type does not know is left out. */
export function retype(
  field: Field,
  type: FieldType,
  words: { readonly label: string; readonly option: (number: number) => string },
): Field {
  if (field.type === type) return field;
  const limits = keptLimits(field.limits, type);
  const members: Record<string, unknown> = { ...field, type, default: undefined, limits };
  if (!hasOptions(type)) members["options"] = undefined;
  if (type !== "table") members["columns"] = undefined;
  if (!isNumeric(type)) members["sum_of"] = undefined;
  if (type === "note") members["required"] = undefined;
  const given = Object.entries(members).filter(([, member]) => member !== undefined);
  const next = Object.fromEntries(given) as unknown as Field;
  return { ...needed(type, words), ...next };
}

function keptLimits(limits: Limits | undefined, type: FieldType): Limits | undefined {
  const known = LIMITS_OF[type] ?? [];
  const kept = Object.entries(limits ?? {}).filter(([name]) =>
    known.includes(name as keyof Limits),
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** The draft with another id for a field or `table.column`, everywhere it is named. */
export function renameField(draft: Draft, name: string, id: string): Draft {
  const { form } = draft;
  const path = fieldPath(form, name);
  if (form === null || path === undefined) return draft;
  const [table, siblings] = stand(form, name);
  if (siblings.some((each) => each.id === id)) return draft;
  const next = table === undefined ? id : `${table}.${id}`;
  const named = setIn(form, [...path, "id"], id);
  return {
    ...draft,
    form: renameReferences(named, "field", name, next),
    flow: renameReferences(draft.flow, "field", name, next),
  };
}

/** One place where a field is used. */
export interface Use {
  readonly part: "flow" | "form";
  readonly path: Path;
  /** JSON Pointer in the flow or form. */
  readonly at: string;
  readonly how: "condition" | "people" | "rights" | "text" | "summary" | "sum" | "value";
  /** The step around it; null outside of steps. */
  readonly step: string | null;
  /** The field that uses it, when `part` is "form". */
  readonly field: string | null;
}

/** Where a field (and its columns), or one `table.column`, is used, in document order. */
export function uses(draft: Draft, name: string): readonly Use[] {
  const mine = (id: string): boolean => id === name || id.startsWith(`${name}.`);
  const inPart = (part: "flow" | "form"): Use[] =>
    referencesOf(draft[part])
      .filter((each) => each.sort === "field" && mine(each.id))
      .map(({ path, as }) => ({
        part,
        path,
        at: pointerOf(path),
        how: how(path, as),
        step: part === "flow" ? idAround(draft.flow, path, "kind") : null,
        field: part === "form" ? idAround(draft.form, path, "type") : null,
      }));
  return [...inPart("flow"), ...inPart("form")];
}

function how(path: Path, as: Reference["as"]): Use["how"] {
  if (as === "text") return "text";
  if (path.includes("summary")) return "summary";
  if (path.includes("sum_of")) return "sum";
  if (as === "key" && path.includes("fields")) return "rights";
  if (path.includes("when") || path.includes("show_if")) return "condition";
  if (["who", "any_of", "without", "starter"].some((part) => path.includes(part))) return "people";
  return "value";
}

/** The id of the innermost step (or field) on a path. */
function idAround(root: unknown, path: Path, mark: string): string | null {
  let here = root;
  let id: string | null = null;
  for (const part of path) {
    here = (here as Record<string | number, unknown> | undefined)?.[part];
    const { id: own, [mark]: marked } = Object(here) as Record<string, unknown>;
    if (typeof own === "string" && typeof marked === "string") id = own;
  }
  return id;
}

function listPath(form: Formdoc, table: string | undefined): Path | undefined {
  if (table === undefined) return ["fields"];
  const path = fieldPath(form, table);
  return path === undefined ? undefined : [...path, "columns"];
}

function siblingsOf(form: Formdoc, table: string | undefined): readonly Field[] {
  return table === undefined ? fieldsOf(form) : (fieldNamed(form, table)?.columns ?? []);
}

function stand(form: Formdoc, name: string): [string | undefined, readonly Field[], number] {
  const dot = name.indexOf(".");
  const table = dot < 0 ? undefined : name.slice(0, dot);
  const id = dot < 0 ? name : name.slice(dot + 1);
  const siblings = siblingsOf(form, table);
  return [table, siblings, siblings.findIndex((each) => each.id === id)];
}
