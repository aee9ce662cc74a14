// A stored document made ready for the designer, whatever somebody put into it.
import { isList, isRecord, same } from "./paths";
import { untaken } from "./tree";
import {
  type Branch,
  type Draft,
  type Flowdoc,
  type Formdoc,
  isBlock,
  type Scenario,
  type Step,
} from "./types";

const EMPTY: Flowdoc = { flowdoc: 1, key: "", name: "", steps: [] };

/**
 * A draft of what the server sent.
 *
 * Drafts are kept however wrong they are. So that the tree can be walked, every step and branch has
 * an id of its own and a list where a list belongs; anything else stays as it is, for validation to
 * speak about. A document in which nothing had to be done is not copied.
 */
export function openDraft(
  document: unknown,
  form: unknown,
  view: unknown,
  scenarios?: unknown,
): Draft {
  const raw: Flowdoc = isRecord(document) ? (document as unknown as Flowdoc) : EMPTY;
  const taken = new Set(["start", "end"]);
  const steps = walkableSteps(raw.steps, taken);
  const folded = isRecord(view) && isList(view["folded"]) ? view["folded"] : [];
  return {
    flow: steps === raw.steps ? raw : { ...raw, steps },
    form: isRecord(form) ? walkableForm(form) : null,
    view: { folded: folded.filter((id) => typeof id === "string") },
    ...(isList(scenarios) ? { scenarios: walkableScenarios(scenarios) } : {}),
  };
}

/** The server keeps none without a name and an initiator. */
export function walkableScenarios(raw: unknown): readonly Scenario[] {
  return records(raw).filter(
    ({ name, initiator }) => typeof name === "string" && typeof initiator === "string",
  ) as unknown as readonly Scenario[];
}

/** Steps that can be walked over; ids that are missing or taken are made new. */
export function walkableSteps(raw: unknown, taken: Set<string>): readonly Step[] {
  if (!isList(raw)) return [];
  const steps = raw.filter(isRecord).map((step) => walkable(step, taken));
  return unchanged(steps, raw) ? (raw as readonly Step[]) : steps;
}

function walkable(raw: Readonly<Record<string, unknown>>, taken: Set<string>): Step {
  const kind = typeof raw["kind"] === "string" ? raw["kind"] : "auto";
  const id = ownId(raw["id"], kind, taken);
  const name = typeof raw["name"] === "string" ? raw["name"] : id;
  const own = raw["id"] === id && raw["kind"] === kind && raw["name"] === name;
  const step = (own ? raw : { ...raw, id, kind, name }) as unknown as Step;
  if (!isBlock(step)) return step;
  const list: readonly unknown[] = isList(raw["branches"]) ? raw["branches"] : [];
  const branches = list.filter(isRecord).map((branch) => walkableBranch(branch, id, taken));
  return unchanged(branches, raw["branches"]) ? step : { ...step, branches };
}

/** The same for one branch. */
export function walkableBranch(
  raw: Readonly<Record<string, unknown>>,
  block: string,
  taken: Set<string>,
): Branch {
  const id = ownId(raw["id"], `${block}_1`, taken);
  const name = typeof raw["name"] === "string" ? raw["name"] : id;
  const steps = walkableSteps(raw["steps"], taken);
  const own = raw["id"] === id && raw["name"] === name && raw["steps"] === steps;
  return own ? (raw as unknown as Branch) : { ...raw, id, name, steps };
}

function ownId(raw: unknown, base: string, taken: Set<string>): string {
  if (typeof raw !== "string" || raw === "") return untaken(taken, base);
  if (taken.has(raw)) return untaken(taken, raw);
  taken.add(raw);
  return raw;
}

function unchanged(made: readonly unknown[], raw: unknown): boolean {
  return isList(raw) && raw.length === made.length && raw.every((item, at) => item === made[at]);
}

/** A form whose lists are lists of objects. */
export function walkableForm(raw: Readonly<Record<string, unknown>>): Formdoc {
  const fields = records(raw["fields"]).map(walkableField);
  const form = unchanged(fields, raw["fields"]) ? raw : { ...raw, fields };
  return form as unknown as Formdoc;
}

/** A field whose lists, where it has some, are lists of objects. */
function walkableField(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let field = raw;
  for (const name of ["options", "columns"]) {
    if (raw[name] === undefined) continue;
    const own = records(raw[name]);
    const items = name === "columns" ? own.map(walkableField) : own;
    if (!unchanged(items, raw[name])) field = { ...field, [name]: items };
  }
  return field;
}

function records(raw: unknown): readonly Readonly<Record<string, unknown>>[] {
  return isList(raw) ? raw.filter(isRecord) : [];
}

/** Whether two drafts are stored as the same document. */
export function sameDraft(one: Draft, other: Draft): boolean {
  return one === other || same(one, other);
}
