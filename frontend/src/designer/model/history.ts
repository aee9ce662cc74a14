// Undo and redo over everything in a draft, as a value that is never changed in place.
import type { Draft } from "./types";

/** A step or branch that is selected, "start", "end", or nothing. */
export type Node = string | { readonly step: string; readonly branch: string };
export type Selected = Node | null;

/** How many changes can be undone. */
export const MOST_UNDO = 200;

interface Moment {
  readonly draft: Draft;
  readonly selected: Selected;
}
interface Entry {
  readonly label: string;
  readonly merge: string | null;
  readonly before: Moment;
  readonly after: Moment;
}
/** A draft with the way it came about; `draft` and `selected` are the present ones. */
export interface History extends Moment {
  /** Nearest last. */
  readonly past: readonly Entry[];
  /** Nearest last. */
  readonly future: readonly Entry[];
  /** Whether the next edit with the same merge key belongs to the last one. */
  readonly open: boolean;
}
export interface Edit {
  /** What was done, in the user's words; the menu shows it. */
  readonly label: string;
  readonly draft: Draft;
  /** Edits of one key that follow each other are one: the path of the field that is typed in. */
  readonly merge?: string;
  /** What is selected afterwards; left out = as before. */
  readonly selected?: Selected;
}

/** A history without a past. */
export function begin(draft: Draft, selected: Selected = null): History {
  return { draft, selected, past: [], future: [], open: false };
}

/** The history after one more change; the same one when the draft is the very same. */
export function edit(history: History, change: Edit): History {
  const selected = change.selected === undefined ? history.selected : change.selected;
  if (change.draft === history.draft) return select(history, selected);
  const after = { draft: change.draft, selected };
  const merge = change.merge ?? null;
  const last = history.past.at(-1);
  const merged = history.open && last !== undefined && merge !== null && last.merge === merge;
  const entry: Entry = {
    label: change.label,
    merge,
    before: merged ? last.before : { draft: history.draft, selected: history.selected },
    after,
  };
  const kept = merged ? history.past.slice(0, -1) : history.past;
  return { ...after, past: [...kept, entry].slice(-MOST_UNDO), future: [], open: true };
}

/** The same with something else selected; that alone is nothing to undo. */
export function select(history: History, selected: Selected): History {
  return selected === history.selected ? history : { ...history, selected };
}

/** The same, where the next edit is one of its own: the user left the field. */
export function close(history: History): History {
  return history.open ? { ...history, open: false } : history;
}

/** One change back, with what was selected then. */
export function undo(history: History): History {
  const entry = history.past.at(-1);
  if (entry === undefined) return history;
  return {
    ...entry.before,
    past: history.past.slice(0, -1),
    future: [...history.future, entry],
    open: false,
  };
}

/** One undone change again. */
export function redo(history: History): History {
  const entry = history.future.at(-1);
  if (entry === undefined) return history;
  return {
    ...entry.after,
    past: [...history.past, entry],
    future: history.future.slice(0, -1),
    open: false,
  };
}

/** What can be undone and redone, in words, the nearest first. */
export function labels(history: History): {
  readonly undo: readonly string[];
  readonly redo: readonly string[];
} {
  const words = (entries: readonly Entry[]): string[] =>
    entries.map((entry) => entry.label).reverse();
  return { undo: words(history.past), redo: words(history.future) };
}
