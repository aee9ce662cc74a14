// What a new source of people begins with.
import type { Source, SourceKind } from "../../model";

const FRESH: { readonly [K in SourceKind]: Extract<Source, { by: K }> } = {
  user: { by: "user", ids: [] },
  role: { by: "role", ids: [] },
  group: { by: "group", ids: [] },
  post: { by: "post", ids: [] },
  department: { by: "department", ids: [] },
  head: { by: "head" },
  head_chain: { by: "head_chain", until: { top: true } },
  manager: { by: "manager" },
  initiator: { by: "initiator" },
  picked_at_start: { by: "picked_at_start" },
  picked_by: { by: "picked_by", step: "" },
  form_users: { by: "form_users", field: "" },
  form_department_head: { by: "form_department_head", field: "" },
  deciders_of: { by: "deciders_of", step: "" },
  rule: { by: "rule", key: "", version: "latest_at_entry" },
};

/** A source of this kind; what has to be chosen is empty and marked so. */
export function freshSource(by: SourceKind): Source {
  return FRESH[by];
}
