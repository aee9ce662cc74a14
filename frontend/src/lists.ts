// Lists of requests: rows that are chosen for a common decision, the preview beside the list, and
// the way back to the row that one came from.
//
//   data-picking          a form with rows; [data-pick] are their boxes, [data-pick-all] the one
//                         above them, [data-picked] says how many are chosen ("{n} chosen")
//   data-peek             the button of a row that loads its preview; a row that gets the focus
//                         presses it while the pane (#peek) has room
//   data-row-id           a row; it is found again when one comes back to the list
//   data-row-act          a button that decides this row alone, whatever is chosen
//   data-back             the link of a request's page that leads back to the list
import htmx from "htmx.org";
import { byId, each, onClick } from "./dom";

const wide = matchMedia("(width >= 75rem)");
const storageKey = "flowadmin:list";
const settle = 150; // milliseconds that the focus rests on a row before its preview is loaded

let lastRow: HTMLTableRowElement | null = null;
let lastPlace = 0;
let lastPicked: HTMLInputElement | null = null;
let peeking: ReturnType<typeof setTimeout> | undefined;

const rowOf = (element: EventTarget | null): HTMLTableRowElement | null =>
  element instanceof Element ? element.closest<HTMLTableRowElement>("tr[data-row-id]") : null;

const boxOf = (row: Element | null): HTMLInputElement | null =>
  row?.querySelector<HTMLInputElement>("[data-pick]") ?? null;

const boxesOf = (root: ParentNode): HTMLInputElement[] => [
  ...root.querySelectorAll<HTMLInputElement>("[data-pick]"),
];

// Choosing ------------------------------------------------------------------------------------

function count(form: Element): void {
  const boxes = boxesOf(form);
  const picked = boxes.filter((box) => box.checked).length;
  const all = form.querySelector<HTMLInputElement>("[data-pick-all]");
  if (all) {
    all.hidden = boxes.length === 0;
    all.checked = picked > 0 && picked === boxes.length;
    all.indeterminate = picked > 0 && picked < boxes.length;
  }
  const text = form.querySelector<HTMLElement>("[data-picked]");
  const words = text?.dataset["picked"];
  if (text && words) text.textContent = words.replace("{n}", String(picked));
  form.querySelector("[data-pick-bar]")?.classList.toggle("is-empty", picked === 0);
}

/** Of all rows this one, when it stands in the form. */
function chooseAlone(box: HTMLInputElement | null, within?: Element): void {
  const form = box?.closest("[data-picking]");
  if (!form || (within && within !== form)) return;
  for (const each of boxesOf(form)) each.checked = each === box;
  count(form);
}

/** The box of the row that has, or had last, the focus: `x` chooses it, `X` all from the last one. */
export function pick(range: boolean): boolean {
  const box = boxOf(rowOf(document.activeElement) ?? lastRow);
  const form = box?.closest("[data-picking]");
  if (!box || !form) return false;
  const boxes = boxesOf(form);
  const from = lastPicked ? boxes.indexOf(lastPicked) : -1;
  if (range && from >= 0) {
    const to = boxes.indexOf(box);
    for (const each of boxes.slice(Math.min(from, to), Math.max(from, to) + 1)) each.checked = true;
  } else {
    box.checked = !box.checked;
  }
  lastPicked = box;
  count(form);
  return true;
}

/** What a key does in the row that has, or had last, the focus. */
export function actOnRow(key: string): boolean {
  const row = rowOf(document.activeElement) ?? (lastRow?.isConnected ? lastRow : null);
  const button = row?.querySelector<HTMLElement>(`[data-row-key="${CSS.escape(key)}"]`);
  if (!row || !button) return false;
  remember(row);
  button.click();
  if (button instanceof HTMLElement && button.tagName === "SUMMARY") {
    button.parentElement?.querySelector<HTMLElement>(".menu-item:not([hidden])")?.focus();
  }
  return true;
}

// Preview -------------------------------------------------------------------------------------

function peek(row: HTMLTableRowElement): void {
  const button = row.querySelector<HTMLElement>("[data-peek]");
  if (!button || !wide.matches) return;
  clearTimeout(peeking);
  peeking = setTimeout(() => htmx.trigger(button, "flow:peek", {}), settle);
}

// The way back --------------------------------------------------------------------------------

type Left = { address: string; row: string; place: number };

function remember(row: HTMLTableRowElement): void {
  const left: Left = {
    address: location.pathname + location.search,
    row: row.dataset["rowId"] ?? "",
    place: row.sectionRowIndex,
  };
  sessionStorage.setItem(storageKey, JSON.stringify(left));
}

function left(): Left | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "null") as Left | null;
  } catch {
    return null;
  }
}

/** The row that one left is focused again; where it is gone, the one that took its place. */
function comeBack(): void {
  const found = left();
  if (found?.address !== location.pathname + location.search) return;
  const rows = [...document.querySelectorAll<HTMLTableRowElement>("tr[data-row-id]")];
  const row =
    rows.find((each) => each.dataset["rowId"] === found.row) ??
    rows[Math.min(found.place, rows.length - 1)];
  sessionStorage.removeItem(storageKey);
  row?.querySelector<HTMLElement>("[data-list-item]")?.focus();
}

export function armLists(root: ParentNode): void {
  // Without a script it would send what is chosen.
  each<HTMLElement>(root, "[data-row-act]", (button) => {
    button.hidden = false;
  });
  each<HTMLElement>(root, "[data-picking]", count);
  // What was decided is gone: the row that took its place is the next one.
  each<HTMLElement>(root, "[data-next-row]", () => {
    const items = document.querySelectorAll<HTMLElement>("[data-list-nav] [data-list-item]");
    items[Math.min(lastPlace, items.length - 1)]?.focus();
  });
  each<HTMLAnchorElement>(root, "a[data-back]", (link) => {
    const address = left()?.address;
    if (address?.startsWith(new URL(link.href).pathname)) link.href = address;
  });
}

export function startLists(): void {
  document.addEventListener("change", (event) => {
    const box = event.target;
    const form = box instanceof HTMLInputElement ? box.closest("[data-picking]") : null;
    if (!(box instanceof HTMLInputElement) || !form) return;
    if (box.matches("[data-pick-all]")) for (const one of boxesOf(form)) one.checked = box.checked;
    if (box.matches("[data-pick]")) lastPicked = box;
    count(form);
  });
  document.addEventListener("focusin", (event) => {
    const row = rowOf(event.target);
    if (!row) return;
    lastRow = row;
    lastPlace = row.sectionRowIndex;
    if (event.target instanceof Element && event.target.matches("[data-list-item]")) peek(row);
  });
  // Before htmx sends the form: with nothing chosen, the decision is about the row in hand.
  document.addEventListener(
    "click",
    (event) => {
      const target = event.target instanceof Element ? event.target : null;
      const link = target?.closest("[data-list-item]");
      const row = rowOf(link ?? null);
      if (row) remember(row);
      const alone = target?.closest("[data-row-act]");
      if (alone) chooseAlone(boxOf(rowOf(alone)));
      const form = target?.closest("[data-pick-bar] button")?.closest("[data-picking]");
      if (form && !boxesOf(form).some((each) => each.checked)) chooseAlone(boxOf(lastRow), form);
    },
    { capture: true },
  );
  onClick("[data-close-dialog]", (button) => {
    // The dialog of the list is made anew each time; the focus goes back to the row in hand.
    const panel = button.closest("#together-panel");
    if (panel) lastRow?.querySelector<HTMLElement>("[data-list-item]")?.focus();
  });
  addEventListener("pageshow", comeBack);
  if (byId("peek", HTMLElement)) comeBack();
}
