// Properties of everything that can be done to the tree, on processes drawn at random.
import assert from "node:assert/strict";
import test from "node:test";
import {
  addBranch,
  branchesOf,
  chainSteps,
  duplicateBranch,
  duplicateStep,
  ends,
  everyStep,
  find,
  findBranch,
  type Flowdoc,
  freshId,
  insertStep,
  isBlock,
  KINDS,
  legalSlots,
  moveBranch,
  moveStep,
  neighbour,
  newStep,
  type Node,
  outline,
  position,
  removeBranch,
  removeStep,
  renameId,
  roomFor,
  replaceKind,
  sameChain,
  setOtherwise,
  shiftStep,
  slots,
  slug,
  type Step,
  takenIds,
} from "../src/designer/model";
import { validate } from "../src/designer/model/validate";
import { approve, branch, Dice, draftOf, drawFlow, EMPTY, flowOf, NAMES } from "./drawn";

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

function idsOf(flow: Flowdoc): string[] {
  return everyStep(flow)
    .flatMap(({ step }) => [step.id, ...branchesOf(step).map((each) => each.id)])
    .sort();
}

function inside(step: Step): string[] {
  return idsOf(flowOf(step));
}

for (const seed of SEEDS) {
  const dice = new Dice(seed);
  const flow = drawFlow(dice, 5 + dice.below(30));
  const ids = idsOf(flow);

  test(`every id is one of its own, seed ${seed}`, () => {
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(!ids.includes(freshId(flow, dice.pick(ids))));
  });

  test(`moving is a permutation, seed ${seed}`, () => {
    const { step } = dice.pick(everyStep(flow));
    for (const slot of legalSlots(flow, step.id)) {
      const moved = moveStep(flow, step.id, slot);
      assert.notEqual(moved, flow);
      assert.deepEqual(idsOf(moved), ids);
      assert.ok(sameChain(find(moved, step.id)?.chain ?? { root: true }, slot.chain));
      assert.equal(find(moved, step.id)?.step, step, "the step itself is shared");
    }
    const legal = legalSlots(flow, step.id).length;
    const all = slots(flow);
    assert.equal(all.filter((slot) => moveStep(flow, step.id, slot) !== flow).length, legal);
  });

  test(`removing takes exactly what lies in the step, seed ${seed}`, () => {
    const { step } = dice.pick(everyStep(flow));
    const gone = inside(step);
    assert.deepEqual(
      idsOf(removeStep(flow, step.id)),
      ids.filter((id) => !gone.includes(id)),
    );
  });

  test(`a copy is another one of the same, seed ${seed}`, () => {
    const { step } = dice.pick(everyStep(flow));
    const { flow: twice, id } = duplicateStep(flow, step.id, (name) => `${name} 2`);
    assert.ok(id !== null);
    const after = idsOf(twice);
    assert.equal(new Set(after).size, after.length);
    assert.equal(after.length, ids.length + inside(step).length);
    assert.equal(find(twice, id)?.index, (find(flow, step.id)?.index ?? 0) + 1);
    assert.deepEqual(idsOf(removeStep(twice, id)), ids);
  });

  test(`another kind keeps id and place, seed ${seed}`, () => {
    const found = dice.pick(everyStep(flow));
    const kind = dice.pick(KINDS);
    const changed = replaceKind(flow, found.step.id, kind, NAMES);
    const now = find(changed, found.step.id);
    assert.ok(now !== undefined);
    assert.equal(now.step.kind, kind);
    assert.equal(now.at, found.at);
    assert.equal(now.step.name, found.step.name);
  });

  test(`branches come, go and change places, seed ${seed}`, () => {
    const blocks = everyStep(flow).filter(({ step }) => isBlock(step));
    if (blocks.length === 0) return;
    const { step } = dice.pick(blocks);
    const made = addBranch(flow, step.id, "New");
    assert.ok(made.branch !== null);
    assert.deepEqual(idsOf(made.flow), [...ids, made.branch].sort());
    assert.equal(findBranch(made.flow, step.id, made.branch)?.branch.name, "New");
    const moved = moveBranch(made.flow, step.id, made.branch, -1);
    assert.deepEqual(idsOf(moved), idsOf(made.flow));
    const back = removeBranch(moved, step.id, made.branch, "nothing");
    assert.deepEqual(idsOf(back), ids);
    const one = dice.pick(branchesOf(step));
    const kept = removeBranch(made.flow, step.id, one.id, "steps");
    assert.deepEqual(idsOf(kept), [...ids.filter((id) => id !== one.id), made.branch].sort());
    const twice = duplicateBranch(flow, step.id, one.id);
    const after = idsOf(twice.flow);
    assert.equal(new Set(after).size, after.length);
  });

  test(`the arrows reach every card and come back, seed ${seed}`, () => {
    const cards = outline(flow).length;
    const seen = new Set<string>();
    const key = (node: Node): string => JSON.stringify(node);
    const waiting: Node[] = ["start"];
    while (waiting.length > 0) {
      const node = waiting.pop();
      if (node === undefined || seen.has(key(node))) continue;
      seen.add(key(node));
      for (const way of ["down", "up", "left", "right"] as const) {
        const next = neighbour(flow, node, way);
        if (next !== null) waiting.push(next);
      }
    }
    assert.equal(seen.size, cards + 2, "start and end besides");
    let node: Node | null = "end";
    let steps = 0;
    while (node !== null && node !== "start" && steps <= cards + 1) {
      const up: Node | null = neighbour(flow, node, "up");
      if (up !== null) assert.deepEqual(neighbour(flow, up, "down"), node);
      node = up;
      steps += 1;
    }
    assert.equal(node, "start");
  });
}

