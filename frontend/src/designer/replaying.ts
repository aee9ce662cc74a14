// What-if: past requests of the process, replayed by the server through what stands here.
import { signal } from "@preact/signals";
import { page } from "./page";
import { ask } from "./requests";
import { draft } from "./state";
import { refusalOf } from "./trying";

export const outcomes = ["same", "other_path", "other_people", "cannot_decide"] as const;
export type Outcome = (typeof outcomes)[number];

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface Replayed {
  readonly looked_at: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly branches: readonly {
    readonly step: Named;
    readonly branch: Named;
    readonly past: number;
    readonly candidate: number;
  }[];
  readonly examples: readonly {
    readonly id: string;
    readonly number: string;
    readonly title: string;
    readonly url: string;
    readonly comparison: Outcome;
    readonly step: Named | null;
  }[];
}

export const replayed = signal<Replayed | null>(null);
export const replaying = signal(false);
export const replayFailure = signal("");

/** Replays the last requests; `last` is at most 200. */
export async function replay(last: number): Promise<void> {
  const { flow, form } = draft.peek();
  replaying.value = true;
  const answer = await ask("POST", page().addresses.what_if, {
    body: { document: flow, form, last },
  });
  replaying.value = false;
  replayFailure.value = answer.kind === "done" ? "" : refusalOf(answer);
  replayed.value = answer.kind === "done" ? (answer.body as unknown as Replayed) : null;
}
