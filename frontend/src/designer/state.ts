// What the designer's parts share: the document with its history, what is selected, what is wrong
// with it. Everything that changes the document goes through `edit` or `editIn`, so undo covers all.
import { computed, signal } from "@preact/signals";
import {
  begin,
  close,
  edit as record,
  redo as redone,
  same,
  select as selecting,
  setIn,
  undo as undone,
  type Draft,
  type History,
  type Knowledge,
  type Path,
  type Problem,
  type Selected,
} from "./model";
import { codesOf, nothingKnown, type Known } from "./knowledge";

/** A step by id, "start", "end", the head of a branch, or nothing. */
export type Selection = Selected;
export type { Path };

export interface EditOptions {
  /** Edits with the same key on top of each other are one step of undo (typing in one field). */
  merge?: string;
  /** What is selected afterwards; without it the selection stays. */
  selected?: Selection;
}

export type Stage = "basics" | "form" | "flow" | "more";

const empty: Draft = {
  flow: { flowdoc: 1, key: "", name: "", steps: [] },
  form: null,
  view: { folded: [] },
};

export const history = signal<History>(begin(empty));
export const draft = computed<Draft>(() => history.value.draft);
/** The form alone: what reads it is not drawn again for each edit of the process. */
export const form = computed(() => draft.value.form);
export const selected = signal<Selection>(null);
export const knowledge = signal<Known>(nothingKnown);
export const readOnly = signal(false);
export const stage = signal<Stage>("flow");
/** What the live region says; the counter makes the same words heard twice. */
export const announced = signal<{ text: string; turn: number }>({ text: "", turn: 0 });

/** What the rules of this page found, in document order. */
const found = signal<readonly Problem[]>([]);
/** What the server found at the last publish or save, until the next edit. */
export const refused = signal<readonly Problem[]>([]);

export const problems = computed<readonly Problem[]>(() => {
  const mine = found.value;
  const known = new Set(mine.map((problem) => `${problem.code} ${problem.at}`));
  return [...mine, ...refused.value.filter((one) => !known.has(`${one.code} ${one.at}`))];
});

type Rules = (draft: Draft, knowledge: Knowledge) => readonly Problem[];
/** The rules of this page; null until they are fetched (checking.ts), a moment after the start. */
let rules: Rules | null = null;

/** Validation waits this long for the next key press, in milliseconds. */
const pause = 150;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Validates at once: on opening, before publishing, for "Check". Without rules nothing is found. */
export function check(): readonly Problem[] {
  clearTimeout(waiting);
  if (rules !== null) {
    const now = rules(draft.peek(), codesOf(knowledge.peek()));
    // The same again is no news: nothing is drawn again for it.
    if (!same(now, found.peek())) found.value = now;
  }
  return problems.peek();
}

/** Takes the rules, and looks at the draft as it is by now. */
export function useRules(validate: Rules): void {
  rules = validate;
  check();
}

function checkSoon(): void {
  clearTimeout(waiting);
  waiting = setTimeout(check, pause);
}

/** Takes a document as the one to work on; its history begins here. */
export function open(document: Draft, known: Known, mayWrite: boolean): void {
  history.value = begin(document);
  knowledge.value = known;
  readOnly.value = !mayWrite;
  selected.value = "start";
  refused.value = [];
  check();
}

/**
 * Changes the document by a pure function of it. `label` says in words what was done: the undo
 * menu and the live region use it. Does nothing in a page that may only read, or when the function
 * gives back what it was given.
 */
export function edit(
  label: string,
  change: (draft: Draft) => Draft,
  options: EditOptions = {},
): void {
  if (readOnly.value) return;
  const before = draft.value;
  const after = change(before);
  if (after === before) return;
  const then = options.selected === undefined ? selected.value : options.selected;
  history.value = record(selecting(history.value, selected.value), {
    label,
    draft: after,
    selected: then,
    ...(options.merge === undefined ? {} : { merge: options.merge }),
  });
  selected.value = then;
  refused.value = [];
  checkSoon();
}

/** The next edit is a step of undo of its own, whatever its merge key: the field was left. */
export function endTyping(): void {
  history.value = close(history.value);
}

/** Sets (or with `undefined` removes) one member of the document: `["flow", "steps", 0, "name"]`. */
export function editIn(
  path: Path,
  value: unknown,
  options: { label: string; merge?: string },
): void {
  const { label, merge } = options;
  edit(label, (was) => setIn(was, path, value), merge === undefined ? {} : { merge });
}

function step(move: (history: History) => History): boolean {
  const before = history.value;
  const after = move(before);
  if (after === before || readOnly.value) return false;
  history.value = after;
  selected.value = after.selected;
  refused.value = [];
  checkSoon();
  return true;
}

/** Takes the last edit back; whether there was one. */
export function undo(): boolean {
  return step(undone);
}

/** Does again what was taken back; whether there was something. */
export function redo(): boolean {
  return step(redone);
}

/** Says a text in the live region. */
export function announce(text: string): void {
  announced.value = { text, turn: announced.value.turn + 1 };
}
