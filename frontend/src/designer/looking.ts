// How the process is looked at: zoom, outline, density, what is folded. No edit, nothing to undo.
import { effect, signal } from "@preact/signals";

export const smallest = 40;
export const largest = 160;

export const zoom = signal(100); // percent
export const asOutline = signal(matchMedia("(width < 48rem)").matches);
export const dense = signal(false);
/** Ids of the blocks whose branches are not shown; saved with the draft. */
export const folded = signal<ReadonlySet<string>>(new Set());
/** The list of problems below the canvas. */
export const problemsShown = signal(false);
/** On a narrow screen the properties lie over the canvas: whether they are open. */
export const panelShown = signal(false);

export function zoomTo(percent: number): void {
  zoom.value = Math.max(smallest, Math.min(largest, Math.round(percent / 10) * 10));
}

export function toggleFold(id: string): boolean {
  const next = new Set(folded.value);
  const closes = !next.delete(id);
  if (closes) next.add(id);
  folded.value = next;
  return closes;
}

/** Opens what hides a step: every block around it. */
export function unfold(blocks: readonly string[]): void {
  if (!blocks.some((id) => folded.value.has(id))) return;
  folded.value = new Set([...folded.value].filter((id) => !blocks.includes(id)));
}

const storageKey = "flowadmin:designer:density";
const hintKey = "flowadmin:designer:hint";

/** The four stages in a sentence, until somebody has read it in this browser. */
export const hintShown = signal(false);

export function offerHint(): void {
  hintShown.value = localStorage.getItem(hintKey) !== "read";
}

export function hintRead(): void {
  hintShown.value = false;
  localStorage.setItem(hintKey, "read");
}

export function rememberDensity(): void {
  dense.value = localStorage.getItem(storageKey) === "dense";
  effect(() => localStorage.setItem(storageKey, dense.value ? "dense" : "roomy"));
}
