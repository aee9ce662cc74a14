// The first stage: what the process is called, who may start it, how requests are named and told.
import type { JSX } from "preact";
import { draft, readOnly } from "../../state";
import { page } from "../../page";
import { setIn } from "../../model";
import { edit } from "../../state";
import { t } from "../../texts";
import { fieldName, fieldsNow, idOf, put, valueAt } from "../fields/binding";
import { fieldOptions } from "../fields/choices";
import { Faults, Group, NumberInput, Row, SelectInput, TextInput } from "../fields/controls";
import { options } from "../fields/options";
import { OptionalPeople } from "../fields/People";
import { Ticks } from "../fields/values";

const MOST_SUMMARY = 6;
const USUAL_TITLE = "{initiator.name} {flow.name}";

/** The key can change only until the first version is published; the form's key goes along. */
function KeyInput(): JSX.Element {
  const fixed = page().based_on !== null;
  const key = draft.value.flow.key;
  const change = (text: string): void =>
    edit(
      t("p.basics.key"),
      (was) => {
        const renamed = setIn(was, ["flow", "key"], text);
        return was.flow.form ? setIn(renamed, ["flow", "form", "key"], text) : renamed;
      },
      { merge: "key" },
    );
  return (
    <Row
      at={["flow", "key"]}
      label={t("p.basics.key")}
      hint={t(fixed ? "p.basics.key_fixed" : "p.basics.key_hint")}
      required
    >
      {(tied) => (
        <input
          {...tied}
          class="form-control"
          autoComplete="off"
          spellcheck={false}
          maxLength={48}
          readOnly={fixed}
          value={key}
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
    </Row>
  );
}

/** The title of requests, with a button for each thing that can stand in it. */
function TitleInput(): JSX.Element {
  const at = ["flow", "title"];
  const add = (placeholder: string): void => {
    const input = document.getElementById(idOf(at));
    const before = valueAt<string>(at) ?? USUAL_TITLE;
    const place =
      input instanceof HTMLInputElement && valueAt(at) !== undefined
        ? (input.selectionStart ?? before.length)
        : before.length;
    const space = before === "" || before.slice(0, place).endsWith(" ") || place === 0 ? "" : " ";
    put(
      at,
      before.slice(0, place) + space + placeholder + before.slice(place),
      t("p.basics.title"),
    );
    input?.focus();
  };
  const chips: readonly (readonly [string, string])[] = [
    ["{initiator.name}", t("p.basics.chip_initiator")],
    ["{flow.name}", t("p.basics.chip_flow")],
    ["{number}", t("p.basics.chip_number")],
    ["{today}", t("p.basics.chip_today")],
    ...fieldsNow()
      .filter((field) => !["note", "table", "file"].includes(field.type))
      .map((field) => [`{form.${field.id}}`, fieldName(field)] as const),
  ];
  return (
    <>
      <TextInput
        at={at}
        label={t("p.basics.title")}
        hint={t("p.basics.title_hint")}
        max={200}
        placeholder={USUAL_TITLE}
      />
      <ul class="chips" aria-label={t("p.basics.chips")}>
        {chips.map(([placeholder, label]) => (
          <li key={placeholder}>
            <button
              type="button"
              class="btn btn-plain btn-sm"
              title={placeholder}
              onClick={() => add(placeholder)}
            >
              {label}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

export function Basics(): JSX.Element {
  const summary = valueAt<readonly string[]>(["flow", "summary"]) ?? [];
  const fields = fieldOptions().filter(
    ([id]) => fieldsNow().find((each) => each.id === id)?.type !== "note",
  );
  const lost = summary
    .filter((id) => fields.every(([known]) => known !== id))
    .map((id) => [id, id] as const);
  const number = ["flow", "number"];
  return (
    <fieldset class="stage-panel panel-body" disabled={readOnly.value}>
      <Group label={t("p.basics.label")} plain>
        <TextInput at={["flow", "name"]} label={t("p.basics.name")} max={64} required />
        <KeyInput />
      </Group>
      <Group label={t("p.start.label")} plain>
        <Faults at={["flow", "start"]} />
        <OptionalPeople
          at={["flow", "start", "who"]}
          label={t("p.start.who")}
          none={t("p.start.everybody")}
          some={t("p.start.some")}
        />
      </Group>
      <Group label={t("p.basics.requests")} plain>
        <TitleInput />
        {fields.length + lost.length > 0 ? (
          <Ticks
            at={["flow", "summary"]}
            label={t("p.basics.summary", { max: MOST_SUMMARY })}
            options={[...fields, ...lost]}
            most={MOST_SUMMARY}
          />
        ) : (
          <p class="form-hint">{t("p.basics.no_fields")}</p>
        )}
      </Group>
      <Group label={t("p.number.label")} plain>
        <TextInput at={[...number, "prefix"]} label={t("p.number.prefix")} max={20} />
        <SelectInput
          at={[...number, "period"]}
          label={t("p.number.period")}
          options={options("period")}
          usual="none"
        />
        <NumberInput
          at={[...number, "width"]}
          label={t("p.number.width")}
          min={3}
          max={10}
          usual={6}
        />
      </Group>
    </fieldset>
  );
}
