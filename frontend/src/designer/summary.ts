// What a card says in one line: who, how it is decided, until when; what a branch waits for.
import type { Known } from "./knowledge";
import {
  find,
  isHuman,
  type Base,
  type Branch,
  type Deadline,
  type HumanStep,
  type People,
  type Source,
  type Step,
} from "./model";
import { draft, knowledge } from "./state";
import { isTextKey, plural, t } from "./texts";
import { codeName, referenceName, references } from "./view/fields/binding";
import { durationWords, secondsOf } from "./view/fields/durations";
import { wordText } from "./view/fields/options";

const shown = 3;

/** "A, B and 2 more" without grammar: what is listed, and how many more there are. */
function listed(names: readonly string[]): string {
  const few = names.slice(0, shown).join(t("list.comma"));
  return names.length > shown ? t("list.more", { few, count: names.length - shown }) : few;
}

/** What one source of people gives, in words. */
export function sourceWords(source: Source): string {
  switch (source.by) {
    case "user":
    case "role":
    case "group":
    case "post":
    case "department":
      return source.ids.length > 0
        ? listed(source.ids.map((code) => codeName(source.by, code)))
        : t("sum.nobody");
    case "form_users":
    case "form_department_head":
      return t("sum.of-field", {
        what: wordText("source", source.by),
        field: referenceName(source.field),
      });
    case "head":
    case "head_chain":
    case "manager":
      return fromWords(source);
    default:
      return wordText("source", source.by);
  }
}

/** Whose head or manager it is, unless it is the initiator's. */
function fromWords(source: Extract<Source, { of?: Base }>): string {
  const what = wordText("source", source.by);
  const base = source.of ?? "initiator";
  if (typeof base === "string") return upwards(t(`sum.initiator.${source.by}`), source);
  let field: string;
  if ("department" in base) field = codeName("department", base.department);
  else if ("field" in base) field = referenceName(base.field);
  else field = wordText("base", "decider_of");
  return upwards(t("sum.of-field", { what, field }), source);
}

/** How much further up one goes; the first superior is level 1, the department's own head 0. */
function upwards(what: string, source: Extract<Source, { of?: Base }>): string {
  if (source.by === "head_chain") return what;
  const count = source.by === "head" ? (source.level ?? 0) : (source.level ?? 1) - 1;
  return count > 0 ? plural(count, "sum.level.one", "sum.level.other", { what }) : what;
}

export function peopleWords(people: People | undefined): string {
  const sources = people?.any_of ?? [];
  return sources.length === 0 ? t("sum.nobody") : listed(sources.map(sourceWords));
}

function dueWords(deadline: Deadline | undefined): string {
  const after = deadline?.after;
  if (after === undefined || after === 0 || after === "") return "";
  if (typeof after === "object") return t("sum.due-field", { field: referenceName(after.field) });
  const seconds = typeof after === "number" ? after * 60 : secondsOf(after);
  return seconds === null || seconds === 0 ? "" : t("sum.due", { time: durationWords(seconds) });
}

const alone: ReadonlySet<Source["by"]> = new Set([
  "head",
  "manager",
  "initiator",
  "form_department_head",
]);

/** Whether a source may find more than one person: several are named, or any number belongs to it. */
function findsSeveral(source: Source): boolean {
  if (source.by === "user") return source.ids.length > 1;
  if (source.by === "picked_at_start" || source.by === "picked_by") return (source.max ?? 1) > 1;
  if (source.by !== "form_users") return !alone.has(source.by);
  const found = references().find((each) => each.id === source.field);
  return (found?.field.limits?.max_count ?? 1) > 1;
}

function maySeveral({ any_of: sources, cap }: People): boolean {
  return cap !== 1 && (sources.length > 1 || sources.some(findsSeveral));
}

function humanWords(step: HumanStep): string {
  const mode = step.decide?.mode ?? "any";
  const several = mode !== "any" || maySeveral(step.who);
  const how = several ? wordText("decide", mode) : "";
  return [peopleWords(step.who), how, dueWords(step.deadline)].filter(Boolean).join(" · ");
}

function named(list: keyof Known, code: string): string {
  return knowledge.value[list].find((one) => one.code === code)?.name ?? code;
}

function delayWords(step: Extract<Step, { kind: "delay" }>): string {
  if (step.until_field !== undefined) return referenceName(step.until_field);
  if (step.until !== undefined) return step.until;
  return durationWords(secondsOf(step.for) ?? 0);
}

function otherWords(step: Exclude<Step, HumanStep>): string {
  switch (step.kind) {
    case "copy":
    case "notice":
      return peopleWords(step.who);
    case "auto":
      return wordText("verdict", step.verdict);
    case "delay":
      return delayWords(step);
    case "http":
      return `${step.method} ${step.url}`;
    case "rule":
      return named("rules", step.rule.key);
    case "subflow":
      return named("flows", step.flow);
    case "set":
      return listed(step.changes.map((change) => referenceName(change.field)));
    case "goto":
      return t("sum.goto", { step: find(draft.value.flow, step.to)?.step.name || step.to });
    case "finish":
      return wordText("result", step.result);
    default:
      return blockWords(step);
  }
}

function blockWords(step: Extract<Step, { branches: readonly Branch[] }>): string {
  if (step.kind === "choice") return t("sum.choice");
  const join = step.join;
  if (typeof join === "object") return t("sum.at-least", { count: join.at_least });
  return wordText("join", join);
}

/** The line of a step. Documents come from drafts in any state, so nothing is taken for granted. */
export function summaryOf(step: Step): string {
  try {
    return isHuman(step) ? humanWords(step) : otherWords(step);
  } catch {
    return "";
  }
}

/** A code of the document that may have a text, else the code. */
export function wordOr(key: string, code: string): string {
  return isTextKey(key) ? t(key) : code;
}
