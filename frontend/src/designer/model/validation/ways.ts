// Ways through a process: what is reached, where it ends, what may be gone back to (`paths.py`).
import { branchesOf, type Found, stepsOf } from "../tree";
import {
  type ApproveStep,
  type HumanStep,
  isBlock,
  isHuman,
  type Policy,
  type Step,
} from "../types";
import { below, error, type Finding, printable } from "./finding";
import type { Look } from "./look";

/** How a sequence surely ends; "" when a request may get past it. */
type Ending = "" | "finish" | "reject" | "goto";

export function* checkWays(look: Look): Generator<Finding> {
  const policy = look.flow.policy ?? {};
  const all = stepsOf(look.flow);
  yield* unreachable(all, "/steps", policy);
  if (ending(all, policy) === "goto") yield error("flow.no_end", "/steps", null);
  for (const found of look.steps) {
    for (const [number, branch] of branchesOf(found.step).entries()) {
      yield* unreachable(stepsOf(branch), below(found.at, "branches", number, "steps"), policy);
    }
    yield* gotos(found, look);
    if (isHuman(found.step)) yield* humanTargets(found.step, found, look);
  }
}

function* unreachable(steps: readonly Step[], at: string, policy: Policy): Generator<Finding> {
  const last = steps.findIndex((step) => stepEnding(step, policy) !== "");
  const step = steps[last];
  const lost = steps[last + 1];
  if (step === undefined || lost === undefined) return;
  const code = step.kind === "finish" ? "flow.after_finish" : "flow.unreachable";
  yield error(code, below(at, last + 1), lost.id, { after: step.id });
}

function ending(steps: readonly Step[], policy: Policy): Ending {
  for (const step of steps) {
    const found = stepEnding(step, policy);
    if (found !== "") return found;
  }
  return "";
}

function stepEnding(step: Step, policy: Policy): Ending {
  if (step.kind === "finish") return "finish";
  if (step.kind === "auto") return step.verdict === "reject" ? "reject" : "";
  if (step.kind === "goto") return step.when === undefined ? "goto" : "";
  return blockEnding(step, policy);
}

function blockEnding(step: Step, policy: Policy): Ending {
  if (!isBlock(step)) return "";
  const own = step.kind === "choice" ? "whole_flow" : step.branch_reject;
  // The join sees a rejected branch and applies its own rule.
  const softens = (own ?? policy.branch_reject) === "branch_only";
  const endings = step.branches.map((branch) => {
    const found = ending(stepsOf(branch), policy);
    return softens && found === "reject" ? "" : found;
  });
  if (step.kind === "parallel" && step.join === "all") {
    return endings.find((each) => each !== "") ?? "";
  }
  if (step.kind === "inclusive" && !step.branches.some((each) => each.otherwise)) return "";
  if (endings.length === 0 || endings.includes("")) return "";
  return endings.find((each) => each !== "goto") ?? "goto";
}

function* gotos(found: Found, look: Look): Generator<Finding> {
  const { step, at } = found;
  if (step.kind === "goto") {
    yield* goto(step.to, found, below(at, "to"), look, step.max !== undefined);
  } else if (step.kind === "http" && typeof step.on_fail === "object") {
    yield* goto(step.on_fail.goto, found, below(at, "on_fail", "goto"), look, false);
  }
}

function* goto(
  to: string,
  found: Found,
  at: string,
  look: Look,
  hasLimit: boolean,
): Generator<Finding> {
  const target = look.known.get(to);
  const args = { target: printable(to) };
  if (!found.dominators.includes(to)) {
    const around = new Set(found.region.map((each) => `${each.step} ${each.branch}`));
    const other =
      target?.region.some((each) => !around.has(`${each.step} ${each.branch}`)) ?? false;
    yield error(other ? "goto.into_branch" : "goto.not_dominator", at, found.step.id, args);
  } else if (!hasLimit && !passesPeople(to, found, look)) {
    yield error("goto.no_limit", at, found.step.id, args);
  }
}

/** Whether every way from the target back to here asks somebody. */
function passesPeople(to: string, found: Found, look: Look): boolean {
  const around = new Set(found.region.map((each) => each.step));
  return found.dominators.slice(found.dominators.indexOf(to)).some((id) => {
    const step = look.known.get(id)?.step;
    return step !== undefined && !around.has(id) && asks(step);
  });
}

function asks(step: Step): boolean {
  if (isHuman(step)) return true;
  if (!isBlock(step)) return false;
  const asking = step.branches.map((branch) => stepsOf(branch).some(asks));
  if (step.kind === "parallel" && step.join === "all") return asking.includes(true);
  if (step.kind === "inclusive" && !step.branches.some((each) => each.otherwise)) return false;
  return asking.length > 0 && !asking.includes(false);
}

function* humanTargets(step: HumanStep, found: Found, look: Look): Generator<Finding> {
  const returns = step.acts?.return_to ?? "none";
  if (typeof returns !== "string") {
    for (const [number, name] of returns.entries()) {
      yield* backTo(name, found, below(found.at, "acts", "return_to", number), look);
    }
  }
  const then = step.deadline?.then;
  if (typeof then === "object" && "goto" in then && !found.dominators.includes(then.goto)) {
    const at = below(found.at, "deadline", "then", "goto");
    yield error("deadline.target_not_dominator", at, step.id, { target: printable(then.goto) });
  }
  if (step.kind === "approve") yield* rejectTarget(step, found, look);
}

function* rejectTarget(step: ApproveStep, found: Found, look: Look): Generator<Finding> {
  const then = step.reject?.then;
  const at = below(found.at, "reject", "then");
  if (then?.do === "finish_branch") {
    const kinds = found.region.map((each) => look.known.get(each.step)?.step.kind ?? "choice");
    if (kinds.every((kind) => kind === "choice")) yield error("reject.no_branch", at, step.id);
  }
  if (then?.do !== "back") return;
  if (typeof then.to === "object") {
    yield* backTo(then.to.step, found, below(at, "to", "step"), look);
  } else if (then.to === "ask" && (step.acts?.return_to ?? "none") === "none") {
    yield error("reject.ask_without_targets", below(at, "to"), step.id);
  }
}

function* backTo(name: string, found: Found, at: string, look: Look): Generator<Finding> {
  if (name === "start" || found.dominators.includes(name)) return;
  const code = look.known.has(name) ? "reject.target_not_dominator" : "reject.target_missing";
  yield error(code, at, found.step.id, { target: printable(name) });
}
