// Saving the draft, only when asked to: what is unsaved, what the server said, and the conflict.
//
// The version that was saved last goes along with each save; the server refuses with 412 when the
// draft has moved on. Nothing typed is ever dropped: it stays in the page, and in this tab's
// storage (recovery.ts) until it is saved or discarded.
import { batch, computed, signal } from "@preact/signals";
import { same, type Draft } from "./model";
import { folded } from "./looking";
import { address, draftOf, page, type Delivered } from "./page";
import { ask, ofServer, problemsIn, type Answer } from "./requests";
import { announce, draft, history, knowledge, open, readOnly, refused } from "./state";
import { t } from "./texts";

/** What the server holds, as far as this page knows. */
interface Saved {
  /** Null: not known to this page (input that was kept without it). */
  draft: Draft | null;
  version: number;
  at: Date | null;
  /** The edit that was the last one when it was saved. */
  mark: unknown;
}

export interface Failure {
  kind: "offline" | "signed-out" | "refused";
  text: string;
}

/** Somebody else, or another window, saved in between. */
export interface Conflict {
  /** What both began with; null when this page does not have it any more. */
  base: Draft | null;
  mine: Draft;
  theirs: Draft;
  theirVersion: number;
  by: string;
  at: string;
}

export const saved = signal<Saved>({ draft: null, version: 0, at: null, mark: null });
export const saving = signal(false);
export const failure = signal<Failure | null>(null);
export const conflict = signal<Conflict | null>(null);

export const unsaved = computed(() => {
  const last = saved.value.draft;
  const now = draft.value;
  return (
    last === null ||
    last.flow !== now.flow ||
    last.form !== now.form ||
    last.scenarios !== now.scenarios
  );
});

/** How many edits lie between the page and what is saved; at least 1 when anything does. */
export const unsavedCount = computed(() => {
  if (!unsaved.value) return 0;
  const { past, future } = history.value;
  const { mark } = saved.value;
  if (mark === null) return Math.max(1, past.length);
  const behind = past.findIndex((entry) => entry === mark);
  if (behind >= 0) return Math.max(1, past.length - 1 - behind);
  const ahead = future.findIndex((entry) => entry === mark);
  return Math.max(1, ahead >= 0 ? future.length - ahead : past.length);
});

function markSaved(what: Draft, version: number, at: Date | null): void {
  const mark = history.peek().draft === what ? (history.peek().past.at(-1) ?? null) : null;
  saved.value = { draft: what, version, at, mark };
}

/** Takes what the page brought as saved. */
export function beginWith(data: Delivered): void {
  const document = draftOf(data);
  open(document, data.knowledge, data.may_write);
  folded.value = new Set(document.view.folded);
  markSaved(draft.peek(), data.version, new Date(data.saved_at));
}

/**
 * Goes on with input of before a reload. It was made from that version, which may be outdated by
 * now: saving says so then, and shows what each side did since `base`.
 */
export function takeUp(recovered: Draft, version: number, base: Draft | null): void {
  saved.value = { ...saved.peek(), draft: base, version, mark: null };
  open(recovered, knowledge.peek(), !readOnly.peek());
}

const nameOf = (mine: Draft): string => mine.flow.name.trim() || t("draft.unnamed");

function contentOf(mine: Draft): Record<string, unknown> {
  return {
    name: nameOf(mine).slice(0, 128),
    document: mine.flow,
    form: mine.form,
    view: { folded: [...folded.peek()] },
    // Said also when there are none: undo may have taken them away again.
    scenarios: mine.scenarios ?? null,
  };
}

let running: Promise<boolean> | null = null;

/** Saves what is unsaved; true when afterwards nothing of that moment is unsaved. */
export function save(): Promise<boolean> {
  running ??= saveNow().finally(() => {
    running = null;
    saving.value = false;
  });
  return running;
}

async function saveNow(): Promise<boolean> {
  if (readOnly.peek()) return false;
  if (!unsaved.peek()) return true;
  const mine = draft.peek();
  saving.value = true;
  const answer = await ask("PUT", page().addresses.draft, {
    body: contentOf(mine),
    version: saved.peek().version,
  });
  if (answer.kind === "done") return accepted(mine, answer.version, answer.body["problems"]);
  if (answer.kind === "refused" && answer.status === 412) return moved(mine, answer);
  fail(answer);
  return false;
}

