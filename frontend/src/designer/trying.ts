// Simulate: asks the server for the way of the sample request through the process as it stands here,
// a moment after the last change of either. An older question is given up for the newer one.
import { batch, effect, signal } from "@preact/signals";
import { isRecord } from "./model";
import { linesOf, marksOf, type WayLine, type WayStep } from "./model/ways";
import { page } from "./page";
import { ask, ofServer, type Answer, type ServerProblem } from "./requests";
import { marks, outdated, sample, sampleProblems, SAMPLE, type Sample } from "./sample";
import { announce, draft, refused } from "./state";
import { plural, t } from "./texts";
import { learn } from "./view/fields/binding";

const pause = 400; // milliseconds after the last change

export interface Way {
  readonly lines: readonly WayLine[];
  /** Steps that surely come. */
  readonly count: number;
  /** Why the starter may not file it. */
  readonly refusal: string | null;
  /** Ids of the fields that the starter may fill in. */
  readonly fields: readonly string[];
  /** Steps for which the starter picks people. */
  readonly picks: readonly { readonly id: string; readonly name: string }[];
}

export const way = signal<Way | null>(null);
/** Why there is no way: in words. */
export const failure = signal("");

/** What the server is told of the sample. */
export function sampleBody({ starter, values, picked }: Sample): Record<string, unknown> {
  return { ...(starter[0] === undefined ? {} : { starter: starter[0] }), values, picked };
}

/** Begins to follow the document and the sample; gives back what ends it. */
export function startTrying(): () => void {
  if (sample.peek().starter.length === 0) {
    sample.value = { ...sample.peek(), starter: [page().me.code] };
  }
  learn("user", [page().me]);
  let stop = new AbortController();
  let asked: readonly unknown[] = [];
  const leave = effect(() => {
    const { flow, form } = draft.value;
    const now = [flow, form, sample.value];
    // A scenario that was kept changes the draft and not the way.
    if (now.every((part, index) => part === asked[index])) return;
    asked = now;
    const body = { document: flow, form, ...sampleBody(sample.value) };
    stop.abort();
    stop = new AbortController();
    const mine = stop;
    outdated.value = true;
    setTimeout(() => {
      if (!mine.signal.aborted) void look(body, mine.signal);
    }, pause);
  });
  return () => {
    leave();
    stop.abort();
    batch(() => {
      marks.value = null;
      outdated.value = false;
    });
  };
}

async function look(body: Record<string, unknown>, stop: AbortSignal): Promise<void> {
  const answer = await ask("POST", page().addresses.preview, { body, stop });
  if (stop.aborted) return;
  batch(() => {
    outdated.value = false;
    if (answer.kind === "done") show(answer.body);
    else {
      marks.value = null;
      way.value = null;
      failure.value = refusalOf(answer);
      if (answer.kind === "refused" && answer.code === "flow.invalid") {
        refused.value = answer.errors.map(ofServer);
      }
    }
  });
  if (answer.kind === "done") {
    announce(plural(way.peek()?.count ?? 0, "try.updated.one", "try.updated.other"));
  }
}

/** Why there is no answer, in words. */
export function refusalOf(answer: Exclude<Answer, { kind: "done" }>): string {
  if (answer.kind === "offline") return t("failed.offline");
  if (answer.kind === "signed-out") return t("failed.signed-out");
  if (answer.code === "flow.invalid") return t("try.problems");
  const [first] = answer.errors;
  return first?.message ?? (answer.text || t("failed.server"));
}

function show(body: Record<string, unknown>): void {
  const steps = body["steps"] as readonly WayStep[];
  failure.value = "";
  way.value = { ...(body as unknown as Omit<Way, "lines">), lines: linesOf(steps) };
  marks.value = marksOf(steps);
  const findings = Array.isArray(body["findings"]) ? (body["findings"] as ServerProblem[]) : [];
  sampleProblems.value = findings.filter(isRecord).map((each) => ({
    ...each,
    at: each.at.replace(/^\/form/, `/${SAMPLE}/values`).replace(/^\/picked/, `/${SAMPLE}/picked`),
    part: "form" as const,
  }));
}
