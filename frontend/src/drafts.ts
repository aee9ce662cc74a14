// Drafts: saved by a press or Ctrl+S and by nothing else, and what was deleted comes back.
//
//   data-save-draft      a button by which htmx saves the form around it: saved input is not unsaved
//   data-save-shortcut   the one of them that Ctrl+S presses
//   data-duplicate       the button of a row of a list that the key d presses in that row
//   data-vanish="10"     goes by itself after so many seconds, unless somebody is at it
import { each, isEditable } from "./dom";
import { accepted } from "./forms";
import { shortcutsOn } from "./keyboard";

function saved(event: Event): void {
  const { elt, xhr } = (event as CustomEvent<{ elt: Element; xhr: XMLHttpRequest }>).detail;
  if (!elt.matches("[data-save-draft]") || xhr.status >= 400) return;
  const form = elt.closest("form");
  if (form) accepted(form);
}

function press(selector: string, event: KeyboardEvent, within: ParentNode = document): void {
  const button = within.querySelector<HTMLElement>(selector);
  if (!button) return;
  event.preventDefault();
  button.click();
}

const isSave = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "s";

const isPlain = (event: KeyboardEvent): boolean =>
  !event.ctrlKey && !event.metaKey && !isEditable(event.target) && shortcutsOn();

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  if (document.querySelector("dialog[open]")) return;
  if (isSave(event)) press("[data-save-shortcut]", event);
  if (event.key !== "d" || !isPlain(event) || !(event.target instanceof Element)) return;
  const row = event.target.closest("tr");
  if (row) press("[data-duplicate]", event, row);
}

export function armDrafts(root: ParentNode): void {
  each<HTMLElement>(root, "[data-vanish]", (element) => {
    const seconds = Number(element.dataset["vanish"]);
    const leave = (): void => {
      if (element.matches(":hover, :focus-within")) setTimeout(leave, seconds * 1_000);
      else element.remove();
    };
    setTimeout(leave, seconds * 1_000);
  });
}

export function startDrafts(): void {
  document.addEventListener("htmx:beforeOnLoad", saved);
  document.addEventListener("keydown", pressed);
}
