// Who a step goes to: sources instead of names, as `workflow/engine/flowdoc/people.py` reads them.
import type { Version } from "./conditions";

/** Where to look from; exactly one member. */
export type BaseOf =
  { readonly field: string } | { readonly decider_of: string } | { readonly department: string };
export type Base = "initiator" | BaseOf;
export type Within = "initiator_department" | "same_branch" | "any";
/** Where a chain of heads ends; exactly one member. */
export type Until = { readonly level: number } | { readonly top: true } | { readonly role: string };

export interface ByUser {
  readonly by: "user";
  readonly ids: readonly string[];
}
export interface ByRole {
  readonly by: "role";
  readonly ids: readonly string[];
  readonly within?: Within;
}
export interface ByGroup {
  readonly by: "group";
  readonly ids: readonly string[];
}
export interface ByPost {
  readonly by: "post";
  readonly ids: readonly string[];
  readonly within?: Within;
}
export interface ByDepartment {
  readonly by: "department";
  readonly ids: readonly string[];
  readonly deep?: boolean;
}
export interface ByHead {
  readonly by: "head";
  readonly of?: Base;
  readonly level?: number;
  readonly missing?: "climb" | "none";
}
export interface ByHeadChain {
  readonly by: "head_chain";
  readonly of?: Base;
  readonly until: Until;
}
export interface ByManager {
  readonly by: "manager";
  readonly of?: Base;
  readonly level?: number;
}
export interface ByInitiator {
  readonly by: "initiator";
}
export interface PickedAtStart {
  readonly by: "picked_at_start";
  readonly from?: People;
  readonly min?: number;
  readonly max?: number;
}
export interface PickedBy {
  readonly by: "picked_by";
  readonly step: string;
  readonly from?: People;
  readonly min?: number;
  readonly max?: number;
}
export interface ByFormUsers {
  readonly by: "form_users";
  readonly field: string;
}
export interface ByFormDepartmentHead {
  readonly by: "form_department_head";
  readonly field: string;
  readonly level?: number;
}
export interface DecidersOf {
  readonly by: "deciders_of";
  readonly step: string;
}
export interface ByRule {
  readonly by: "rule";
  readonly key: string;
  readonly version: Version;
}
export type Source =
  | ByUser
  | ByRole
  | ByGroup
  | ByPost
  | ByDepartment
  | ByHead
  | ByHeadChain
  | ByManager
  | ByInitiator
  | PickedAtStart
  | PickedBy
  | ByFormUsers
  | ByFormDepartmentHead
  | DecidersOf
  | ByRule;
export type SourceKind = Source["by"];
export const SOURCE_KINDS: readonly SourceKind[] = [
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
];

/** Everybody whom any source gives, without those of `without`, at most `cap` (100). */
export interface People {
  readonly any_of: readonly Source[];
  readonly without?: readonly Source[];
  readonly order?: "given" | "near_first" | "name";
  readonly cap?: number;
}
