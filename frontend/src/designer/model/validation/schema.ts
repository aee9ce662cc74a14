// The process format as data: the same members, limits and words as `workflow/engine/flowdoc`.

export type Kind =
  | {
      readonly t: "text";
      readonly low: number;
      readonly high: number;
      readonly as?: "slug" | "header";
    }
  | { readonly t: "int"; readonly low: number; readonly high: number }
  | { readonly t: "bool" | "null" | "minutes" | "duration" | "moment" }
  | { readonly t: "cond" }
  | { readonly t: "word"; readonly words: readonly (string | number)[] }
  | { readonly t: "list"; readonly of: Kind; readonly low: number; readonly high: number }
  | { readonly t: "map"; readonly key: Kind; readonly of: Kind; readonly high: number }
  | { readonly t: "one"; readonly of: readonly Kind[] }
  | { readonly t: "later"; readonly of: () => Kind }
  | Shape;

export interface Shape {
  readonly t: "shape";
  readonly name: string;
  readonly tag: readonly [name: string, value: string] | null;
  readonly members: ReadonlyMap<string, Member>;
  readonly required: readonly string[];
  /** Groups of members of which between `low` and `high` are given, each whole. */
  readonly choose: { readonly groups: readonly string[]; readonly low: number } | null;
  readonly role: "step" | "branch" | "deadline" | null;
}
export interface Member {
  readonly kind: Kind;
  readonly required: boolean;
}
type Members = Readonly<Record<string, Member | Kind>>;
interface More {
  readonly tag?: readonly [string, string];
  readonly choose?: readonly string[];
  readonly low?: number;
  readonly role?: Shape["role"];
}

const BIGGEST = 2 ** 53;
const text = (low: number, high: number): Kind => ({ t: "text", low, high });
const int = (low: number, high: number): Kind => ({ t: "int", low, high });
const word = (...words: readonly (string | number)[]): Kind => ({ t: "word", words });
const list = (of: Kind, high: number, low = 0): Kind => ({ t: "list", of, low, high });
const map = (key: Kind, of: Kind, high: number): Kind => ({ t: "map", key, of, high });
const one = (...of: readonly Kind[]): Kind => ({ t: "one", of });
const must = (kind: Kind): Member => ({ kind, required: true });
// For kinds that hold themselves.
const later = (of: () => Kind): Kind => ({ t: "later", of });
const NULL: Kind = { t: "null" };
const orNull = (kind: Kind): Kind => (kind.t === "one" ? one(...kind.of, NULL) : one(kind, NULL));

function shape(name: string, members: Members, more: More = {}): Shape {
  const all = Object.entries(members).map(([key, given]): [string, Member] => [
    key,
    "kind" in given ? given : { kind: given, required: false },
  ]);
  return {
    t: "shape",
    name,
    tag: more.tag ?? null,
    members: new Map(all),
    required: all.filter(([, member]) => member.required).map(([key]) => key),
    choose: more.choose === undefined ? null : { groups: more.choose, low: more.low ?? 1 },
    role: more.role ?? null,
  };
}

const BOOL: Kind = { t: "bool" };
const MINUTES: Kind = { t: "minutes" };
const DURATION: Kind = { t: "duration" };
const COND: Kind = { t: "cond" };
const SLUG: Kind = { t: "text", low: 0, high: 2000, as: "slug" };
const CODE = text(1, 150);
const KEY = text(1, 200);
const FIELD = text(1, 100);
const NAME = text(1, 48);
const VERSION = one(int(1, BIGGEST), word("latest_at_entry"));
const LEVEL = int(0, 20);
const COUNT = int(1, 100);
const CODES = list(CODE, 100, 1);

// People ------------------------------------------------------------------------------------

