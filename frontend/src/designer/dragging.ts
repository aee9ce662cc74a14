// Dragging a card with the pointer: only gaps where it may go open up, dropped anywhere else it
// stays. A branch is dragged by its head among its siblings. On touch a long press begins it.
import { signal } from "@preact/signals";
import { keyOf, slotKey, slotOf } from "./cards";
import { move, shiftBranch, titleOf } from "./commands";
import { find, findBranch, legalSlots, type Node } from "./model";
import { announce, draft, readOnly } from "./state";
import { t } from "./texts";

/** The card that is dragged, by key; the gaps that are open; the one under the pointer. */
export const dragged = signal<string | null>(null);
export const openSlots = signal<ReadonlySet<string>>(new Set());
export const dropTarget = signal<string | null>(null);
/** What follows the pointer: its text and place in the window. */
export const ghost = signal<{ text: string; x: number; y: number } | null>(null);

const threshold = 5; // pixels before a press becomes a drag
const longPress = 400; // milliseconds
const reach = 48; // pixels from a gap that still hit it
const edge = 48; // pixels at the canvas's edge where it scrolls by itself
const pace = 14; // pixels a frame at the very edge

interface Drag {
  node: Node;
  pointer: number;
  startX: number;
  startY: number;
  x: number;
  y: number;
  on: boolean;
  canvas: HTMLElement;
  press: ReturnType<typeof setTimeout> | undefined;
  frame: number;
}

let drag: Drag | null = null;

function mayMove(node: Node): boolean {
  if (readOnly.peek() || node === "start" || node === "end") return false;
  if (typeof node === "string") return true;
  return findBranch(draft.peek().flow, node.step, node.branch)?.branch.otherwise !== true;
}

export function dragStart(event: PointerEvent, node: Node): void {
  const canvas = event.target instanceof Element ? event.target.closest("[data-canvas]") : null;
  if (event.button !== 0 || drag !== null || !(canvas instanceof HTMLElement)) return;
  if (!mayMove(node)) return;
  const { clientX: x, clientY: y } = event;
  drag = {
    node,
    pointer: event.pointerId,
    startX: x,
    startY: y,
    x,
    y,
    on: false,
    canvas,
    press: event.pointerType === "mouse" ? undefined : setTimeout(lift, longPress),
    frame: 0,
  };
  addEventListener("pointermove", moved);
  addEventListener("pointerup", dropped);
  addEventListener("pointercancel", cancelDrag);
  addEventListener("keydown", escaped, { capture: true });
  // While a finger drags, the page must not scroll under it; passive listeners could not say so.
  addEventListener("touchmove", hold, { passive: false });
  document.addEventListener("selectstart", noSelection);
}

/** A press on a card moves it; it never begins to select the text of the page. */
function noSelection(event: Event): void {
  event.preventDefault();
}

function hold(event: TouchEvent): void {
  if (drag?.on) event.preventDefault();
}

/** The press has become a drag: the gaps open. */
function lift(): void {
  if (drag === null) return;
  drag.on = true;
  dragged.value = keyOf(drag.node);
  openSlots.value = new Set(targets(drag.node));
  ghost.value = { text: titleOf(drag.node), x: drag.x, y: drag.y };
  announce(t("drag.began", { name: titleOf(drag.node), count: openSlots.value.size }));
  drag.frame = requestAnimationFrame(scrollAtEdge);
}

function targets(node: Node): string[] {
  const { flow } = draft.peek();
  if (typeof node === "string") return legalSlots(flow, node).map(slotKey);
  const block = findBranch(flow, node.step, node.branch)?.block;
  return (block?.branches ?? [])
    .filter((branch) => branch.id !== node.branch && branch.otherwise !== true)
    .map((branch) => `>${keyOf({ step: node.step, branch: branch.id })}`);
}

