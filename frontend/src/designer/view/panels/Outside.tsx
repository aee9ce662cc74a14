// Steps that ask another system or start another process.
import type { JSX } from "preact";
import { knowledge } from "../../state";
import type { Named } from "../../knowledge";
import type { HttpStep, Join, Saved, SubflowStep } from "../../model";
import { t } from "../../texts";
import { put, valueAt, type At } from "../fields/binding";
import { FieldSelect, StepSelect, VersionInput, fieldOptions, named } from "../fields/choices";
import {
  CheckInput,
  Choose,
  Group,
  NumberInput,
  SelectInput,
  TextInput,
  type Options,
} from "../fields/controls";
import { ListEditor, MapEditor } from "../fields/lists";
import { options, type WordOf } from "../fields/options";
import { BaseInputs } from "../fields/People";
import { DurationInput } from "./Automatic";
import { ValueOfInputs } from "./Values";

type HeaderValue = string | { readonly secret: string };

function HeaderInputs({ value, at }: { value: HeaderValue; at: At }): JSX.Element {
  const kind: WordOf<"header"> = typeof value === "string" ? "text" : "secret";
  return (
    <>
      <Choose
        at={[...at, "*"]}
        label={t("p.http.header_kind")}
        value={kind}
        options={options("header")}
        onChoose={(chosen) =>
          put(at, chosen === "secret" ? { secret: "" } : "", t("p.http.header_kind"))
        }
      />
      {kind === "secret" ? (
        <SelectInput
          at={[...at, "secret"]}
          label={t("p.http.secret")}
          options={named(knowledge.value.secrets)}
          required
        />
      ) : (
        <TextInput at={at} label={t("p.http.header_text")} max={2000} required />
      )}
    </>
  );
}

function OnFail({ at }: { at: At }): JSX.Element {
  const value = valueAt<unknown>(at) ?? "hold";
  const kind = typeof value === "string" ? value : "goto";
  const label = t("p.http.on_fail");
  return (
    <>
      <Choose
        at={[...at, "*"]}
        label={label}
        value={kind}
        options={options("on_fail")}
        onChoose={(chosen) =>
          put(at, chosen === "hold" ? undefined : chosen === "goto" ? { goto: "" } : chosen, label)
        }
      />
      {kind === "goto" ? (
        <StepSelect at={[...at, "goto"]} label={t("p.http.goto")} required />
      ) : null}
    </>
  );
}

export function HttpInputs({ at }: { step: HttpStep; at: At }): JSX.Element {
  return (
    <>
      <SelectInput
        at={[...at, "method"]}
        label={t("p.http.method")}
        options={options("method")}
        required
      />
      <TextInput
        at={[...at, "url"]}
        label={t("p.http.url")}
        hint={t("p.http.url_hint")}
        mode="url"
        max={2000}
        required
      />
      <Group label={t("p.http.headers")} hint={t("p.http.headers_hint")}>
        <MapEditor<HeaderValue>
          at={[...at, "headers"]}
          label={t("p.http.header")}
          add={t("p.http.add_header")}
          fresh=""
          most={50}
        >
          {(value, here) => <HeaderInputs value={value} at={here} />}
        </MapEditor>
      </Group>
      <TextInput
        at={[...at, "body"]}
        label={t("p.http.body")}
        hint={t("p.template.hint")}
        area
        max={20000}
      />
      <SelectInput
        at={[...at, "mode"]}
        label={t("p.http.mode")}
        options={options("http_mode")}
        usual="need_2xx"
      />
      <DurationInput
        at={[...at, "timeout"]}
        label={t("p.http.timeout")}
        hint={t("p.http.timeout_hint")}
        units={["S"]}
      />
      <SelectInput
        at={[...at, "retry"]}
        label={t("p.http.retry")}
        options={[
          ["", t("p.http.retry_usual")],
          ...knowledge.value.retries.map(({ code, name }) => [code, name] as const),
        ]}
        usual=""
      />
      <OnFail at={[...at, "on_fail"]} />
      <Group label={t("p.http.save")} hint={t("p.http.save_hint")}>
        <ListEditor<Saved>
          at={[...at, "save"]}
          label={t("p.http.save")}
          add={t("p.http.add_save")}
          most={50}
          name={(_saved, index) => t("p.http.saved", { number: index + 1 })}
          fresh={() => ({ pointer: "/", to: { field: "" }, type: "text" })}
        >
          {(_saved, here) => (
            <>
              <TextInput
                at={[...here, "pointer"]}
                label={t("p.http.pointer")}
                hint={t("p.http.pointer_hint")}
                max={500}
                required
              />
              <SelectInput
                at={[...here, "type"]}
                label={t("p.http.type")}
                options={options("saved")}
                required
              />
              <ValueOfInputs at={[...here, "to"]} literal={false} />
            </>
          )}
        </ListEditor>
      </Group>
    </>
  );
}