const BASE = one(
  word("initiator"),
  shape(
    "base",
    { field: orNull(FIELD), decider_of: orNull(SLUG), department: orNull(CODE) },
    { choose: ["field", "decider_of", "department"] },
  ),
);
const UNTIL = shape(
  "until",
  { level: orNull(LEVEL), top: orNull(BOOL), role: orNull(CODE) },
  { choose: ["level", "top", "role"] },
);
const WITHIN = word("initiator_department", "same_branch", "any");
const picks = { from: later(() => orNull(PEOPLE)), min: COUNT, max: COUNT };
const by = (tag: string, members: Members): Shape =>
  shape(`by:${tag}`, members, { tag: ["by", tag] });
const SOURCES: Kind = one(
  by("user", { ids: must(CODES) }),
  by("role", { ids: must(CODES), within: WITHIN }),
  by("group", { ids: must(CODES) }),
  by("post", { ids: must(CODES), within: WITHIN }),
  by("department", { ids: must(CODES), deep: BOOL }),
  by("head", { of: BASE, level: LEVEL, missing: word("climb", "none") }),
  by("head_chain", { of: BASE, until: must(UNTIL) }),
  by("manager", { of: BASE, level: int(1, 20) }),
  by("initiator", {}),
  by("picked_at_start", picks),
  by("picked_by", { step: must(SLUG), ...picks }),
  by("form_users", { field: must(FIELD) }),
  by("form_department_head", { field: must(FIELD), level: LEVEL }),
  by("deciders_of", { step: must(SLUG) }),
  by("rule", { key: must(KEY), version: must(VERSION) }),
);
const PEOPLE: Shape = shape("people", {
  any_of: must(list(SOURCES, 20, 1)),
  without: list(SOURCES, 10),
  order: word("given", "near_first", "name"),
  cap: COUNT,
});

// Rules of a step ---------------------------------------------------------------------------

const mode = (tag: string, members: Members = {}): Shape =>
  shape(`decide:${tag}`, members, { tag: ["mode", tag] });
const WHOLE = int(-BIGGEST, BIGGEST);
const NEED = shape(
  "need",
  { num: orNull(WHOLE), den: orNull(WHOLE), count: orNull(WHOLE) },
  { choose: ["num + den", "count"] },
);
const DECIDE = one(
  ...["any", "all", "in_order", "claim", "draw"].map((tag) => mode(tag)),
  mode("vote", {
    need: must(NEED),
    weights: orNull(map(CODE, int(0, 1000), BIGGEST)),
    early: BOOL,
  }),
);
const does = (tag: string, members: Members = {}): Shape =>
  shape(`do:${tag}`, members, { tag: ["do", tag] });
