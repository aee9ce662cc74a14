// What changed between two drafts, and what two people changed at once.
import assert from "node:assert/strict";
import test from "node:test";
import {
  type Draft,
  duplicateStep,
  everyStep,
  insertStep,
  legalSlots,
  moveStep,
  newStep,
  removeStep,
  setIn,
  slots,
} from "../src/designer/model";
import { compare, type Change, counts, diff } from "../src/designer/model/diff";
import { addField, moveField, removeField } from "../src/designer/model/form";
import { approve, branch, Dice, draftOf, drawFlow, flowOf, FORM, NAMES } from "./drawn";

const SEEDS = Array.from({ length: 30 }, (_, seed) => seed + 1);
const told = (changes: readonly Change[]): string[] =>
  changes.map(({ what, kind, id }) => `${what} ${kind} ${id}`);

test("nothing changed is no change", () => {
  for (const seed of SEEDS) {
    const draft = draftOf(drawFlow(new Dice(seed), 25), FORM);
    assert.deepEqual(diff(draft, draft), []);
    assert.deepEqual(diff(draft, JSON.parse(JSON.stringify(draft)) as Draft), []);
  }
});

test("one edit is one change, by the id of what was edited", () => {
  for (const seed of SEEDS) {
    const dice = new Dice(seed);
    const draft = draftOf(drawFlow(dice, 25));
    const { flow } = draft;
    const { step, path } = dice.pick(everyStep(flow));
    const renamed = setIn(draft, ["flow", ...path, "name"], "another");
    assert.deepEqual(told(diff(draft, renamed)), [`changed step ${step.id}`]);
    const slot = dice.pick(legalSlots(flow, step.id));
    const moved = { ...draft, flow: moveStep(flow, step.id, slot) };
    const changes = diff(draft, moved);
    // Two neighbours that change places are one move, and either may be the one that moved.
    assert.deepEqual(
      changes.map(({ what, kind }) => [what, kind]),
      [["moved", "step"]],
    );
    const fresh = newStep("copy", flow, NAMES);
    const added = { ...draft, flow: insertStep(flow, dice.pick(slots(flow)), fresh) };
    assert.deepEqual(told(diff(draft, added)), [`added step ${fresh.id}`]);
    assert.deepEqual(told(diff(added, draft)), [`removed step ${fresh.id}`]);
  }
});

test("what comes and goes with a block says so", () => {
  const block = {
    id: "both",
    kind: "parallel",
    name: "Both",
    join: "all",
    branches: [branch("left", approve("l")), branch("right")],
  } as const;
  const base = draftOf(flowOf(approve("lead")));
  const mine = draftOf(flowOf(approve("lead"), block));
  const inside = diff(base, mine).map((change) => [change.id, change.inside]);
  assert.deepEqual(inside, [
    ["both", null],
    ["left", "both"],
    ["l", "both"],
    ["right", "both"],
  ]);
  assert.deepEqual(counts(diff(mine, base)), { added: 0, removed: 4, moved: 0, changed: 0 });
  const twice = duplicateStep(mine.flow, "both");
  assert.equal(counts(diff(mine, { ...mine, flow: twice.flow })).added, 4);
});

test("settings, members and fields are told one by one", () => {
  const base = draftOf(flowOf(approve("lead")), FORM);
  const flow = setIn(base.flow, ["policy", "on_self"], "skip");
  const mine: Draft = {
    ...base,
    flow: setIn(setIn(flow, ["steps", 0, "acts", "transfer"], true), ["steps", 0, "name"], "Boss"),
    form: setIn(FORM, ["fields", 1, "columns", 0, "label"], "Cost"),
  };
  const changes = diff(base, mine);
  assert.deepEqual(told(changes), [
    "changed setting policy",
    "changed step lead",
    "changed field lines.price",
  ]);
  assert.deepEqual(
    changes[1]?.members?.map(({ path }) => path.join(".")),
    ["name", "acts"],
  );
  const moved = moveField(addField(removeField(FORM, "reason"), { ...NEW }), "total", 1);
  assert.deepEqual(told(diff(base, { ...base, form: moved })).sort(), [
    "added field extra",
    "moved field total",
    "removed field reason",
  ]);
});
const NEW = { id: "extra", type: "text", label: "Extra" } as const;

test("two people: each alone, both alike, both differently", () => {
  const base = draftOf(flowOf(approve("a"), approve("b"), approve("c"), approve("d")));
  const name = (draft: Draft, at: number, text: string): Draft =>
    setIn(draft, ["flow", "steps", at, "name"], text);
  const mine = name(name(name(base, 0, "mine"), 1, "same"), 2, "mine");
  const gone = name(name(name(base, 1, "same"), 2, "theirs"), 3, "theirs");
  const theirs = { ...gone, flow: removeStep(gone.flow, "a") };
  const found = compare(base, mine, theirs);
  assert.deepEqual(told(found.mine), []);
  assert.deepEqual(told(found.theirs), ["changed step d"]);
  assert.deepEqual(told(found.alike), ["changed step b"]);
  assert.deepEqual(
    found.both.map((pair) => told([pair.mine, pair.theirs])),
    [
      ["changed step a", "removed step a"],
      ["changed step c", "changed step c"],
    ],
  );
});
