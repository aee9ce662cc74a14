// What a condition is, as `workflow/forms/conditions.py` reads it.

export type Scalar = string | number | boolean;

export interface AllCond {
  readonly all: readonly Cond[];
}
export interface AnyCond {
  readonly any: readonly Cond[];
}
export interface NotCond {
  readonly not: Cond;
}
/** A comparison; `value` is absent for `empty` and `not_empty`. Numbers are decimal texts. */
export interface FieldCond {
  readonly field: string;
  readonly op: string;
  readonly value?: Scalar | readonly Scalar[];
}
export interface InitiatorCond {
  readonly initiator: "in_role" | "in_department" | "is";
  readonly ids: readonly string[];
}
export interface RuleCond {
  readonly rule: string;
  readonly version?: Version;
  readonly is?: Scalar;
}
export interface StepCond {
  readonly step: string;
  readonly outcome: "approved" | "rejected" | "skipped";
}
export type Leaf = FieldCond | InitiatorCond | RuleCond | StepCond;
export type Cond = AllCond | AnyCond | NotCond | Leaf;

/** A published version by number, or whatever is newest when the step is entered. */
export type Version = number | "latest_at_entry";

/** The seven shapes of a node. */
export type CondShape = "all" | "any" | "not" | "field" | "initiator" | "rule" | "step";
export const COND_SHAPES: readonly CondShape[] = [
  "all",
  "any",
  "not",
  "field",
  "initiator",
  "rule",
  "step",
];

/** The deepest nesting and the most leaves of one condition. */
export const DEEPEST_COND = 8;
export const MOST_LEAVES = 100;
/** The most values of one comparison. */
export const MOST_LISTED = 200;
