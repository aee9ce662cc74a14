// The small inputs of the panels: each has a label, its hint and, beside it, what is wrong with it.
import type { ComponentChildren, JSX, TargetedEvent } from "preact";
import { readOnly } from "../../state";
import type { Problem } from "../../model";
import { t } from "../../texts";
import { Icon } from "../Icon";
import { useTyping } from "./typing";
import { idOf, problemsAt, put, sentenceOf, valueAt, type At } from "./binding";

export interface Base {
  /** The member of the draft that this is about: its problems are shown here. */
  at: At;
  label: string;
  hint?: string | undefined;
  required?: boolean | undefined;
}

/** What ties a control to its label, its hint and its problems. */
export interface Tied {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: "true";
  "aria-required"?: "true";
}

export type Options = readonly (readonly [value: string, label: string])[];

export function Faults({ at, below = false }: { at: At; below?: boolean }): JSX.Element | null {
  return <FaultList id={`${idOf(at)}!`} faults={problemsAt(at, below)} />;
}

function FaultList({ id, faults }: { id: string; faults: readonly Problem[] }): JSX.Element | null {
  if (faults.length === 0) return null;
  return (
    <ul class="field-error" id={id}>
      {faults.map((fault) => (
        <li key={`${fault.code}${fault.at}`} class={fault.level === "warning" ? "is-warning" : ""}>
          {sentenceOf(fault)}
        </li>
      ))}
    </ul>
  );
}

function tied(base: Base, faults: readonly Problem[]): Tied {
  const id = idOf(base.at);
  const described = [faults.length > 0 ? `${id}!` : "", base.hint ? `${id}?` : ""];
  const by = described.filter(Boolean).join(" ");
  return {
    id,
    ...(by ? { "aria-describedby": by } : {}),
    ...(faults.some((fault) => fault.level === "error") ? { "aria-invalid": "true" as const } : {}),
    ...(base.required ? { "aria-required": "true" as const } : {}),
  };
}

function Mark({ required }: { required?: boolean | undefined }): JSX.Element | null {
  if (!required) return null;
  return (
    <span class="required" title={t("p.field.required")} aria-hidden="true">
      *
    </span>
  );
}

function Hint({ base }: { base: Base }): JSX.Element | null {
  if (!base.hint) return null;
  return (
    <div class="form-hint" id={`${idOf(base.at)}?`}>
      {base.hint}
    </div>
  );
}

/** Whether one control shows all of this value; the parts of an object have controls of their own. */
function isWhole(at: At): boolean {
  const value = valueAt<unknown>(at);
  return typeof value !== "object" || value === null || Array.isArray(value);
}

/** A labelled control of any kind; the child gets what ties it to label, hint and problems. */
export function Row(props: Base & { children: (tied: Tied) => ComponentChildren }): JSX.Element {
  const faults = problemsAt(props.at, isWhole(props.at));
  const control = tied(props, faults);
  return (
    <div class="field">
      <label class="form-label" for={control.id}>
        {props.label}
        <Mark required={props.required} />
      </label>
      {props.children(control)}
      <FaultList id={`${control.id}!`} faults={faults} />
      <Hint base={props} />
    </div>
  );
}

/** Several controls under one legend. */
export function Group(
  props: Omit<Base, "at"> & { at?: At; children: ComponentChildren; plain?: boolean },
): JSX.Element {
  return (
    <fieldset class={props.plain ? "panel-group is-plain" : "panel-group"}>
      <legend class="form-label">
        {props.label}
        <Mark required={props.required} />
      </legend>
      {props.hint ? <p class="form-hint">{props.hint}</p> : null}
      {props.at ? <Faults at={props.at} /> : null}
      {props.children}
    </fieldset>
  );
}

/** A text; an empty one takes the member away unless it has to be there. */
export function TextInput(
  props: Base & {
    max?: number;
    area?: boolean;
    list?: Options;
    mode?: "decimal" | "url";
    type?: "date" | "time";
    placeholder?: string | undefined;
  },
): JSX.Element {
  const { at, label, required = false } = props;
  const found = valueAt<unknown>(at);
  const value = typeof found === "string" || typeof found === "number" ? String(found) : "";
  const typed = (event: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>): void => {
    const text = event.currentTarget.value;
    put(at, text === "" && !required ? undefined : text, label, true);
  };
  const list = props.list && props.list.length > 0 ? `${idOf(at)}~` : undefined;
  return (
    <Row {...props}>
      {(control) =>
        props.area ? (
          <textarea
            {...control}
            class="form-control"
            rows={3}
            maxLength={props.max}
            value={value}
            onInput={typed}
          />
        ) : (
          <>
            <input
              {...control}
              class="form-control"
              type={props.type ?? "text"}
              inputMode={props.mode}
              maxLength={props.max}
              list={list}
              autoComplete="off"
              placeholder={props.placeholder}
              value={value}
              onInput={typed}
            />
            {list ? (
              <datalist id={list}>
                {props.list?.map(([code, name]) => (
                  <option key={code} value={code} label={name} />
                ))}
              </datalist>
            ) : null}
          </>
        )
      }
    </Row>
  );
}

