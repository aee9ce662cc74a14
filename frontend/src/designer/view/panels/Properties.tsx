// The properties of the selected card: of a step on tabs, of a branch, of the start.
import type { ComponentChildren, JSX } from "preact";
import { signal } from "@preact/signals";
import { draft, edit, problems, readOnly, selected } from "../../state";
import {
  find,
  isBlock,
  isHuman,
  pathOf,
  pointerOf,
  renameId,
  takenIds,
  type Found,
  type Problem,
  type Step,
} from "../../model";
import { plural, t, type TextKey } from "../../texts";
import { idOf, pointerOfProblem, sentenceOf, type At } from "../fields/binding";
import { CommitInput } from "../fields/CommitInput";
import { CheckInput, Faults, Group, Row, TextInput } from "../fields/controls";
import { OptionalPeople, PeopleInputs } from "../fields/People";
import { AutomaticInputs } from "./Automatic";
import { BlockInputs, BranchInputs } from "./Branches";
import { ButtonInputs } from "./Buttons";
import { DecideInputs, EmptyInputs, RejectInputs, RepeatInput, SelfInput } from "./Deciding";
import { HttpInputs, SubflowInputs } from "./Outside";
import { RightsInputs } from "./Rights";
import { DeadlineInputs, EventsInputs } from "./Time";

type TabName = "people" | "rules" | "fields" | "buttons" | "time";
interface Tab {
  name: TabName;
  label: string;
  /** The members of the step whose problems belong here. */
  members: readonly string[];
  body: () => ComponentChildren;
}

/** Stays when another card is selected: one often sets the same thing on several steps. */
const open = signal<TabName>("people");

function tab(
  name: TabName,
  key: TextKey,
  members: readonly string[],
  body: () => ComponentChildren,
): Tab {
  return { name, label: t(key), members, body };
}

function humanTabs(step: Step, at: At): readonly Tab[] {
  const decides = step.kind === "approve";
  return [
    tab("people", "p.tab.people", ["who", "on_empty", "on_self"], () => (
      <>
        <PeopleInputs at={[...at, "who"]} label={t("p.people.who")} required />
        <EmptyInputs at={[...at, "on_empty"]} />
        <SelfInput at={[...at, "on_self"]} />
      </>
    )),
    tab("rules", "p.tab.rules", ["decide", "reject", "repeat_skip"], () => (
      <>
        <DecideInputs at={[...at, "decide"]} />
        {decides ? <RejectInputs at={[...at, "reject"]} /> : null}
        <RepeatInput at={[...at, "repeat_skip"]} />
      </>
    )),
    tab("fields", "p.tab.fields", ["fields"], () => (
      <RightsInputs at={[...at, "fields"]} usual="read" />
    )),
    tab("buttons", "p.tab.buttons", ["acts", "evidence"], () => (
      <ButtonInputs at={at} decides={decides} />
    )),
    tab("time", "p.tab.time", ["deadline", "on_event"], () => (
      <>
        <DeadlineInputs at={[...at, "deadline"]} decides={decides} />
        <EventsInputs at={[...at, "on_event"]} kind={step.kind} />
      </>
    )),
  ];
}

function settingsOf(step: Step, at: At): ComponentChildren {
  if (isBlock(step)) return <BlockInputs step={step} at={at} />;
  if (step.kind === "http") return <HttpInputs step={step} at={at} />;
  if (step.kind === "subflow") return <SubflowInputs step={step} at={at} />;
  return <AutomaticInputs step={step} at={at} />;
}

function tabsOf(step: Step, at: At): readonly Tab[] {
  if (isHuman(step)) return humanTabs(step, at);
  const told = step.kind === "copy" || step.kind === "notice";
  const people = tab("people", "p.tab.people", ["who", "also_initiator_picks"], () => (
    <>
      <PeopleInputs at={[...at, "who"]} label={t("p.people.who")} required />
      {step.kind === "copy" ? (
        <CheckInput at={[...at, "also_initiator_picks"]} label={t("p.copy.also_picks")} />
      ) : null}
    </>
  ));
  const rights = tab("fields", "p.tab.fields", ["fields"], () => (
    <RightsInputs at={[...at, "fields"]} usual="read" />
  ));
  const settings = tab("rules", "p.tab.settings", [], () => settingsOf(step, at));
  const events = tab("time", "p.tab.events", ["on_event"], () => (
    <EventsInputs at={[...at, "on_event"]} kind={step.kind} />
  ));
  return [...(told ? [people] : []), ...(step.kind === "copy" ? [rights] : [settings]), events];
}

/** Which tab a problem of the step is put right on; null for name, note and id above the tabs. */
function tabOf(problem: Problem, at: At, tabs: readonly Tab[]): Tab | null {
  const member = String(pathOf(pointerOfProblem(problem))[at.length] ?? "");
  if (["", "id", "name", "note", "kind"].includes(member)) return null;
  return (
    tabs.find((each) => each.members.includes(member)) ??
    tabs.find((each) => each.name === "rules") ??
    null
  );
}

/** Focuses the input nearest to where a problem points, once the tab is drawn. */
function focusOn(problem: Problem): void {
  setTimeout(() => {
    let path = pathOf(pointerOfProblem(problem));
    while (path.length > 2) {
      const found = document.getElementById(idOf(path));
      if (found) {
        const inside = found.matches("input, select, textarea")
          ? found
          : found.querySelector<HTMLElement>("input, select, textarea, button");
        inside?.focus();
        found.scrollIntoView({ block: "center" });
        return;
      }
      path = path.slice(0, -1);
    }
  });
}

/** More problems than that are folded: on a phone they would push the inputs out of sight. */
const FEW = 2;

