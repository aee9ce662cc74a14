// What a document names: steps, fields, people and things of the tenant, each with its path.
import { getIn, isList, isRecord, type Path, setIn } from "./paths";

export type Sort =
  | "step"
  | "field"
  | "user"
  | "role"
  | "group"
  | "post"
  | "department"
  | "flow"
  | "target"
  | "calendar"
  | "secret"
  | "retry"
  | "rule";

/** One mention. For a field `id` may be `table.column`. */
export interface Reference {
  readonly sort: Sort;
  readonly id: string;
  readonly path: Path;
  /**
   * `value`: the text at the path; `key`: the last part of it; `text`: `{form.id}` in the text;
   * `column`: the operator `sum_gt(column)` there.
   */
  readonly as: "value" | "key" | "text" | "column";
}

type Rec = Readonly<Record<string, unknown>>;
type Note = (sort: Sort, id: unknown, path: Path, as?: Reference["as"]) => void;

const PLAIN: Readonly<Record<string, Sort>> = {
  field: "field",
  until_field: "field",
  copy: "field",
  step: "step",
  decider_of: "step",
  goto: "step",
  department: "department",
  role: "role",
  flow: "flow",
  target: "target",
  secret: "secret",
  retry: "retry",
};
const BY_IDS: Readonly<Record<string, Sort>> = {
  user: "user",
  role: "role",
  group: "group",
  post: "post",
  department: "department",
  in_role: "role",
  in_department: "department",
  is: "user",
};
const TEMPLATES = new Set(["title", "text", "url", "body"]);
const COLUMN = /\(([a-z][a-z0-9_]*)\)$/;
const PLACEHOLDER = /\{form\.([a-z][a-z0-9_]*)\}/g;

/** Everything that a flow, or a part of one, names, in document order. */
export function referencesOf(root: unknown): readonly Reference[] {
  const found: Reference[] = [];
  const note: Note = (sort, id, path, as = "value") => {
    if (typeof id === "string" && id !== "") found.push({ sort, id, path, as });
  };
  visit(root, [], note);
  return found;
}

function visit(value: unknown, path: Path, note: Note): void {
  if (isList(value)) {
    for (const [index, item] of value.entries()) visit(item, [...path, index], note);
  } else if (isRecord(value)) {
    for (const [key, member] of Object.entries(value)) {
      const special = SPECIAL[key];
      const at = [...path, key];
      if (special !== undefined && special(member, at, note, value)) continue;
      const sort = PLAIN[key];
      if (sort !== undefined && typeof member === "string") note(sort, member, at);
      else if (TEMPLATES.has(key) && typeof member === "string") inText(member, at, note);
      else visit(member, at, note);
    }
  }
}

/** Members that mean something else than their name alone says; whether the member is done. */
type Special = (member: unknown, at: Path, note: Note, around: Rec) => boolean;
const SPECIAL: Readonly<Record<string, Special>> = {
  ids: (member, at, note, around) => {
    const sort = BY_IDS[String(around["by"] ?? around["initiator"])];
    if (sort !== undefined) listed(sort, member, at, note);
    return true;
  },
  key: (member, at, note, around) => {
    // The flow's own key has no version beside it, nor has that of its form.
    if ("version" in around && !("steps" in around) && at[0] !== "form") note("rule", member, at);
    return true;
  },
  to: (member, at, note, around) => {
    if (around["kind"] !== "goto") return typeof member === "string";
    note("step", member, at);
    return true;
  },
  clock: (member, at, note) => {
    if (member !== "wall") note("calendar", member, at);
    return true;
  },
  rule: (member, at, note) => {
    if (typeof member !== "string") return false;
    note("rule", member, at);
    return true;
  },
  return_to: (member, at, note) => {
    listed("step", member, at, note);
    return true;
  },
  summary: (member, at, note) => {
    listed("field", member, at, note);
    return true;
  },
  sum_of: (member, at, note) => {
    listed("field", member, at, note);
    return true;
  },
  weights: (member, at, note) => {
    keys("user", member, at, note);
    return true;
  },
  fields: (member, at, note) => {
    // In a form they are the fields themselves.
    if (!isRecord(member)) return !isList(member);
    keys("field", member["set"], [...at, "set"], note);
    keys("field", member["rows"], [...at, "rows"], note);
    return true;
  },
  output: (member, at, note) => {
    keys("field", member, at, note);
    return true;
  },
  save: (member, at, note) => {
    if (isList(member)) return false;
    keys("field", member, at, note);
    return true;
  },
  // Their names are the other side's; only the values can name something here.
  input: (member, at, note) => {
    for (const [name, value] of Object.entries(isRecord(member) ? member : {})) {
      visit(value, [...at, name], note);
    }
    return true;
  },
  headers: (member, at, note) => {
    for (const [name, value] of Object.entries(isRecord(member) ? member : {})) {
      if (typeof value === "string") inText(value, [...at, name], note);
      else visit(value, [...at, name], note);
    }
    return true;
  },
  value: () => true,
  op: (member, at, note, around) => {
    const column = typeof member === "string" ? COLUMN.exec(member)?.[1] : undefined;
    if (column !== undefined) note("field", `${String(around["field"])}.${column}`, at, "column");
    return true;
  },
  post: (member, at, note) => {
    if (isRecord(member)) note("target", member["target"], [...at, "target"]);
    return true;
  },
  notice: (member) => isRecord(member),
};

function listed(sort: Sort, member: unknown, at: Path, note: Note): void {
  for (const [index, id] of (isList(member) ? member : []).entries())
    note(sort, id, [...at, index]);
}

function keys(sort: Sort, member: unknown, at: Path, note: Note): void {
  for (const id of Object.keys(isRecord(member) ? member : {})) note(sort, id, [...at, id], "key");
}

function inText(text: string, at: Path, note: Note): void {
  const names = new Set([...text.matchAll(PLACEHOLDER)].map((match) => match[1]));
  for (const name of names) note("field", name, at, "text");
}

/** The value with another id where a reference stands. */
export function withReference<T>(root: T, reference: Reference, next: string): T {
  const { id, path } = reference;
  if (reference.as === "value") return setIn(root, path, next);
  if (reference.as === "text") {
    const text = String(getIn(root, path));
    return setIn(root, path, text.replaceAll(`{form.${id}}`, `{form.${next}}`));
  }
  if (reference.as === "column") {
    const column = next.slice(next.indexOf(".") + 1);
    return setIn(root, path, String(getIn(root, path)).replace(COLUMN, `(${column})`));
  }
  const around = path.slice(0, -1);
  const members = getIn(root, around);
  if (!isRecord(members)) return root;
  const renamed = Object.entries(members).map(([key, value]) => [key === id ? next : key, value]);
  return setIn(root, around, Object.fromEntries(renamed));
}

/** The flow or form with another id wherever it names the one; of fields also `table.column`. */
export function renameReferences<T>(root: T, sort: Sort, id: string, next: string): T {
  return referencesOf(root)
    .filter((each) => each.sort === sort && (each.id === id || isColumnOf(each, id)))
    .reduce((all, each) => withReference(all, each, next + each.id.slice(id.length)), root);
}

function isColumnOf(reference: Reference, table: string): boolean {
  return reference.sort === "field" && reference.id.startsWith(`${table}.`);
}
