// What lies above the canvas: one menu, one dialog, one short message, one name being typed.
import { signal } from "@preact/signals";
import type { Node } from "./model";
import { announce } from "./state";

export interface MenuItem {
  key: string;
  label: string;
  icon?: string;
  /** A second, quieter text: a key, a reason. */
  note?: string;
  off?: boolean;
  danger?: boolean;
  run: () => void;
}

export interface Menu {
  title: string;
  items: readonly MenuItem[];
  /** What it hangs from, and what gets the focus back when nothing was chosen. */
  anchor: Element;
  /** A grid of kinds instead of a list. */
  grid?: boolean;
}

export type Question =
  | { kind: "last-branch"; step: string; branch: string }
  | { kind: "leave"; href: string }
  | { kind: "publish" }
  | { kind: "find" }
  | { kind: "keys" };

export interface Told {
  text: string;
  action: { text: string; run: () => void } | null;
}

export const menu = signal<Menu | null>(null);
export const question = signal<Question | null>(null);
export const renaming = signal<Node | null>(null);
export const told = signal<Told | null>(null);

export function openMenu(next: Menu): void {
  menu.value = next;
}

export function ask(next: Question): void {
  menu.value = null;
  question.value = next;
}

/** A short message, seen and heard, with what can be done about it. */
export function tell(text: string, action: Told["action"] = null): void {
  announce(text);
  told.value = { text, action };
}