test("a new step of any kind has no problem but what only the user knows", () => {
  const base = flowOf(approve("lead"));
  const open: Record<string, string[]> = {};
  for (const kind of KINDS) {
    const flow = insertStep(base, { chain: { root: true }, index: 1 }, newStep(kind, base, NAMES));
    const problems = validate(draftOf(flow)).filter(({ level }) => level === "error");
    if (problems.length > 0) open[kind] = problems.map(({ code, at }) => `${code} ${at}`);
  }
  assert.deepEqual(open, {
    choice: ["branch.when_missing /steps/1/branches/0"],
    inclusive: [
      "branch.when_missing /steps/1/branches/0",
      "branch.when_missing /steps/1/branches/1",
    ],
    subflow: ["doc.bad_value /steps/1/flow"],
    http: ["http.private_host /steps/1/url"],
    set: ["doc.out_of_range /steps/1/changes"],
    rule: ["doc.out_of_range /steps/1/rule/key"],
    goto: ["flow.no_end /steps"],
  });
});

const BLOCK: Step = {
  id: "pick",
  kind: "choice",
  name: "Pick",
  branches: [
    { ...branch("one", approve("a"), approve("b")), when: { step: "lead", outcome: "approved" } },
    { ...branch("two", approve("c")), otherwise: true },
  ],
};

test("a copied block means its own steps, and outside of it the same ones", () => {
  const back: Step = { id: "again", kind: "goto", name: "Again", to: "a", max: 2 };
  const block: Step = {
    ...BLOCK,
    branches: [
      { ...branch("one", approve("a"), back), when: { step: "lead", outcome: "approved" } },
      { ...branch("two"), otherwise: true },
    ],
  };
  const { flow, id } = duplicateStep(flowOf(approve("lead"), block), "pick");
  const copy = find(flow, id ?? "")?.step;
  assert.ok(copy !== undefined && isBlock(copy));
  const [first] = copy.branches;
  assert.deepEqual(first?.steps, [
    { ...approve("a"), id: "a_2" },
    { ...back, id: "again_2", to: "a_2" },
  ]);
  assert.deepEqual(first?.when, { step: "lead", outcome: "approved" });
});