/** How many branches (or children) have to come in. */
export function JoinInputs(props: {
  at: At;
  most: number;
  label: string;
  usual?: boolean;
}): JSX.Element {
  const { at, label } = props;
  const join = valueAt<Join>(at) ?? "all";
  const kind = typeof join === "string" ? join : "at_least";
  return (
    <>
      <Choose
        at={[...at, "*"]}
        label={label}
        value={kind}
        options={options("join")}
        onChoose={(chosen) =>
          put(
            at,
            chosen === "at_least"
              ? { at_least: 1 }
              : chosen === "all" && props.usual
                ? undefined
                : chosen,
            label,
          )
        }
      />
      {kind === "at_least" ? (
        <NumberInput
          at={[...at, "at_least"]}
          label={t("p.join.at_least")}
          min={1}
          max={props.most}
          required
        />
      ) : null}
    </>
  );
}

function EachInputs({ at }: { at: At }): JSX.Element {
  const there = valueAt<unknown>(at) !== undefined;
  const label = t("p.subflow.each");
  return (
    <>
      <Choose
        at={[...at, "*"]}
        label={label}
        value={there ? "each" : "one"}
        options={[
          ["one", t("p.subflow.one")],
          ["each", t("p.subflow.for_each")],
        ]}
        onChoose={(chosen) => put(at, chosen === "each" ? { field: "" } : undefined, label)}
      />
      {there ? (
        <>
          <FieldSelect
            at={[...at, "field"]}
            label={t("p.subflow.each_field")}
            types={["table", "user", "department", "multi_choice"]}
            required
          />
          <SelectInput
            at={[...at, "mode"]}
            label={t("p.subflow.each_mode")}
            options={options("each_mode")}
            usual="all"
          />
          <JoinInputs at={[...at, "join"]} label={t("p.subflow.each_join")} most={500} usual />
        </>
      ) : null}
    </>
  );
}

export function SubflowInputs({ step, at }: { step: SubflowStep; at: At }): JSX.Element {
  const other = knowledge.value.flows.find((each) => each.code === step.flow);
  const fields: readonly Named[] = other?.fields ?? [];
  const theirs: Options = fields.map(({ code, name }) => [code, `${name} (${code})`] as const);
  return (
    <>
      <SelectInput
        at={[...at, "flow"]}
        label={t("p.subflow.flow")}
        options={named(knowledge.value.flows)}
        required
      />
      <VersionInput
        at={[...at, "version"]}
        label={t("p.subflow.version")}
        newest={other?.version}
        required
      />
      <CheckInput at={[...at, "wait"]} label={t("p.subflow.wait")} usual />
      <SelectInput
        at={[...at, "on_child_reject"]}
        label={t("p.subflow.on_reject")}
        options={options("child_reject")}
        usual="reject"
      />
      <BaseInputs at={[...at, "starter"]} label={t("p.subflow.starter")} />
      <EachInputs at={[...at, "each"]} />
      <Group label={t("p.subflow.input")} hint={t("p.subflow.input_hint")}>
        <MapEditor
          at={[...at, "input"]}
          label={t("p.subflow.their_field")}
          add={t("p.subflow.add_input")}
          fresh={{ field: "" }}
          most={100}
          {...(theirs.length > 0 ? { names: theirs } : {})}
        >
          {(_value, here) => <ValueOfInputs at={here} />}
        </MapEditor>
      </Group>
      <Group label={t("p.subflow.output")} hint={t("p.subflow.output_hint")}>
        <MapEditor
          at={[...at, "output"]}
          label={t("p.subflow.my_field")}
          add={t("p.subflow.add_output")}
          fresh=""
          most={100}
          names={fieldOptions()}
        >
          {(_name, here) =>
            theirs.length > 0 ? (
              <SelectInput at={here} label={t("p.subflow.their_field")} options={theirs} required />
            ) : (
              <TextInput at={here} label={t("p.subflow.their_field")} max={100} required />
            )
          }
        </MapEditor>
      </Group>
    </>
  );
}
