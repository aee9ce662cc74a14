// Where the steps of a process stand, and the places where one can be put.
import { type Path, pointerOf } from "./paths";
import type { BlockStep, Branch, Flowdoc, Step } from "./types";
import { isBlock } from "./types";

/** A sequence of steps: that of the process, or that of a branch. */
export type ChainRef = { readonly root: true } | { readonly step: string; readonly branch: string };
/** A gap between steps: before the step of that index, or after the last one. */
export interface Slot {
  readonly chain: ChainRef;
  readonly index: number;
}
export const ROOT: ChainRef = { root: true };

/** A step and where it stands. */
export interface Found extends Slot {
  readonly step: Step;
  /** Its path in the flow: `["steps", 0, …]`. */
  readonly path: Path;
  /** The same as JSON Pointer. */
  readonly at: string;
  /** From 1, in document order. */
  readonly number: number;
  /** The blocks around it with their branches, from outside inwards. */
  readonly region: readonly { readonly step: string; readonly branch: string }[];
  /** Ids of the steps that every way to it passes, nearest last. */
  readonly dominators: readonly string[];
}

/** The steps of the process itself. */
export function stepsOf(holder: Flowdoc | Branch): readonly Step[] {
  return holder.steps ?? [];
}
/** The branches of a block; none for any other step. */
export function branchesOf(step: Step): readonly Branch[] {
  return isBlock(step) ? step.branches : [];
}

interface Index {
  readonly all: readonly Found[];
  readonly byId: ReadonlyMap<string, Found>;
}
const NONE: readonly Step[] = [];
// Asked many times for each document; a document is never changed in place.
const indexes = new WeakMap<readonly Step[], Index>();

function indexOf(flow: Flowdoc): Index {
  const steps = flow.steps ?? NONE;
  let index = indexes.get(steps);
  if (index === undefined) {
    const all: Found[] = [];
    place(steps, { chain: ROOT, path: ["steps"], region: [], before: [] }, all);
    const byId = new Map<string, Found>();
    for (const found of all) if (!byId.has(found.step.id)) byId.set(found.step.id, found);
    index = { all, byId };
    indexes.set(steps, index);
  }
  return index;
}

interface Around {
  readonly chain: ChainRef;
  readonly path: Path;
  readonly region: Found["region"];
  readonly before: readonly string[];
}

function place(steps: readonly Step[], around: Around, all: Found[]): void {
  let dominators = around.before;
  for (const [index, step] of steps.entries()) {
    const { chain, region } = around;
    const path = [...around.path, index];
    const number = all.length + 1;
    all.push({ step, chain, index, path, at: pointerOf(path), number, region, dominators });
    dominators = [...dominators, step.id];
    for (const [at, branch] of branchesOf(step).entries()) {
      const inner = { step: step.id, branch: branch.id };
      place(
        stepsOf(branch),
        {
          chain: inner,
          path: [...path, "branches", at, "steps"],
          region: [...region, inner],
          before: dominators,
        },
        all,
      );
    }
  }
}

/** Every step in document order, those inside of branches included. */
export function everyStep(flow: Flowdoc): readonly Found[] {
  return indexOf(flow).all;
}

/** The step of that id and where it stands; undefined without one. */
export function find(flow: Flowdoc, id: string): Found | undefined {
  return indexOf(flow).byId.get(id);
}

/** A branch with its block and its path; undefined without one. */
export function findBranch(
  flow: Flowdoc,
  step: string,
  branch: string,
): { block: BlockStep; branch: Branch; index: number; path: Path; at: string } | undefined {
  const found = find(flow, step);
  if (found === undefined || !isBlock(found.step)) return undefined;
  const index = found.step.branches.findIndex((each) => each.id === branch);
  const wanted = found.step.branches[index];
  if (wanted === undefined) return undefined;
  const path = [...found.path, "branches", index];
  return { block: found.step, branch: wanted, index, path, at: pointerOf(path) };
}

