// What can be done to the cards: each is one edit with its words, and the focus goes where it acted.
import {
  addBranch,
  duplicateBranch,
  duplicateStep,
  find,
  findBranch,
  insertStep,
  isBlock,
  mayRemoveBranch,
  moveBranch,
  moveStep,
  newStep,
  removeBranch,
  removeStep,
  replaceKind,
  roomFor,
  setIn,
  shiftStep,
  stepsOf,
  type Flowdoc,
  type Kind,
  type Names,
  type Node,
  type Slot,
} from "./model";
import { current, exists, focusSoon, goTo } from "./cards";
import { announce, draft, edit, history, readOnly, redo, selected, undo } from "./state";
import { t, type TextKey } from "./texts";
import { ask, renaming, tell, told } from "./layers";

export const names: Names = {
  step: (kind) => t(kindKey(kind)),
  branch: (number) => t("branch.numbered", { number }),
  // Asked for when it is needed: the texts come with the page.
  get otherwise() {
    return t("branch.otherwise");
  },
};

export function kindKey(kind: Kind): TextKey {
  return `kind.${kind}`;
}

export function titleOf(node: Node): string {
  const { flow } = draft.peek();
  if (node === "start") return t("card.start");
  if (node === "end") return t("card.end");
  if (typeof node !== "string") {
    return findBranch(flow, node.step, node.branch)?.branch.name || t("branch.unnamed");
  }
  const step = find(flow, node)?.step;
  return step === undefined ? node : step.name || t(kindKey(step.kind));
}

/** One edit of the process; tells what was done and puts the focus on what it left. */
function change(label: string, make: (flow: Flowdoc) => Flowdoc, then?: Node): boolean {
  const before = history.peek();
  edit(
    label,
    (was) => setIn(was, ["flow"], make(was.flow)),
    then === undefined ? {} : { selected: then },
  );
  const done = history.peek() !== before && history.peek().draft !== before.draft;
  announce(done ? label : t("did.nothing"));
  if (done) focusSoon(then ?? current());
  return done;
}

export function insert(slot: Slot, kind: Kind): void {
  const { flow } = draft.peek();
  if (roomFor(flow) === 0) {
    tell(t("limit.steps"));
    return;
  }
  const step = newStep(kind, flow, names);
  change(t("did.insert", { name: step.name }), (was) => insertStep(was, slot, step), step.id);
}

export function rename(node: Node, name: string): void {
  const { flow } = draft.peek();
  const path =
    typeof node === "string"
      ? find(flow, node)?.path
      : findBranch(flow, node.step, node.branch)?.path;
  renaming.value = null;
  if (path !== undefined && name.trim() !== "") {
    change(t("did.rename", { name }), (was) => setIn(was, [...path, "name"], name.trim()), node);
  }
  focusSoon(node);
}

export function startRenaming(node: Node = current()): void {
  if (readOnly.peek() || node === "start" || node === "end") return;
  renaming.value = node;
}

export function changeKind(id: string, kind: Kind): void {
  change(t("did.kind", { name: titleOf(id), kind: t(kindKey(kind)) }), (flow) =>
    replaceKind(flow, id, kind, names),
  );
}

/** Deletes a step with all that lies in it, or a branch; offers to take it back. */
export function remove(node: Node = current()): void {
  if (readOnly.peek() || node === "start" || node === "end" || !exists(node)) return;
  if (typeof node !== "string") {
    removeABranch(node.step, node.branch);
    return;
  }
  const { flow } = draft.peek();
  const found = find(flow, node);
  if (found === undefined) return;
  const list = "root" in found.chain ? stepsOf(flow) : branchSteps(flow, found.chain);
  const beside = list[found.index + 1] ?? list[found.index - 1];
  const then: Node = beside?.id ?? ("root" in found.chain ? "start" : found.chain);
  const label = t("did.delete", { name: titleOf(node) });
  if (change(label, (was) => removeStep(was, node), then)) tell(label, undoable());
}

function branchSteps(flow: Flowdoc, chain: { step: string; branch: string }) {
  const found = findBranch(flow, chain.step, chain.branch);
  return found === undefined ? [] : stepsOf(found.branch);
}

function undoable(): { text: string; run: () => void } {
  return { text: t("undo"), run: takeBack };
}

function removeABranch(step: string, branch: string): void {
  const { flow } = draft.peek();
  if (!mayRemoveBranch(flow, step)) {
    ask({ kind: "last-branch", step, branch });
    return;
  }
  dropBranch(step, branch);
}