test("the last branch but one takes the block with it", () => {
  const flow = flowOf(approve("lead"), BLOCK, approve("last"));
  const left = (keep: "nothing" | "steps"): string[] =>
    everyStep(removeBranch(flow, "pick", "one", keep)).map(({ step }) => step.id);
  assert.deepEqual(left("nothing"), ["lead", "c", "last"]);
  assert.deepEqual(left("steps"), ["lead", "c", "a", "b", "last"]);
});

test("otherwise stays the last, and a new branch comes before it", () => {
  const made = addBranch(flowOf(BLOCK), "pick");
  const names = (flow: Flowdoc): string[] => {
    const step = find(flow, "pick")?.step;
    return step === undefined ? [] : branchesOf(step).map((each) => each.id);
  };
  assert.deepEqual(names(made.flow), ["one", "pick_3", "two"]);
  assert.equal(moveBranch(made.flow, "pick", "two", -1), made.flow);
  assert.deepEqual(names(moveBranch(made.flow, "pick", "one", 5)), ["pick_3", "one", "two"]);
  const other = setOtherwise(flowOf(BLOCK), "pick", "one");
  assert.deepEqual(names(other), ["two", "one"]);
  assert.equal(findBranch(other, "pick", "one")?.branch.when, undefined);
  assert.equal(findBranch(other, "pick", "two")?.branch.otherwise, undefined);
});

test("what is named elsewhere follows a new id", () => {
  const reject = { then: { do: "back", to: { step: "lead" } } };
  const flow = flowOf(approve("lead"), approve("b", { reject } as Partial<Step>), BLOCK);
  const named = renameId(flow, "lead", "boss");
  assert.deepEqual(validate(draftOf(named)), validate(draftOf(flow)));
  assert.ok(!JSON.stringify(named).includes('"lead"') || find(named, "lead") === undefined);
  assert.equal(renameId(flow, "lead", "b"), flow, "a taken id changes nothing");
});

test("positions, ends and shifting", () => {
  const flow = flowOf(approve("lead"), BLOCK);
  assert.deepEqual(position(flow, "b"), {
    number: 2,
    of: 2,
    depth: 1,
    block: BLOCK,
    branch: branchesOf(BLOCK)[0],
  });
  assert.deepEqual(ends(flow, "b"), { first: "a", last: "b" });
  assert.deepEqual(ends(flow, "lead"), { first: "start", last: "end" });
  assert.deepEqual(ends(flow, { step: "pick", branch: "two" }), {
    first: { step: "pick", branch: "one" },
    last: { step: "pick", branch: "two" },
  });
  assert.equal(shiftStep(flow, "lead", -1), flow);
  assert.deepEqual(
    chainSteps(shiftStep(flow, "lead", 1), { root: true })?.map(({ id }) => id),
    ["pick", "lead"],
  );
  assert.deepEqual(neighbour(flow, "pick", "down", ["pick"]), "end");
});

test("ids are made of names in any writing", () => {
  assert.equal(slug("Head of Department!"), "head_of_department");
  assert.equal(slug("1. Überprüfung"), "uberprufung");
  assert.equal(slug("审批"), "step");
  assert.ok(takenIds(EMPTY).has("start"));
  const flow = flowOf(approve("s".repeat(48)));
  assert.equal(freshId(flow, "s".repeat(48)), `${"s".repeat(46)}_2`);
});

test("everything works on 300 steps, and 1,000 are too many but do no harm", () => {
  const dice = new Dice(300);
  const flow = drawFlow(dice, 300);
  const ids = idsOf(flow);
  for (let turn = 0; turn < 20; turn += 1) {
    const { step } = dice.pick(everyStep(flow));
    assert.deepEqual(idsOf(moveStep(flow, step.id, dice.pick(legalSlots(flow, step.id)))), ids);
  }
  const many = flowOf(...Array.from({ length: 1000 }, (_, at) => approve(`s${at}`)));
  assert.deepEqual(
    validate(draftOf(many)).map(({ code, at }) => `${code} ${at}`),
    ["doc.size /steps"],
  );
  assert.equal(roomFor(many), 0);
  const last = moveStep(many, "s0", { chain: { root: true }, index: 1000 });
  assert.equal(everyStep(last).at(-1)?.step.id, "s0");
});
