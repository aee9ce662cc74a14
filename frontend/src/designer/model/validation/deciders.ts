// People of a process, how they decide and when they are due (`people.py`, `deciding.py`).
import type { Found } from "../tree";
import {
  type Deadline,
  type Decide,
  type HumanStep,
  isHuman,
  type Need,
  type OnEvent,
  type Source,
} from "../types";
import { below, error, type Finding, printable, warning } from "./finding";
import type { Look } from "./look";
import type { Spot } from "./reading";
import { secondsOf } from "./values";

// Before a request exists there is no initiator, no form and no decision to look at.
const BEFORE_START = new Set(["user", "role", "group", "post", "department", "rule"]);
const NEVER_FOR_MANAGERS = new Set(["picked_at_start", "picked_by", "deciders_of"]);
// Sources that give people without an order of their own.
const UNORDERED = new Set(["role", "group", "post", "department"]);
const POSTED = new Set(["approved", "rejected", "returned", "closed"]);

export function* checkPeople(look: Look): Generator<Finding> {
  for (const spot of look.spots) {
    if (spot.name.startsWith("by:")) yield* source(spot, look);
    if (spot.name === "base") yield* earlier(spot.part["decider_of"], "decider_of", spot, look);
    if (spot.name === "do:managers" && look.flow.managers === undefined) {
      yield warning("people.no_managers", spot.at, spot.step);
    }
  }
  for (const { step, at } of look.steps) {
    if (isHuman(step) && isAlone(step)) yield warning("people.single", below(at, "who"), step.id);
  }
}

function* source(spot: Spot, look: Look): Generator<Finding> {
  const { part, at } = spot;
  const by = String(part["by"]);
  const within = part["within"] ?? "any";
  if (at.startsWith("/start/who/") && (!BEFORE_START.has(by) || within !== "any")) {
    yield error("people.source_not_here", at, spot.step, { by });
  } else if (at.startsWith("/managers/") && NEVER_FOR_MANAGERS.has(by)) {
    yield error("people.source_not_here", at, spot.step, { by });
  }
  // A source at the top that asks for a step is reported as being in the wrong place.
  if (spot.number > 0) yield* earlier(part["step"], "step", spot, look);
  if (!by.startsWith("picked_")) return;
  const low = Number(part["min"] ?? 1);
  const high = Number(part["max"] ?? 1);
  if (low > high) yield error("people.pick_range", below(at, "min"), spot.step, { low, high });
}

function* earlier(name: unknown, member: string, spot: Spot, look: Look): Generator<Finding> {
  if (typeof name !== "string" || look.isHumanBefore(name, look.around(spot))) return;
  const args = { target: printable(name) };
  yield error("people.not_dominating_step", below(spot.at, member), spot.step, args);
}

/** One named person and nobody else when he is away. */
function isAlone(step: HumanStep): boolean {
  const [only, ...more] = step.who.any_of;
  const alone = more.length === 0 && only?.by === "user" && only.ids.length === 1;
  return alone && (step.on_empty?.do ?? "hold") === "hold";
}

export function* checkDeciding(look: Look): Generator<Finding> {
  for (const found of look.steps) {
    const { step, at } = found;
    if (isHuman(step)) {
      yield* deciding(step, found);
      yield* self(step, found, look);
      if (step.deadline !== undefined) yield* deadline(step, step.deadline, found);
    }
    for (const [number, event] of (step.on_event ?? []).entries()) {
      yield* posted(event, step.id, below(at, "on_event", number, "post"));
    }
  }
}

function* deciding(step: HumanStep, found: Found): Generator<Finding> {
  const at = below(found.at, "decide");
  const sources = step.who.any_of;
  const { decide } = step;
  const unordered = sources.some((each) => UNORDERED.has(each.by));
  if (decide?.mode === "in_order" && unordered && (step.who.order ?? "given") === "given") {
    yield warning("decide.order_unstable", at, step.id);
  }
  if (decide?.mode !== "vote") return;
  if (inRange(decide.need)) yield* votes(sources, decide, step.id, at);
  else yield error("decide.ratio_range", below(at, "need"), step.id);
}

function inRange(need: Need | Readonly<Record<string, never>>): boolean {
  if ("count" in need) return need.count >= 1;
  return "num" in need && 0 < need.num && need.num <= need.den;
}

/** Only where every voter is named in the document can it be known who votes. */
function* votes(
  sources: readonly Source[],
  decide: Decide & { readonly mode: "vote" },
  step: string,
  at: string,
): Generator<Finding> {
  if (!sources.every((each) => each.by === "user")) return;
  const voters = new Set(sources.flatMap((each) => each.ids));
  const weights = decide.weights ?? {};
  for (const name of Object.keys(weights)) {
    if (voters.has(name)) continue;
    const args = { user: printable(name) };
    yield error("decide.weights_unknown_user", below(at, "weights", name), step, args);
  }
  const weight = (name: string): number =>
    Object.hasOwn(weights, name) ? (weights[name] ?? 1) : 1;
  const total = [...voters].reduce((sum, name) => sum + weight(name), 0);
  const need = "count" in decide.need ? decide.need.count : 0;
  if (total === 0 || need > total) {
    const args = { need: need || 1, total };
    yield error("decide.weights_cannot_pass", below(at, "need"), step, args);
  }
}

function* self(step: HumanStep, found: Found, look: Look): Generator<Finding> {
  const rule = step.on_self ?? look.flow.policy?.on_self;
  if (rule === "forbid" && step.who.any_of.every((each) => each.by === "initiator")) {
    yield warning("self.forbid_leaves_nobody", below(found.at, "who"), step.id);
  }
}

function* deadline(step: HumanStep, own: Deadline, found: Found): Generator<Finding> {
  const at = below(found.at, "deadline");
  const ends = (own.then ?? "none") !== "none";
  if (typeof own.after === "string") {
    const length = secondsOf(own.after) ?? 0;
    const longer = (text: unknown): boolean => (secondsOf(String(text)) ?? 0) > length;
    for (const [number, remind] of (own.remind ?? []).entries()) {
      const where = below(at, "remind", number);
      // Without a consequence the task stays open after its time; late reminders are the point.
      if (remind.after !== undefined && ends && longer(remind.after)) {
        yield error("deadline.remind_after_end", below(where, "after"), step.id);
      }
      if (remind.before !== undefined && longer(remind.before)) {
        yield error("deadline.bad_value", below(where, "before"), step.id);
      }
    }
  }
  if (step.kind === "work" && own.then === "reject") {
    yield error("deadline.work_rejects", below(at, "then"), step.id);
  }
}

function* posted(event: OnEvent, step: string, at: string): Generator<Finding> {
  const { post } = event;
  if (post === undefined) return;
  if (!POSTED.has(event.on)) yield error("event.post_not_here", at, step, { on: event.on });
  if ("url" in post && !post.url.startsWith("https://")) {
    yield error("http.scheme", below(at, "url"), step);
  }
}

// A rule is asked outside of any decision, so only a step that may wait can name one.
const ASKED_AT_ENTRY = /^\/(?:who|on_empty(?:\/then)*\/who)\/any_of\/\d+$/;

export function* checkRules(look: Look): Generator<Finding> {
  for (const spot of look.spots) {
    if (spot.name !== "by:rule") continue;
    const around = look.around(spot);
    if (around !== undefined && ASKED_AT_ENTRY.test(spot.at.slice(around.at.length))) continue;
    yield error("rule.not_here", spot.at, spot.step, { rule: printable(String(spot.part["key"])) });
  }
}
