// Processes drawn at random from a seed, so that a case that fails can be drawn again.
import type { Branch, Draft, Flowdoc, Formdoc, Kind, Names, Step } from "../src/designer/model";
import { insertStep, isBlock, KINDS, newStep, slots } from "../src/designer/model";

export const NAMES: Names = {
  step: (kind) => `A ${kind}`,
  branch: (number) => `Branch ${number}`,
  otherwise: "Otherwise",
};

/** Numbers from 0 up to (but not) 1, always the same ones for a seed. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = (seed * 2654435761) >>> 0 || 1;
  }

  next(): number {
    // xorshift: plain, and good enough to draw trees.
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    this.state >>>= 0;
    return this.state / 2 ** 32;
  }

  below(high: number): number {
    return Math.floor(this.next() * high);
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new Error("nothing to draw from");
    return item;
  }
}

export const EMPTY: Flowdoc = { flowdoc: 1, key: "drawn", name: "Drawn", steps: [] };

/** A process of so many steps, blocks and all. */
export function drawFlow(dice: Dice, size: number, from: Flowdoc = EMPTY): Flowdoc {
  let flow = from;
  for (let number = 0; number < size; number += 1) {
    const kind: Kind = dice.next() < 0.25 ? dice.pick(BLOCKS) : dice.pick(KINDS);
    flow = insertStep(flow, dice.pick(slots(flow)), newStep(kind, flow, NAMES));
  }
  return flow;
}
const BLOCKS = KINDS.filter((kind) => isBlock({ kind } as Step));

export const FORM: Formdoc = {
  formdoc: 1,
  fields: [
    { id: "total", type: "amount", label: "Total", sum_of: ["lines.price"] },
    {
      id: "lines",
      type: "table",
      label: { en: "Lines", "zh-hans": "明细" },
      columns: [
        { id: "price", type: "amount", label: "Price" },
        { id: "item", type: "text", label: "Item" },
      ],
    },
    {
      id: "reason",
      type: "text",
      label: "Reason",
      show_if: { field: "total", op: "gt", value: "5" },
    },
  ],
};

export function draftOf(flow: Flowdoc, form: Formdoc | null = null): Draft {
  return { flow, form, view: { folded: [] } };
}

/** A step of people with what a test adds. */
export function approve(id: string, more: Partial<Step> = {}): Step {
  const who = { any_of: [{ by: "role", ids: ["boss"] }] };
  return { id, kind: "approve", name: id, who, ...more } as Step;
}

export function branch(id: string, ...steps: readonly Step[]): Branch {
  return { id, name: id, steps };
}

export function flowOf(...steps: readonly Step[]): Flowdoc {
  return { ...EMPTY, steps };
}
