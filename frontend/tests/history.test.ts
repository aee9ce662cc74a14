// Undo and redo, and reading and changing one member.
import assert from "node:assert/strict";
import test from "node:test";
import {
  begin,
  close,
  type Draft,
  edit,
  getIn,
  type History,
  labels,
  MOST_UNDO,
  newStep,
  insertStep,
  pathOf,
  pointerOf,
  redo,
  same,
  select,
  setIn,
  slots,
  undo,
} from "../src/designer/model";
import { Dice, draftOf, drawFlow, EMPTY, NAMES } from "./drawn";

function renamed(draft: Draft, name: string): Draft {
  return setIn(draft, ["flow", "name"], name);
}

function typed(history: History, name: string, merge = "/name"): History {
  return edit(history, { label: "name", draft: renamed(history.draft, name), merge });
}

test("undo after any edits gives every state back, and redo the way forth", () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const dice = new Dice(seed);
    let history = begin(draftOf(drawFlow(dice, 6)));
    const states = [history.draft];
    for (let number = 0; number < 30; number += 1) {
      const { flow } = history.draft;
      const next = insertStep(flow, dice.pick(slots(flow)), newStep("copy", flow, NAMES));
      history = edit(history, { label: `${number}`, draft: { ...history.draft, flow: next } });
      states.push(history.draft);
    }
    const last = history;
    for (const state of states.toReversed()) {
      assert.equal(history.draft, state);
      history = undo(history);
    }
    assert.equal(undo(history), history);
    while (history.future.length > 0) history = redo(history);
    assert.equal(history.draft, last.draft);
    assert.deepEqual(labels(history), labels(last));
  }
});

test("the last 200 can be undone", () => {
  let history = begin(draftOf(EMPTY));
  for (let number = 0; number < MOST_UNDO + 50; number += 1) {
    history = edit(history, { label: `${number}`, draft: renamed(history.draft, `${number}`) });
  }
  assert.equal(labels(history).undo.length, MOST_UNDO);
  for (let number = 0; number < MOST_UNDO; number += 1) history = undo(history);
  assert.equal(history.draft.flow.name, "49");
  assert.equal(undo(history), history);
});

test("typing in one field is one step, until the field is left", () => {
  const start = begin(draftOf(EMPTY));
  const word = typed(typed(typed(start, "a"), "ab"), "abc");
  assert.deepEqual(labels(word).undo, ["name"]);
  assert.equal(undo(word).draft, start.draft);
  assert.equal(labels(typed(close(word), "abcd")).undo.length, 2);
  assert.equal(labels(typed(word, "x", "/key")).undo.length, 2);
  assert.equal(labels(typed(undo(typed(word, "x", "/key")), "y")).undo.length, 2);
});

test("the selection comes back, and alone is nothing to undo", () => {
  const start = select(begin(draftOf(EMPTY)), "lead");
  assert.deepEqual(labels(start).undo, []);
  const draft = renamed(start.draft, "x");
  const after = edit(start, { label: "x", draft, selected: { step: "a", branch: "b" } });
  assert.deepEqual(after.selected, { step: "a", branch: "b" });
  assert.equal(undo(after).selected, "lead");
  assert.deepEqual(redo(undo(after)).selected, { step: "a", branch: "b" });
});

test("nothing changed is nothing done, and a new edit ends what could be redone", () => {
  const start = begin(draftOf(EMPTY));
  assert.equal(edit(start, { label: "none", draft: start.draft }), start);
  const other = typed(undo(typed(start, "a")), "b");
  assert.deepEqual(labels(other).redo, []);
});

test("a change shares everything beside its way", () => {
  const draft = draftOf(drawFlow(new Dice(7), 20));
  const changed = setIn(draft, ["flow", "policy", "take_back", "on"], true);
  assert.equal(changed.flow.steps, draft.flow.steps);
  assert.equal(getIn(changed, ["flow", "policy", "take_back", "on"]), true);
  assert.equal(setIn(changed, ["flow", "policy", "take_back", "on"], true), changed);
  assert.equal(setIn(draft, ["flow", "policy", "dedupe"], undefined), draft);
  assert.ok(same(setIn(changed, ["flow", "policy"], undefined), draft));
  assert.deepEqual(setIn({ list: [1, 2, 3] }, ["list", 1], undefined), { list: [1, 3] });
  assert.deepEqual(setIn({}, ["list", 0, "id"], "x"), { list: [{ id: "x" }] });
});

test("members with names of the language are members like others", () => {
  const raw = JSON.parse('{"__proto__": {"a": 1}}') as object;
  assert.equal(getIn(raw, ["__proto__", "a"]), 1);
  assert.equal(getIn({}, ["constructor"]), undefined);
  const changed = setIn(raw, ["__proto__", "a"], 2);
  assert.equal(JSON.stringify(changed), '{"__proto__":{"a":2}}');
  assert.equal(({} as { a?: number }).a, undefined);
});

test("JSON Pointers there and back", () => {
  const path = ["steps", 0, "a/b~c", "x"];
  assert.equal(pointerOf(path), "/steps/0/a~1b~0c/x");
  assert.deepEqual(pathOf(pointerOf(path)), path);
  assert.deepEqual(pathOf(""), []);
});
