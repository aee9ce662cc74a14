// Copies of steps and branches under ids that are free, with what they name among themselves.
import { type Reference, referencesOf, withReference } from "./references";
import { branchesOf, stepsOf, untaken } from "./tree";
import type { Branch, Step } from "./types";
import { isBlock } from "./types";

/** Copies of steps; every id is new and added to `taken`, references inside go to the copies. */
export function copyOf(steps: readonly Step[], taken: Set<string>): Step[] {
  const ids = new Map<string, string>();
  for (const step of steps) name(step, ids, taken);
  return steps.map((step) => renamed(step, ids));
}

/** The same for a branch. */
export function copyOfBranch(branch: Branch, taken: Set<string>): Branch {
  const ids = new Map<string, string>();
  nameBranch(branch, ids, taken);
  return renamedBranch(branch, ids);
}

function name(step: Step, ids: Map<string, string>, taken: Set<string>): void {
  // The first of two equal ids is the one that references mean.
  const own = untaken(taken, step.id);
  if (!ids.has(step.id)) ids.set(step.id, own);
  for (const branch of branchesOf(step)) nameBranch(branch, ids, taken);
}

function nameBranch(branch: Branch, ids: Map<string, string>, taken: Set<string>): void {
  const own = untaken(taken, branch.id);
  if (!ids.has(branch.id)) ids.set(branch.id, own);
  for (const step of stepsOf(branch)) name(step, ids, taken);
}

function renamed(step: Step, ids: ReadonlyMap<string, string>): Step {
  const copy = { ...relinked(step, ids), id: ids.get(step.id) ?? step.id };
  if (!isBlock(copy)) return copy;
  return { ...copy, branches: copy.branches.map((branch) => renamedBranch(branch, ids)) };
}

function renamedBranch(branch: Branch, ids: ReadonlyMap<string, string>): Branch {
  const copy = { ...relinked(branch, ids), id: ids.get(branch.id) ?? branch.id };
  return copy.steps === undefined
    ? copy
    : { ...copy, steps: copy.steps.map((step) => renamed(step, ids)) };
}

/** The part with what it names itself; the steps inside are done one by one. */
function relinked<T extends Step | Branch>(part: T, ids: ReadonlyMap<string, string>): T {
  const inside = (reference: Reference): boolean =>
    reference.sort === "step" && ids.has(reference.id) && !isDeeper(part, reference);
  return referencesOf(part)
    .filter(inside)
    .reduce((all, reference) => withReference(all, reference, ids.get(reference.id) ?? ""), part);
}

function isDeeper(part: Step | Branch, reference: Reference): boolean {
  // In a block, its branches; in a branch, its steps.
  const first = reference.path[0];
  return "kind" in part ? isBlock(part) && first === "branches" : first === "steps";
}
