// The document that the designer edits: a process, its form and how it is looked at.
import type { Cond } from "./conditions";
import type { People } from "./people";
import type { Rights, SelfRule } from "./rules";
import type { BranchReject, Repeat, Step } from "./steps";

export * from "./conditions";
export * from "./people";
export * from "./rules";
export * from "./steps";

export interface Start {
  /** Absent = everybody of the tenant. */
  readonly who?: People;
  readonly fields?: Rights;
}
export interface Numbering {
  readonly prefix?: string;
  readonly period?: "none" | "year" | "month" | "day";
  readonly width?: number;
}
export interface Policy {
  readonly dedupe?: Repeat;
  readonly on_self?: SelfRule;
  readonly initiator_cancel?: "before_first_decision" | "while_running" | "never";
  readonly take_back?: { readonly on?: boolean; readonly within?: string };
  readonly reversal?: { readonly on?: boolean; readonly flow?: string; readonly within?: string };
  readonly comment?: "never" | "on_reject" | "always";
  readonly clock?: string;
  readonly branch_reject?: BranchReject;
  readonly visibility?: "participants" | "managers" | "starters_department";
}
/** A process, version 1 (approvals 3.2); what is left out has the defaults of the engine. */
export interface Flowdoc {
  readonly flowdoc: 1;
  readonly key: string;
  readonly name: string;
  readonly form?: { readonly key: string; readonly version?: number };
  readonly start?: Start;
  readonly steps?: readonly Step[];
  readonly title?: string;
  readonly summary?: readonly string[];
  readonly number?: Numbering;
  readonly policy?: Policy;
  readonly managers?: People;
  readonly limits?: { readonly open_per_initiator?: number };
}

export type FieldType =
  | "text"
  | "long_text"
  | "integer"
  | "number"
  | "amount"
  | "date"
  | "time"
  | "timestamp"
  | "bool"
  | "choice"
  | "multi_choice"
  | "user"
  | "department"
  | "table"
  | "file"
  | "note";
export const FIELD_TYPES: readonly FieldType[] = [
  "text",
  "long_text",
  "integer",
  "number",
  "amount",
  "date",
  "time",
  "timestamp",
  "bool",
  "choice",
  "multi_choice",
  "user",
  "department",
  "table",
  "file",
  "note",
];
/** One text for both languages, or one for each. */
export type Label = string | { readonly en?: string; readonly "zh-hans"?: string };
export interface Option {
  readonly id: string;
  readonly label: Label;
}
export interface Limits {
  readonly min_length?: number;
  readonly max_length?: number;
  readonly min?: string;
  readonly max?: string;
  readonly decimals?: number;
  readonly earliest?: string;
  readonly latest?: string;
  readonly min_count?: number;
  readonly max_count?: number;
}
export interface Field {
  readonly id: string;
  readonly type: FieldType;
  readonly label: Label;
  readonly required?: boolean;
  readonly help?: Label;
  readonly default?: unknown;
  readonly options?: readonly Option[];
  readonly limits?: Limits;
  /** Columns of a table; no table among them. */
  readonly columns?: readonly Field[];
  readonly show_if?: Cond;
  readonly sum_of?: readonly string[];
}
export interface Formdoc {
  readonly formdoc: 1;
  readonly fields?: readonly Field[];
}

/** How the process is looked at: the ids of the blocks that are folded. */
export interface View {
  readonly folded: readonly string[];
}
/** A test of the process, as `workflow/engine/scenario.py` reads it; most of it is only kept. */
export interface Scenario {
  readonly name: string;
  readonly initiator: string;
  readonly form?: Readonly<Record<string, unknown>>;
  readonly picked?: Readonly<Record<string, readonly string[]>>;
  readonly expect?: { readonly path?: readonly string[]; readonly ends?: string };
}
export interface Draft {
  readonly flow: Flowdoc;
  readonly form: Formdoc | null;
  readonly view: View;
  /** Absent: those of the published version go on. */
  readonly scenarios?: readonly Scenario[];
}

/**
 * What the designer knows of the tenant; every list may be left out, which means "not known":
 * then nothing of its sort is called unknown.
 */
export interface Knowledge {
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
  readonly groups?: readonly string[];
  readonly posts?: readonly string[];
  readonly departments?: readonly string[];
  readonly flows?: readonly string[];
  readonly targets?: readonly string[];
  readonly calendars?: readonly string[];
  readonly secrets?: readonly string[];
  readonly retries?: readonly string[];
  readonly rules?: readonly string[];
}

/** One thing wrong with a draft, as the server's `problems[]`; `at` is a JSON Pointer. */
export interface Problem {
  readonly code: string;
  readonly at: string;
  /** The step around it; null at the top. */
  readonly step: string | null;
  readonly level: "error" | "warning";
  readonly args: Readonly<Record<string, string | number>>;
  /** Whether `at` points into the process or into its form. */
  readonly part: "flow" | "form";
}
