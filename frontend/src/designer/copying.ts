// Cards on the clipboard: as text, so that they travel to other processes, windows and people.
import { current, slotAfter } from "./cards";
import { remove, titleOf } from "./commands";
import { codesOf } from "./knowledge";
import { tell } from "./layers";
import {
  copyBranch,
  copyStep,
  holds,
  paste,
  pasteBranch,
  type Node,
  type Pasted,
  type Slot,
} from "./model";
import { focusSoon } from "./cards";
import { announce, draft, edit, knowledge, readOnly } from "./state";
import { t } from "./texts";

/** What was copied last here: the way without the browser's clipboard, which not every page gets. */
let held = "";

function textOf(node: Node): string | null {
  const { flow } = draft.peek();
  return typeof node === "string" ? copyStep(flow, node) : copyBranch(flow, node.step, node.branch);
}

/** The text for the clipboard of a key press; null where there is nothing to copy. */
export function takeCopy(node: Node = current()): string | null {
  const text = textOf(node);
  if (text === null) return null;
  held = text;
  announce(t("did.copy", { name: titleOf(node) }));
  return text;
}

export async function copyCard(node: Node): Promise<boolean> {
  const text = takeCopy(node);
  if (text === null) return false;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // No permission, or no secure page: pasting here works all the same.
  }
  return true;
}

export async function cutCard(node: Node): Promise<void> {
  if (await copyCard(node)) remove(node);
}

export async function pasteAt(slot: Slot): Promise<void> {
  let text = held;
  try {
    const found = await navigator.clipboard.readText();
    if (holds(found) !== null) text = found;
  } catch {
    // See above.
  }
  pasteText(text, slot);
}

/** Pastes after the current card; a branch goes beside the branch that is selected. */
export function pasteText(text: string, slot: Slot = slotAfter(current())): void {
  if (readOnly.peek()) return;
  const node = current();
  const sort = holds(text);
  const known = codesOf(knowledge.peek());
  const was = draft.peek();
  if (sort === "branch" && typeof node !== "string") {
    const made = pasteBranch(was, node.step, text, known);
    finish(made, made.ids[0] === undefined ? node : { step: node.step, branch: made.ids[0] });
  } else {
    const made = paste(was, slot, text, known);
    finish(made, made.ids[0] ?? node);
  }
}

function finish(made: Pasted, then: Node): void {
  if (made.refused !== null) {
    tell(t(`paste.${made.refused}`));
    return;
  }
  const label = t("did.paste");
  edit(label, () => made.draft, { selected: then });
  announce(label);
  if (made.unknown.length > 0) {
    const names = made.unknown.map((one) => one.id).join(t("list.comma"));
    tell(t("paste.unknown", { names }));
  }
  focusSoon(then);
}
