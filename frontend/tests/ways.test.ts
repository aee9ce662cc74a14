// The way of a sample request as marks on the cards and as lines of a list.
import assert from "node:assert/strict";
import test from "node:test";
import { linesOf, marksOf, type WayBranch, type WayStep } from "../src/designer/model/ways";

const said = (message: string): { code: string; message: string } => ({ code: "x", message });

function step(id: string, more: Partial<WayStep> = {}): WayStep {
  return {
    step: { id, name: id.toUpperCase(), kind: "approve" },
    sure: true,
    people: [],
    left_out: [],
    passes: [],
    unknown: [],
    rule: null,
    ends: null,
    goto: null,
    branches: [],
    ...more,
  };
}

function branch(id: string, taken: boolean | null, more: Partial<WayBranch> = {}): WayBranch {
  return { id, name: id, taken, questions: [], depends_on: [], steps: [], ...more };
}

test("a branch that depends on a field says so on its card, one that is not taken is off", () => {
  const open = branch("big", null, {
    depends_on: [said("Depends on A"), said("Depends on A")],
    steps: [step("boss", { sure: false })],
  });
  const marks = marksOf([step("size", { branches: [open, branch("small", false)] })]);
  assert.deepEqual(marks.get("size/big"), { lies: "maybe", note: "Depends on A" });
  assert.deepEqual(marks.get("size/small"), { lies: "off", note: "" });
  assert.equal(marks.get("boss")?.lies, "maybe");
  assert.equal(marks.get("end")?.lies, "on");
  assert.equal(marks.get("elsewhere"), undefined);
});

test("a request that surely ends before its last step does not reach the end", () => {
  const ends = said("The request ends here as rejected");
  assert.equal(marksOf([step("stop", { ends })]).get("end")?.lies, "off");
  assert.equal(marksOf([step("stop", { ends, sure: false })]).get("end")?.lies, "maybe");
});

test("the list leaves out what is not taken, and keeps reasons apart from unknowns", () => {
  const lines = linesOf([
    step("lead", { people: [said("Ada: head")], unknown: [said("Depends on A")] }),
    step("size", {
      branches: [branch("big", true, { steps: [step("boss")] }), branch("small", false)],
    }),
  ]);
  assert.deepEqual(
    lines.map(({ key, depth }) => [key, depth]),
    [
      ["lead", 0],
      ["size", 0],
      ["size/big", 1],
      ["boss", 2],
    ],
  );
  assert.deepEqual(lines[0]?.reasons, [said("Ada: head")]);
  assert.deepEqual(lines[0]?.unknown, [said("Depends on A")]);
});