function StepProblems(props: {
  own: readonly Problem[];
  at: At;
  tabs: readonly Tab[];
}): JSX.Element | null {
  const { own, at, tabs } = props;
  if (own.length === 0) return null;
  const go = (problem: Problem): void => {
    const there = tabOf(problem, at, tabs);
    if (there) open.value = there.name;
    focusOn(problem);
  };
  return (
    <details class="panel-problems" open={own.length <= FEW || undefined}>
      <summary>{plural(own.length, "p.panel.problem", "p.panel.problem_count")}</summary>
      <ul aria-label={t("p.panel.problems")}>
        {own.map((problem) => (
          <li key={problem.code + problem.at}>
            <button
              type="button"
              class={problem.level === "warning" ? "is-warning" : ""}
              onClick={() => go(problem)}
            >
              {sentenceOf(problem)}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The problems of the step itself, without those of the steps in its branches. */
function problemsOf(step: Step, at: At): readonly Problem[] {
  const here = pointerOf(at);
  return problems.value.filter(
    (problem) =>
      problem.step === step.id &&
      (pointerOfProblem(problem) === here || pointerOfProblem(problem).startsWith(`${here}/`)),
  );
}

function Tabs(props: { tabs: readonly Tab[]; own: readonly Problem[]; at: At }): JSX.Element {
  const { tabs, own, at } = props;
  const shown = tabs.find((each) => each.name === open.value) ?? tabs[0];
  const walk = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const index = tabs.findIndex((each) => each === shown);
    const next = tabs[(index + by + tabs.length) % tabs.length];
    if (by === 0 || !next) return;
    event.preventDefault();
    event.stopPropagation();
    open.value = next.name;
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  return (
    <>
      <div class="panel-tabs" role="tablist" aria-label={t("p.panel.tabs")} onKeyDown={walk}>
        {tabs.map((each) => {
          const count = own.filter((problem) => tabOf(problem, at, tabs) === each).length;
          return (
            <button
              key={each.name}
              type="button"
              role="tab"
              id={`tab-${each.name}`}
              aria-controls="panel-of-tab"
              aria-selected={each === shown}
              tabIndex={each === shown ? 0 : -1}
              onClick={() => (open.value = each.name)}
            >
              {each.label}
              {count > 0 ? <span class="tab-count">{count}</span> : null}
            </button>
          );
        })}
      </div>
      <div role="tabpanel" id="panel-of-tab" aria-labelledby={`tab-${shown?.name ?? ""}`}>
        <fieldset class="panel-body" disabled={readOnly.value} key={shown?.name ?? ""}>
          {shown?.body()}
        </fieldset>
      </div>
    </>
  );
}

const slug = /^[a-z][a-z0-9_]{0,47}$/;

/** The id, by which versions recognise the step; changing it carries all references along. */
function IdInput({ step, at }: { step: Step; at: At }): JSX.Element {
  const change = (text: string): boolean => {
    const { flow } = draft.peek();
    if (text === step.id) return true;
    if (!slug.test(text) || takenIds(flow).has(text)) return false;
    edit(t("p.step.id"), (was) => ({ ...was, flow: renameId(was.flow, step.id, text) }), {
      selected: text,
    });
    return true;
  };
  return (
    <Row at={[...at, "id"]} label={t("p.step.id")} hint={t("p.step.id_hint")} required>
      {(tied) => (
        <CommitInput {...tied} spellcheck={false} maxLength={48} text={step.id} onCommit={change} />
      )}
    </Row>
  );
}

function StepProperties({ found }: { found: Found }): JSX.Element {
  const { step } = found;
  const at = ["flow", ...found.path];
  const tabs = tabsOf(step, at);
  const own = problemsOf(step, at);
  return (
    // Another step gets inputs of its own: nothing half typed goes along.
    <div class="panel" key={step.id}>
      <StepProblems own={own} at={at} tabs={tabs} />
      <fieldset class="panel-body" disabled={readOnly.value}>
        <TextInput at={[...at, "name"]} label={t("p.step.name")} max={48} required />
        <details>
          <summary>{t("p.step.more")}</summary>
          <TextInput
            at={[...at, "note"]}
            label={t("p.step.note")}
            hint={t("p.step.note_hint")}
            max={500}
            area
          />
          <IdInput step={step} at={at} />
        </details>
      </fieldset>
      <Tabs tabs={tabs} own={own} at={at} />
    </div>
  );
}

function StartProperties(): JSX.Element {
  const at = ["flow", "start"];
  return (
    <fieldset class="panel panel-body" disabled={readOnly.value}>
      <Faults at={at} />
      <OptionalPeople
        at={[...at, "who"]}
        label={t("p.start.who")}
        none={t("p.start.everybody")}
        some={t("p.start.some")}
      />
      <Group label={t("p.start.fields")} hint={t("p.start.fields_hint")} plain>
        <RightsInputs at={[...at, "fields"]} usual="edit" />
      </Group>
    </fieldset>
  );
}

/** The panel of whatever card is selected; a sentence when there is nothing to set. */
export function Properties(): JSX.Element {
  const node = selected.value;
  if (node === "start") return <StartProperties />;
  if (node === null || node === "end") {
    return <p class="panel form-hint">{t(node === "end" ? "p.panel.end" : "p.panel.nothing")}</p>;
  }
  if (typeof node !== "string") {
    return (
      <fieldset
        class="panel panel-body"
        disabled={readOnly.value}
        key={`${node.step}/${node.branch}`}
      >
        <BranchInputs step={node.step} branch={node.branch} />
      </fieldset>
    );
  }
  const found = find(draft.value.flow, node);
  return found ? (
    <StepProperties found={found} />
  ) : (
    <p class="panel form-hint">{t("p.panel.nothing")}</p>
  );
}
