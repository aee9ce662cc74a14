// Scenarios of the design: made of the sample request, played by the server, kept with the draft.
import { computed, signal } from "@preact/signals";
import { sameDraft, walkableScenarios, type Draft, type Scenario } from "./model";
import { page } from "./page";
import { ask, problemsIn, type Answer, type ServerProblem } from "./requests";
import { sample } from "./sample";
import { draft, edit } from "./state";
import { t } from "./texts";
import { refusalOf, sampleBody } from "./trying";
import { fieldName } from "./view/fields/binding";

export const mostScenarios = 50;
export const longestName = 100;

/** The draft's own, or those of the published version as long as it has none of its own. */
export const scenarios = computed<readonly Scenario[]>(
  () => draft.value.scenarios ?? walkableScenarios(page().kept_scenarios),
);

export interface Played {
  /** The draft that was played; after an edit the outcomes are those of before. */
  readonly draft: Draft;
  /** By scenario: empty for a green one, otherwise what came out differently. */
  readonly outcomes: readonly string[];
}

export const played = signal<Played | null>(null);
export const playing = signal(false);
export const playFailure = signal("");

/** Whether what is shown still speaks of the draft as it is. */
export const upToDate = computed(() => {
  const last = played.value;
  return last !== null && sameDraft(last.draft, draft.value);
});

/** Plays all of them with the process as it stands here; the outcomes, or null without an answer. */
export async function playAll(): Promise<Played | null> {
  const now = draft.peek();
  const list = scenarios.peek();
  playing.value = true;
  const answer = await ask("POST", page().addresses.validate, {
    body: { document: now.flow, form: now.form, scenarios: list },
  });
  playing.value = false;
  if (answer.kind !== "done") {
    playFailure.value = refusalOf(answer);
    return null;
  }
  const found = problemsIn(answer.body["problems"]);
  if (found.some(({ level, at }) => level === "error" && !at.startsWith("/scenarios"))) {
    playFailure.value = t("try.problems");
    return null;
  }
  playFailure.value = "";
  played.value = { draft: now, outcomes: list.map((_, index) => wordsOf(found, index)) };
  return played.value;
}

/** What is said of one of them, or of all together. */
function wordsOf(found: readonly ServerProblem[], index: number): string {
  const here = `/scenarios/${index}`;
  const mine = found.filter(
    ({ at }) => at === "/scenarios" || at === here || at.startsWith(`${here}/`),
  );
  return mine.map(({ message }) => message).join(" ");
}

/** Makes one of the sample as it stands; why not, in words, or nothing. */
export async function keepSample(name: string): Promise<string> {
  const { flow, form } = draft.peek();
  const answer = await ask("POST", page().addresses.record, {
    body: { document: flow, form, name, ...sampleBody(sample.peek()) },
  });
  if (answer.kind !== "done") return namedRefusal(answer) || refusalOf(answer);
  const [made] = walkableScenarios([answer.body["scenario"]]);
  if (made === undefined) return t("failed.server");
  change(t("try.did.keep", { name }), [...scenarios.peek(), made]);
  return "";
}

/** What is wrong with which field of the sample, if that is why; otherwise nothing. */
function namedRefusal(answer: Answer): string {
  if (answer.kind !== "refused" || answer.code === "flow.invalid") return "";
  const { form } = draft.peek();
  const told = answer.errors.flatMap(({ at, message }) => {
    const field = form?.fields?.find(({ id }) => at.split("/")[2] === id);
    return at.startsWith("/values/") && field ? [`${fieldName(field)}: ${message}`] : [];
  });
  return told.join(" ");
}

/** Whether another one is called so. */
export function isTaken(name: string, but = -1): boolean {
  return scenarios.value.some((each, index) => index !== but && each.name === name);
}

export function removeScenario(index: number): void {
  const name = scenarios.peek()[index]?.name ?? "";
  change(
    t("try.did.remove", { name }),
    scenarios.peek().filter((_, at) => at !== index),
  );
}

export function renameScenario(index: number, name: string): void {
  change(
    t("try.did.rename", { name }),
    scenarios.peek().map((each, at) => (at === index ? { ...each, name } : each)),
  );
}

/** Takes what a scenario fills in as the sample. */
export function showScenario({ initiator, form = {}, picked = {} }: Scenario): void {
  sample.value = { starter: [initiator], values: form, picked };
}

function change(label: string, next: readonly Scenario[]): void {
  edit(label, (was) => ({ ...was, scenarios: next }));
}
