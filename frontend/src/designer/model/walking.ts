// Walking over the cards of a process with the arrow keys, and its outline.
import type { Node } from "./history";
import { branchesOf, type ChainRef, chainSteps, find, findBranch, ROOT, stepsOf } from "./tree";
import type { Branch, Flowdoc, Step } from "./types";

export type Direction = "up" | "down" | "left" | "right";
export const START = "start";
export const END = "end";

/** Whether two nodes are the same card. */
export function sameNode(one: Node | null, other: Node | null): boolean {
  if (one === null || other === null || typeof one === "string" || typeof other === "string") {
    return one === other;
  }
  return one.step === other.step && one.branch === other.branch;
}

/**
 * The card in a direction, or null where there is none.
 *
 * A card is a step, the head of a branch, "start" or "end". Down and up follow the process through
 * the first branch of a block, left and right go to the branch beside; what is folded is passed.
 */
export function neighbour(
  flow: Flowdoc,
  node: Node,
  direction: Direction,
  folded: readonly string[] = [],
): Node | null {
  switch (direction) {
    case "down":
      return below(flow, node, folded);
    case "up":
      return above(flow, node, folded);
    default:
      return beside(flow, node, direction === "right" ? 1 : -1);
  }
}

function below(flow: Flowdoc, node: Node, folded: readonly string[]): Node | null {
  if (node === END) return null;
  if (node === START) return stepsOf(flow)[0]?.id ?? END;
  if (typeof node !== "string") {
    const first = chainSteps(flow, node)?.[0];
    return first === undefined ? after(flow, node.step) : first.id;
  }
  const found = find(flow, node);
  if (found === undefined) return null;
  const branch = folded.includes(node) ? undefined : branchesOf(found.step)[0];
  return branch === undefined ? after(flow, node) : { step: node, branch: branch.id };
}

/** The card after a step, out of the blocks that end with it. */
function after(flow: Flowdoc, id: string): Node {
  const found = find(flow, id);
  if (found === undefined) return END;
  const next = chainSteps(flow, found.chain)?.[found.index + 1];
  if (next !== undefined) return next.id;
  return "root" in found.chain ? END : after(flow, found.chain.step);
}

function above(flow: Flowdoc, node: Node, folded: readonly string[]): Node | null {
  if (node === START) return null;
  if (node === END) return last(flow, ROOT, folded) ?? START;
  if (typeof node !== "string") return node.step;
  const found = find(flow, node);
  if (found === undefined) return null;
  const before = chainSteps(flow, found.chain)?.[found.index - 1];
  if (before !== undefined) return lastOf(flow, before, folded);
  return "root" in found.chain ? START : found.chain;
}

function last(flow: Flowdoc, chain: ChainRef, folded: readonly string[]): Node | null {
  const step = chainSteps(flow, chain)?.at(-1);
  return step === undefined ? null : lastOf(flow, step, folded);
}

function lastOf(flow: Flowdoc, step: Step, folded: readonly string[]): Node {
  const branch = folded.includes(step.id) ? undefined : branchesOf(step)[0];
  if (branch === undefined) return step.id;
  const head = { step: step.id, branch: branch.id };
  return last(flow, head, folded) ?? head;
}

function beside(flow: Flowdoc, node: Node, by: 1 | -1): Node | null {
  if (typeof node !== "string") {
    const next = nextBranch(flow, node, by);
    if (next !== undefined) return { step: node.step, branch: next.id };
    return beside(flow, node.step, by);
  }
  const found = find(flow, node);
  if (found === undefined || "root" in found.chain) return null;
  const next = nextBranch(flow, found.chain, by);
  if (next === undefined) return beside(flow, found.chain.step, by);
  const steps = stepsOf(next);
  const level = steps[Math.min(found.index, steps.length - 1)];
  return level?.id ?? { step: found.chain.step, branch: next.id };
}

function nextBranch(
  flow: Flowdoc,
  at: { step: string; branch: string },
  by: 1 | -1,
): Branch | undefined {
  const found = findBranch(flow, at.step, at.branch);
  return found?.block.branches[found.index + by];
}

/** The first and the last card of the sequence in which a card stands (Home and End). */
export function ends(flow: Flowdoc, node: Node): { readonly first: Node; readonly last: Node } {
  if (typeof node !== "string") {
    const branches = findBranch(flow, node.step, node.branch)?.block.branches ?? [];
    const head = (branch: Branch | undefined): Node =>
      branch === undefined ? node : { step: node.step, branch: branch.id };
    return { first: head(branches[0]), last: head(branches.at(-1)) };
  }
  const found = find(flow, node);
  if (found === undefined || "root" in found.chain) return { first: START, last: END };
  const steps = chainSteps(flow, found.chain) ?? [];
  return { first: steps[0]?.id ?? node, last: steps.at(-1)?.id ?? node };
}

/** A line of the outline; `depth` counts the lines that it is indented under. */
export interface Line {
  readonly node: Node;
  readonly depth: number;
  readonly step: Step;
  readonly branch: Branch | null;
}

/** All cards from top to bottom, without what is folded; neither start nor end. */
export function outline(flow: Flowdoc, folded: readonly string[] = []): readonly Line[] {
  const lines: Line[] = [];
  const closed = new Set(folded);
  const list = (steps: readonly Step[], depth: number): void => {
    for (const step of steps) {
      lines.push({ node: step.id, depth, step, branch: null });
      if (closed.has(step.id)) continue;
      for (const branch of branchesOf(step)) {
        lines.push({ node: { step: step.id, branch: branch.id }, depth: depth + 1, step, branch });
        list(stepsOf(branch), depth + 2);
      }
    }
  };
  list(stepsOf(flow), 0);
  return lines;
}
