// Problems by card: how many there are on each, and which one is next.
import { computed } from "@preact/signals";
import { goTo, keyOf } from "./cards";
import { getIn, isRecord, pathOf, type Node, type Problem } from "./model";
import { whenDrawn } from "./later";
import { problemsShown } from "./looking";
import { announce, draft, problems, selected, stage } from "./state";
import { sentenceOf } from "./view/fields/binding";

export interface Faults {
  errors: number;
  warnings: number;
}

/** The card that a problem belongs to: a branch when it is in its own members, else its step. */
export function cardOf(problem: Problem): Node {
  if (problem.part === "form") return "start";
  const { flow } = draft.peek();
  const path = pathOf(problem.at);
  let node: Node = "start";
  for (let depth = 1; depth < path.length; depth += 1) {
    const list = path[depth - 1];
    if (list !== "steps" && list !== "branches") continue;
    const part = getIn(flow, path.slice(0, depth + 1));
    const id = isRecord(part) ? part["id"] : undefined;
    if (typeof id !== "string") break;
    if (list === "steps") node = id;
    else if (typeof node === "string") node = { step: node, branch: id };
  }
  return node;
}

const none: Faults = { errors: 0, warnings: 0 };

const byCard = computed(() => {
  const counted = new Map<string, Faults>();
  for (const problem of problems.value) {
    // Of the form and of the process as a whole: their own stages show these.
    if (stageOf(problem) !== "flow") continue;
    const key = keyOf(cardOf(problem));
    const { errors, warnings } = counted.get(key) ?? none;
    const isError = problem.level === "error";
    counted.set(key, {
      errors: errors + (isError ? 1 : 0),
      warnings: warnings + (isError ? 0 : 1),
    });
  }
  return counted;
});

export function faultsOf(node: Node): Faults | null {
  return byCard.value.get(keyOf(node)) ?? null;
}

const basics = /^\/(key|name|title|summary|number|start|form|icon|category)(\/|$)/;

/** The stage on which a problem is put right. */
export function stageOf(problem: Problem): "basics" | "form" | "flow" | "more" {
  if (problem.part === "form") return "form";
  if (problem.at.startsWith("/steps")) return "flow";
  if (problem.at.startsWith("/start/fields")) return "flow";
  return basics.test(problem.at) || problem.at === "" ? "basics" : "more";
}

let last: Problem | null = null;

/** Goes to where a problem is put right: its card, or its input on another stage. */
export function jumpTo(problem: Problem): void {
  last = problem;
  const where = stageOf(problem);
  stage.value = where;
  announce(sentenceOf(problem));
  if (where === "flow") {
    goTo(cardOf(problem));
    return;
  }
  whenDrawn(() => {
    const pointer = `in/${problem.part}${problem.at}`;
    const input = document.getElementById(pointer);
    input?.focus();
    input?.scrollIntoView({ block: "center" });
  });
}

/** F8 and Shift+F8: the next problem or the one before, round and round. */
export function jump(by: 1 | -1): boolean {
  const all = problems.peek();
  if (all.length === 0) return false;
  const at = all.findIndex((one) => one.code === last?.code && one.at === last.at);
  const from = at >= 0 ? at : selectedFrom(all, by);
  const next = all[(from + by + all.length) % all.length];
  if (next !== undefined) jumpTo(next);
  problemsShown.value = true;
  return true;
}

function selectedFrom(all: readonly Problem[], by: 1 | -1): number {
  const node = selected.peek();
  const at = node === null ? -1 : all.findIndex((one) => keyOf(cardOf(one)) === keyOf(node));
  return at < 0 ? (by === 1 ? -1 : 0) : at - by;
}