function moved(event: PointerEvent): void {
  if (drag?.pointer !== event.pointerId) return;
  drag.x = event.clientX;
  drag.y = event.clientY;
  const far = Math.hypot(drag.x - drag.startX, drag.y - drag.startY) > threshold;
  if (!drag.on) {
    if (!far) return;
    // A finger that moves at once scrolls; only a mouse lifts by moving.
    if (event.pointerType !== "mouse") {
      end();
      return;
    }
    lift();
  }
  event.preventDefault();
  follow();
}

function follow(): void {
  if (drag === null) return;
  ghost.value = { text: ghost.peek()?.text ?? "", x: drag.x, y: drag.y };
  dropTarget.value = nearest(drag.x, drag.y);
}

function elementOf(key: string): Element | null {
  return key.startsWith(">")
    ? document.querySelector(`[data-branch="${CSS.escape(key.slice(1))}"] [data-card]`)
    : document.querySelector(`[data-slot="${CSS.escape(key)}"]`);
}

/** Hit by distance to the gap's box in the window, so that zoom and scrolling do not matter. */
function nearest(x: number, y: number): string | null {
  let best: string | null = null;
  let least = reach;
  for (const key of openSlots.peek()) {
    const box = elementOf(key)?.getBoundingClientRect();
    if (box === undefined) continue;
    const dx = Math.max(box.left - x, 0, x - box.right);
    const dy = Math.max(box.top - y, 0, y - box.bottom);
    const distance = Math.hypot(dx, dy);
    if (distance < least) {
      least = distance;
      best = key;
    }
  }
  return best;
}

function scrollAtEdge(): void {
  if (!drag?.on) return;
  const box = drag.canvas.getBoundingClientRect();
  const push = (at: number, low: number, high: number): number => {
    if (at < low + edge) return -pace * Math.min(1, (low + edge - at) / edge);
    return at > high - edge ? pace * Math.min(1, (at - high + edge) / edge) : 0;
  };
  const dx = push(drag.x, box.left, box.right);
  const top = Math.max(box.top, 0);
  const dy = push(drag.y, top, Math.min(box.bottom, innerHeight));
  if (dx !== 0 || dy !== 0) {
    drag.canvas.scrollBy(dx, dy);
    follow();
  }
  drag.frame = requestAnimationFrame(scrollAtEdge);
}

function dropped(event: PointerEvent): void {
  if (drag?.pointer !== event.pointerId) return;
  const { node, on } = drag;
  const target = dropTarget.peek();
  end();
  if (!on) return;
  swallowClick();
  if (target === null) announce(t("drag.cancelled"));
  else if (typeof node === "string") move(node, slotOf(target));
  else dropBranchAt(node, target);
}

function dropBranchAt(node: { step: string; branch: string }, target: string): void {
  const { flow } = draft.peek();
  const there = target.slice(1).split("/")[1] ?? "";
  const from = findBranch(flow, node.step, node.branch)?.index;
  const to = findBranch(flow, node.step, there)?.index;
  if (from !== undefined && to !== undefined && find(flow, node.step)) {
    shiftBranch(node, to - from);
  }
}

/** The click that ends a drag must not open the card's properties. */
function swallowClick(): void {
  const stop = (event: Event): void => {
    event.stopPropagation();
    event.preventDefault();
  };
  addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }), 50);
}

function escaped(event: KeyboardEvent): void {
  if (event.key !== "Escape" || !drag?.on) return;
  event.preventDefault();
  event.stopPropagation();
  cancelDrag();
}

function cancelDrag(): void {
  const on = drag?.on ?? false;
  end();
  if (on) announce(t("drag.cancelled"));
}

function end(): void {
  if (drag === null) return;
  clearTimeout(drag.press);
  cancelAnimationFrame(drag.frame);
  drag = null;
  removeEventListener("pointermove", moved);
  removeEventListener("pointerup", dropped);
  removeEventListener("pointercancel", cancelDrag);
  removeEventListener("keydown", escaped, { capture: true });
  removeEventListener("touchmove", hold);
  document.removeEventListener("selectstart", noSelection);
  dragged.value = null;
  openSlots.value = new Set();
  dropTarget.value = null;
  ghost.value = null;
}
