// The second stage: what can be asked, what is asked in which order, and how it looks.
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { draft, problems, readOnly } from "../../state";
import { FIELD_TYPES, type Field, type FieldType } from "../../model";
import { mayBeColumn } from "../../model/form";
import { plural, t } from "../../texts";
import { Icon } from "../Icon";
import { Faults, IconButton } from "../fields/controls";
import { fieldName, fieldsNow, idOf, pointerOfProblem } from "../fields/binding";
import { options } from "../fields/options";
import { FieldProperties } from "./FieldProperties";
import { add, chosen, doubtful, duplicate, move, remove } from "./fields";
import { Preview } from "./Preview";
import { startDrag } from "./dragging";

function Palette(): JSX.Element {
  const [table] = (chosen.value ?? "").split(".");
  const into = fieldsNow().find((field) => field.id === table && field.type === "table");
  const list = (types: readonly FieldType[], inside?: string): JSX.Element => (
    <ul>
      {options("type", types).map(([type, label]) => (
        <li key={type}>
          <button
            type="button"
            class="btn btn-plain btn-sm"
            disabled={readOnly.value}
            onClick={() => add(type as FieldType, inside)}
          >
            <Icon name="plus" />
            {label}
          </button>
        </li>
      ))}
    </ul>
  );
  return (
    <section class="palette" aria-label={t("p.form.palette")}>
      <h3>{t("p.form.palette")}</h3>
      {list(FIELD_TYPES)}
      {into ? (
        <>
          <h3>{t("p.form.palette_column", { table: fieldName(into) })}</h3>
          {list(FIELD_TYPES.filter(mayBeColumn), into.id)}
        </>
      ) : null}
    </section>
  );
}

function faultsOf(at: readonly (string | number)[], field: Field): number {
  const here = `/${at.join("/")}`;
  const own = problems.value.filter((problem) => {
    const there = pointerOfProblem(problem);
    return there === here || there.startsWith(`${here}/`);
  });
  // Those of its columns are counted there.
  const inside =
    (field.columns ?? []).length > 0 ? own.filter((each) => /\/columns\/\d/.test(each.at)) : [];
  return own.length - inside.length;
}

function FieldRow(props: {
  name: string;
  field: Field;
  at: readonly (string | number)[];
}): JSX.Element {
  const { name, field, at } = props;
  const isChosen = chosen.value === name;
  const count = faultsOf(at, field);
  const select = (): void => {
    chosen.value = name;
    if (doubtful.peek()?.name !== name) doubtful.value = null;
  };
  const pressed = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.altKey && by !== 0 && !readOnly.value) {
      event.preventDefault();
      move(name, by);
    } else if (event.key === "Delete" && !readOnly.value) remove(name);
    else return;
    event.stopPropagation();
    const button = event.currentTarget as HTMLElement;
    // The row moves in the list with its button; the focus would be lost on the way.
    setTimeout(() =>
      (
        document.getElementById(button.id) ?? document.querySelector<HTMLElement>("[data-field]")
      )?.focus(),
    );
  };
  const what = fieldName(field);
  return (
    <div class={isChosen ? "field-row is-chosen" : "field-row"} data-row={name}>
      <span
        class="drag-handle"
        aria-hidden="true"
        title={t("p.form.drag")}
        onPointerDown={(event) => startDrag(event, name)}
      >
        ⋮⋮
      </span>
      <button
        type="button"
        id={idOf(at)}
        data-field={name}
        aria-pressed={isChosen}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete"
        onClick={select}
        onKeyDown={pressed}
      >
        <span>{what}</span>
        <small>
          {t(`o.type.${field.type}`)}
          {field.required ? ` · ${t("p.form.is_required")}` : ""}
          {count > 0 ? ` · ${plural(count, "p.panel.problem", "p.panel.problem_count")}` : ""}
        </small>
      </button>
      <IconButton
        icon="copy"
        label={t("p.form.duplicate", { name: what })}
        onPress={() => duplicate(name)}
      />
      <IconButton icon="trash" label={t("p.list.remove", { what })} onPress={() => remove(name)} />
    </div>
  );
}

export function FormEditor(): JSX.Element {
  const fields = fieldsNow();
  const list = useRef<HTMLOListElement>(null);
  const name = chosen.value;
  return (
    <div class="form-editor">
      <Palette />
      <section class="field-list" aria-label={t("p.form.fields")}>
        <h3>{t("p.form.fields")}</h3>
        <Faults at={["form"]} />
        <Faults at={["form", "fields"]} />
        {fields.length === 0 ? (
          <p class="form-hint">{t("p.form.empty")}</p>
        ) : (
          <p class="form-hint">{t("p.form.order_hint")}</p>
        )}
        <ol ref={list}>
          {fields.map((field, index) => (
            <li key={field.id}>
              <FieldRow name={field.id} field={field} at={["form", "fields", index]} />
              {field.type === "table" ? (
                <ol>
                  {(field.columns ?? []).map((column, place) => (
                    <li key={column.id}>
                      <FieldRow
                        name={`${field.id}.${column.id}`}
                        field={column}
                        at={["form", "fields", index, "columns", place]}
                      />
                    </li>
                  ))}
                </ol>
              ) : null}
            </li>
          ))}
        </ol>
      </section>
      <section class="field-properties" aria-label={t("p.form.properties")}>
        <h3>{t("p.form.properties")}</h3>
        {name === null ? (
          <p class="form-hint">{t("p.form.choose")}</p>
        ) : (
          <FieldProperties name={name} />
        )}
      </section>
      {draft.value.form === null && fields.length === 0 ? null : <Preview />}
    </div>
  );
}