/** A whole number; an empty one takes the member away, and then `usual` holds. */
export function NumberInput(
  props: Base & { min: number; max: number; usual?: number },
): JSX.Element {
  const { at, label, usual } = props;
  const found = valueAt<unknown>(at);
  const value = typeof found === "number" || typeof found === "string" ? String(found) : "";
  const typing = useTyping(value, (text) => {
    const number = Number(text);
    put(at, text === "" || !Number.isFinite(number) ? undefined : number, label, true);
  });
  return (
    <Row {...props}>
      {(control) => (
        <input
          {...control}
          {...typing}
          class="form-control is-short"
          type="number"
          min={props.min}
          max={props.max}
          step={1}
          placeholder={usual === undefined ? undefined : String(usual)}
        />
      )}
    </Row>
  );
}

/** One of a few words of the document; choosing `usual` takes the member away. */
export function SelectInput(
  props: Base & { options: Options; usual?: string | undefined },
): JSX.Element {
  const { at, label, usual } = props;
  const value = valueAt<unknown>(at) ?? usual;
  return (
    <Choose
      {...props}
      value={typeof value === "string" ? value : ""}
      onChoose={(chosen) => put(at, chosen === usual ? undefined : chosen, label)}
    />
  );
}

/** A select whose choice the caller understands. */
export function Choose(
  props: Base & { options: Options; value: string; onChoose: (value: string) => void },
): JSX.Element {
  const unknown = props.value !== "" && props.options.every(([value]) => value !== props.value);
  return (
    <Row {...props}>
      {(control) => (
        <select
          {...control}
          class="form-select"
          value={props.value}
          onChange={(event) => props.onChoose(event.currentTarget.value)}
        >
          {props.value === "" && props.options.every(([value]) => value !== "") ? (
            <option value="">{t("p.field.choose")}</option>
          ) : null}
          {props.options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          {unknown ? (
            <option value={props.value}>{t("p.field.unknown", { what: props.value })}</option>
          ) : null}
        </select>
      )}
    </Row>
  );
}

/** Yes or no; the usual answer takes the member away. */
export function CheckInput(props: Base & { usual?: boolean }): JSX.Element {
  const { at, label, usual = false } = props;
  const value = valueAt<boolean>(at) ?? usual;
  return (
    <Check
      {...props}
      value={value}
      onCheck={(now) => put(at, now === usual ? undefined : now, label)}
    />
  );
}

/** A box to tick whose meaning the caller knows. */
export function Check(
  props: Base & { value: boolean; onCheck: (value: boolean) => void },
): JSX.Element {
  const faults = problemsAt(props.at, true);
  // A box may not say that it is required: it always has an answer.
  const control = tied({ ...props, required: false }, faults);
  return (
    <div class="field is-check">
      <label class="form-check">
        <input
          {...control}
          class="form-check-input"
          type="checkbox"
          checked={props.value}
          onChange={(event) => props.onCheck(event.currentTarget.checked)}
        />
        <span>{props.label}</span>
      </label>
      <FaultList id={`${control.id}!`} faults={faults} />
      <Hint base={props} />
    </div>
  );
}

/** A button that only shows its icon; the label is for the screen reader and the tooltip. */
export function IconButton(props: {
  icon: string;
  label: string;
  disabled?: boolean;
  onPress: () => void;
}): JSX.Element {
  return (
    <button
      type="button"
      class="btn btn-plain btn-sm btn-icon"
      title={props.label}
      aria-label={props.label}
      disabled={(props.disabled ?? false) || readOnly.value}
      onClick={props.onPress}
    >
      <Icon name={props.icon} />
    </button>
  );
}

export function AddButton({ label, onPress }: { label: string; onPress: () => void }): JSX.Element {
  return (
    <button type="button" class="btn btn-plain btn-sm" disabled={readOnly.value} onClick={onPress}>
      <Icon name="plus" />
      {label}
    </button>
  );
}
