// When a step is due and what then happens; what is told or sent when something happens in it.
import type { JSX } from "preact";
import { knowledge } from "../../state";
import type { Deadline, OnEvent, Overdue, Remind, Step } from "../../model";
import { t } from "../../texts";
import { put, valueAt, type At } from "../fields/binding";
import { ClockSelect, FieldSelect, StepSelect, named } from "../fields/choices";
import {
  Choose,
  Group,
  NumberInput,
  Row,
  SelectInput,
  TextInput,
  type Base,
} from "../fields/controls";
import {
  LONGEST_MINUTES,
  durationOf,
  durationWords,
  minutesShown,
  minutesTyped,
  secondsOf,
  DAY,
  MINUTE,
} from "../fields/durations";
import { ListEditor } from "../fields/lists";
import { options, wordText, type WordOf } from "../fields/options";
import { PeopleInputs } from "../fields/People";
import { freshSource } from "../fields/sources";
import { useTyping } from "../fields/typing";
import { Ticks } from "../fields/values";

/** Minutes with the same length in words below; blank takes the member away where it may. */
export function MinutesInput(props: Base & { keep?: boolean }): JSX.Element {
  const { at, label, keep = false } = props;
  const value = valueAt<unknown>(at);
  const seconds = typeof value === "number" ? value * MINUTE : secondsOf(value);
  const echo = seconds ? durationWords(seconds) : keep ? t("p.time.off") : "";
  const typing = useTyping(minutesShown(value), (text) => {
    const typed = minutesTyped(text);
    put(at, typed === "" && !keep ? undefined : typed, label, true);
  });
  return (
    <Row {...props} hint={[echo, props.hint].filter(Boolean).join(" · ")}>
      {(tied) => (
        <input
          {...tied}
          {...typing}
          class="form-control is-short"
          inputMode="numeric"
          autoComplete="off"
        />
      )}
    </Row>
  );
}

function RemindInputs({ remind, at }: { remind: Remind; at: At }): JSX.Element {
  const when: WordOf<"remind"> =
    remind.before !== undefined ? "before" : remind.after !== undefined ? "after" : "due";
  const choose = (chosen: string): void => {
    const { before, after, ...rest } = remind;
    const minutes = before ?? after ?? "PT1H";
    put(at, chosen === "due" ? rest : { ...rest, [chosen]: minutes }, t("p.remind.when"));
  };
  return (
    <>
      <Choose
        at={[...at, "*"]}
        label={t("p.remind.when")}
        value={when}
        options={options("remind")}
        onChoose={choose}
      />
      {when === "due" ? null : (
        <MinutesInput at={[...at, when]} label={t("p.remind.minutes")} keep required />
      )}
      <MinutesInput
        at={[...at, "every"]}
        label={t("p.remind.every")}
        hint={t("p.remind.every_hint")}
      />
      <NumberInput at={[...at, "max"]} label={t("p.remind.max")} min={1} max={50} usual={1} />
      <Ticks
        at={[...at, "to"]}
        label={t("p.remind.to")}
        options={options("recipient")}
        usual={["holder"]}
      />
    </>
  );
}

function Reminders({ at }: { at: At }): JSX.Element {
  const list = valueAt<readonly Remind[]>(at);
  const kind = list === undefined ? "usual" : list.length === 0 ? "none" : "own";
  const label = t("p.remind.label");
  const fresh: Record<string, unknown> = { usual: undefined, none: [], own: [{}] };
  return (
    <>
      <Choose
        at={[...at, "*"]}
        label={label}
        value={kind}
        options={[
          ["usual", t("p.remind.usual")],
          ["none", t("p.remind.none")],
          ["own", t("p.remind.own")],
        ]}
        onChoose={(chosen) => put(at, fresh[chosen], label)}
      />
      {kind === "own" ? (
        <ListEditor<Remind>
          at={at}
          label={label}
          add={t("p.remind.add")}
          most={10}
          least={1}
          name={(_remind, index) => t("p.remind.number", { number: index + 1 })}
          fresh={() => ({})}
        >
          {(remind, here) => <RemindInputs remind={remind} at={here} />}
        </ListEditor>
      ) : null}
    </>
  );
}

const THEN: Record<string, unknown> = {
  none: undefined,
  approve: "approve",
  reject: "reject",
  escalate: { escalate: 1 },
  goto: { goto: "" },
};

