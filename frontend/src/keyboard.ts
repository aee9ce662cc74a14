// Keyboard shortcuts. They are declared in the page, so that help, tooltip and behaviour agree:
//
//   data-shortcut="g i"   on a link or button: typed keys click it ("n", "?", "g m", …)
//   data-shortcut-focus="a"  the key puts the focus there and does nothing more: deciding stays
//                         a second, deliberate key
//   data-row-key="u"      in a row of a list: the key presses it for the row in hand (lists.ts)
//   data-search           the field that "/" goes to; without one the link that leads to it
//   data-list-nav         a list whose [data-list-item] links are walked with j and k; Enter opens,
//                         x and X choose (lists.ts)
//
// Single keys never fire while typing or with a modifier, and each person can switch them off.
import { each, isEditable } from "./dom";
import { actOnRow, pick } from "./lists";

const storageKey = "flowadmin:shortcuts";
const sequenceWindow = 1_000; // milliseconds between the keys of "g i"

let pending = "";
let pendingSince = 0;

export function shortcutsOn(): boolean {
  return localStorage.getItem(storageKey) !== "off";
}

function visible(element: Element): boolean {
  return element instanceof HTMLElement && element.getClientRects().length > 0;
}

function click(keys: string): boolean {
  const all = document.querySelectorAll<HTMLElement>(`[data-shortcut="${CSS.escape(keys)}"]`);
  // The same place may be in the side bar and in the phone's bar: take the one on screen.
  const element = [...all].find(visible) ?? all[0];
  element?.click();
  return element !== undefined;
}

function focusOn(keys: string): boolean {
  const selector = `[data-shortcut-focus="${CSS.escape(keys)}"]`;
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}

function walk(step: number): boolean {
  const list = document.querySelector("[data-list-nav]");
  if (!list) return false;
  const items = [...list.querySelectorAll<HTMLElement>("[data-list-item]")].filter(visible);
  if (items.length === 0) return false;
  const here = items.findIndex((item) => item.contains(document.activeElement));
  const next = here < 0 ? (step > 0 ? 0 : items.length - 1) : here + step;
  items[Math.max(0, Math.min(items.length - 1, next))]?.focus();
  return true;
}

function search(): boolean {
  const field = document.querySelector<HTMLElement>("[data-search]");
  const folded = field?.closest("details");
  if (folded) folded.open = true;
  field?.focus();
  return field !== null;
}

/** Each key is told where it works: with the pointer on what it presses. */
export function armShortcuts(root: ParentNode): void {
  if (!shortcutsOn()) return;
  for (const name of ["shortcut", "shortcutFocus", "rowKey"]) {
    const attribute = `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    each<HTMLElement>(root, `[${attribute}]:not([data-told])`, (element) => {
      const keys = element.dataset[name] ?? "";
      element.dataset["told"] = "";
      element.title = element.title ? `${element.title} (${keys})` : keys;
    });
  }
}

function act(key: string): boolean {
  const now = performance.now();
  const keys = pending && now - pendingSince < sequenceWindow ? `${pending} ${key}` : key;
  pending = "";
  if (key === "j") return walk(1);
  if (key === "k") return walk(-1);
  if (key === "/" && search()) return true;
  if (key === "x" || key === "X") return pick(key === "X");
  if (click(keys) || focusOn(keys) || actOnRow(key)) return true;
  if (document.querySelector(`[data-shortcut^="${CSS.escape(key)} "]`)) {
    pending = key;
    pendingSince = now;
  }
  return false;
}

export function startKeyboard(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.isComposing || event.key.length !== 1 || event.key === " ") return;
    if (isEditable(event.target) || document.querySelector("dialog[open]")) return;
    if (shortcutsOn() && act(event.key)) event.preventDefault();
  });
  document.addEventListener("change", (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement) || !box.matches("[data-shortcuts-switch]")) return;
    localStorage.setItem(storageKey, box.checked ? "on" : "off");
  });
  const box = document.querySelector<HTMLInputElement>("[data-shortcuts-switch]");
  if (box) box.checked = shortcutsOn();
  if (location.hash === "#search") search();
}
