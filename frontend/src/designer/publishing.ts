// Publishing: save first, show what differs from the live version, send, and put what the server
// found on the cards.
import { signal } from "@preact/signals";
import { checkAll } from "./checking";
import { ask as askUser, question } from "./layers";
import { jumpTo } from "./faults";
import { problemsShown } from "./looking";
import { address, page, type Live } from "./page";
import { ask, ofServer } from "./requests";
import { conflict, save, saved } from "./saving";
import { playAll, scenarios } from "./scenarios";
import { announce, draft, refused } from "./state";
import type { Problem } from "./model";
import { t } from "./texts";

export interface Prepared {
  /** The version that is live now; null for a process that was never published. */
  live: Live | null;
}

export const prepared = signal<Prepared | null>(null);
export const publishing = signal(false);
export const publishFailure = signal("");
export const published = signal<{ key: string; version: number } | null>(null);

let key = "";

/** Opens the dialog once everything is saved and nothing stands in the way. */
export async function startPublishing(): Promise<void> {
  const errors = (await checkAll()).filter((problem) => problem.level === "error");
  const [first] = errors;
  if (first !== undefined) {
    problemsShown.value = true;
    jumpTo(first);
    announce(t("publish.problems", { count: errors.length }));
    return;
  }
  if (!(await save())) return;
  prepared.value = null;
  publishFailure.value = "";
  published.value = null;
  key = crypto.randomUUID();
  askUser({ kind: "publish" });
  // What the scenarios come to does not hold up the comparison, nor the other way round.
  await Promise.all([comparing(), scenarios.peek().length > 0 ? playAll() : null]);
}

async function comparing(): Promise<void> {
  const answer = await ask("GET", address(page().addresses.live, "KEY", draft.peek().flow.key));
  if (answer.kind === "done") {
    prepared.value = { live: answer.body["live"] as Live | null };
  } else publishFailure.value = answer.kind === "refused" ? answer.text : t("failed.offline");
}

/** A changed note, or another word about green scenarios, is another command, with a key of its own. */
export function noteChanged(): void {
  key = crypto.randomUUID();
}

export async function publish(note: string, requireGreen: boolean): Promise<void> {
  publishing.value = true;
  publishFailure.value = "";
  const { flow } = draft.peek();
  const answer = await ask("POST", address(page().addresses.publish, "KEY", flow.key), {
    // The version that was compared with; the server refuses when another one is live by now.
    body: {
      draft: page().id,
      note,
      over: prepared.peek()?.live?.version ?? 0,
      ...(scenarios.peek().length > 0 ? { require_green: requireGreen } : {}),
    },
    version: saved.peek().version,
    key,
  });
  publishing.value = false;
  if (answer.kind === "done") {
    published.value = { key: flow.key, version: Number(answer.body["version"]) };
    announce(t("publish.done", { version: Number(answer.body["version"]) }));
  } else if (answer.kind === "refused") {
    publishFailure.value = answer.text;
    if (answer.code === "flow.version_moved") {
      // Somebody published meanwhile: the same dialog, with what differs from that version.
      noteChanged();
      await comparing();
    } else if (answer.status === 412) await movedOn();
    else if (answer.errors.length > 0) showRefusal(answer.errors.map(ofServer));
  } else {
    publishFailure.value = t(answer.kind === "offline" ? "failed.offline" : "failed.signed-out");
  }
}

/** Another window saved in between: that is the conflict of saving, shown with its differences. */
async function movedOn(): Promise<void> {
  question.value = null;
  saved.value = { ...saved.peek(), draft: null };
  await save();
  if (conflict.peek() === null) announce(t("saved.said"));
}

function showRefusal(found: readonly Problem[]): void {
  question.value = null;
  refused.value = found;
  problemsShown.value = true;
  // A warning did not stop it.
  const first = found.find(({ level }) => level === "error") ?? found[0];
  if (first !== undefined) jumpTo(first);
}