function ThenInputs({ at, decides }: { at: At; decides: boolean }): JSX.Element {
  const then = valueAt<string | Overdue>(at) ?? "none";
  const kind = typeof then === "string" ? then : (Object.keys(then)[0] ?? "none");
  const all: readonly WordOf<"then">[] = [
    "none",
    "approve",
    "reject",
    "reassign",
    "escalate",
    "goto",
  ];
  const label = t("p.deadline.then");
  return (
    <>
      <Choose
        at={at}
        label={label}
        value={kind}
        options={options(
          "then",
          all.filter((each) => decides || each !== "reject" || kind === "reject"),
        )}
        onChoose={(chosen) =>
          put(
            at,
            chosen === "reassign" ? { reassign: { any_of: [freshSource("head")] } } : THEN[chosen],
            label,
          )
        }
      />
      {kind === "reassign" ? (
        <PeopleInputs
          at={[...at, "reassign"]}
          label={t("p.deadline.reassign")}
          depth={1}
          required
        />
      ) : null}
      {kind === "escalate" ? (
        <NumberInput
          at={[...at, "escalate"]}
          label={t("p.deadline.escalate")}
          min={1}
          max={5}
          required
        />
      ) : null}
      {kind === "goto" ? (
        <StepSelect at={[...at, "goto"]} label={t("p.deadline.goto")} human required />
      ) : null}
    </>
  );
}

export function DeadlineInputs({ at, decides }: { at: At; decides: boolean }): JSX.Element {
  const deadline = valueAt<Deadline>(at);
  const after = deadline?.after;
  const due: WordOf<"due"> =
    deadline === undefined ? "off" : typeof after === "object" ? "field" : "minutes";
  const label = t("p.deadline.label");
  const choose = (chosen: string): void => {
    const first = chosen === "field" ? { field: "" } : durationOf(DAY);
    put(at, chosen === "off" ? undefined : { ...deadline, after: first }, label);
  };
  return (
    <Group label={label} plain>
      <Choose
        at={[...at, "*"]}
        label={t("p.deadline.due")}
        value={due}
        options={options("due")}
        onChoose={choose}
      />
      {due === "minutes" ? (
        <MinutesInput
          at={[...at, "after"]}
          label={t("p.deadline.minutes")}
          hint={t("p.deadline.minutes_hint", { max: LONGEST_MINUTES })}
          keep
        />
      ) : null}
      {due === "field" ? (
        <FieldSelect
          at={[...at, "after", "field"]}
          label={t("p.deadline.field")}
          types={["date", "timestamp"]}
          required
        />
      ) : null}
      {due === "off" ? null : (
        <>
          <ClockSelect at={[...at, "clock"]} label={t("p.clock.label")} usual="wall" />
          <SelectInput
            at={[...at, "count_from"]}
            label={t("p.deadline.count_from")}
            options={options("count_from")}
            usual="task"
          />
          <Reminders at={[...at, "remind"]} />
          <ThenInputs at={[...at, "then"]} decides={decides} />
        </>
      )}
    </Group>
  );
}

const POSTED: readonly string[] = ["approved", "rejected", "returned", "closed"];
const FRESH: Record<string, Omit<OnEvent, "on">> = {
  notice: { notice: { to: ["initiator"], text: "" } },
  target: { post: { target: "" } },
  url: { post: { url: "https://" } },
};

function EventInputs({ event, at }: { event: OnEvent; at: At }): JSX.Element {
  const kind: WordOf<"event_kind"> = !event.post
    ? "notice"
    : "url" in event.post
      ? "url"
      : "target";
  const kinds: readonly WordOf<"event_kind">[] = POSTED.includes(event.on)
    ? ["notice", "target", "url"]
    : ["notice", ...(kind === "notice" ? [] : [kind])];
  return (
    <>
      <SelectInput at={[...at, "on"]} label={t("p.event.on")} options={options("event")} required />
      <Choose
        at={[...at, "*"]}
        label={t("p.event.kind")}
        value={kind}
        options={options("event_kind", kinds)}
        onChoose={(chosen) => put(at, { on: event.on, ...FRESH[chosen] }, t("p.event.kind"))}
      />
      {kind === "notice" ? (
        <>
          <Ticks
            at={[...at, "notice", "to"]}
            label={t("p.event.to")}
            options={options("recipient")}
            keep
            required
          />
          <TextInput at={[...at, "notice", "text"]} label={t("p.event.text")} max={200} required />
        </>
      ) : null}
      {kind === "target" ? (
        <TextInput
          at={[...at, "post", "target"]}
          label={t("p.event.target")}
          list={named(knowledge.value.targets)}
          max={200}
          required
        />
      ) : null}
      {kind === "url" ? (
        <TextInput
          at={[...at, "post", "url"]}
          label={t("p.event.url")}
          mode="url"
          max={2000}
          required
        />
      ) : null}
    </>
  );
}

export function EventsInputs({ at }: { at: At; kind: Step["kind"] }): JSX.Element {
  return (
    <Group label={t("p.event.label")} hint={t("p.event.hint")} plain>
      <ListEditor<OnEvent>
        at={at}
        label={t("p.event.label")}
        add={t("p.event.add")}
        most={10}
        name={(event) => wordText("event", event.on)}
        fresh={() => ({ on: "approved", notice: { to: ["initiator"], text: "" } })}
      >
        {(event, here) => <EventInputs event={event} at={here} />}
      </ListEditor>
    </Group>
  );
}
