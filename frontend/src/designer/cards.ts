// Cards by their place: the key that each carries in the page, finding it again, focusing it.
import { find, findBranch, sameNode, type Node, type Slot } from "./model";
import { whenDrawn } from "./later";
import { panelShown, unfold } from "./looking";
import { draft, selected } from "./state";

/** The value of `data-card`: "start", "end", the id of a step, or "step/branch". */
export function keyOf(node: Node): string {
  return typeof node === "string" ? node : `${node.step}/${node.branch}`;
}

/** The value of `data-slot`. */
export function slotKey(slot: Slot): string {
  const { chain, index } = slot;
  return "root" in chain ? `/${index}` : `${chain.step}/${chain.branch}/${index}`;
}

export function slotOf(key: string): Slot {
  const parts = key.split("/");
  const index = Number(parts.at(-1));
  const [step = "", branch = ""] = parts;
  return parts.length === 2 ? { chain: { root: true }, index } : { chain: { step, branch }, index };
}

/** Whether the card is in the document that is open now. */
export function exists(node: Node): boolean {
  if (node === "start" || node === "end") return true;
  const { flow } = draft.peek();
  if (typeof node === "string") return find(flow, node) !== undefined;
  return findBranch(flow, node.step, node.branch) !== undefined;
}

/** The card that arrows and shortcuts start from. */
export function current(): Node {
  const node = selected.peek();
  return node !== null && exists(node) ? node : "start";
}

/** Selects without touching the focus. */
export function select(node: Node): void {
  if (!sameNode(selected.peek(), node)) selected.value = node;
}

/** The gap right after a card: where new and pasted steps go. */
export function slotAfter(node: Node): Slot {
  const { flow } = draft.peek();
  if (typeof node !== "string") return { chain: node, index: 0 };
  if (node === "start") return { chain: { root: true }, index: 0 };
  const found = find(flow, node);
  if (found === undefined) return { chain: { root: true }, index: (flow.steps ?? []).length };
  return { chain: found.chain, index: found.index + 1 };
}

export function cardElement(node: Node): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-card="${CSS.escape(keyOf(node))}"]`);
}

/** Shows a card (unfolding what hides it), selects it and, once it is drawn, focuses it. */
export function goTo(node: Node): void {
  const { flow } = draft.peek();
  if (typeof node !== "string") {
    unfold([node.step, ...(find(flow, node.step)?.region ?? []).map((each) => each.step)]);
  } else unfold((find(flow, node)?.region ?? []).map((each) => each.step));
  select(node);
  focusSoon(node);
}

/** After the next drawing; what was focused may have been taken away by it. */
export function focusSoon(node: Node = current()): void {
  setTimeout(() => {
    const card = cardElement(node) ?? cardElement("start");
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

/** From a card to the first input of its properties. */
export function toProperties(): void {
  panelShown.value = true;
  whenDrawn(() => {
    const panel = document.querySelector<HTMLElement>("[data-properties]");
    const wanted =
      "input:not([type=hidden]), select, textarea, button:not([data-close-properties])";
    const first = [...(panel?.querySelectorAll<HTMLElement>(wanted) ?? [])].find(
      (element) => element.getClientRects().length > 0 && !element.matches(":disabled"),
    );
    (first ?? panel)?.focus();
  });
}

export function backToCard(): void {
  panelShown.value = false;
  focusSoon();
}
