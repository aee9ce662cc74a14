// Steps and branches as text, so that they can be pasted into another process or browser window.
import { copyOf, copyOfBranch } from "./copying";
import { insertSteps, roomFor } from "./editing";
import { walkableBranch, walkableSteps } from "./opening";
import { isList, isRecord, setIn } from "./paths";
import { type Reference, referencesOf, type Sort } from "./references";
import { branchesOf, chainSteps, find, findBranch, type Slot, stepsOf, takenIds } from "./tree";
import {
  type Branch,
  type Draft,
  type Flowdoc,
  type Formdoc,
  isBlock,
  KINDS,
  type Knowledge,
  MOST_BRANCHES,
  type Step,
} from "./types";

const MARK = "flowadmin.steps";
/** The longest text that is looked at: that of the largest document. */
const LONGEST = 1024 * 1024;
/** How deep a document may be (contract, Conventions). */
const DEEPEST = 64;

/** Why nothing was pasted. */
export type Refusal = "not_ours" | "too_many_steps" | "too_many_branches" | "no_place";
export interface Pasted {
  readonly draft: Draft;
  /** The ids of the steps put in (or of the branch), outermost first. */
  readonly ids: readonly string[];
  /** What they name and this process or tenant does not have, each once. */
  readonly unknown: readonly Pick<Reference, "sort" | "id">[];
  readonly refused: Refusal | null;
}

/** A step with all that lies in it as text; null without one. */
export function copyStep(flow: Flowdoc, id: string): string | null {
  const found = find(flow, id);
  return found === undefined ? null : JSON.stringify({ [MARK]: 1, steps: [found.step] });
}

/** The same for a branch. */
export function copyBranch(flow: Flowdoc, step: string, branch: string): string | null {
  const found = findBranch(flow, step, branch);
  return found === undefined ? null : JSON.stringify({ [MARK]: 1, branch: found.branch });
}

/** Whether a text is a copied step, a copied branch, or something else. */
export function holds(text: string): "steps" | "branch" | null {
  const found = parsed(text);
  if (found === null) return null;
  return found.branch === null ? "steps" : "branch";
}

/** The draft with copied steps at a place; of a copied branch its steps. */
export function paste(draft: Draft, slot: Slot, text: string, knowledge: Knowledge): Pasted {
  const found = parsed(text);
  if (found === null) return refuse(draft, "not_ours");
  if (chainSteps(draft.flow, slot.chain) === undefined) return refuse(draft, "no_place");
  const source = found.branch === null ? found.steps : stepsOf(found.branch);
  if (size(source) > roomFor(draft.flow)) return refuse(draft, "too_many_steps");
  const steps = copyOf(source, takenIds(draft.flow));
  const flow = insertSteps(draft.flow, slot, steps);
  return done(
    draft,
    flow,
    steps.map((step) => step.id),
    steps,
    knowledge,
  );
}

/** The draft with a copied branch as one more branch of a block. */
export function pasteBranch(
  draft: Draft,
  stepId: string,
  text: string,
  knowledge: Knowledge,
): Pasted {
  const found = parsed(text);
  const block = find(draft.flow, stepId);
  if (found === null) return refuse(draft, "not_ours");
  if (found.branch === null || block === undefined || !isBlock(block.step)) {
    return refuse(draft, "no_place");
  }
  const { branches } = block.step;
  if (branches.length >= MOST_BRANCHES) return refuse(draft, "too_many_branches");
  if (size(stepsOf(found.branch)) > roomFor(draft.flow)) return refuse(draft, "too_many_steps");
  const copy = setIn(copyOfBranch(found.branch, takenIds(draft.flow)), ["otherwise"], undefined);
  const plain = block.step.kind === "parallel" ? setIn(copy, ["when"], undefined) : copy;
  const index = branches.at(-1)?.otherwise === true ? branches.length - 1 : branches.length;
  const path = [...block.path, "branches"];
  const flow = setIn(draft.flow, path, branches.toSpliced(index, 0, plain));
  return done(draft, flow, [plain.id], plain, knowledge);
}

function refuse(draft: Draft, refused: Refusal): Pasted {
  return { draft, ids: [], unknown: [], refused };
}

function done(
  draft: Draft,
  flow: Flowdoc,
  ids: readonly string[],
  added: unknown,
  knowledge: Knowledge,
): Pasted {
  const known = knownIn(flow, draft.form, knowledge);
  const seen = new Map<string, Pick<Reference, "sort" | "id">>();
  for (const { sort, id } of referencesOf(added)) {
    if (known(sort, id) === false) seen.set(`${sort} ${id}`, { sort, id });
  }
  return { draft: { ...draft, flow }, ids, unknown: [...seen.values()], refused: null };
}

/** A question: is this known? Undefined where nobody can tell. */
export function knownIn(
  flow: Flowdoc,
  form: Formdoc | null,
  knowledge: Knowledge,
): (sort: Sort, id: string) => boolean | undefined {
  const lists: Readonly<Record<Exclude<Sort, "step" | "field">, readonly string[] | undefined>> = {
    user: knowledge.users,
    role: knowledge.roles,
    group: knowledge.groups,
    post: knowledge.posts,
    department: knowledge.departments,
    flow: knowledge.flows,
    target: knowledge.targets,
    calendar: knowledge.calendars,
    secret: knowledge.secrets,
    retry: knowledge.retries,
    rule: knowledge.rules,
  };
  return (sort, id) => {
    if (sort === "step") return takenIds(flow).has(id);
    if (sort === "field") return hasField(form, id);
    return lists[sort]?.includes(id);
  };
}

function hasField(form: Formdoc | null, name: string): boolean {
  const [id, column] = name.split(".");
  const field = form?.fields?.find((each) => each.id === id);
  if (field === undefined) return false;
  return column === undefined || (field.columns ?? []).some((each) => each.id === column);
}

function size(steps: readonly Step[]): number {
  const inside = (step: Step): number =>
    branchesOf(step).reduce((sum, branch) => sum + size(stepsOf(branch)), 0);
  return steps.reduce((sum, step) => sum + 1 + inside(step), 0);
}

interface Copied {
  readonly steps: readonly Step[];
  readonly branch: Branch | null;
}

/** What a text of ours holds; null for any other text, however it looks. */
function parsed(text: string): Copied | null {
  if (text.length > LONGEST || !text.includes(MARK)) return null;
  const raw = json(text);
  if (!isRecord(raw) || raw[MARK] !== 1 || depthOf(raw) > DEEPEST) return null;
  const taken = new Set(["start", "end"]);
  if (isRecord(raw["branch"])) {
    const branch = walkableBranch(raw["branch"], "branch", taken);
    return areKnown(stepsOf(branch)) ? { steps: [], branch } : null;
  }
  const steps = walkableSteps(raw["steps"], taken);
  return steps.length > 0 && areKnown(steps) ? { steps, branch: null } : null;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function depthOf(value: unknown): number {
  let depth = 0;
  let level: readonly unknown[] = [value];
  while (level.length > 0 && depth <= DEEPEST) {
    level = level.flatMap((item) => (isList(item) || isRecord(item) ? Object.values(item) : []));
    depth += 1;
  }
  return depth;
}

function areKnown(steps: readonly Step[]): boolean {
  return steps.every(
    (step) =>
      KINDS.includes(step.kind) && branchesOf(step).every((branch) => areKnown(stepsOf(branch))),
  );
}
