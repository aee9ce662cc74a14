// Who: the sources of people of a step, of the start, of the managers; never names as such.
import type { JSX } from "preact";
import { put, valueAt, type At, type CodeKind } from "./binding";
import {
  same,
  SOMEBODY,
  type Base as From,
  type People,
  type Source,
  type SourceKind,
  type Until,
} from "../../model";
import { sourceWords } from "../../summary";
import { t } from "../../texts";
import { FieldSelect, RuleInputs, StepSelect } from "./choices";
import { CodePicker } from "./CodePicker";
import { CheckInput, Choose, Faults, Group, NumberInput, SelectInput } from "./controls";
import { ListEditor } from "./lists";
import { options, wordText } from "./options";
import { freshSource } from "./sources";

const MOST_SOURCES = 20;
const MOST_WITHOUT = 10;
const MOST_CODES = 100;

/** Picks codes into a list member of the document. */
export function Codes(props: {
  at: At;
  kind: CodeKind;
  label: string;
  most?: number;
  required?: boolean;
}): JSX.Element {
  return (
    <CodePicker
      {...props}
      most={props.most ?? MOST_CODES}
      codes={valueAt<readonly string[]>(props.at) ?? []}
      onChange={(codes) => put(props.at, codes, props.label)}
    />
  );
}

/** Picks one code into a text member. */
export function Code(props: {
  at: At;
  kind: CodeKind;
  label: string;
  required?: boolean;
}): JSX.Element {
  const code = valueAt<string>(props.at);
  return (
    <CodePicker
      {...props}
      most={1}
      codes={code ? [code] : []}
      onChange={(codes) =>
        put(props.at, codes[0] ?? (props.required ? "" : undefined), props.label)
      }
    />
  );
}

/** From whom or where to look: the initiator, a field, a decider, a department. */
export function BaseInputs({ at, label }: { at: At; label: string }): JSX.Element {
  const base = valueAt<From>(at) ?? "initiator";
  const kind = typeof base === "string" ? "initiator" : (Object.keys(base)[0] ?? "field");
  const fresh: Record<string, From> = {
    initiator: "initiator",
    field: { field: "" },
    decider_of: { decider_of: "" },
    department: { department: "" },
  };
  return (
    <>
      <Choose
        at={at}
        label={label}
        value={kind}
        options={options("base")}
        onChoose={(chosen) => put(at, chosen === "initiator" ? undefined : fresh[chosen], label)}
      />
      {kind === "field" ? (
        <FieldSelect
          at={[...at, "field"]}
          label={t("p.people.field")}
          types={["user", "department"]}
          required
        />
      ) : null}
      {kind === "decider_of" ? (
        <StepSelect at={[...at, "decider_of"]} label={t("p.people.step")} human required />
      ) : null}
      {kind === "department" ? (
        <Code
          at={[...at, "department"]}
          kind="department"
          label={t("p.people.department")}
          required
        />
      ) : null}
    </>
  );
}

function UntilInputs({ at }: { at: At }): JSX.Element {
  const until = valueAt<Until>(at) ?? { top: true };
  const kind = Object.keys(until)[0] ?? "top";
  const fresh: Record<string, Until> = {
    level: { level: 1 },
    top: { top: true },
    role: { role: "" },
  };
  const label = t("p.people.until");
  return (
    <>
      <Choose
        at={at}
        label={label}
        value={kind}
        options={options("until")}
        onChoose={(chosen) => put(at, fresh[chosen], label)}
      />
      {kind === "level" ? (
        <NumberInput at={[...at, "level"]} label={t("p.people.levels")} min={0} max={20} required />
      ) : null}
      {kind === "role" ? (
        <Code at={[...at, "role"]} kind="role" label={t("p.people.role")} required />
      ) : null}
    </>
  );
}

function PickLimits({ at, depth }: { at: At; depth: number }): JSX.Element {
  const from = valueAt<People>([...at, "from"]);
  return (
    <>
      <div class="panel-pair">
        <NumberInput at={[...at, "min"]} label={t("p.people.min")} min={1} max={100} usual={1} />
        <NumberInput at={[...at, "max"]} label={t("p.people.max")} min={1} max={100} usual={1} />
      </div>
      {depth < 2 ? (
        <>
          <Choose
            at={[...at, "from", "*"]}
            label={t("p.people.from")}
            value={from ? "some" : "all"}
            options={[
              ["all", t("p.people.from_all")],
              ["some", t("p.people.from_some")],
            ]}
            onChoose={(chosen) =>
              put(
                [...at, "from"],
                chosen === "all" ? undefined : { any_of: [] },
                t("p.people.from"),
              )
            }
          />
          {from ? (
            <PeopleInputs at={[...at, "from"]} label={t("p.people.from_whom")} depth={depth + 1} />
          ) : null}
        </>
      ) : null}
    </>
  );
}

/** The inputs of the sources that name codes. */
function NamedInputs({ source, at }: { source: Source; at: At }): JSX.Element | null {
  const by = source.by;
  if (by !== "user" && by !== "role" && by !== "group" && by !== "post" && by !== "department") {
    return null;
  }
  return (
    <>
      <Codes at={[...at, "ids"]} kind={by} label={wordText("source", by)} required />
      {by === "role" || by === "post" ? (
        <SelectInput
          at={[...at, "within"]}
          label={t("p.people.within")}
          options={options("within")}
          usual="any"
        />
      ) : null}
      {by === "department" ? <CheckInput at={[...at, "deep"]} label={t("p.people.deep")} /> : null}
    </>
  );
}

