// How an input of the panels is tied to the document: its value, its problems, its change.
import { draft, editIn, form, knowledge, problems } from "../../state";
import { nameOf, type Named } from "../../knowledge";
import { isTextKey, t } from "../../texts";
import {
  branchesOf,
  everyStep,
  find,
  getIn,
  pointerOf,
  setIn,
  type Field,
  type Label,
  type Path,
  type Problem,
} from "../../model";
import { page } from "../../page";
import { SAMPLE, sample, sampleProblems } from "../../sample";

/** Where something lies in the draft: `["flow", "steps", 0, "who"]`. */
export type At = Path;

/** What the document holds there; who asks knows what that is. */
export function valueAt<T>(at: At): T | undefined {
  if (at[0] === SAMPLE) return getIn(sample.value, at.slice(1)) as T | undefined;
  return getIn(draft.value, at) as T | undefined;
}

/** Puts a value there (`undefined` takes it away). Typing in one place is one step of undo. */
export function put(at: At, value: unknown, label: string, typing = false): void {
  if (at[0] === SAMPLE) {
    sample.value = setIn(sample.peek(), at.slice(1), value);
    return;
  }
  editIn(at, value, typing ? { label, merge: pointerOf(at) } : { label });
}

/** The id of the control for this place; the jump from a problem looks for it. */
export function idOf(at: At): string {
  return `in${pointerOf(at)}`;
}

/** The pointer of a problem in the draft as a whole. */
export function pointerOfProblem(problem: Problem): string {
  return `/${problem.part}${problem.at}`;
}

/** What is wrong exactly here; with `below` also in the parts of it. */
export function problemsAt(at: At, below: boolean): readonly Problem[] {
  const here = pointerOf(at);
  const all = at[0] === SAMPLE ? sampleProblems : problems;
  return all.value.filter((problem) => {
    const there = at[0] === SAMPLE ? problem.at : pointerOfProblem(problem);
    return there === here || (below && there.startsWith(`${here}/`));
  });
}

/** What a member of a document is called; its own name when there is no word for it. */
export function memberName(name: string): string {
  return page().member_names[name] ?? name;
}

const aboutMembers = new Set([
  "doc.field_missing",
  "step.field_missing",
  "step.field_not_allowed",
  "form.field_missing",
  "form.member_not_allowed",
  "form.bad_limit",
]);

function branchName(id: string): string {
  const all = everyStep(draft.value.flow).flatMap(({ step }) => branchesOf(step));
  return all.find((branch) => branch.id === id)?.name || id;
}

function stepName(id: string): string {
  return find(draft.value.flow, id)?.step.name || id;
}

function kindName(kind: string): string {
  const key = `kind.${kind}`;
  return isTextKey(key) ? t(key) : kind;
}

const called: Readonly<Record<string, (value: string) => string>> = {
  branch: branchName,
  field: referenceName,
  target: stepName,
  kind: kindName,
  code: (code) => codeName("user", code),
  user: (code) => codeName("user", code),
  flow: (key) => nameOf(knowledge.value.flows, key),
  rule: (key) => nameOf(knowledge.value.rules, key),
};

/** What people call the thing that an argument of a problem names by its id. */
function calledHere(arg: string, value: string, problem: Problem): string {
  if (aboutMembers.has(problem.code) && (arg === "field" || arg === "key")) {
    return memberName(value);
  }
  return called[arg]?.(value) ?? value;
}

function filled(text: string | undefined, problem: Problem): string | null {
  if (text === undefined) return null;
  const { words } = page().problem_texts;
  const names = [...text.matchAll(/%\((\w+)\)s/g)].map((found) => found[1] ?? "");
  // A text that asks for more than the problem carries must not hide the problem.
  if (names.some((name) => problem.args[name] === undefined)) return null;
  return text.replace(/%\((\w+)\)s/g, (_place, name: string) => {
    const value = String(problem.args[name]);
    return words[name]?.[value] ?? calledHere(name, value, problem);
  });
}

/** The sentence of a problem; a code without a text is shown as it is, never hidden. */
export function sentenceOf(problem: Problem): string {
  const { texts, shorter } = page().problem_texts;
  return (
    filled(texts[problem.code], problem) ?? filled(shorter[problem.code], problem) ?? problem.code
  );
}

/** A label of the form in the language of the page. */
export function labelText(label: Label | undefined): string {
  if (label === undefined) return "";
  if (typeof label === "string") return label;
  const { en = "", "zh-hans": zh = "" } = label;
  return document.documentElement.lang.toLowerCase().startsWith("zh") ? zh || en : en || zh;
}

/** What a field is called; its id as a last resort. */
export function fieldName(field: Field): string {
  return labelText(field.label) || field.id;
}

/** The fields of the form as they are now. */
export function fieldsNow(): readonly Field[] {
  return form.value?.fields ?? [];
}

export interface Reference {
  readonly id: string;
  readonly name: string;
  readonly field: Field;
}

/** Every field, and every column as `table.column`, of the form as it is now. */
export function references(): readonly Reference[] {
  return fieldsNow().flatMap((field) => [
    { id: field.id, name: fieldName(field), field },
    ...(field.columns ?? []).map((column) => ({
      id: `${field.id}.${column.id}`,
      name: `${fieldName(field)} › ${fieldName(column)}`,
      field: column,
    })),
  ]);
}

/** What a field or `table.column` is called; the reference itself when the form has none such. */
export function referenceName(id: string): string {
  return references().find((each) => each.id === id)?.name ?? id;
}

export type Directory = "users" | "roles" | "groups" | "posts" | "departments";
export const DIRECTORY = {
  user: "users",
  role: "roles",
  group: "groups",
  post: "posts",
  department: "departments",
} as const satisfies Record<string, Directory>;
export type CodeKind = keyof typeof DIRECTORY;

/** Remembers names that a picker found, so that cards and sentences can use them too. */
export function learn(kind: CodeKind, found: readonly Named[]): void {
  const list = DIRECTORY[kind];
  const known = knowledge.value[list];
  const news = found.filter((one) => known.every((other) => other.code !== one.code));
  if (news.length > 0) knowledge.value = { ...knowledge.value, [list]: [...known, ...news] };
}

/** The name of a person, role … by code; the code when nobody told it yet. */
export function codeName(kind: CodeKind, code: string): string {
  return knowledge.value[DIRECTORY[kind]].find((one) => one.code === code)?.name ?? code;
}