function accepted(mine: Draft, version: number | null, problems: unknown): boolean {
  batch(() => {
    // The server sees more than this page: what is unknown or disabled by now.
    if (draft.peek() === mine) refused.value = problemsIn(problems).map(ofServer);
    markSaved(mine, version ?? saved.peek().version + 1, new Date());
    failure.value = null;
  });
  announce(t("saved.said"));
  return true;
}

function fail(answer: Answer): void {
  if (answer.kind === "offline") failure.value = { kind: "offline", text: t("failed.offline") };
  else if (answer.kind === "signed-out") {
    failure.value = { kind: "signed-out", text: t("failed.signed-out") };
    askToSignIn();
  } else if (answer.kind === "refused") {
    const first = answer.errors[0]?.message ?? "";
    const words = [answer.text, first].filter(Boolean).join(" ") || t("failed.server");
    failure.value = { kind: "refused", text: words };
  }
  announce(failure.peek()?.text ?? "");
}

/** The dialog of every page; its button saves again. */
function askToSignIn(): void {
  const dialog = document.getElementById("session-ended");
  if (!(dialog instanceof HTMLDialogElement) || dialog.open) return;
  dialog.querySelector("[data-resume-request]")?.addEventListener("click", () => void save(), {
    once: true,
  });
  dialog.showModal();
}

function isSame(one: Draft, other: Draft): boolean {
  return (["flow", "form", "scenarios"] as const).every((part) => same(one[part], other[part]));
}

async function moved(mine: Draft, refusal: Extract<Answer, { kind: "refused" }>): Promise<boolean> {
  const answer = await ask("GET", page().addresses.draft);
  if (answer.kind !== "done" || answer.version === null) {
    fail(answer);
    return false;
  }
  const theirs = draftOf(answer.body);
  // The answer to a save of our own was lost on its way: what is there is what was sent.
  if (isSame(theirs, mine)) {
    return accepted(mine, answer.version, answer.body["problems"]);
  }
  const told = (name: string): string => {
    const value = refusal.body[name];
    return typeof value === "string" ? value : "";
  };
  conflict.value = {
    base: saved.peek().draft,
    mine,
    theirs,
    theirVersion: answer.version,
    by: told("changed_by"),
    at: told("changed_at"),
  };
  return false;
}

/** A new draft with this content; its id, or null when it could not be made. */
async function copyOf(mine: Draft, name: string): Promise<string | null> {
  const content = { ...contentOf(mine), name: name.slice(0, 128) };
  const answer = await ask("POST", page().addresses.drafts, {
    body: content,
    key: crypto.randomUUID(),
  });
  if (answer.kind === "done") return String(answer.body["id"]);
  fail(answer);
  return null;
}

/** Conflict: what they saved is shown from now on; mine is kept as a draft of its own. */
export async function loadTheirs(clash: Conflict): Promise<boolean> {
  const copy = await copyOf(clash.mine, t("draft.copy-name", { name: nameOf(clash.mine) }));
  if (copy === null) return false;
  batch(() => {
    open(clash.theirs, knowledge.peek(), true);
    markSaved(draft.peek(), clash.theirVersion, new Date(clash.at || Date.now()));
    conflict.value = null;
    failure.value = null;
  });
  return true;
}

/** Conflict: mine becomes a new draft, and this window goes there. Its address, or null. */
export async function saveAsNew(clash: Conflict): Promise<string | null> {
  const copy = await copyOf(clash.mine, t("draft.copy-name", { name: nameOf(clash.mine) }));
  if (copy === null) return null;
  markSaved(draft.peek(), saved.peek().version, new Date());
  return address(page().addresses.designer, "ID", copy);
}

/** Conflict: mine replaces theirs. Refused again when a third save came in between. */
export async function overwrite(clash: Conflict): Promise<boolean> {
  saved.value = { ...saved.peek(), draft: clash.theirs, version: clash.theirVersion, mark: null };
  conflict.value = null;
  return save();
}
