// Rows that people put in order: Alt+↑ and Alt+↓ press the row's own buttons, which send it.
//
//   data-order            the row, with a button [data-order-up] and one [data-order-down]
//   data-keep-focus       a form: what had the focus in it when it was sent has it in the answer
//                         too, by its id (a pressed button is disabled meanwhile and loses it)
import { byId } from "./dom";

const BUTTONS: Record<string, string> = {
  ArrowUp: "[data-order-up]",
  ArrowDown: "[data-order-down]",
};

let kept = "";

function keep(event: SubmitEvent): void {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.matches("[data-keep-focus]")) return;
  const focused = document.activeElement;
  kept = (focused && focused !== document.body ? focused.id : "") || (event.submitter?.id ?? "");
}

function giveBack(): void {
  const element = kept ? byId(kept, HTMLElement) : null;
  kept = "";
  if (document.activeElement === document.body) element?.focus();
}

function press(event: KeyboardEvent): void {
  const button = BUTTONS[event.key];
  if (!button || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const row = event.target instanceof Element ? event.target.closest("[data-order]") : null;
  const found = row?.querySelector<HTMLElement>(button);
  if (!found) return;
  event.preventDefault();
  found.click();
}

export function startOrder(): void {
  document.addEventListener("keydown", press);
  document.addEventListener("submit", keep, { capture: true });
  document.addEventListener("htmx:afterSettle", giveBack);
}
