// Native <dialog>s and <details> menus: open, close, one menu at a time. The browser itself traps
// the focus of a modal dialog, closes it on Escape and gives the focus back.
//
//   <button data-print>              prints the page
//   <button data-open-dialog="id">   opens <dialog id="id">
//   <button data-close-dialog>       closes the dialog around it
//   <dialog data-open-on-load>       is open at once (its form came back with errors)
//   <button data-dismiss>            removes the alert or toast around it
//   <details data-menu>              closes when something else is clicked, and on Escape
//   <button data-closes-menu>        an entry that opens something else: its menu closes
//   Ctrl+Enter in a [data-panel] or a dialog presses the button that sends it; elsewhere in a form
//                                    its [data-sends]
//   <a data-close-panel>             empties the place of the [data-panel] around it; Escape does too,
//                                    and the focus goes back to where panels are opened from
import { byId, each, onClick } from "./dom";

export function openDialog(id: string): void {
  const dialog = byId(id, HTMLDialogElement);
  if (dialog && !dialog.open) dialog.showModal();
}

function closeMenus(except: Node | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details[data-menu][open]")) {
    if (!except || !menu.contains(except)) menu.open = false;
  }
}

function closePanel(panel: Element): void {
  const home = panel.parentElement?.id === "apart-panel" ? ".request-acts" : "#decide";
  panel.remove();
  const opener = document.querySelector<HTMLElement>(`${home} [data-panel-home]`);
  (opener ?? document.querySelector<HTMLElement>(`${home} :is(a, button)`))?.focus();
}

function send(event: KeyboardEvent): void {
  const from = event.target instanceof Element ? event.target : null;
  const layer = from?.closest("[data-panel], dialog");
  const button = layer
    ? layer.querySelector<HTMLElement>("button[type=submit]:not([hidden], [disabled])")
    : from?.closest("form")?.querySelector<HTMLElement>("[data-sends]");
  if (!button) return;
  event.preventDefault();
  button.click();
}

export function armDialogs(root: ParentNode): void {
  each<HTMLDialogElement>(root, "dialog[data-open-on-load]", (dialog) => {
    if (!dialog.open) dialog.showModal();
  });
  each<HTMLElement>(root, "[data-take-focus]", (element) => element.focus());
}

export function startDialogs(): void {
  onClick("[data-open-dialog]", (button, event) => {
    event.preventDefault();
    closeMenus(null);
    openDialog(button.dataset["openDialog"] ?? "");
  });
  onClick("[data-close-dialog]", (button) => button.closest("dialog")?.close());
  onClick("[data-dismiss]", (button) => button.closest(".alert, .toast-note")?.remove());
  onClick("[data-print]", () => print());
  onClick("[data-closes-menu]", () => closeMenus(null));
  onClick("[data-close-panel]", (button, event) => {
    const panel = button.closest("[data-panel]");
    if (!panel) return;
    event.preventDefault();
    closePanel(panel);
  });
  document.addEventListener("click", (event) => {
    closeMenus(event.target instanceof Node ? event.target : null);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
    if (event.key !== "Escape") return;
    const open = document.querySelector<HTMLDetailsElement>("details[data-menu][open]");
    if (open) {
      open.open = false;
      open.querySelector("summary")?.focus();
      return;
    }
    const within = event.target instanceof Element ? event.target.closest("[data-panel]") : null;
    if (within && !document.querySelector("dialog[open]")) closePanel(within);
  });
}
