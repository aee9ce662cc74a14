// The keys of the designer: some everywhere, some only while a card has the focus. Text that is
// being typed is never taken for a shortcut.
import { isEditable } from "../dom";
import { cardElement, current, select, slotAfter, toProperties } from "./cards";
import { doAgain, duplicate, remove, shift, startRenaming, takeBack } from "./commands";
import { pasteText, takeCopy } from "./copying";
import { jump } from "./faults";
import { ask, menu, question } from "./layers";
import { asOutline, folded, panelShown, zoom, zoomTo } from "./looking";
import { askWhatToInsert, fold, menuForCurrent } from "./menus";
import { ends, find, isBlock, neighbour, type Direction, type Node } from "./model";
import { save } from "./saving";
import { announce, draft, readOnly, stage } from "./state";
import { t } from "./texts";
import { fit } from "./fitting";

const arrows: Readonly<Record<string, Direction>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

function blocked(): boolean {
  return (
    menu.peek() !== null ||
    question.peek() !== null ||
    document.querySelector("dialog[open]") !== null
  );
}

/** With Ctrl (⌘ on a Mac), wherever the focus is; text fields keep their own undo. */
function withControl(event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  const typing = isEditable(event.target);
  if (key === "s" && !event.shiftKey) {
    // What is typed right now takes effect first.
    if (document.activeElement instanceof HTMLInputElement) commit(document.activeElement);
    void save();
  } else if (key === "f" && !event.shiftKey && stage.peek() === "flow") ask({ kind: "find" });
  else if (key === "z" && !typing) (event.shiftKey ? doAgain : takeBack)();
  else if (key === "y" && !typing) doAgain();
  else if (key === "d" && onCard(event)) duplicate();
  else return false;
  return true;
}

function commit(input: HTMLInputElement): void {
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function onCard(event: Event): boolean {
  return event.target instanceof Element && event.target.closest("[data-card]") !== null;
}

function onCanvas(event: Event): boolean {
  return event.target instanceof Element && event.target.closest("[data-canvas]") !== null;
}

function walk(to: Node | null): void {
  if (to === null) return;
  select(to);
  // At once, not after the next drawing: the card is there, and the next key may follow.
  const card = cardElement(to);
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function arrow(event: KeyboardEvent, direction: Direction): void {
  if (event.altKey) {
    shift(direction);
    return;
  }
  const node = current();
  const closed = [...folded.peek()];
  const to = neighbour(draft.peek().flow, node, direction, closed);
  if (to === null) announce(t("walk.end"));
  else walk(to);
}

function unfoldOrFold(event: KeyboardEvent): boolean {
  const node = current();
  const step = typeof node === "string" ? find(draft.peek().flow, node)?.step : undefined;
  if (step === undefined || !isBlock(step) || event.altKey) return false;
  fold(step.id);
  return true;
}

const single: Readonly<Record<string, () => void>> = {
  "+": () => zoomTo(zoom.peek() + 10),
  "=": () => zoomTo(zoom.peek() + 10),
  "-": () => zoomTo(zoom.peek() - 10),
  "0": fit,
  o: () => {
    asOutline.value = !asOutline.peek();
  },
};

function ofCard(event: KeyboardEvent): boolean {
  const direction = arrows[event.key];
  if (direction !== undefined) {
    arrow(event, direction);
    return true;
  }
  switch (event.key) {
    case "Home":
    case "End": {
      const { first, last } = ends(draft.peek().flow, current());
      walk(event.key === "Home" ? first : last);
      return true;
    }
    case "Enter":
      toProperties();
      return true;
    case "Escape":
      panelShown.value = false;
      return true;
    case "Insert":
      insertHere();
      return true;
    case "Delete":
      remove();
      return true;
    case "F2":
      startRenaming();
      return true;
    case " ":
      return unfoldOrFold(event);
    case "ContextMenu":
      menuForCurrent();
      return true;
    case "F10":
      if (event.shiftKey) menuForCurrent();
      return event.shiftKey;
    default:
      return false;
  }
}

function insertHere(): void {
  const node = current();
  const anchor = cardElement(node);
  if (anchor !== null && node !== "end") askWhatToInsert(slotAfter(node), anchor);
}

function ofCanvas(event: KeyboardEvent): boolean {
  const run = single[event.key];
  if (run === undefined || event.altKey) return false;
  run();
  return true;
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || blocked()) return;
  const control = event.ctrlKey || event.metaKey;
  let taken = false;
  if (control) taken = withControl(event);
  else if (event.key === "F8") taken = jump(event.shiftKey ? -1 : 1);
  else if (!isEditable(event.target)) {
    taken = (onCard(event) && ofCard(event)) || (onCanvas(event) && ofCanvas(event));
  }
  if (taken) {
    event.preventDefault();
    // The page's own shortcuts (src/keyboard.ts) do not get this key as well.
    event.stopPropagation();
  }
}

function copied(event: ClipboardEvent, cut: boolean): void {
  if (blocked() || isEditable(event.target) || !onCard(event)) return;
  const node = current();
  const text = takeCopy(node);
  if (text === null || event.clipboardData === null) return;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
  if (cut && !readOnly.peek()) remove(node);
}

export function startKeys(): void {
  document.addEventListener("keydown", pressed, { capture: true });
  document.addEventListener("copy", (event) => copied(event, false));
  document.addEventListener("cut", (event) => copied(event, true));
  document.addEventListener("paste", (event) => {
    if (blocked() || isEditable(event.target) || !onCard(event)) return;
    event.preventDefault();
    pasteText(event.clipboardData?.getData("text/plain") ?? "");
  });
}
