// What can be done to the branches of a block.
import { copyOfBranch } from "./copying";
import { setIn } from "./paths";
import { chainSteps, find, findBranch, stepsOf, takenIds, untaken } from "./tree";
import type { BlockStep, Branch, Flowdoc } from "./types";
import { FEWEST_BRANCHES, isBlock, MOST_BRANCHES } from "./types";

interface Place {
  readonly block: BlockStep;
  readonly path: readonly (string | number)[];
}

function blockOf(flow: Flowdoc, stepId: string): Place | undefined {
  const found = find(flow, stepId);
  if (found === undefined || !isBlock(found.step)) return undefined;
  return { block: found.step, path: [...found.path, "branches"] };
}

/** Where a new branch stands: before the "otherwise" that ends a block. */
function endOf(block: BlockStep): number {
  const { branches } = block;
  return branches.at(-1)?.otherwise === true ? branches.length - 1 : branches.length;
}

/** The block with one more, empty branch; nothing happens at 20 branches. */
export function addBranch(
  flow: Flowdoc,
  stepId: string,
  name = "",
): { readonly flow: Flowdoc; readonly branch: string | null } {
  const place = blockOf(flow, stepId);
  if (place === undefined || place.block.branches.length >= MOST_BRANCHES) {
    return { flow, branch: null };
  }
  const number = place.block.branches.length + 1;
  const id = untaken(takenIds(flow), `${stepId}_${number}`);
  const branch: Branch = { id, name: name === "" ? String(number) : name, steps: [] };
  const branches = place.block.branches.toSpliced(endOf(place.block), 0, branch);
  return { flow: setIn(flow, place.path, branches), branch: id };
}

/** Whether a branch may go: two have to stay. */
export function mayRemoveBranch(flow: Flowdoc, stepId: string): boolean {
  return (blockOf(flow, stepId)?.block.branches.length ?? 0) > FEWEST_BRANCHES;
}

/**
 * The process without a branch.
 *
 * `keep`: "steps" puts its steps right after the block, "nothing" drops them. The branch before
 * the last one takes the whole block with it: a block of one way is none, so the steps of the one
 * that stays take the place of the block.
 */
export function removeBranch(
  flow: Flowdoc,
  stepId: string,
  branchId: string,
  keep: "nothing" | "steps",
): Flowdoc {
  const place = blockOf(flow, stepId);
  const found = findBranch(flow, stepId, branchId);
  const step = find(flow, stepId);
  if (place === undefined || found === undefined || step === undefined) return flow;
  const saved = keep === "steps" ? stepsOf(found.branch) : [];
  const rest = place.block.branches.toSpliced(found.index, 1);
  const list = step.path.slice(0, -1);
  const around = chainSteps(flow, step.chain) ?? [];
  const [only] = rest;
  if (rest.length < FEWEST_BRANCHES && only !== undefined) {
    return setIn(flow, list, around.toSpliced(step.index, 1, ...stepsOf(only), ...saved));
  }
  const block: BlockStep = { ...place.block, branches: rest };
  return setIn(flow, list, around.toSpliced(step.index, 1, block, ...saved));
}

/** The branch a number of places further right (negative: left); an "otherwise" stays the last. */
export function moveBranch(flow: Flowdoc, stepId: string, branchId: string, by: number): Flowdoc {
  const place = blockOf(flow, stepId);
  const found = findBranch(flow, stepId, branchId);
  if (place === undefined || found === undefined) return flow;
  const { block } = place;
  const fixed = block.kind === "choice" && block.branches.at(-1)?.otherwise === true;
  const last = block.branches.length - (fixed ? 2 : 1);
  if (fixed && found.index > last) return flow;
  const index = Math.min(Math.max(found.index + by, 0), last);
  if (index === found.index) return flow;
  const moved = block.branches.toSpliced(found.index, 1).toSpliced(index, 0, found.branch);
  return setIn(flow, place.path, moved);
}

/** The block with a copy of a branch beside it. The copy of an "otherwise" waits for a condition. */
export function duplicateBranch(
  flow: Flowdoc,
  stepId: string,
  branchId: string,
  name?: (old: string) => string,
): { readonly flow: Flowdoc; readonly branch: string | null } {
  const place = blockOf(flow, stepId);
  const found = findBranch(flow, stepId, branchId);
  const full = (place?.block.branches.length ?? 0) >= MOST_BRANCHES;
  if (place === undefined || found === undefined || full) return { flow, branch: null };
  const copy = withoutOtherwise(copyOfBranch(found.branch, takenIds(flow)));
  const named = name === undefined ? copy : { ...copy, name: name(copy.name) };
  const index = found.branch.otherwise === true ? found.index : found.index + 1;
  const branches = place.block.branches.toSpliced(index, 0, named);
  return { flow: setIn(flow, place.path, branches), branch: copy.id };
}

/** The block with another branch as "otherwise", put last; null = none (not for a choice). */
export function setOtherwise(flow: Flowdoc, stepId: string, branchId: string | null): Flowdoc {
  const place = blockOf(flow, stepId);
  if (place === undefined) return flow;
  const chosen = place.block.branches.find((branch) => branch.id === branchId);
  if (branchId !== null && chosen === undefined) return flow;
  const rest = place.block.branches.filter((branch) => branch !== chosen).map(withoutOtherwise);
  if (chosen === undefined) return setIn(flow, place.path, rest);
  const last: Branch = { ...withoutWhen(chosen), otherwise: true };
  return setIn(flow, place.path, [...rest, last]);
}

export function withoutOtherwise(branch: Branch): Branch {
  return setIn(branch, ["otherwise"], undefined);
}
export function withoutWhen(branch: Branch): Branch {
  return setIn(branch, ["when"], undefined);
}