/** Takes a branch away; of two, the steps of the other one take the place of the block. */
export function dropBranch(step: string, branch: string): void {
  const { flow } = draft.peek();
  const label = t("did.delete-branch", { name: titleOf({ step, branch }) });
  const only = mayRemoveBranch(flow, step) ? null : findBranch(flow, step, branch)?.block;
  const rest = only?.branches.find((each) => each.id !== branch);
  const then = only === null || only === undefined ? step : (rest?.steps?.[0]?.id ?? "start");
  if (change(label, (was) => removeBranch(was, step, branch, "nothing"), then)) {
    tell(label, undoable());
  }
}

/** The other answer to deleting one of two branches: it stays, without its steps. */
export function emptyBranch(step: string, branch: string): void {
  const node = { step, branch };
  const label = t("did.empty-branch", { name: titleOf(node) });
  const done = change(
    label,
    (flow) => setIn(flow, [...(findBranch(flow, step, branch)?.path ?? []), "steps"], []),
    node,
  );
  if (done) tell(label, undoable());
}

export function duplicate(node: Node = current()): void {
  if (readOnly.peek() || node === "start" || node === "end" || !exists(node)) return;
  const { flow } = draft.peek();
  const label = t("did.duplicate", { name: titleOf(node) });
  const named = (old: string): string => t("copy-of", { name: old }).slice(0, 48);
  if (typeof node === "string") {
    const made = duplicateStep(flow, node, named);
    if (made.id !== null) change(label, () => made.flow, made.id);
    return;
  }
  const made = duplicateBranch(flow, node.step, node.branch, named);
  if (made.branch !== null)
    change(label, () => made.flow, { step: node.step, branch: made.branch });
}

export function growBranch(step: string): void {
  const { flow } = draft.peek();
  const block = find(flow, step)?.step;
  if (block === undefined || !isBlock(block)) return;
  const number = block.branches.filter((branch) => branch.otherwise !== true).length + 1;
  const made = addBranch(flow, step, t("branch.numbered", { number }));
  if (made.branch === null) tell(t("limit.branches"));
  else change(t("did.branch"), () => made.flow, { step, branch: made.branch });
}

export function move(id: string, slot: Slot): void {
  change(t("did.move", { name: titleOf(id) }), (flow) => moveStep(flow, id, slot), id);
}

export function shiftBranch(node: { step: string; branch: string }, by: number): void {
  change(
    t("did.move", { name: titleOf(node) }),
    (flow) => moveBranch(flow, node.step, node.branch, by),
    node,
  );
}

/** Alt with an arrow: a step goes up and down in its sequence, a branch left and right. */
export function shift(direction: "up" | "down" | "left" | "right"): void {
  const node = current();
  if (readOnly.peek() || node === "start" || node === "end") return;
  const by = direction === "down" || direction === "right" ? 1 : -1;
  const sideways = direction === "left" || direction === "right";
  if (typeof node !== "string") {
    shiftBranch(node, by);
    return;
  }
  const found = find(draft.peek().flow, node);
  if (found === undefined) return;
  if (!sideways) {
    change(t("did.move", { name: titleOf(node) }), (flow) => shiftStep(flow, node, by), node);
  } else if (!("root" in found.chain)) {
    // A step in a branch takes its branch along: the order of branches is their priority.
    const { step, branch } = found.chain;
    change(
      t("did.move", { name: titleOf(found.chain) }),
      (flow) => moveBranch(flow, step, branch, by),
      node,
    );
  }
}

export function takeBack(): void {
  const label = history.peek().past.at(-1)?.label;
  if (label === undefined || !undo()) return;
  told.value = null;
  announce(t("did.undo", { what: label }));
  settle();
}

export function doAgain(): void {
  const label = history.peek().future.at(-1)?.label;
  if (label === undefined || !redo()) return;
  announce(t("did.redo", { what: label }));
  settle();
}

/** Several at once, from the menu of last actions. */
export function takeBackMany(count: number): void {
  for (let done = 0; done < count; done += 1) if (!undo()) break;
  announce(t("did.undo-many", { count }));
  settle();
}

/** After undo: what was selected then is selected again, and the focus stays where one works. */
function settle(): void {
  const node = selected.peek();
  const inCanvas = document.activeElement?.closest("[data-canvas]") ?? null;
  const lost = document.activeElement === document.body;
  if (node !== null && exists(node) && (inCanvas !== null || lost)) goTo(node);
  else if (lost || inCanvas !== null) focusSoon();
}