/** The steps of a sequence; undefined when there is no such branch. */
export function chainSteps(flow: Flowdoc, chain: ChainRef): readonly Step[] | undefined {
  if ("root" in chain) return stepsOf(flow);
  const found = findBranch(flow, chain.step, chain.branch);
  return found === undefined ? undefined : stepsOf(found.branch);
}

/** The path of the list of steps of a sequence in the flow. */
export function chainPath(flow: Flowdoc, chain: ChainRef): Path | undefined {
  if ("root" in chain) return ["steps"];
  const found = findBranch(flow, chain.step, chain.branch);
  return found === undefined ? undefined : [...found.path, "steps"];
}

export function sameChain(one: ChainRef, other: ChainRef): boolean {
  if ("root" in one || "root" in other) return "root" in one && "root" in other;
  return one.step === other.step && one.branch === other.branch;
}
export function sameSlot(one: Slot, other: Slot): boolean {
  return one.index === other.index && sameChain(one.chain, other.chain);
}

/** Every gap of the process, in document order. */
export function slots(flow: Flowdoc): readonly Slot[] {
  const found: Slot[] = [];
  slotsIn(stepsOf(flow), ROOT, null, found);
  return found;
}

/** The gaps into which a step can be moved: not inside itself, not where it stands already. */
export function legalSlots(flow: Flowdoc, id: string): readonly Slot[] {
  const own = find(flow, id);
  if (own === undefined) return [];
  const found: Slot[] = [];
  slotsIn(stepsOf(flow), ROOT, own.step, found);
  const here = (slot: Slot): boolean =>
    sameChain(slot.chain, own.chain) && (slot.index === own.index || slot.index === own.index + 1);
  return found.filter((slot) => !here(slot));
}

function slotsIn(steps: readonly Step[], chain: ChainRef, but: Step | null, all: Slot[]): void {
  for (const [index, step] of steps.entries()) {
    all.push({ chain, index });
    if (step === but) continue;
    for (const branch of branchesOf(step)) {
      slotsIn(stepsOf(branch), { step: step.id, branch: branch.id }, but, all);
    }
  }
  all.push({ chain, index: steps.length });
}

/** Every id that is taken, of steps and of branches. */
export function takenIds(flow: Flowdoc): Set<string> {
  const taken = new Set<string>(["start", "end"]);
  for (const { step } of everyStep(flow)) {
    taken.add(step.id);
    for (const branch of branchesOf(step)) taken.add(branch.id);
  }
  return taken;
}

/** An id that nothing has yet: the base itself or the base with a number. */
export function freshId(flow: Flowdoc, base: string): string {
  return untaken(takenIds(flow), base);
}

/** The same against a set of ids, to which the new one is added. */
export function untaken(taken: Set<string>, base: string): string {
  const stem = slug(base);
  let id = stem;
  for (let number = 2; taken.has(id); number += 1) {
    const end = `_${number}`;
    id = stem.replace(/_\d+$/, "").slice(0, LONGEST_ID - end.length) + end;
  }
  taken.add(id);
  return id;
}

const LONGEST_ID = 48;
/** A text as an id: small letters, digits and underscores, beginning with a letter. */
export function slug(text: string): string {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+|_+$/g, "");
  return plain.slice(0, LONGEST_ID).replace(/_+$/, "") || "step";
}

/** Whether one step lies inside of another, at any depth. */
export function isInside(flow: Flowdoc, id: string, block: string): boolean {
  return find(flow, id)?.region.some((each) => each.step === block) ?? false;
}

/** "Step 2 of 5", and in which branch. */
export interface Position {
  readonly number: number;
  readonly of: number;
  /** How many blocks are around it. */
  readonly depth: number;
  readonly block: BlockStep | null;
  readonly branch: Branch | null;
}
export function position(flow: Flowdoc, id: string): Position | undefined {
  const found = find(flow, id);
  if (found === undefined) return undefined;
  const { chain } = found;
  const around = "root" in chain ? undefined : findBranch(flow, chain.step, chain.branch);
  return {
    number: found.index + 1,
    of: chainSteps(flow, chain)?.length ?? 0,
    depth: found.region.length,
    block: around?.block ?? null,
    branch: around?.branch ?? null,
  };
}
