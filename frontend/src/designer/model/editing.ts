// What can be done to the steps of a process: put in, taken out, moved, doubled, made another kind.
import { copyOf } from "./copying";
import { setIn } from "./paths";
import { renameReferences } from "./references";
import {
  chainPath,
  chainSteps,
  everyStep,
  find,
  isInside,
  sameChain,
  type Slot,
  takenIds,
} from "./tree";
import type { Flowdoc, Step } from "./types";
import { MOST_STEPS } from "./types";

/** How many steps still fit into the process. */
export function roomFor(flow: Flowdoc): number {
  return Math.max(0, MOST_STEPS - everyStep(flow).length);
}

/** The process with a step at a place; the same process when there is no such place. */
export function insertStep(flow: Flowdoc, slot: Slot, step: Step): Flowdoc {
  return insertSteps(flow, slot, [step]);
}

/** The same for several steps after each other. */
export function insertSteps(flow: Flowdoc, slot: Slot, added: readonly Step[]): Flowdoc {
  const steps = chainSteps(flow, slot.chain);
  const path = chainPath(flow, slot.chain);
  if (steps === undefined || path === undefined || added.length === 0) return flow;
  const index = Math.min(Math.max(slot.index, 0), steps.length);
  return setIn(flow, path, steps.toSpliced(index, 0, ...added));
}

/** The process without a step and all that lies in it. What names the step is left as it is. */
export function removeStep(flow: Flowdoc, id: string): Flowdoc {
  const found = find(flow, id);
  return found === undefined ? flow : setIn(flow, found.path, undefined);
}

/**
 * The process with a step elsewhere.
 *
 * `slot` is a gap of the process as it is before. A gap inside of the step itself, or the one where
 * it stands, changes nothing.
 */
export function moveStep(flow: Flowdoc, id: string, slot: Slot): Flowdoc {
  const found = find(flow, id);
  if (found === undefined || chainSteps(flow, slot.chain) === undefined) return flow;
  if (!("root" in slot.chain)) {
    const block = slot.chain.step;
    if (block === id || isInside(flow, block, id)) return flow;
  }
  const own = sameChain(slot.chain, found.chain);
  if (own && (slot.index === found.index || slot.index === found.index + 1)) return flow;
  const index = own && slot.index > found.index ? slot.index - 1 : slot.index;
  return insertStep(removeStep(flow, id), { chain: slot.chain, index }, found.step);
}

/** One place up or down in its own sequence; the same process at its end. */
export function shiftStep(flow: Flowdoc, id: string, by: 1 | -1): Flowdoc {
  const found = find(flow, id);
  const index = (found?.index ?? 0) + (by === 1 ? 2 : -1);
  const many = found === undefined ? 0 : (chainSteps(flow, found.chain)?.length ?? 0);
  if (found === undefined || index < 0 || index > many) return flow;
  return moveStep(flow, id, { chain: found.chain, index });
}

/** The process with a copy of a step right after it, and the id of the copy. */
export function duplicateStep(
  flow: Flowdoc,
  id: string,
  name?: (old: string) => string,
): { readonly flow: Flowdoc; readonly id: string | null } {
  const found = find(flow, id);
  if (found === undefined) return { flow, id: null };
  const [copy] = copyOf([found.step], takenIds(flow));
  if (copy === undefined) return { flow, id: null };
  const named = name === undefined ? copy : { ...copy, name: name(copy.name) };
  const slot = { chain: found.chain, index: found.index + 1 };
  return { flow: insertStep(flow, slot, named), id: copy.id };
}

/** The process with another step in the place of one of the same id. */
export function putStep(flow: Flowdoc, step: Step): Flowdoc {
  const found = find(flow, step.id);
  return found === undefined ? flow : setIn(flow, found.path, step);
}

/** The process with another id for a step, also where it is named; the same if that is taken. */
export function renameId(flow: Flowdoc, id: string, next: string): Flowdoc {
  const found = find(flow, id);
  if (found === undefined || id === next || takenIds(flow).has(next)) return flow;
  return renameReferences(setIn(flow, [...found.path, "id"], next), "step", id, next);
}
