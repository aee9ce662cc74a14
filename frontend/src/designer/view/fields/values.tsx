// An input for a value of a field, by the field's type: of comparisons, defaults and changes.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readOnly } from "../../state";
import { isList, type Field, type FieldType } from "../../model";
import { hasOptions } from "../../model/form";
import { t } from "../../texts";
import { momentOfInput, momentToInput } from "../../times";
import { labelText, put, valueAt, type At } from "./binding";
import { Icon } from "../Icon";
import { Choose, Row, TextInput, type Options } from "./controls";
import { CodePicker } from "./CodePicker";
import { useTyping } from "./typing";

/** A moment of the document, which carries its zone; shown in the tenant's. */
export function MomentInput(props: { at: At; label: string; required?: boolean }): JSX.Element {
  const { at, label, required = false } = props;
  const moment = valueAt<unknown>(at);
  const typing = useTyping(typeof moment === "string" ? momentToInput(moment) : "");
  return (
    <Row {...props}>
      {(tied) => (
        <input
          {...tied}
          {...typing}
          class="form-control"
          type="datetime-local"
          onChange={(event) => {
            const chosen = momentOfInput(event.currentTarget.value);
            put(at, chosen ?? (required ? "" : undefined), label);
          }}
        />
      )}
    </Row>
  );
}

/** Several texts or numbers: one types one and presses Enter. */
export function Tokens(props: {
  at: At;
  label: string;
  hint?: string;
  required?: boolean;
}): JSX.Element {
  const { at, label } = props;
  const [text, setText] = useState("");
  const found = valueAt<unknown>(at);
  const list = isList(found) ? found.map(String) : [];
  const add = (): void => {
    const value = text.trim();
    if (value !== "" && !list.includes(value)) put(at, [...list, value], label);
    setText("");
  };
  return (
    <Row {...props} hint={props.hint ?? t("p.field.tokens")}>
      {(tied) => (
        <div class="picker">
          {list.length > 0 ? (
            <ul class="picked" aria-label={t("p.picker.chosen", { what: label })}>
              {list.map((each) => (
                <li key={each}>
                  <span>{each}</span>
                  <button
                    type="button"
                    disabled={readOnly.value}
                    aria-label={t("p.picker.remove", { name: each })}
                    onClick={() =>
                      put(
                        at,
                        list.filter((other) => other !== each),
                        label,
                      )
                    }
                  >
                    <Icon name="x" />
                  </button>
                </li>
              ))}
            </ul>
          ) : null}
          <input
            {...tied}
            class="form-control"
            autoComplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onBlur={add}
            onKeyDown={(event) => {
              if (event.key === "Enter") {
                event.preventDefault();
                add();
              } else if (event.key === "Backspace" && text === "" && list.length > 0) {
                put(at, list.slice(0, -1), label);
              }
            }}
          />
        </div>
      )}
    </Row>
  );
}

/** Several of a few: boxes to tick; the document holds a list. */
export function Ticks(props: {
  at: At;
  label: string;
  options: Options;
  usual?: readonly string[];
  required?: boolean;
  /** An empty list stays a list. */
  keep?: boolean;
  most?: number;
}): JSX.Element {
  const { at, label, options, usual, most = options.length } = props;
  const found = valueAt<unknown>(at);
  const list: readonly unknown[] = isList(found) ? found : (usual ?? []);
  const set = (value: string, ticked: boolean): void => {
    const next = options
      .map(([each]) => each)
      .filter((each) => (each === value ? ticked : list.includes(each)));
    put(at, next.length === 0 && !props.keep ? undefined : next, label);
  };
  return (
    <Row {...props}>
      {(tied) => (
        <div class="ticks" role="group" aria-label={label} id={tied.id}>
          {options.map(([value, text]) => (
            <label class="form-check" key={value}>
              <input
                class="form-check-input"
                type="checkbox"
                checked={list.includes(value)}
                disabled={!list.includes(value) && list.length >= most}
                onChange={(event) => set(value, event.currentTarget.checked)}
              />
              <span>{text}</span>
            </label>
          ))}
        </div>
      )}
    </Row>
  );
}

export function optionsOf(field: Field | undefined): Options {
  return (field?.options ?? []).map(({ id, label }) => [id, labelText(label) || id] as const);
}

function Codes(props: {
  at: At;
  label: string;
  kind: "user" | "department";
  many: boolean;
}): JSX.Element {
  const { at, label, many } = props;
  const found = valueAt<unknown>(at);
  const codes = isList(found)
    ? found.map(String)
    : typeof found === "string" && found
      ? [found]
      : [];
  return (
    <CodePicker
      {...props}
      most={many ? 100 : 1}
      codes={codes}
      onChange={(next) => put(at, many ? next : next[0], label)}
    />
  );
}

function YesNo({ at, label }: { at: At; label: string }): JSX.Element {
  const value = valueAt<unknown>(at);
  return (
    <Choose
      at={at}
      label={label}
      value={typeof value === "boolean" ? String(value) : ""}
      options={[
        ["", t("p.field.choose")],
        ["true", t("p.say.yes")],
        ["false", t("p.say.no")],
      ]}
      onChoose={(chosen) => put(at, chosen === "" ? undefined : chosen === "true", label)}
    />
  );
}

/** Whole numbers are numbers in the document; other numbers are decimal texts. */
function WholeInput({ at, label }: { at: At; label: string }): JSX.Element {
  const value = valueAt<unknown>(at);
  const shown = typeof value === "number" || typeof value === "string" ? String(value) : "";
  const typing = useTyping(shown, (typed) => {
    const text = typed.trim();
    const whole = /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    put(at, text === "" ? undefined : whole, label, true);
  });
  return (
    <Row at={at} label={label}>
      {(tied) => (
        <input {...tied} {...typing} class="form-control" inputMode="numeric" autoComplete="off" />
      )}
    </Row>
  );
}

/** The types whose value is one text of the document, and the input that fits it. */
const PLAIN: Partial<
  Record<FieldType, { mode?: "decimal"; type?: "date" | "time"; area?: boolean }>
> = {
  number: { mode: "decimal" },
  amount: { mode: "decimal" },
  date: { type: "date" },
  time: { type: "time" },
  long_text: { area: true },
};

/** One value of this field; `many` where the document holds a list of ids. */
export function ValueInput(props: {
  at: At;
  label: string;
  field: Field | undefined;
  many?: boolean;
}): JSX.Element {
  const { at, label, field, many = false } = props;
  if (field && hasOptions(field.type)) {
    return <OptionInput at={at} label={label} field={field} many={many} />;
  }
  switch (field?.type) {
    case "bool":
      return <YesNo at={at} label={label} />;
    case "user":
    case "department":
      return <Codes at={at} label={label} kind={field.type} many={many} />;
    case "timestamp":
      return <MomentInput at={at} label={label} />;
    case "integer":
      return <WholeInput at={at} label={label} />;
    default:
      return <TextInput at={at} label={label} {...PLAIN[field?.type ?? "text"]} />;
  }
}

function OptionInput(props: { at: At; label: string; field: Field; many: boolean }): JSX.Element {
  const { at, label, field } = props;
  if (field.type === "multi_choice") {
    return <Ticks at={at} label={label} options={optionsOf(field)} />;
  }
  if (props.many) return <Ticks at={at} label={label} options={optionsOf(field)} keep />;
  return (
    <Choose
      at={at}
      label={label}
      value={valueAt<string>(at) ?? ""}
      options={[["", t("p.field.choose")], ...optionsOf(field)]}
      onChoose={(chosen) => put(at, chosen || undefined, label)}
    />
  );
}
