// What is unsaved stays in this tab's storage, is offered after a reload, and leaves nothing behind
// once it is saved or discarded. Signing out forgets it with all other kept input (src/forms.ts).
import { effect, signal } from "@preact/signals";
import { isRecord, type Draft } from "./model";
import { page } from "./page";
import { saved, unsaved } from "./saving";
import { draft, readOnly } from "./state";

interface Kept {
  draft: Draft;
  /** What it was made from, for a comparison in three; null where that was not kept. */
  base: Draft | null;
  version: number;
  /** Nothing here was sent; src/forms.ts looks at this member. */
  sent: false;
  fields: [];
}

const pause = 400; // milliseconds after the last edit

/** Input of before a reload that nobody has decided about yet. */
export const offered = signal<Kept | null>(null);

let waiting: ReturnType<typeof setTimeout> | undefined;

function storageKey(): string {
  return `flowadmin:recover:${document.body.dataset["user"] ?? ""}:design:${page().id}`;
}

function keep(what: Draft): void {
  clearTimeout(waiting);
  waiting = undefined;
  const { version, draft: base } = saved.peek();
  const kept: Kept = { draft: what, base, version, sent: false, fields: [] };
  // A full storage may still have room for what matters more.
  if (!store(kept)) store({ ...kept, base: null });
}

/** Whether there was room; without storage the designer works on, it is only not recoverable. */
function store(kept: Kept): boolean {
  try {
    sessionStorage.setItem(storageKey(), JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

export function forget(): void {
  clearTimeout(waiting);
  waiting = undefined;
  sessionStorage.removeItem(storageKey());
}

function isDraft(value: unknown): value is Draft {
  return isRecord(value) && isRecord(value["flow"]);
}

function found(): Kept | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey()) ?? "null");
    if (!isRecord(kept) || !isDraft(kept["draft"]) || typeof kept["version"] !== "number")
      return null;
    // Kept by a page of before an update: without its base.
    const base = isDraft(kept["base"]) ? kept["base"] : null;
    return { ...(kept as unknown as Kept), base };
  } catch {
    return null;
  }
}

/** Offers what was kept, and keeps what is unsaved from now on. */
export function startRecovery(): void {
  if (readOnly.peek()) return;
  offered.value = found();
  effect(() => {
    const now = draft.value;
    if (unsaved.value) {
      clearTimeout(waiting);
      waiting = setTimeout(keep, pause, now);
    } else if (offered.value === null) forget();
  });
  addEventListener("pagehide", () => {
    if (waiting !== undefined) keep(draft.peek());
  });
  // Signing out forgets; what was typed in the last moment must not come back on the way out.
  document.addEventListener("submit", (event) => {
    if (event.target instanceof Element && event.target.matches("[data-sign-out]")) forget();
  });
}
