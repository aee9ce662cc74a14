// The menus: which step to add, what can be done with a card, where to move it, what was done last.
import { copyCard, cutCard, pasteAt } from "./copying";
import { current, slotAfter, slotKey, toProperties } from "./cards";
import {
  changeKind,
  duplicate,
  growBranch,
  insert,
  kindKey,
  move,
  remove,
  shift,
  startRenaming,
  takeBackMany,
  titleOf,
} from "./commands";
import { folded, toggleFold } from "./looking";
import { openMenu, type MenuItem } from "./layers";
import {
  find,
  isBlock,
  KINDS,
  labels,
  legalSlots,
  stepsOf,
  findBranch,
  type Kind,
  type Node,
  type Slot,
} from "./model";
import { announce, draft, history, readOnly } from "./state";
import { t } from "./texts";

export const kindIcons: Readonly<Record<Kind, string>> = {
  approve: "user-check",
  work: "clipboard-list",
  copy: "copy",
  auto: "robot",
  choice: "git-branch",
  parallel: "arrows-split",
  inclusive: "git-merge",
  subflow: "sitemap",
  delay: "hourglass",
  http: "world",
  set: "pencil",
  rule: "list-details",
  notice: "bell",
  goto: "arrow-back-up",
  finish: "flag",
};

function kinds(run: (kind: Kind) => void, but?: Kind): MenuItem[] {
  return KINDS.filter((kind) => kind !== but).map((kind) => ({
    key: kind,
    label: t(kindKey(kind)),
    icon: kindIcons[kind],
    run: () => run(kind),
  }));
}

/** The grid of kinds for a gap. */
export function askWhatToInsert(slot: Slot, anchor: Element): void {
  if (readOnly.peek()) return;
  openMenu({
    title: t("menu.insert"),
    items: kinds((kind) => insert(slot, kind)),
    anchor,
    grid: true,
  });
}

export function askForKind(id: string, anchor: Element): void {
  const kind = find(draft.peek().flow, id)?.step.kind;
  const items = kinds((next) => changeKind(id, next), kind);
  openMenu({ title: t("menu.kind"), items, anchor, grid: true });
}

/** A gap in words: after which card it lies. */
function slotWords(slot: Slot): string {
  const { flow } = draft.peek();
  const { chain, index } = slot;
  const steps =
    "root" in chain
      ? stepsOf(flow)
      : stepsOf(findBranch(flow, chain.step, chain.branch)?.branch ?? { id: "", name: "" });
  const before = steps[index - 1];
  if (before !== undefined) return t("slot.after", { name: titleOf(before.id) });
  return "root" in chain ? t("slot.first") : t("slot.branch", { name: titleOf(chain) });
}

/** Moving without dragging: the gaps a step may go to, in words. */
export function askWhereTo(id: string, anchor: Element): void {
  const items = legalSlots(draft.peek().flow, id).map((slot) => ({
    key: slotKey(slot),
    label: slotWords(slot),
    run: () => move(id, slot),
  }));
  openMenu({ title: t("menu.move", { name: titleOf(id) }), items, anchor });
}

const line = (
  key: string,
  label: string,
  icon: string,
  note: string,
  run: () => void,
): MenuItem => ({
  key,
  label,
  icon,
  note,
  run,
});

function shiftItems(node: Node): MenuItem[] {
  const sideways = typeof node !== "string";
  return sideways
    ? [
        line("left", t("act.left"), "arrow-left", "Alt+←", () => shift("left")),
        line("right", t("act.right"), "arrow-right", "Alt+→", () => shift("right")),
      ]
    : [
        line("up", t("act.up"), "arrow-up", "Alt+↑", () => shift("up")),
        line("down", t("act.down"), "arrow-down", "Alt+↓", () => shift("down")),
      ];
}

function blockItems(id: string): MenuItem[] {
  const step = find(draft.peek().flow, id)?.step;
  if (step === undefined || !isBlock(step)) return [];
  const closed = folded.peek().has(id);
  return [
    line("branch", t("act.branch"), "git-branch", "", () => growBranch(id)),
    line("fold", t(closed ? "act.unfold" : "act.fold"), "chevron-down", "", () => fold(id)),
  ];
}

function editItems(node: Node, anchor: Element): MenuItem[] {
  const ofStep =
    typeof node === "string"
      ? [
          line("kind", t("act.kind"), "refresh", "", () => askForKind(node, anchor)),
          line("to", t("act.move"), "arrows-move", "", () => askWhereTo(node, anchor)),
          ...blockItems(node),
        ]
      : [];
  return [
    line("rename", t("act.rename"), "pencil", "F2", () => startRenaming(node)),
    ...ofStep,
    ...shiftItems(node),
    line("double", t("act.duplicate"), "copy-plus", "Ctrl+D", () => duplicate(node)),
  ];
}

/** Everything that can be done with a card. */
export function askWhatToDo(node: Node, anchor: Element): void {
  const isEdge = node === "start" || node === "end";
  const may = !readOnly.peek();
  const items = [line("open", t("act.properties"), "adjustments", "Enter", toProperties)];
  if (may && node !== "end") {
    items.push(line("insert", t("act.insert"), "plus", "Ins", () => insertHere(node)));
  }
  if (may && !isEdge) items.push(...editItems(node, anchor));
  if (!isEdge) {
    items.push(line("copy", t("act.copy"), "copy", "Ctrl+C", () => void copyCard(node)));
  }
  if (may && !isEdge) {
    items.push(line("cut", t("act.cut"), "scissors", "Ctrl+X", () => void cutCard(node)));
  }
  if (may && node !== "end") {
    const here = (): void => void pasteAt(slotAfter(node));
    items.push(line("paste", t("act.paste"), "clipboard-list", "Ctrl+V", here));
  }
  if (may && !isEdge) {
    const gone = line("delete", t("act.delete"), "trash", "Del", () => remove(node));
    items.push({ ...gone, danger: true });
  }
  openMenu({ title: titleOf(node), items, anchor });
}

function insertHere(node: Node): void {
  setTimeout(() => {
    const anchor = document.activeElement;
    if (anchor !== null) askWhatToInsert(slotAfter(node), anchor);
  });
}

/** The last things done, nearest first; choosing one takes back everything down to it. */
export function askWhatToUndo(anchor: Element): void {
  const items = labels(history.peek())
    .undo.slice(0, 20)
    .map((label, index) => ({
      key: String(index),
      label,
      run: () => takeBackMany(index + 1),
    }));
  openMenu({ title: t("menu.undo"), items, anchor });
}

/** Shows or hides the branches of a block, and says so. */
export function fold(id: string): void {
  const closed = toggleFold(id);
  announce(t(closed ? "did.fold" : "did.unfold", { name: titleOf(id) }));
}

export function menuForCurrent(): void {
  const anchor = document.activeElement;
  if (anchor !== null) askWhatToDo(current(), anchor);
}
