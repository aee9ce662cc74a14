// Checking a draft: the rules of this page, fetched right after the start, and the server, which
// knows the directory, other processes and rules as they are now. Nothing is stored by it.
import { signal } from "@preact/signals";
import { fetched } from "./later";
import type { Problem } from "./model";
import { page } from "./page";
import { ask, ofServer, problemsIn } from "./requests";
import { check, draft, refused, useRules } from "./state";

/** Whether the last check could be made by nobody: no rules here, no answer from there. */
export const uncheckable = signal(false);

const fetchRules = fetched(() =>
  import("./model/validate").then(({ validate }) => {
    useRules(validate);
  }),
);

/** Fetches the rules; whether they are there. Tried again at each check until they are. */
export function startChecking(): Promise<boolean> {
  return fetchRules().then(
    () => true,
    () => false,
  );
}

/** What this page finds and what the server finds; without a connection only the former. */
export async function checkAll(): Promise<readonly Problem[]> {
  const asked = draft.peek();
  const { flow, form } = asked;
  const [here, answer] = await Promise.all([
    startChecking(),
    ask("POST", page().addresses.validate, { body: { document: flow, form } }),
  ]);
  if (answer.kind === "done" && draft.peek() === asked) {
    refused.value = problemsIn(answer.body["problems"]).map(ofServer);
  }
  uncheckable.value = !here && answer.kind !== "done";
  return check();
}
