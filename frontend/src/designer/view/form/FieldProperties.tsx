// The properties of one field of the form, or of one column of a table.
import type { JSX } from "preact";
import { draft, edit, readOnly } from "../../state";
import {
  FIELD_TYPES,
  type Field,
  type FieldType,
  type Label,
  type Limits,
  type Option,
} from "../../model";
import {
  LIMITS_OF,
  MOST_COLUMNS,
  MOST_OPTIONS,
  fieldNamed,
  fieldPath,
  hasOptions,
  isNumeric,
  mayBeColumn,
  mayDefault,
  renameField,
} from "../../model/form";
import { t } from "../../texts";
import {
  fieldName,
  problemsAt,
  put,
  references,
  sentenceOf,
  valueAt,
  type At,
} from "../fields/binding";
import { CommitInput } from "../fields/CommitInput";
import { ConditionInputs } from "../fields/Condition";
import { CheckInput, Choose, Faults, Group, NumberInput, Row, TextInput } from "../fields/controls";
import { ListEditor } from "../fields/lists";
import { options } from "../fields/options";
import { Ticks, ValueInput } from "../fields/values";
import { add, changeType, chosen, countOfUses, doubtful, remove, usesInWords } from "./fields";

const ID = /^[a-z][a-z0-9_]{0,47}$/;

function joined(en: string, zh: string): Label | undefined {
  if (zh === "") return en === "" ? undefined : en;
  return { ...(en === "" ? {} : { en }), "zh-hans": zh };
}

/** A text in both languages; without the second one the first stands for both. */
function LabelInputs(props: {
  at: At;
  label: string;
  required?: boolean;
  area?: boolean;
  max: number;
}): JSX.Element {
  const { at, label, required = false, max } = props;
  const found = valueAt<Label>(at);
  const en = typeof found === "string" ? found : (found?.en ?? "");
  const zh = typeof found === "string" ? "" : (found?.["zh-hans"] ?? "");
  const set = (next: Label | undefined): void =>
    put(at, next ?? (required ? "" : undefined), label, true);
  const fields = [
    {
      key: "en",
      lang: "en",
      text: en,
      name: label,
      write: (text: string) => set(joined(text, zh)),
    },
    {
      key: "zh-hans",
      lang: "zh-Hans",
      text: zh,
      name: t("p.form.in_chinese", { what: label }),
      write: (text: string) => set(joined(en, text)),
    },
  ];
  return (
    <>
      <Faults at={at} />
      {fields.map(({ key, lang, text, name, write }) => (
        <Row key={key} at={[...at, key]} label={name} required={required && key === "en"}>
          {(tied) =>
            props.area ? (
              <textarea
                {...tied}
                class="form-control"
                rows={2}
                lang={lang}
                maxLength={max}
                value={text}
                onInput={(event) => write(event.currentTarget.value)}
              />
            ) : (
              <input
                {...tied}
                class="form-control"
                lang={lang}
                maxLength={max}
                autoComplete="off"
                value={text}
                onInput={(event) => write(event.currentTarget.value)}
              />
            )
          }
        </Row>
      ))}
    </>
  );
}

/** The id; references to the field go along when it changes. */
function IdInput({ name, field, at }: { name: string; field: Field; at: At }): JSX.Element {
  const change = (text: string): boolean => {
    if (text === field.id) return true;
    const before = draft.peek();
    const after = ID.test(text) ? renameField(before, name, text) : before;
    if (after === before) return false;
    edit(t("p.form.id"), () => after);
    const dot = name.indexOf(".");
    chosen.value = dot < 0 ? text : `${name.slice(0, dot)}.${text}`;
    return true;
  };
  return (
    <Row at={[...at, "id"]} label={t("p.form.id")} hint={t("p.form.id_hint")} required>
      {(tied) => (
        <CommitInput
          {...tied}
          spellcheck={false}
          maxLength={48}
          text={field.id}
          onCommit={change}
        />
      )}
    </Row>
  );
}

