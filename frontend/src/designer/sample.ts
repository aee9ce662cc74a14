// The sample request of "Simulate": who starts it, what is filled in, and which cards lie on its way.
// It is no part of the document; the inputs of the panels reach it by a path that begins so.
import { signal } from "@preact/signals";
import type { Problem } from "./model";
import type { Mark } from "./model/ways";

export const SAMPLE = "sample";

export interface Sample {
  /** One login name. */
  readonly starter: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  /** People by the step for which the starter picks them. */
  readonly picked: Readonly<Record<string, readonly string[]>>;
}

export const sample = signal<Sample>({ starter: [], values: {}, picked: {} });
/** What does not fit of it; `at` begins with `/sample`. */
export const sampleProblems = signal<readonly Problem[]>([]);
/** Whether the panel is open: then the way is on the canvas. */
export const trying = signal(false);
/** How each card lies on the way, by its key; null: no way is shown. */
export const marks = signal<ReadonlyMap<string, Mark> | null>(null);
/** The way is that of a moment ago; the next one is on its way. */
export const outdated = signal(false);
