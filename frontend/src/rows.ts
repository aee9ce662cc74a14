// The rows of a table in a form: added, removed, put back after a reload.
//
//   data-rows="name"     the editor; its rows are <tr data-row="key">, each with a hidden input
//                        `name` that holds the key and controls `name.key.column`
//   data-row-add         copies the row of the <template>
//   data-row-remove      takes its row away
//   data-row-tick        the box that removes a row where there is no script
//   data-spare           an empty row for whoever has no script
import { each, onClick } from "./dom";

const KEY = "__row__"; // in the template, where a new row has its key

const rowsOf = (editor: Element): HTMLTableRowElement[] => [
  ...editor.querySelectorAll<HTMLTableRowElement>("tbody > tr[data-row]"),
];

const editorOf = (element: Element): HTMLElement | null =>
  element.closest<HTMLElement>("[data-rows]");

function say(editor: HTMLElement, text: string | undefined): void {
  const status = editor.querySelector("[data-rows-status]");
  if (status) status.textContent = text ?? "";
}

/** Controls that a script can use replace those that only stand in for it. */
function ready(row: HTMLElement): void {
  for (const tick of row.querySelectorAll<HTMLElement>("[data-row-tick]")) tick.remove();
  for (const button of row.querySelectorAll<HTMLElement>("[data-row-remove]")) {
    button.hidden = false;
  }
}

function freeKey(editor: Element): string {
  const used = new Set(rowsOf(editor).map((row) => row.dataset["row"]));
  let number = 1;
  while (used.has(`n${number}`)) number += 1;
  return `n${number}`;
}

function added(editor: HTMLElement, key: string): HTMLTableRowElement | null {
  const blank = editor.querySelector<HTMLTemplateElement>("template")?.content;
  const body = editor.querySelector("tbody");
  const row = blank?.querySelector("tr")?.cloneNode(true);
  if (!body || !(row instanceof HTMLTableRowElement)) return null;
  for (const element of [row, ...row.querySelectorAll("*")]) {
    for (const attribute of element.attributes) {
      if (attribute.value.includes(KEY)) attribute.value = attribute.value.replaceAll(KEY, key);
    }
  }
  ready(row);
  body.append(row);
  return row;
}

function update(editor: HTMLElement): void {
  const button = editor.querySelector<HTMLButtonElement>("[data-row-add]");
  if (button) button.disabled = rowsOf(editor).length >= Number(editor.dataset["most"]);
}

function firstControl(row: Element): HTMLElement | null {
  return row.querySelector<HTMLElement>("input:not([type=hidden]), select, textarea, button");
}

function changed(editor: HTMLElement): void {
  update(editor);
  editor.dispatchEvent(new Event("input", { bubbles: true }));
}

function add(button: HTMLElement): void {
  const editor = editorOf(button);
  const row = editor && added(editor, freeKey(editor));
  if (!row) return;
  changed(editor);
  say(editor, editor.dataset["added"]);
  firstControl(row)?.focus();
}

function remove(button: HTMLElement): void {
  const editor = editorOf(button);
  const row = button.closest<HTMLElement>("tr[data-row]");
  if (!editor || !row) return;
  const near = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  changed(editor);
  say(editor, editor.dataset["removed"]);
  // The focus must not fall to the top of the page.
  const next = near?.querySelector<HTMLElement>("[data-row-remove]:not([hidden])");
  (next ?? editor.querySelector<HTMLElement>("[data-row-add]") ?? editor).focus();
}

export function armRows(root: ParentNode): void {
  each<HTMLElement>(root, "[data-rows]", (editor) => {
    const spare = rowsOf(editor).filter((row) => "spare" in row.dataset);
    const isEmpty = spare.length === rowsOf(editor).length;
    for (const row of isEmpty ? spare.slice(1) : spare) row.remove();
    for (const row of rowsOf(editor)) {
      delete row.dataset["spare"];
      ready(row);
    }
    const button = editor.querySelector<HTMLElement>("[data-row-add]");
    if (button) button.hidden = false;
    update(editor);
  });
}

/** Makes the rows stand as they stood when these fields were kept, before they are filled in. */
export function restoreRows(form: HTMLFormElement, fields: [string, string][]): void {
  each<HTMLElement>(form, "[data-rows]", (editor) => {
    const start = `${editor.dataset["rows"] ?? ""}.`;
    const kept = new Set(
      fields
        .filter(([name]) => name.startsWith(start))
        .map(([name]) => name.slice(start.length).split(".")[0] ?? ""),
    );
    const here = new Set(rowsOf(editor).map((row) => row.dataset["row"] ?? ""));
    for (const key of kept) if (/^n\d+$/.test(key) && !here.has(key)) added(editor, key);
    for (const row of rowsOf(editor)) {
      // A row without anything to fill in leaves no trace in what is kept.
      const isFilledIn = row.querySelector(`[name^="${CSS.escape(start)}"]`) !== null;
      if (isFilledIn && !kept.has(row.dataset["row"] ?? "")) row.remove();
    }
    update(editor);
  });
}

export function startRows(): void {
  onClick("[data-row-add]", add);
  onClick("[data-row-remove]", remove);
}