/** The inputs of the sources that look upwards from somebody. */
function UpwardInputs({ source, at }: { source: Source; at: At }): JSX.Element {
  return (
    <>
      <p class="form-hint">{sourceWords(source)}</p>
      <BaseInputs at={[...at, "of"]} label={t("p.people.of")} />
      {source.by === "head_chain" ? <UntilInputs at={[...at, "until"]} /> : null}
      {source.by === "manager" ? (
        <NumberInput
          at={[...at, "level"]}
          label={t("p.people.manager_level")}
          min={1}
          max={20}
          usual={1}
        />
      ) : null}
      {source.by === "head" ? (
        <>
          <NumberInput
            at={[...at, "level"]}
            label={t("p.people.level_up")}
            hint={t("p.people.level_hint")}
            min={0}
            max={20}
            usual={0}
          />
          <SelectInput
            at={[...at, "missing"]}
            label={t("p.people.missing")}
            options={options("missing")}
            usual="climb"
          />
        </>
      ) : null}
    </>
  );
}

function SourceInputs(props: { source: Source; at: At; depth: number }): JSX.Element | null {
  const { source, at, depth } = props;
  switch (source.by) {
    case "head":
    case "head_chain":
    case "manager":
      return <UpwardInputs source={source} at={at} />;
    case "picked_at_start":
      return <PickLimits at={at} depth={depth} />;
    case "picked_by":
      return (
        <>
          <StepSelect at={[...at, "step"]} label={t("p.people.picked_step")} human required />
          <PickLimits at={at} depth={depth} />
        </>
      );
    case "form_users":
      return (
        <FieldSelect at={[...at, "field"]} label={t("p.people.field")} types={["user"]} required />
      );
    case "form_department_head":
      return (
        <>
          <FieldSelect
            at={[...at, "field"]}
            label={t("p.people.field")}
            types={["department"]}
            required
          />
          <NumberInput
            at={[...at, "level"]}
            label={t("p.people.level_up")}
            min={0}
            max={20}
            usual={0}
          />
        </>
      );
    case "deciders_of":
      return <StepSelect at={[...at, "step"]} label={t("p.people.step")} human required />;
    case "rule":
      return <RuleInputs at={at} member="key" />;
    default:
      return <NamedInputs source={source} at={at} />;
  }
}

/** What a new step begins with; who names people means them instead of it. */
function isUntouched(sources: readonly Source[]): boolean {
  return same(sources, SOMEBODY.any_of);
}

function Sources(props: {
  at: At;
  label: string;
  add: string;
  most: number;
  first: SourceKind;
  depth: number;
}): JSX.Element {
  return (
    <ListEditor<Source>
      at={props.at}
      label={props.label}
      add={props.add}
      most={props.most}
      ordered
      name={(_source, index) => t("p.people.source", { number: index + 1 })}
      fresh={() => freshSource(props.first)}
      replaces={isUntouched}
    >
      {(source, at) => (
        <>
          <Choose
            at={[...at, "by"]}
            label={t("p.people.by")}
            value={source.by}
            options={options("source")}
            onChoose={(by) => put(at, freshSource(by as SourceKind), t("p.people.by"))}
          />
          <SourceInputs source={source} at={at} depth={props.depth} />
        </>
      )}
    </ListEditor>
  );
}

/** The whole of a people member: sources, exceptions, order and the most. */
export function PeopleInputs(props: {
  at: At;
  label: string;
  required?: boolean;
  hint?: string;
  depth?: number;
}): JSX.Element {
  const { at, label, depth = 0 } = props;
  const without = valueAt<readonly Source[]>([...at, "without"]) ?? [];
  return (
    <Group label={label} required={props.required} hint={props.hint} plain={depth === 0}>
      <Faults at={at} />
      <Sources
        at={[...at, "any_of"]}
        label={label}
        add={t("p.people.add")}
        most={MOST_SOURCES}
        first="user"
        depth={depth}
      />
      <details open={without.length > 0 || undefined}>
        <summary>{t("p.people.more")}</summary>
        <SelectInput
          at={[...at, "order"]}
          label={t("p.people.order")}
          options={options("order")}
          usual="given"
        />
        <NumberInput at={[...at, "cap"]} label={t("p.people.cap")} min={1} max={100} usual={100} />
        <Group label={t("p.people.without")}>
          <Sources
            at={[...at, "without"]}
            label={t("p.people.without")}
            add={t("p.people.add_without")}
            most={MOST_WITHOUT}
            first="initiator"
            depth={depth}
          />
        </Group>
      </details>
    </Group>
  );
}

/** A people member that may be absent altogether: then what `none` says holds. */
export function OptionalPeople(props: {
  at: At;
  label: string;
  none: string;
  some: string;
}): JSX.Element {
  const { at, label } = props;
  const there = valueAt<People>(at) !== undefined;
  return (
    <>
      <Choose
        at={[...at, "*"]}
        label={label}
        value={there ? "some" : "none"}
        options={[
          ["none", props.none],
          ["some", props.some],
        ]}
        onChoose={(chosen) =>
          put(at, chosen === "some" ? { any_of: [freshSource("role")] } : undefined, label)
        }
      />
      {there ? <PeopleInputs at={at} label={props.some} /> : null}
    </>
  );
}
