// What the people of a step see and change: a default, and a table with a row for each field.
import type { JSX } from "preact";
import { readOnly } from "../../state";
import type { Field, Right, Rights, RowRight } from "../../model";
import { t } from "../../texts";
import {
  fieldName,
  fieldsNow,
  idOf,
  problemsAt,
  put,
  sentenceOf,
  valueAt,
  type At,
} from "../fields/binding";
import { SelectInput } from "../fields/controls";
import { options, wordText, type WordOf } from "../fields/options";

type Usual = "hide" | "read" | "edit";

const ROWS: readonly RowRight[] = ["add", "edit", "delete"];

/** The select of one field or column; without a choice what `inherited` says holds. */
function RightSelect(props: {
  at: At;
  id: string;
  name: string;
  inherited: string;
  note: boolean;
}): JSX.Element {
  const here = [...props.at, "set", props.id];
  const right = valueAt<Right>(here);
  const words: readonly WordOf<"right">[] = props.note
    ? ["hide", "read"]
    : ["hide", "read", "edit", "must"];
  const faults = problemsAt(here, true);
  return (
    <>
      <select
        id={idOf(here)}
        class="form-select"
        aria-label={t("p.rights.of", { field: props.name })}
        aria-invalid={faults.length > 0 ? "true" : undefined}
        aria-describedby={faults.length > 0 ? `${idOf(here)}!` : undefined}
        value={right ?? ""}
        onChange={(event) =>
          put(here, event.currentTarget.value || undefined, t("p.rights.of", { field: props.name }))
        }
      >
        <option value="">{props.inherited}</option>
        {options("right", words).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {faults.length > 0 ? (
        <ul class="field-error" id={`${idOf(here)}!`}>
          {faults.map((fault) => (
            <li key={fault.code}>{sentenceOf(fault)}</li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

/** What may be done with the rows of a table; without a choice the right to the table says it. */
function RowRights({ at, table }: { at: At; table: Field }): JSX.Element {
  const here = [...at, "rows", table.id];
  const rows = valueAt<readonly RowRight[]>(here);
  const label = t("p.rights.rows", { field: fieldName(table) });
  const set = (row: RowRight, ticked: boolean): void =>
    put(
      here,
      ROWS.filter((each) => (each === row ? ticked : (rows ?? ROWS).includes(each))),
      label,
    );
  return (
    <div class="ticks is-line" role="group" aria-label={label} id={idOf(here)}>
      <label class="form-check">
        <input
          class="form-check-input"
          type="checkbox"
          checked={rows === undefined}
          onChange={(event) => put(here, event.currentTarget.checked ? undefined : ROWS, label)}
        />
        <span>{t("p.rights.rows_usual")}</span>
      </label>
      {rows === undefined
        ? null
        : ROWS.map((row) => (
            <label class="form-check" key={row}>
              <input
                class="form-check-input"
                type="checkbox"
                checked={rows.includes(row)}
                onChange={(event) => set(row, event.currentTarget.checked)}
              />
              <span>{wordText("row", row)}</span>
            </label>
          ))}
    </div>
  );
}

function FieldRights({ at, field, usual }: { at: At; field: Field; usual: Usual }): JSX.Element {
  const own = valueAt<Right>([...at, "set", field.id]) ?? usual;
  const inherited = t("p.rights.usual", { right: wordText("right", usual) });
  return (
    <>
      <tr>
        <th scope="row">{fieldName(field)}</th>
        <td>
          <RightSelect
            at={at}
            id={field.id}
            name={fieldName(field)}
            inherited={inherited}
            note={field.type === "note"}
          />
          {field.type === "table" ? <RowRights at={at} table={field} /> : null}
        </td>
      </tr>
      {(field.columns ?? []).map((column) => (
        <tr key={column.id} class="is-column">
          <th scope="row">{fieldName(column)}</th>
          <td>
            <RightSelect
              at={at}
              id={`${field.id}.${column.id}`}
              name={`${fieldName(field)} › ${fieldName(column)}`}
              inherited={t("p.rights.table", { right: wordText("right", own) })}
              note={false}
            />
          </td>
        </tr>
      ))}
    </>
  );
}

/** Entries for fields that the form does not have any more: they can only be taken away. */
function Vanished({ at }: { at: At }): JSX.Element | null {
  const known = new Set(
    fieldsNow().flatMap((field) => [
      field.id,
      ...(field.columns ?? []).map((each) => `${field.id}.${each.id}`),
    ]),
  );
  const rights = valueAt<Rights>(at);
  const lost = [
    ...Object.keys(rights?.set ?? {}).map((id) => ["set", id] as const),
    ...Object.keys(rights?.rows ?? {}).map((id) => ["rows", id] as const),
  ].filter(([, id]) => !known.has(id));
  if (lost.length === 0) return null;
  return (
    <ul class="field-error">
      {lost.map(([member, id]) => (
        <li key={member + id} id={idOf([...at, member, id])}>
          {t("p.rights.vanished", { field: id })}{" "}
          <button
            type="button"
            class="btn btn-plain btn-sm"
            disabled={readOnly.value}
            onClick={() => put([...at, member, id], undefined, t("p.rights.forget", { field: id }))}
          >
            {t("p.rights.forget", { field: id })}
          </button>
        </li>
      ))}
    </ul>
  );
}

export function RightsInputs({ at, usual }: { at: At; usual: Usual }): JSX.Element {
  const fields = fieldsNow();
  const holds = valueAt<Usual>([...at, "default"]) ?? usual;
  return (
    <>
      <SelectInput
        at={[...at, "default"]}
        label={t("p.rights.default")}
        options={options("right", ["hide", "read", "edit"])}
        usual={usual}
      />
      <Vanished at={at} />
      {fields.length === 0 ? (
        <p class="form-hint">{t("p.rights.no_form")}</p>
      ) : (
        <table class="rights">
          <caption class="visually-hidden">{t("p.rights.caption")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("p.rights.field")}</th>
              <th scope="col">{t("p.rights.right")}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <FieldRights key={field.id} at={at} field={field} usual={holds} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