const STEP_REF = shape("step_ref", { step: must(SLUG) });
const REJECT = shape("reject", {
  counts: word("any_one", "cannot_pass"),
  then: one(
    does("end"),
    does("back", {
      to: must(one(word("start", "previous", "ask"), STEP_REF)),
      resume: word("forward", "here"),
    }),
    does("finish_branch"),
  ),
});
const EMPTY: Kind = one(
  ...["approve", "reject", "hold", "refuse_start"].map((tag) => does(tag)),
  does("people", { who: must(PEOPLE), then: later(() => EMPTY) }),
  does("managers"),
);
const RECIPIENTS = list(word("holder", "initiator", "managers"), 3, 1);
const REMIND = shape(
  "remind",
  {
    before: orNull(MINUTES),
    after: orNull(MINUTES),
    every: orNull(MINUTES),
    max: int(1, 50),
    to: RECIPIENTS,
  },
  { choose: ["before", "after"], low: 0 },
);
const OVERDUE = shape(
  "overdue",
  { reassign: orNull(PEOPLE), escalate: orNull(int(1, 5)), goto: orNull(SLUG) },
  { choose: ["reassign", "escalate", "goto"] },
);
const DEADLINE = shape(
  "deadline",
  {
    after: must(one(MINUTES, shape("field_ref", { field: must(FIELD) }))),
    clock: KEY,
    count_from: word("task", "entry", "assignment"),
    remind: list(REMIND, 10),
    then: one(word("none", "approve", "reject"), OVERDUE),
  },
  { role: "deadline" },
);
const flags = (...names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, BOOL]));
const BUTTON = text(0, 20);
const ACTS = shape("acts", {
  ...flags("transfer", "delegate", "add_before", "add_after", "add_with", "remove_added"),
  ...flags("send_copy", "give_back", "comment", "edit_future"),
  return_to: one(word("none", "previous", "any"), list(SLUG, 300, 1)),
  labels: shape("labels", { approve: BUTTON, reject: BUTTON, return: BUTTON }),
});
const ASK = word("no", "may", "must");
const EVIDENCE = shape("evidence", { comment: ASK, signature: ASK, files: ASK });
const RIGHTS = shape("rights", {
  default: word("hide", "read", "edit"),
  set: map(FIELD, word("hide", "read", "edit", "must"), 500),
  rows: map(FIELD, list(word("add", "edit", "delete"), 3), 50),
});
const EVENT = shape(
  "event",
  {
    on: must(word("assigned", "approved", "rejected", "returned", "timed_out", "closed")),
    notice: orNull(shape("event_notice", { to: must(RECIPIENTS), text: must(KEY) })),
    post: orNull(
      shape(
        "event_post",
        { target: orNull(KEY), url: orNull(text(0, 2000)) },
        { choose: ["target", "url"] },
      ),
    ),
  },
  { choose: ["notice", "post"] },
);
const SELF = word("allow", "skip", "head", "forbid");
const REPEAT = word("off", "adjacent", "keep_first", "keep_last");
const BRANCH_REJECT = word("whole_flow", "branch_only");

// Steps -------------------------------------------------------------------------------------

const step = (tag: string, members: Members, more: More = {}): Shape =>
  shape(
    `step:${tag}`,
    {
      id: must(SLUG),
      name: must(NAME),
      note: text(0, 500),
      fields: RIGHTS,
      on_event: list(EVENT, 10),
      ...members,
    },
    { tag: ["kind", tag], role: "step", ...more },
  );
