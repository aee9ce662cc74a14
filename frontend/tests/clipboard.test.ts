// Copying, pasting and opening what somebody else wrote.
import assert from "node:assert/strict";
import test from "node:test";
import {
  branchesOf,
  copyBranch,
  copyStep,
  everyStep,
  find,
  holds,
  isBlock,
  openDraft,
  paste,
  pasteBranch,
  slots,
} from "../src/designer/model";
import { validate } from "../src/designer/model/validate";
import { approve, Dice, draftOf, drawFlow, flowOf, FORM } from "./drawn";

const TOP = { chain: { root: true }, index: 0 } as const;

test("a pasted step has new ids, wherever it is pasted", () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const dice = new Dice(seed);
    const draft = draftOf(drawFlow(dice, 20));
    const { step } = dice.pick(everyStep(draft.flow));
    const text = copyStep(draft.flow, step.id) ?? "";
    assert.equal(holds(text), "steps");
    const done = paste(draft, dice.pick(slots(draft.flow)), text, {});
    assert.equal(done.refused, null);
    const ids = everyStep(done.draft.flow).flatMap(({ step: each }) => [
      each.id,
      ...branchesOf(each).map(({ id }) => id),
    ]);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(find(done.draft.flow, done.ids[0] ?? "")?.step.kind, step.kind);
  }
});

test("what is not known here is named", () => {
  const who = {
    any_of: [
      { by: "user", ids: ["ann", "zoe"] },
      { by: "form_users", field: "gone" },
    ],
  } as const;
  const text = copyStep(flowOf(approve("a", { who })), "a") ?? "";
  const done = paste(draftOf(flowOf(), FORM), TOP, text, { users: ["ann"] });
  assert.deepEqual(done.unknown, [
    { sort: "user", id: "zoe" },
    { sort: "field", id: "gone" },
  ]);
});

test("a branch goes into a block, before its otherwise, or as steps anywhere", () => {
  const flow = drawFlow(new Dice(3), 12);
  const block = everyStep(flow).find(({ step }) => step.kind === "choice")?.step;
  assert.ok(block !== undefined && isBlock(block));
  const draft = draftOf(flow);
  const text = copyBranch(flow, block.id, block.branches.at(-1)?.id ?? "") ?? "";
  assert.equal(holds(text), "branch");
  const done = pasteBranch(draft, block.id, text, {});
  const after = find(done.draft.flow, block.id)?.step;
  assert.ok(after !== undefined && isBlock(after));
  assert.equal(after.branches.length, block.branches.length + 1);
  assert.equal(after.branches.at(-1)?.otherwise, true);
  assert.equal(after.branches.filter((each) => each.otherwise).length, 1);
  assert.equal(paste(draft, TOP, text, {}).refused, null);
});

test("any other text is refused and changes nothing", () => {
  const draft = draftOf(flowOf(approve("a")));
  let deep = "1";
  for (let depth = 0; depth < 70; depth += 1) deep = `[${deep}]`;
  const texts = [
    "",
    "hello",
    '{"flowadmin.steps": 1}',
    '{"flowadmin.steps": 2, "steps": [{"id": "a", "kind": "auto", "name": "A"}]}',
    '{"flowadmin.steps": 1, "steps": [{"id": "a", "kind": "dance", "name": "A"}]}',
    `{"flowadmin.steps": 1, "steps": [{"id": "a", "kind": "auto", "name": "A", "x": ${deep}}]}`,
  ];
  for (const text of texts) {
    const done = paste(draft, TOP, text, {});
    assert.equal(done.refused, "not_ours", text);
    assert.equal(done.draft, draft);
  }
  const good = copyStep(draft.flow, "a") ?? "";
  const nowhere = { chain: { step: "gone", branch: "x" }, index: 0 };
  assert.equal(paste(draft, nowhere, good, {}).refused, "no_place");
  const full = draftOf(flowOf(...Array.from({ length: 300 }, (_, at) => approve(`s${at}`))));
  assert.equal(paste(full, TOP, good, {}).refused, "too_many_steps");
});

test("a sound document is opened as it is, unknown members and all", () => {
  const flow = { ...drawFlow(new Dice(5), 15), colour: "red" };
  const draft = openDraft(flow, FORM, { folded: ["x", 5] });
  assert.equal(draft.flow, flow);
  assert.equal(draft.form, FORM);
  assert.deepEqual(draft.view, { folded: ["x"] });
});

test("whatever was stored can be walked", () => {
  const raw = {
    flowdoc: 1,
    steps: [
      "text",
      { id: "a", kind: "choice", branches: [{ id: "a" }, 5, { steps: [{ id: "a" }, { id: 7 }] }] },
      { kind: "parallel" },
      {},
    ],
  };
  const draft = openDraft(raw, { fields: [5, { id: "x", options: "y", columns: [1] }] }, null);
  const ids = everyStep(draft.flow).map(({ step }) => step.id);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids.length, 5);
  assert.ok(validate(draft).length > 0);
  for (const odd of [null, 5, "x", [], {}]) validate(openDraft(odd, odd, odd));
});
