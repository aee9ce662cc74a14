// Choosing what the document or the tenant has: a field of the form, a step, a key, a version.
import type { JSX } from "preact";
import { draft, knowledge, selected } from "../../state";
import type { Named } from "../../knowledge";
import { everyStep, isHuman, type FieldType, type Step } from "../../model";
import { t } from "../../texts";
import { put, references, valueAt, type At } from "./binding";
import { Choose, SelectInput, TextInput, type Base, type Options } from "./controls";

/** The fields (and columns) of these types as options. */
export function fieldOptions(types?: readonly FieldType[], columns = false): Options {
  return references()
    .filter(
      ({ id, field }) => (columns || !id.includes(".")) && (!types || types.includes(field.type)),
    )
    .map(({ id, name }) => [id, name] as const);
}

export function FieldSelect(
  props: Base & { types?: readonly FieldType[]; columns?: boolean; none?: string },
): JSX.Element {
  const options = fieldOptions(props.types, props.columns);
  return (
    <SelectInput
      {...props}
      hint={options.length === 0 ? t("p.field.none_fits") : props.hint}
      {...(props.none === undefined
        ? { options }
        : { options: [["", props.none], ...options], usual: "" })}
    />
  );
}

/** The steps that one may speak of; the step that is being edited is not among them. */
export function stepOptions(human: boolean): Options {
  const mine = selected.value;
  return everyStep(draft.value.flow)
    .map(({ step }) => step)
    .filter((step: Step) => step.id !== mine && (!human || isHuman(step)))
    .map((step) => [step.id, step.name] as const);
}

export function StepSelect(props: Base & { human?: boolean }): JSX.Element {
  return <SelectInput {...props} options={stepOptions(props.human ?? false)} />;
}

/** What the tenant has as options: the code is stored, the name is read. */
export function named(list: readonly Named[]): Options {
  return list.map(({ code, name }) => [code, name === code ? code : `${name} (${code})`] as const);
}

/** A clock: natural time, or a working calendar of the tenant. */
export function ClockSelect(props: Base & { usual: string; usualName?: string }): JSX.Element {
  const { usual, usualName } = props;
  const calendars = knowledge.value.calendars.map(({ code, name }) => [code, name] as const);
  const options: Options = [["wall", t("p.clock.wall")], ...calendars];
  return (
    <SelectInput
      {...props}
      usual={usual}
      options={usualName === undefined ? options : [[usual, usualName], ...options]}
    />
  );
}

/** A number of a version, or the newest when the step is entered. */
export function VersionInput(props: Base & { newest?: number | undefined }): JSX.Element {
  const value = valueAt<unknown>(props.at);
  const pinned = typeof value === "number";
  const known = Array.from({ length: Math.min(props.newest ?? 0, 50) }, (_, index) =>
    String((props.newest ?? 0) - index),
  );
  return (
    <Choose
      {...props}
      value={pinned ? String(value) : typeof value === "string" ? value : ""}
      options={[
        ["latest_at_entry", t("p.version.latest")],
        ...(known.length > 0 ? known : ["1"]).map(
          (number) => [number, t("p.version.pinned", { version: number })] as const,
        ),
        ...(pinned && !known.includes(String(value)) && known.length > 0
          ? [[String(value), t("p.version.pinned", { version: value })] as const]
          : []),
      ]}
      onChoose={(chosen) =>
        put(props.at, /^\d+$/.test(chosen) ? Number(chosen) : chosen, props.label)
      }
    />
  );
}

/** A rule by `application/chain`; those that the page knows are suggested. */
export function RuleInputs(props: { at: At; member: "key" | "rule"; version?: At }): JSX.Element {
  const at = [...props.at, props.member];
  const key = valueAt<string>(at);
  const rule = knowledge.value.rules.find((each) => each.code === key);
  return (
    <>
      <TextInput
        at={at}
        label={t("p.rule.key")}
        hint={t("p.rule.key_hint")}
        required
        max={200}
        list={named(knowledge.value.rules)}
      />
      <VersionInput
        at={props.version ?? [...props.at, "version"]}
        label={t("p.rule.version")}
        newest={rule?.versions?.reduce((most, each) => Math.max(most, each), 0)}
      />
    </>
  );
}