/** Asked again: what the wish would break, and the two answers. */
function Doubt({ name }: { name: string }): JSX.Element | null {
  const wish = doubtful.value;
  if (wish?.name !== name) return null;
  const field = fieldNamed(draft.value.form, name);
  const title = field ? fieldName(field) : name;
  const removes = wish.kind === "remove";
  return (
    <div class="alert alert-warning" role="alert">
      <div>
        <p>{t(removes ? "p.form.used_remove" : "p.form.used_retype", { name: title })}</p>
        <ul>
          {usesInWords(name).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        <button
          type="button"
          class="btn btn-reject btn-sm"
          onClick={() =>
            wish.kind === "remove" ? remove(name, true) : changeType(name, wish.type, true)
          }
        >
          {t(removes ? "p.form.remove_anyway" : "p.form.retype_anyway")}
        </button>{" "}
        <button type="button" class="btn btn-plain btn-sm" onClick={() => (doubtful.value = null)}>
          {t("p.form.keep")}
        </button>
      </div>
    </div>
  );
}

function LimitInputs({ at, type }: { at: At; type: FieldType }): JSX.Element | null {
  const known = LIMITS_OF[type];
  if (!known) return null;
  const here = [...at, "limits"];
  const input = (name: keyof Limits): JSX.Element => {
    const label = t(`p.form.limit_${name}`);
    const where = [...here, name];
    if (name === "min" || name === "max")
      return <TextInput key={name} at={where} label={label} mode="decimal" />;
    if (name === "earliest" || name === "latest") {
      return <TextInput key={name} at={where} label={label} type="date" />;
    }
    const most = {
      min_length: 20_000,
      max_length: 20_000,
      decimals: 10,
      min_count: 500,
      max_count: 500,
    }[name];
    return <NumberInput key={name} at={where} label={label} min={0} max={most} />;
  };
  return (
    <Group label={t("p.form.limits")}>
      <Faults at={here} />
      <div class="panel-pair">{known.map(input)}</div>
    </Group>
  );
}

function OptionInputs({ at }: { at: At }): JSX.Element {
  const list = valueAt<readonly Option[]>(at) ?? [];
  const fresh = (): Option => {
    let number = list.length + 1;
    while (list.some((option) => option.id === `option_${number}`)) number += 1;
    return { id: `option_${number}`, label: t("p.form.option", { number }) };
  };
  return (
    <Group label={t("p.form.options")} required>
      <ListEditor<Option>
        at={at}
        label={t("p.form.options")}
        add={t("p.form.add_option")}
        most={MOST_OPTIONS}
        least={1}
        ordered
        name={(_option, index) => t("p.form.option", { number: index + 1 })}
        fresh={fresh}
      >
        {(_option, here) => (
          <>
            <LabelInputs
              at={[...here, "label"]}
              label={t("p.form.option_label")}
              max={200}
              required
            />
            <TextInput at={[...here, "id"]} label={t("p.form.option_id")} max={200} required />
          </>
        )}
      </ListEditor>
    </Group>
  );
}

/** Columns are fields of their own in the list beside; here new ones are made. */
function ColumnInputs({ name, field, at }: { name: string; field: Field; at: At }): JSX.Element {
  const columns = field.columns ?? [];
  return (
    <Group label={t("p.form.columns")} required hint={t("p.form.columns_hint")}>
      <Faults at={[...at, "columns"]} />
      {columns.length < MOST_COLUMNS ? (
        <Choose
          at={[...at, "*"]}
          label={t("p.form.add_column")}
          value=""
          options={options("type", FIELD_TYPES.filter(mayBeColumn))}
          onChoose={(type) => add(type as FieldType, name)}
        />
      ) : null}
    </Group>
  );
}

const ADDENDS: Partial<Record<FieldType, readonly FieldType[]>> = {
  integer: ["integer"],
  amount: ["integer", "amount"],
  number: ["integer", "number", "amount"],
};

function SumInputs({ at, field }: { at: At; field: Field }): JSX.Element {
  const parts = references().filter(
    (each) => each.field !== field && (ADDENDS[field.type] ?? []).includes(each.field.type),
  );
  const known = parts.map(({ id, name }) => [id, name] as const);
  const lost = (field.sum_of ?? [])
    .filter((id) => parts.every((each) => each.id !== id))
    .map((id) => [id, t("p.field.unknown", { what: id })] as const);
  if (known.length + lost.length === 0) return <p class="form-hint">{t("p.form.sum_none")}</p>;
  return <Ticks at={[...at, "sum_of"]} label={t("p.form.sum_of")} options={[...known, ...lost]} />;
}

function takesMany(field: Field): boolean {
  const { min_count: low = 0, max_count: high = 0 } = field.limits ?? {};
  return field.type === "multi_choice" || Math.max(low, high) > 1;
}

/** What may be filled in: whether it must be, from which options, within which limits. */
function ContentInputs(props: { name: string; field: Field; at: At }): JSX.Element {
  const { name, field, at } = props;
  const isSum = (field.sum_of ?? []).length > 0;
  return (
    <>
      {field.type === "note" || isSum ? null : (
        <CheckInput at={[...at, "required"]} label={t("p.form.required")} />
      )}
      {hasOptions(field.type) ? <OptionInputs at={[...at, "options"]} /> : null}
      {field.type === "table" ? <ColumnInputs name={name} field={field} at={at} /> : null}
      {mayDefault(field.type) && !isSum ? (
        <ValueInput
          at={[...at, "default"]}
          label={t("p.form.default")}
          field={field}
          many={takesMany(field)}
        />
      ) : null}
      <LimitInputs at={at} type={field.type} />
    </>
  );
}

function UsedIn({ name }: { name: string }): JSX.Element | null {
  const lines = usesInWords(name);
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>{countOfUses(name)}</summary>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}

export function FieldProperties({ name }: { name: string }): JSX.Element | null {
  const { form } = draft.value;
  const field = fieldNamed(form, name);
  const path = fieldPath(form, name);
  if (!field || !path) return null;
  const at = ["form", ...path];
  const isColumn = name.includes(".");
  const types = isColumn ? FIELD_TYPES.filter(mayBeColumn) : FIELD_TYPES;
  const sums = !isColumn && isNumeric(field.type);
  return (
    <fieldset class="panel-body" disabled={readOnly.value} key={name}>
      <Doubt name={name} />
      <ul class="field-error">
        {problemsAt(at, false).map((problem) => (
          <li key={problem.code}>{sentenceOf(problem)}</li>
        ))}
      </ul>
      <LabelInputs at={[...at, "label"]} label={t("p.form.label")} max={200} required />
      <Choose
        at={[...at, "type"]}
        label={t("p.form.type")}
        value={field.type}
        options={options("type", types)}
        onChoose={(type) => changeType(name, type as FieldType)}
      />
      <LabelInputs
        at={[...at, "help"]}
        label={field.type === "note" ? t("p.form.note_text") : t("p.form.help")}
        max={1000}
        area
      />
      <ContentInputs name={name} field={field} at={at} />
      {sums ? <SumInputs at={at} field={field} /> : null}
      {isColumn ? null : (
        <ConditionInputs
          at={[...at, "show_if"]}
          label={t("p.form.show_if")}
          none={t("p.form.show_always")}
          without={field.id}
          fieldsOnly
        />
      )}
      <IdInput name={name} field={field} at={at} />
      <UsedIn name={name} />
    </fieldset>
  );
}
