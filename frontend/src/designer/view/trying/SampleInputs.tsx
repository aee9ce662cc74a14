// The sample request: who starts it, what is filled in, whom the starter picks.
import type { JSX } from "preact";
import type { Field } from "../../model";
import { sample, SAMPLE } from "../../sample";
import { t } from "../../texts";
import { way } from "../../trying";
import { Icon } from "../Icon";
import { CodePicker } from "../fields/CodePicker";
import { fieldName, fieldsNow, valueAt, put, type At } from "../fields/binding";
import { Group } from "../fields/controls";
import { ValueInput } from "../fields/values";

/** Whom a step may be given to at most; the server says when it takes fewer. */
const mostPicked = 20;
const noValue: ReadonlySet<string> = new Set(["note", "file"]);

/** The fields that the starter fills in, once the server has said which. */
function fillable(): readonly Field[] {
  const known = way.value?.fields;
  return fieldsNow().filter(
    ({ id, type }) => !noValue.has(type) && (known === undefined || known.includes(id)),
  );
}

export function SampleInputs(): JSX.Element {
  const { starter, picked } = sample.value;
  const fields = fillable();
  return (
    <section aria-label={t("try.sample")} data-sample="">
      <h2 class="dz-sub">{t("try.sample")}</h2>
      <CodePicker
        at={[SAMPLE, "starter"]}
        kind="user"
        label={t("try.starter")}
        codes={starter}
        most={1}
        onChange={(codes) => put([SAMPLE, "starter"], codes, "")}
      />
      {fields.map((field) =>
        field.type === "table" ? (
          <TableInput key={field.id} field={field} />
        ) : (
          <FieldInput key={field.id} at={[SAMPLE, "values", field.id]} field={field} />
        ),
      )}
      {fields.length === 0 && <p class="person-note">{t("try.no-fields")}</p>}
      {way.value?.picks.map(({ id, name }) => (
        <CodePicker
          key={id}
          at={[SAMPLE, "picked", id]}
          kind="user"
          label={t("try.picks", { step: name })}
          codes={picked[id] ?? []}
          most={mostPicked}
          onChange={(codes) =>
            put([SAMPLE, "picked", id], codes.length === 0 ? undefined : codes, "")
          }
        />
      ))}
    </section>
  );
}

function FieldInput({ at, field }: { at: At; field: Field }): JSX.Element {
  const isOutside = field.type === "user" || field.type === "department";
  const many = isOutside && (field.limits?.max_count ?? 1) > 1;
  return <ValueInput at={at} label={fieldName(field)} field={field} many={many} />;
}

/** Rows of a table; the server answers for each cell. */
function TableInput({ field }: { field: Field }): JSX.Element {
  const at: At = [SAMPLE, "values", field.id];
  const rows = valueAt<readonly unknown[]>(at) ?? [];
  const columns = (field.columns ?? []).filter(({ type }) => !noValue.has(type));
  return (
    <Group at={at} label={fieldName(field)}>
      {rows.map((_, index) => (
        <Group plain key={index} label={t("try.row", { number: index + 1 })}>
          {columns.map((column) => (
            <FieldInput key={column.id} at={[...at, index, column.id]} field={column} />
          ))}
          <button
            type="button"
            class="btn btn-plain btn-sm"
            onClick={() => put([...at, index], undefined, "")}
          >
            <Icon name="x" />
            {t("try.row-remove", { number: index + 1 })}
          </button>
        </Group>
      ))}
      <button
        type="button"
        class="btn btn-plain btn-sm"
        onClick={() => put([...at, rows.length], {}, "")}
      >
        <Icon name="plus" />
        {t("try.row-add")}
      </button>
    </Group>
  );
}