const HUMAN: Members = {
  who: must(PEOPLE),
  decide: DECIDE,
  on_empty: EMPTY,
  on_self: orNull(SELF),
  deadline: orNull(DEADLINE),
  acts: ACTS,
  evidence: EVIDENCE,
  repeat_skip: orNull(REPEAT),
};
const steps = later(() => STEPS);
const BRANCH = shape(
  "branch",
  {
    id: must(SLUG),
    name: must(NAME),
    when: orNull(COND),
    otherwise: BOOL,
    steps: list(steps, 300),
  },
  { role: "branch" },
);
const BRANCHES = must(list(BRANCH, 20, 2));
const AT_LEAST = shape("at_least", { at_least: must(int(1, BIGGEST)) });
const JOIN = one(word("all", "first"), AT_LEAST);
const VALUE_OF = shape(
  "value_of",
  { field: orNull(FIELD), var: orNull(SLUG) },
  { choose: ["field", "var"] },
);
const LITERAL: readonly Kind[] = [text(0, 2000), int(-BIGGEST, BIGGEST), BOOL, NULL];
const INPUT = map(FIELD, one(...LITERAL, VALUE_OF), 100);
const OUTPUT = map(FIELD, FIELD, 100);
const EACH = shape("each", { field: must(FIELD), mode: word("all", "one_by_one"), join: JOIN });
const SAVED = shape("saved", {
  pointer: must(text(0, 500)),
  to: must(VALUE_OF),
  type: must(word("text", "number", "integer", "amount", "date", "bool")),
});
const COMPUTED = shape(
  "computed",
  { copy: orNull(FIELD), now: orNull(BOOL), rule: orNull(KEY) },
  { choose: ["copy", "now", "rule"] },
);
const CHANGE = shape("change", {
  field: must(FIELD),
  to: must(one(...LITERAL, list(text(0, 2000), 100), COMPUTED)),
});
const HEADER: Kind = { t: "text", low: 0, high: 2000, as: "header" };
const STEPS: Kind = one(
  step("approve", { ...HUMAN, reject: REJECT }),
  step("work", HUMAN),
  step("copy", { who: must(PEOPLE), also_initiator_picks: BOOL }),
  step("auto", { verdict: must(word("approve", "reject")), reason: text(0, 500) }),
  step("choice", { branches: BRANCHES }),
  step("parallel", { branches: BRANCHES, join: must(JOIN), branch_reject: orNull(BRANCH_REJECT) }),
  step("inclusive", { branches: BRANCHES, join: must(JOIN), branch_reject: orNull(BRANCH_REJECT) }),
  step("subflow", {
    flow: must(SLUG),
    version: must(VERSION),
    wait: BOOL,
    starter: BASE,
    input: INPUT,
    output: OUTPUT,
    each: orNull(EACH),
    on_child_reject: word("reject", "continue", "hold"),
  }),
  step(
    "delay",
    {
      for: orNull(DURATION),
      until_field: orNull(FIELD),
      until: orNull({ t: "moment" }),
      clock: orNull(KEY),
    },
    { choose: ["for", "until_field", "until"] },
  ),
  step("http", {
    method: must(word("GET", "POST", "PUT", "PATCH", "DELETE")),
    url: must(text(1, 2000)),
    headers: map(HEADER, one(text(0, 2000), shape("secret", { secret: must(KEY) })), 50),
    body: text(0, 20000),
    mode: word("fire", "need_2xx", "wait_callback"),
    timeout: DURATION,
    retry: orNull(KEY),
    save: list(SAVED, 50),
    on_fail: one(word("hold", "continue"), shape("goto_ref", { goto: must(SLUG) })),
  }),
  step("set", { changes: must(list(CHANGE, 50, 1)) }),
  step("rule", {
    rule: must(shape("rule_ref", { key: must(KEY), version: must(VERSION) })),
    input: INPUT,
    save: OUTPUT,
  }),
  step("notice", {
    who: must(PEOPLE),
    channel: must(list(word("inbox", "email", "webhook"), 3, 1)),
    title: must(text(1, 200)),
    text: text(0, 2000),
  }),
  step("goto", { to: must(SLUG), when: orNull(COND), max: orNull(int(1, 20)) }),
  step("finish", { result: must(word("approved", "rejected", "cancelled")) }),
);
/** Every member that some kind of step has. */
export const STEP_MEMBERS: ReadonlySet<string> = new Set(
  STEPS.t === "one"
    ? STEPS.of.flatMap((each) => (each.t === "shape" ? [...each.members.keys()] : []))
    : [],
);

// The document ------------------------------------------------------------------------------

export const FLOWDOC: Shape = shape("flowdoc", {
  flowdoc: must(word(1)),
  key: must(SLUG),
  name: must(text(1, 64)),
  form: orNull(shape("form_ref", { key: must(SLUG), version: orNull(int(1, BIGGEST)) })),
  start: shape("start", { who: orNull(PEOPLE), fields: RIGHTS }),
  steps: list(steps, 300),
  title: text(0, 200),
  summary: list(FIELD, 6),
  number: shape("number", {
    prefix: text(0, 20),
    period: word("none", "year", "month", "day"),
    width: int(3, 10),
  }),
  policy: shape("policy", {
    dedupe: REPEAT,
    on_self: SELF,
    initiator_cancel: word("before_first_decision", "while_running", "never"),
    take_back: shape("take_back", { on: BOOL, within: orNull(DURATION) }),
    reversal: shape("reversal", { on: BOOL, flow: orNull(SLUG), within: orNull(DURATION) }),
    comment: word("never", "on_reject", "always"),
    clock: KEY,
    branch_reject: BRANCH_REJECT,
    visibility: word("participants", "managers", "starters_department"),
  }),
  managers: orNull(PEOPLE),
  limits: shape("limits", { open_per_initiator: orNull(int(1, 10000)) }),
});
