// How a step is decided, when it is due and what may be done in it (`flowdoc/rules.py`).
import type { People } from "./people";

export type SelfRule = "allow" | "skip" | "head" | "forbid";
export type Right = "hide" | "read" | "edit" | "must";
export type RowRight = "add" | "edit" | "delete";
export type Recipient = "holder" | "initiator" | "managers";
export type Ask = "no" | "may" | "must";

/** `{num, den}` or `{count}`. */
export type Need = { readonly num: number; readonly den: number } | { readonly count: number };
export type Decide =
  | { readonly mode: "any" | "all" | "in_order" | "claim" | "draw" }
  | {
      readonly mode: "vote";
      readonly need: Need;
      readonly weights?: Readonly<Record<string, number>>;
      readonly early?: boolean;
    };
export type DecideMode = Decide["mode"];

export type BackTarget = "start" | "previous" | "ask" | { readonly step: string };
export type RejectThen =
  | { readonly do: "end" }
  | { readonly do: "back"; readonly to: BackTarget; readonly resume?: "forward" | "here" }
  | { readonly do: "finish_branch" };
export interface Reject {
  readonly counts?: "any_one" | "cannot_pass";
  readonly then?: RejectThen;
}

export type Empty =
  | { readonly do: "approve" | "reject" | "hold" | "refuse_start" | "managers" }
  | { readonly do: "people"; readonly who: People; readonly then?: Empty };

/** Minutes are a duration (`PT24H`) or, when read, a whole number of minutes. */
export type Minutes = string | number;
export interface FieldRef {
  readonly field: string;
}
export interface Remind {
  readonly before?: Minutes;
  readonly after?: Minutes;
  readonly every?: Minutes;
  readonly max?: number;
  readonly to?: readonly Recipient[];
}
export type Overdue =
  { readonly reassign: People } | { readonly escalate: number } | { readonly goto: string };
export interface Deadline {
  /** 0, blank or absent means off. */
  readonly after?: Minutes | FieldRef;
  readonly clock?: string;
  readonly count_from?: "task" | "entry" | "assignment";
  readonly remind?: readonly Remind[];
  readonly then?: "none" | "approve" | "reject" | Overdue;
}

export interface ActLabels {
  readonly approve?: string;
  readonly reject?: string;
  readonly return?: string;
}
export interface Acts {
  readonly transfer?: boolean;
  readonly delegate?: boolean;
  readonly add_before?: boolean;
  readonly add_after?: boolean;
  readonly add_with?: boolean;
  readonly remove_added?: boolean;
  readonly send_copy?: boolean;
  readonly give_back?: boolean;
  readonly return_to?: "none" | "previous" | "any" | readonly string[];
  readonly comment?: boolean;
  readonly edit_future?: boolean;
  readonly labels?: ActLabels;
}
export interface Evidence {
  readonly comment?: Ask;
  readonly signature?: Ask;
  readonly files?: Ask;
}
/** A default, exceptions by field or `table.column`, and what may be done with rows of a table. */
export interface Rights {
  readonly default?: "hide" | "read" | "edit";
  readonly set?: Readonly<Record<string, Right>>;
  readonly rows?: Readonly<Record<string, readonly RowRight[]>>;
}

export interface EventNotice {
  readonly to: readonly Recipient[];
  readonly text: string;
}
export type EventPost = { readonly target: string } | { readonly url: string };
export type EventName = "assigned" | "approved" | "rejected" | "returned" | "timed_out" | "closed";
/** Exactly one of notice and post; a post only on a decision. */
export interface OnEvent {
  readonly on: EventName;
  readonly notice?: EventNotice;
  readonly post?: EventPost;
}
