// Ids, sizes and the branches of blocks (`engine/validation/blocks.py`).
import { branchesOf, type Found, stepsOf } from "../tree";
import { type BlockStep, isBlock, isHuman, MOST_STEPS } from "../types";
import { below, error, type Finding, printable, warning } from "./finding";
import type { Look } from "./look";

const RESERVED: ReadonlySet<string> = new Set(["start", "end"]);
const MOST_BLOCKS = 8;

export function* checkBlocks(look: Look): Generator<Finding> {
  yield* sizes(look);
  yield* ids(look);
  for (const found of look.steps) {
    if (!isBlock(found.step)) continue;
    if (found.step.branches.length > 0) yield* branches(found.step, found);
    yield* join(found.step, found);
  }
  if (!look.steps.some(({ step }) => isHuman(step))) {
    yield warning("flow.no_human_step", "/steps", null);
  }
}

function* sizes(look: Look): Generator<Finding> {
  if (look.steps.length > MOST_STEPS) yield error("doc.size", "/steps", null, { high: MOST_STEPS });
  for (const { step, at, region } of look.steps) {
    if (branchesOf(step).length > 0 && region.length === MOST_BLOCKS) {
      yield error("doc.depth", at, step.id, { high: MOST_BLOCKS });
    }
  }
}

function* ids(look: Look): Generator<Finding> {
  const taken = new Set<string>();
  for (const { step, at } of look.steps) {
    const own = branchesOf(step).map((branch, number): [string, string] => [
      branch.id,
      below(at, "branches", number),
    ]);
    for (const [id, where] of [[step.id, at] as [string, string], ...own]) {
      if (RESERVED.has(id)) yield error("id.reserved", below(where, "id"), step.id, { id });
      else if (taken.has(id)) {
        yield error("id.duplicate", below(where, "id"), step.id, { id: printable(id) });
      }
      taken.add(id);
    }
  }
}

function* branches(block: BlockStep, { at }: Found): Generator<Finding> {
  const where = below(at, "branches");
  if (!block.branches.some((branch) => stepsOf(branch).length > 0)) {
    yield warning("branch.empty_all", where, block.id);
  }
  if (block.kind === "parallel") {
    yield* withoutConditions(block, where);
    return;
  }
  yield* withConditions(block, where);
  const others = block.branches.flatMap((each, number) => (each.otherwise ? [number] : []));
  for (const number of others.slice(1)) {
    yield error("branch.many_otherwise", below(where, number, "otherwise"), block.id);
  }
  if (block.kind !== "choice") return;
  const [first] = others;
  if (first === undefined) yield error("branch.no_otherwise", where, block.id);
  else if (first !== block.branches.length - 1) {
    yield error("branch.otherwise_not_last", below(where, first), block.id);
  }
}

function* withoutConditions(block: BlockStep, where: string): Generator<Finding> {
  for (const [number, branch] of block.branches.entries()) {
    const given = { when: branch.when !== undefined, otherwise: branch.otherwise === true };
    for (const [name, isGiven] of Object.entries(given)) {
      if (isGiven) yield error("branch.when_in_parallel", below(where, number, name), block.id);
    }
  }
}

function* withConditions(block: BlockStep, where: string): Generator<Finding> {
  for (const [number, branch] of block.branches.entries()) {
    const args = { branch: branch.id };
    const at = below(where, number);
    if (branch.when === undefined && branch.otherwise !== true) {
      yield error("branch.when_missing", at, block.id, args);
    } else if (branch.when !== undefined && branch.otherwise === true) {
      yield error("branch.when_in_otherwise", below(at, "when"), block.id, args);
    }
  }
}

function* join(block: BlockStep, { at }: Found): Generator<Finding> {
  if (block.kind === "choice" || typeof block.join === "string") return;
  const high = block.branches.length;
  const got = block.join.at_least;
  if (got > high) {
    yield error("join.at_least_too_big", below(at, "join", "at_least"), block.id, { high, got });
  }
}
