// Everything wrong with a draft that needs no server, with the server's own codes and positions.
import { knownIn } from "./clipboard";
import { fieldsOf } from "./form";
import { walkableForm } from "./opening";
import { isRecord, pointerOf } from "./paths";
import { type Reference, referencesOf } from "./references";
import {
  type Draft,
  type Field,
  FIELD_TYPES,
  type Flowdoc,
  type Formdoc,
  type Knowledge,
  type Problem,
} from "./types";
import { checkAutomatic } from "./validation/automatic";
import { checkBlocks } from "./validation/blocks";
import { checkDeciding, checkPeople, checkRules } from "./validation/deciders";
import { checkFields } from "./validation/fields";
import { error, type Finding, printable } from "./validation/finding";
import { checkForm } from "./validation/form-reading";
import { Look } from "./validation/look";
import { inDocumentOrder } from "./validation/order";
import { type Read, readDocument } from "./validation/reading";
import { checkWays } from "./validation/ways";

export { operandFits, operandForm, OPERATORS, TABLE_OPERATOR } from "./validation/operators";
export { secondsOf } from "./validation/values";

// What cannot be judged while parts of the document are missing.
const NEED_THE_WHOLE = [
  "flow.",
  "goto.",
  "reject.target",
  "deadline.target",
  "people.not_dominating_step",
  "people.single",
  "decide.weights",
  "cond.unknown_step",
  "form.condition_on_optional",
  "form.required_but_hidden",
];

/** The problems of a draft in document order, those of the form after those of the process. */
export function validate(draft: Draft, knowledge: Knowledge = {}): readonly Problem[] {
  const flow = checkFlow(draft, knowledge).map((each): Problem => ({ ...each, part: "flow" }));
  if (draft.form === null) return flow;
  return [...flow, ...checkForm(draft.form).map((each): Problem => ({ ...each, part: "form" }))];
}

function checkFlow(draft: Draft, knowledge: Knowledge): readonly Finding[] {
  const read = readDocument(draft.flow);
  if (read.document === null) return read.findings;
  const flow = read.document as unknown as Flowdoc;
  const look = new Look(flow, fieldsById(draft.form), read.spots);
  const found = [
    ...checkBlocks(look),
    ...checkWays(look),
    ...checkPeople(look),
    ...checkDeciding(look),
    ...checkFields(look),
    ...checkAutomatic(look),
    ...checkRules(look),
    ...unknown(draft, look, knowledge),
  ];
  return inDocumentOrder(draft.flow, [...read.findings, ...apart(found, read)]);
}

/** Without what only follows from the places that could not be read. */
function apart(found: readonly Finding[], { broken, findings }: Read): readonly Finding[] {
  if (findings.length === 0) return found;
  return found.filter(
    (each) =>
      !NEED_THE_WHOLE.some((start) => each.code.startsWith(start)) && !follows(each, broken),
  );
}

function follows(finding: Finding, broken: readonly string[]): boolean {
  const at = `${finding.at}/`;
  return broken.some((place) => {
    // A broken name or note says nothing about anything around it.
    const harmless = place.endsWith("/name") || place.endsWith("/note");
    return at.startsWith(`${place}/`) || (!harmless && `${place}/`.startsWith(at));
  });
}

/** The fields by id, also of a form that has problems of its own: one typo is not many. */
function fieldsById(form: Formdoc | null): ReadonlyMap<string, Field> | null {
  if (!isRecord(form)) return null;
  const known = fieldsOf(walkableForm(form)).filter((field) => FIELD_TYPES.includes(field.type));
  return new Map(known.map((field) => [field.id, field]));
}

const PEOPLE = new Set(["user", "role", "group", "post", "department"]);
/** What the server's sentences call the thing that is not there. */
const ARGUMENT: Readonly<Record<string, string>> = {
  "target.unknown": "target",
  "subflow.unknown": "flow",
  "rule.unknown": "rule",
};
const NAMED_TARGETS = new Set(["calendar", "secret", "retry", "target"]);

/** What the tenant does not have, as far as the designer was told. */
function unknown(draft: Draft, look: Look, knowledge: Knowledge): readonly Finding[] {
  const known = knownIn(draft.flow, draft.form, knowledge);
  const own = draft.flow.key;
  return referencesOf(draft.flow)
    .filter(({ sort, id }) => sort !== "step" && sort !== "field" && known(sort, id) === false)
    .filter(({ sort, id }) => sort !== "flow" || id !== own)
    .flatMap((reference) => {
      const code = codeOf(reference);
      if (code === null || reference.id === "") return [];
      const at = pointerOf(reference.path);
      const step =
        look.steps.findLast((each) => `${at}/`.startsWith(`${each.at}/`))?.step.id ?? null;
      const id = printable(reference.id);
      const named = ARGUMENT[code];
      const args = { kind: reference.sort, code: id, ...(named ? { [named]: id } : {}) };
      return [error(code, at, step, args)];
    });
}

function codeOf({ sort, path }: Reference): string | null {
  if (PEOPLE.has(sort)) return "people.unknown_id";
  if (NAMED_TARGETS.has(sort)) return "target.unknown";
  if (sort === "flow") return path[0] === "policy" ? null : "subflow.unknown";
  return sort === "rule" ? "rule.unknown" : null;
}
