// Asking the server for everything that is wrong: it knows the directory, other processes and rules
// as they are now. Nothing is stored by it.
import { page } from "./page";
import { ask, ofServer, problemsIn } from "./requests";
import { check, draft, refused } from "./state";
import type { Problem } from "./model";

/** What this page finds and what the server finds; without a connection only the former. */
export async function checkAll(): Promise<readonly Problem[]> {
  const asked = draft.peek();
  const { flow, form } = asked;
  const answer = await ask("POST", page().addresses.validate, { body: { document: flow, form } });
  if (answer.kind === "done" && draft.peek() === asked) {
    refused.value = problemsIn(answer.body["problems"]).map(ofServer);
  }
  return check();
}
