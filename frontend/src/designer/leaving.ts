// Leaving with unsaved input: the browser's own guard for closing and reloading, and one dialog of
// ours for links of the page.
import { ask } from "./layers";
import { forget } from "./recovery";
import { save, unsaved } from "./saving";
import { readOnly } from "./state";

let going = false;

/** Leaves for good; nobody asks any more. */
export function goAway(href: string): void {
  going = true;
  location.assign(href);
}

export async function saveAndGo(href: string): Promise<void> {
  if (await save()) goAway(href);
}

export function discardAndGo(href: string): void {
  forget();
  going = true;
  location.assign(href);
}

function guards(): boolean {
  return !going && !readOnly.peek() && unsaved.peek();
}

function clicked(event: MouseEvent): void {
  if (!guards() || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target === "_blank") return;
  const here = new URL(location.href);
  if (link.hasAttribute("download") || link.href.split("#")[0] === here.href.split("#")[0]) return;
  event.preventDefault();
  event.stopPropagation();
  ask({ kind: "leave", href: link.href });
}

export function startGuard(): void {
  document.addEventListener("click", clicked, { capture: true });
  addEventListener("beforeunload", (event) => {
    if (guards()) event.preventDefault();
  });
  // Signing out by the menu's form drops what this tab kept; the guard asks first all the same.
  addEventListener("pageshow", (event) => {
    if (event.persisted) going = false;
  });
}
