// The settings of steps that nobody decides: automatic, delay, change, rule, notice, back, end.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { setIn, type DelayStep, type Field, type SetStep, type Step } from "../../model";
import { t } from "../../texts";
import { put, references, valueAt, type At } from "../fields/binding";
import { ClockSelect, FieldSelect, RuleInputs, StepSelect, fieldOptions } from "../fields/choices";
import { ConditionInputs } from "../fields/Condition";
import {
  Choose,
  Group,
  NumberInput,
  Row,
  SelectInput,
  TextInput,
  type Base,
} from "../fields/controls";
import { DAY, HOUR, MINUTE, durationOf, durationWords, secondsOf } from "../fields/durations";
import { ListEditor, MapEditor } from "../fields/lists";
import { options, type WordOf } from "../fields/options";
import { useTyping } from "../fields/typing";
import { MomentInput, Ticks, ValueInput } from "../fields/values";
import { ValueOfInputs } from "./Values";

const UNITS: Readonly<Record<WordOf<"unit">, number>> = { S: 1, M: MINUTE, H: HOUR, D: DAY };

function unitOf(seconds: number): WordOf<"unit"> {
  return (["D", "H", "M"] as const).find((unit) => seconds % UNITS[unit] === 0) ?? "S";
}

/** A length of time as a number and its unit; an empty number takes the member away. */
export function DurationInput(props: Base & { units?: readonly WordOf<"unit">[] }): JSX.Element {
  const { at, label, required = false, units = ["M", "H", "D"] } = props;
  const value = valueAt<unknown>(at);
  const seconds = secondsOf(value);
  const largest = seconds ? unitOf(seconds) : (units[0] ?? "M");
  // Sixty minutes are an hour, but not while "605" is being typed.
  const [kept, keepUnit] = useState<WordOf<"unit"> | null>(null);
  const unit = kept ?? (units.includes(largest) ? largest : (units[0] ?? "M"));
  const shown =
    seconds === null ? (typeof value === "string" ? value : "") : String(seconds / UNITS[unit]);
  const write = (text: string, chosen: WordOf<"unit">): void => {
    const plain = text.trim();
    const whole = /^\d{1,8}$/.test(plain) ? durationOf(Number(plain) * UNITS[chosen]) : plain;
    put(at, plain === "" && !required ? undefined : whole, label, true);
  };
  const typing = useTyping(shown, (text) => {
    keepUnit(unit);
    write(text, unit);
  });
  return (
    <Row
      {...props}
      hint={[seconds ? durationWords(seconds) : "", props.hint].filter(Boolean).join(" · ")}
    >
      {(tied) => (
        <div class="panel-pair">
          <input
            {...tied}
            {...typing}
            class="form-control"
            inputMode="numeric"
            autoComplete="off"
            onBlur={() => {
              typing.onBlur();
              keepUnit(null);
            }}
          />
          <select
            class="form-select"
            aria-label={t("p.time.unit", { what: label })}
            value={unit}
            onChange={(event) => write(shown || "1", event.currentTarget.value as WordOf<"unit">)}
          >
            {options("unit", units).map(([each, name]) => (
              <option key={each} value={each}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
    </Row>
  );
}

function DelayInputs({ step, at }: { step: DelayStep; at: At }): JSX.Element {
  const kind: WordOf<"delay"> =
    step.until_field !== undefined ? "until_field" : step.until !== undefined ? "until" : "for";
  const choose = (chosen: string): void => {
    const kept = ["for", "until_field", "until"].reduce(
      (rest, member) => setIn(rest, [member], undefined),
      step,
    );
    const fresh = chosen === "for" ? durationOf(DAY) : "";
    put(at, { ...kept, [chosen]: fresh }, t("p.delay.kind"));
  };
  return (
    <>
      <Choose
        at={[...at, "*"]}
        label={t("p.delay.kind")}
        value={kind}
        options={options("delay")}
        onChoose={choose}
      />
      {kind === "for" ? (
        <DurationInput at={[...at, "for"]} label={t("p.delay.for")} required />
      ) : null}
      {kind === "until_field" ? (
        <FieldSelect
          at={[...at, "until_field"]}
          label={t("p.delay.field")}
          types={["date", "timestamp"]}
          required
        />
      ) : null}
      {kind === "until" ? (
        <MomentInput at={[...at, "until"]} label={t("p.delay.until")} required />
      ) : null}
      <ClockSelect
        at={[...at, "clock"]}
        label={t("p.clock.label")}
        usual=""
        usualName={t("p.clock.policy")}
      />
    </>
  );
}

type Change = SetStep["changes"][number];

const FRESH_CHANGE: Record<string, unknown> = {
  literal: "",
  empty: null,
  copy: { copy: "" },
  now: { now: true },
  rule: { rule: "" },
};

function changeKind(to: Change["to"]): WordOf<"change"> {
  if (to === null) return "empty";
  if (typeof to !== "object" || Array.isArray(to)) return "literal";
  return (Object.keys(to)[0] ?? "copy") as WordOf<"change">;
}

function ChangeInputs({ change, at }: { change: Change; at: At }): JSX.Element {
  const field: Field | undefined = references().find((each) => each.id === change.field)?.field;
  const kind = changeKind(change.to);
  const to = [...at, "to"];
  return (
    <>
      <FieldSelect at={[...at, "field"]} label={t("p.set.field")} required />
      <Choose
        at={[...at, "*"]}
        label={t("p.set.to")}
        value={kind}
        options={options("change")}
        onChoose={(chosen) => put(to, FRESH_CHANGE[chosen], t("p.set.to"))}
      />
      {kind === "literal" ? (
        <ValueInput
          at={to}
          label={t("p.set.value")}
          field={field}
          many={field?.type === "multi_choice" || (field?.limits?.max_count ?? 0) > 1}
        />
      ) : null}
      {kind === "copy" ? (
        <FieldSelect
          at={[...to, "copy"]}
          label={t("p.set.copy")}
          {...(field ? { types: [field.type] } : {})}
          required
        />
      ) : null}
      {kind === "rule" ? (
        <TextInput at={[...to, "rule"]} label={t("p.rule.key")} max={200} required />
      ) : null}
    </>
  );
}

function SetInputs({ at }: { at: At }): JSX.Element {
  return (
    <Group label={t("p.set.label")} required plain>
      <ListEditor<Change>
        at={[...at, "changes"]}
        label={t("p.set.label")}
        add={t("p.set.add")}
        most={50}
        least={1}
        name={(_change, index) => t("p.set.number", { number: index + 1 })}
        fresh={() => ({ field: "", to: null })}
      >
        {(change, here) => <ChangeInputs change={change} at={here} />}
      </ListEditor>
    </Group>
  );
}

function RuleStepInputs({ at }: { at: At }): JSX.Element {
  return (
    <>
      <RuleInputs at={[...at, "rule"]} member="key" />
      <Group label={t("p.rule.input")} hint={t("p.rule.input_hint")}>
        <MapEditor
          at={[...at, "input"]}
          label={t("p.rule.name")}
          add={t("p.rule.add_input")}
          fresh={{ field: "" }}
          most={100}
        >
          {(_value, here) => <ValueOfInputs at={here} />}
        </MapEditor>
      </Group>
      <Group label={t("p.rule.save")} hint={t("p.rule.save_hint")}>
        <MapEditor
          at={[...at, "save"]}
          label={t("p.rule.into")}
          add={t("p.rule.add_save")}
          fresh=""
          most={100}
          names={fieldOptions()}
        >
          {(_name, here) => <TextInput at={here} label={t("p.rule.answer")} max={100} required />}
        </MapEditor>
      </Group>
    </>
  );
}

/** The settings of the step at `at`; nothing for those that have panels of their own. */
export function AutomaticInputs({ step, at }: { step: Step; at: At }): JSX.Element | null {
  switch (step.kind) {
    case "auto":
      return (
        <>
          <SelectInput
            at={[...at, "verdict"]}
            label={t("p.auto.verdict")}
            options={options("verdict")}
            required
          />
          <TextInput at={[...at, "reason"]} label={t("p.auto.reason")} max={500} area />
        </>
      );
    case "delay":
      return <DelayInputs step={step} at={at} />;
    case "set":
      return <SetInputs at={at} />;
    case "rule":
      return <RuleStepInputs at={at} />;
    case "notice":
      return (
        <>
          <Ticks
            at={[...at, "channel"]}
            label={t("p.notice.channel")}
            options={options("channel")}
            keep
            required
          />
          <TextInput at={[...at, "title"]} label={t("p.notice.title")} max={200} required />
          <TextInput
            at={[...at, "text"]}
            label={t("p.notice.text")}
            max={2000}
            area
            hint={t("p.template.hint")}
          />
        </>
      );
    case "goto":
      return (
        <>
          <StepSelect at={[...at, "to"]} label={t("p.goto.to")} required />
          <ConditionInputs
            at={[...at, "when"]}
            label={t("p.goto.when")}
            none={t("p.goto.always")}
          />
          <NumberInput
            at={[...at, "max"]}
            label={t("p.goto.max")}
            hint={t("p.goto.max_hint")}
            min={1}
            max={20}
          />
        </>
      );
    case "finish":
      return (
        <SelectInput
          at={[...at, "result"]}
          label={t("p.finish.result")}
          options={options("result")}
          required
        />
      );
    default:
      return null;
  }
}
