// The cases that the server's own validation answers too: the same codes at the same places.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { type Formdoc, openDraft } from "../src/designer/model";
import { validate } from "../src/designer/model/validate";
import type { Draft, Flowdoc, Problem } from "../src/designer/model";

interface Told {
  readonly code: string;
  readonly at: string;
  readonly part?: "form";
  readonly step?: string;
  readonly level?: "warning";
}
interface Vector {
  readonly name: string;
  readonly flow: unknown;
  readonly form?: unknown;
  readonly problems: readonly Told[];
}
interface Group {
  readonly form: unknown;
  readonly vectors: readonly Vector[];
}

// Beside the bundle of this test, which lies in a folder of node_modules.
const FOLDER = new URL("../../../tests/vectors/", import.meta.url);

function told({ code, at, part, step, level }: Problem): Told {
  return {
    code,
    at,
    ...(part === "form" ? { part } : {}),
    ...(step === null ? {} : { step }),
    ...(level === "warning" ? { level } : {}),
  };
}

for (const file of readdirSync(FOLDER)) {
  const group = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Group;
  for (const vector of group.vectors) {
    const form = vector.form === undefined ? group.form : vector.form;
    test(`${file}: ${vector.name}`, () => {
      const draft: Draft = {
        flow: vector.flow as Flowdoc,
        form: form as Formdoc | null,
        view: { folded: [] },
      };
      const problems = validate(draft);
      // With a broken form the server looks no further; here only what is broken is left out.
      const broken = problems.some(({ part }) => part === "form");
      const kept = broken ? problems.filter(({ part }) => part === "form") : problems;
      assert.deepEqual(kept.map(told), vector.problems);
      // What a page opens is repaired so far that it can be walked, and validated then.
      validate(openDraft(vector.flow, form, null));
    });
  }
}

test("more problems than anybody reads", () => {
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, number) => [`x${number}`, 1]));
  const flow = { flowdoc: 1, key: "k", name: "N", ...many } as unknown as Flowdoc;
  const problems = validate({ flow, form: null, view: { folded: [] } });
  assert.equal(problems.length, 501);
  assert.equal(problems.at(-1)?.code, "doc.too_many_problems");
});

test("what the tenant does not have is told where it is named", () => {
  const who = { any_of: [{ by: "role", ids: ["boss", "gone"] }] };
  const deadline = { after: 60, clock: "gone" };
  const flow = {
    flowdoc: 1,
    key: "k",
    name: "N",
    steps: [{ id: "a", kind: "approve", name: "A", who, deadline }],
  } as unknown as Flowdoc;
  const codes = validate(
    { flow, form: null, view: { folded: [] } },
    { roles: ["boss"], calendars: [] },
  ).map(({ code, at, step }) => [code, at, step]);
  assert.deepEqual(codes, [
    ["people.unknown_id", "/steps/0/who/any_of/0/ids/1", "a"],
    ["target.unknown", "/steps/0/deadline/clock", "a"],
  ]);
});
