// The fifteen kinds of step and the branches that hold more of them (`flowdoc/steps.py`).
import type { Cond, Version } from "./conditions";
import type { Base, People } from "./people";
import type {
  Acts,
  Deadline,
  Decide,
  Empty,
  Evidence,
  OnEvent,
  Reject,
  Rights,
  SelfRule,
} from "./rules";

export type Literal = string | number | boolean | null;
export type Repeat = "off" | "adjacent" | "keep_first" | "keep_last";
export type BranchReject = "whole_flow" | "branch_only";

export interface StepBase {
  readonly id: string;
  readonly name: string;
  readonly note?: string;
  readonly fields?: Rights;
  readonly on_event?: readonly OnEvent[];
}
interface HumanBase extends StepBase {
  readonly who: People;
  readonly decide?: Decide;
  readonly on_empty?: Empty;
  readonly on_self?: SelfRule;
  readonly deadline?: Deadline;
  readonly acts?: Acts;
  readonly evidence?: Evidence;
  readonly repeat_skip?: Repeat;
}
export interface ApproveStep extends HumanBase {
  readonly kind: "approve";
  readonly reject?: Reject;
}
export interface WorkStep extends HumanBase {
  readonly kind: "work";
}
export interface CopyStep extends StepBase {
  readonly kind: "copy";
  readonly who: People;
  readonly also_initiator_picks?: boolean;
}
export interface AutoStep extends StepBase {
  readonly kind: "auto";
  readonly verdict: "approve" | "reject";
  readonly reason?: string;
}

export type Join = "all" | "first" | { readonly at_least: number };
export interface Branch {
  readonly id: string;
  readonly name: string;
  readonly when?: Cond;
  readonly otherwise?: boolean;
  readonly steps?: readonly Step[];
}
export interface ChoiceStep extends StepBase {
  readonly kind: "choice";
  readonly branches: readonly Branch[];
}
export interface ParallelStep extends StepBase {
  readonly kind: "parallel";
  readonly branches: readonly Branch[];
  readonly join: Join;
  readonly branch_reject?: BranchReject;
}
export interface InclusiveStep extends StepBase {
  readonly kind: "inclusive";
  readonly branches: readonly Branch[];
  readonly join: Join;
  readonly branch_reject?: BranchReject;
}

export type ValueOf = { readonly field: string } | { readonly var: string };
/** Their name → a literal, a field of this form or a variable of the run. */
export type Input = Readonly<Record<string, Literal | ValueOf>>;
/** A field of this form → the name of the value there. */
export type Output = Readonly<Record<string, string>>;
export interface Each {
  readonly field: string;
  readonly mode?: "all" | "one_by_one";
  readonly join?: Join;
}
export interface SubflowStep extends StepBase {
  readonly kind: "subflow";
  readonly flow: string;
  readonly version: Version;
  readonly wait?: boolean;
  readonly starter?: Base;
  readonly input?: Input;
  readonly output?: Output;
  readonly each?: Each;
  readonly on_child_reject?: "reject" | "continue" | "hold";
}
/** Exactly one of `for`, `until_field`, `until`. */
export interface DelayStep extends StepBase {
  readonly kind: "delay";
  readonly for?: string;
  readonly until_field?: string;
  readonly until?: string;
  readonly clock?: string;
}
export type SavedType = "text" | "number" | "integer" | "amount" | "date" | "bool";
export interface Saved {
  readonly pointer: string;
  readonly to: ValueOf;
  readonly type: SavedType;
}
export interface HttpStep extends StepBase {
  readonly kind: "http";
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | { readonly secret: string }>>;
  readonly body?: string;
  readonly mode?: "fire" | "need_2xx" | "wait_callback";
  readonly timeout?: string;
  readonly retry?: string;
  readonly save?: readonly Saved[];
  readonly on_fail?: "hold" | "continue" | { readonly goto: string };
}
export type Computed =
  { readonly copy: string } | { readonly now: true } | { readonly rule: string };
export interface Assignment {
  readonly field: string;
  readonly to: Literal | readonly string[] | Computed;
}
export interface SetStep extends StepBase {
  readonly kind: "set";
  readonly changes: readonly Assignment[];
}
export interface RuleStep extends StepBase {
  readonly kind: "rule";
  readonly rule: { readonly key: string; readonly version: Version };
  readonly input?: Input;
  readonly save?: Output;
}
export type Channel = "inbox" | "email" | "webhook";
export interface NoticeStep extends StepBase {
  readonly kind: "notice";
  readonly who: People;
  readonly channel: readonly Channel[];
  readonly title: string;
  readonly text?: string;
}
export interface GotoStep extends StepBase {
  readonly kind: "goto";
  readonly to: string;
  readonly when?: Cond;
  readonly max?: number;
}
export interface FinishStep extends StepBase {
  readonly kind: "finish";
  readonly result: "approved" | "rejected" | "cancelled";
}

export type HumanStep = ApproveStep | WorkStep;
export type BlockStep = ChoiceStep | ParallelStep | InclusiveStep;
export type Step =
  | ApproveStep
  | WorkStep
  | CopyStep
  | AutoStep
  | BlockStep
  | SubflowStep
  | DelayStep
  | HttpStep
  | SetStep
  | RuleStep
  | NoticeStep
  | GotoStep
  | FinishStep;
export type Kind = Step["kind"];
export type BlockKind = BlockStep["kind"];
export const KINDS: readonly Kind[] = [
  "approve",
  "work",
  "copy",
  "auto",
  "choice",
  "parallel",
  "inclusive",
  "subflow",
  "delay",
  "http",
  "set",
  "rule",
  "notice",
  "goto",
  "finish",
];

/** Whether a step holds branches. */
export function isBlock(step: Step): step is BlockStep {
  return step.kind === "choice" || step.kind === "parallel" || step.kind === "inclusive";
}
/** Whether people decide or do the step. */
export function isHuman(step: Step): step is HumanStep {
  return step.kind === "approve" || step.kind === "work";
}
/** Whether branches of this kind have conditions. */
export function hasConditions(kind: Kind): boolean {
  return kind === "choice" || kind === "inclusive";
}

/** The most steps of a process, and the fewest and most branches of a block. */
export const MOST_STEPS = 300;
export const FEWEST_BRANCHES = 2;
export const MOST_BRANCHES = 20;
