// The words of a document that are chosen from a list, and where their texts are.
import type { TextKey } from "../../texts";
import { t } from "../../texts";
import type { Options } from "./controls";

const GROUPS = {
  source: [
    "user",
    "role",
    "group",
    "post",
    "department",
    "head",
    "head_chain",
    "manager",
    "initiator",
    "picked_at_start",
    "picked_by",
    "form_users",
    "form_department_head",
    "deciders_of",
    "rule",
  ],
  within: ["any", "initiator_department", "same_branch"],
  missing: ["climb", "none"],
  order: ["given", "near_first", "name"],
  base: ["initiator", "field", "decider_of", "department"],
  until: ["level", "top", "role"],
  decide: ["any", "all", "in_order", "claim", "draw", "vote"],
  need: ["share", "count"],
  counts: ["any_one", "cannot_pass"],
  reject: ["end", "back", "finish_branch"],
  back: ["start", "previous", "ask", "step"],
  resume: ["forward", "here"],
  empty: ["hold", "approve", "reject", "refuse_start", "managers", "people"],
  self: ["allow", "skip", "head", "forbid"],
  dedupe: ["off", "adjacent", "keep_first", "keep_last"],
  count_from: ["task", "entry", "assignment"],
  due: ["off", "minutes", "field"],
  remind: ["due", "before", "after"],
  recipient: ["holder", "initiator", "managers"],
  then: ["none", "approve", "reject", "reassign", "escalate", "goto"],
  acts: [
    "transfer",
    "delegate",
    "add_before",
    "add_after",
    "add_with",
    "remove_added",
    "send_copy",
    "give_back",
    "edit_future",
  ],
  return_to: ["none", "previous", "any", "steps"],
  label: ["approve", "reject", "return"],
  evidence: ["comment", "signature", "files"],
  ask: ["no", "may", "must"],
  right: ["hide", "read", "edit", "must"],
  row: ["add", "edit", "delete"],
  event: ["assigned", "approved", "rejected", "returned", "timed_out", "closed"],
  event_kind: ["notice", "target", "url"],
  verdict: ["approve", "reject"],
  join: ["all", "first", "at_least"],
  branch_reject: ["whole_flow", "branch_only"],
  each_mode: ["all", "one_by_one"],
  child_reject: ["reject", "continue", "hold"],
  delay: ["for", "until_field", "until"],
  method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  http_mode: ["need_2xx", "fire", "wait_callback"],
  on_fail: ["hold", "continue", "goto"],
  header: ["text", "secret"],
  saved: ["text", "number", "integer", "amount", "date", "bool"],
  value: ["literal", "field", "var"],
  change: ["literal", "empty", "copy", "now", "rule"],
  channel: ["inbox", "email", "webhook"],
  result: ["approved", "rejected", "cancelled"],
  outcome: ["approved", "rejected", "skipped"],
  initiator: ["in_role", "in_department", "is"],
  subject: ["field", "initiator", "step", "rule"],
  group: ["all", "any"],
  period: ["none", "year", "month", "day"],
  cancel: ["before_first_decision", "while_running", "never"],
  comment: ["never", "on_reject", "always"],
  visibility: ["participants", "managers", "starters_department"],
  unit: ["S", "M", "H", "D"],
  type: [
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
  ],
  op: [
    "eq",
    "ne",
    "gt",
    "ge",
    "lt",
    "le",
    "between",
    "in",
    "contains",
    "starts",
    "ends",
    "matches",
    "before",
    "after",
    "within_last",
    "within_next",
    "is",
    "has",
    "has_any",
    "has_all",
    "under",
    "empty",
    "not_empty",
  ],
} as const;

export type GroupName = keyof typeof GROUPS;
export type WordOf<G extends GroupName> = (typeof GROUPS)[G][number];

type Keys = { [G in GroupName]: `o.${G}.${WordOf<G>}` }[GroupName];
/** The type check fails here when the page's dictionary lacks the text of a word. */
type Complete = Keys extends TextKey ? TextKey : never;

/** The text of a word of the document. */
export function wordText<G extends GroupName>(group: G, word: WordOf<G>): string {
  return t(`o.${group}.${word}` as Complete);
}

/** All words of a group, or those that are allowed here, with their texts. */
export function options<G extends GroupName>(group: G, allowed?: readonly WordOf<G>[]): Options {
  const words: readonly WordOf<G>[] = allowed ?? GROUPS[group];
  return words.map((word) => [word, wordText(group, word)] as const);
}
