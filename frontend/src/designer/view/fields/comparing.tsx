// One row of a condition: a field, an operator that fits it, and a value that fits both.
import type { JSX } from "preact";
import {
  setIn,
  type Field,
  type FieldCond,
  type FieldType,
  type Leaf,
  type Scalar,
} from "../../model";
import { t } from "../../texts";
import { fieldName, fieldsNow, put, valueAt, type At } from "./binding";
import { RuleInputs, StepSelect } from "./choices";
import { Choose, Row, SelectInput, TextInput } from "./controls";
import { options, wordText, type WordOf } from "./options";
import { Codes } from "./People";
import { useTyping } from "./typing";
import { MomentInput, Ticks, Tokens, ValueInput, optionsOf } from "./values";
import { tableParts } from "./words";

type Op = WordOf<"op">;
export interface Scope {
  /** Only fields, and nothing that changes with the day: the rule of `show_if`. */
  fieldsOnly: boolean;
  /** A field that must not ask for itself. */
  without?: string | undefined;
}

export const LABEL = "p.cond.label";
const NUMBERS: readonly Op[] = ["eq", "ne", "gt", "ge", "lt", "le", "between", "in"];
const ALWAYS: readonly Op[] = ["empty", "not_empty"];
const NUMERIC: readonly FieldType[] = ["integer", "number", "amount"];
const OPS: Readonly<Record<FieldType, readonly Op[]>> = {
  integer: NUMBERS,
  number: NUMBERS,
  amount: NUMBERS,
  text: ["eq", "ne", "contains", "starts", "ends", "in", "matches"],
  long_text: ["eq", "ne", "contains", "starts", "ends", "in"],
  date: ["eq", "before", "after", "between", "within_last", "within_next"],
  time: ["eq", "before", "after", "between"],
  timestamp: ["eq", "before", "after", "between", "within_last", "within_next"],
  bool: ["is"],
  choice: ["is", "in"],
  multi_choice: ["has", "has_any", "has_all"],
  user: ["is", "in", "under"],
  department: ["is", "in", "under"],
  table: [],
  file: [],
  note: [],
};
/** What changes with the day or the organisation. */
const MOVING: readonly Op[] = ["within_last", "within_next", "under"];

export function comparable(scope: Scope): readonly Field[] {
  return fieldsNow().filter((field) => field.type !== "note" && field.id !== scope.without);
}

function opsOf(field: Field | undefined, scope: Scope): readonly Op[] {
  const own = field ? OPS[field.type] : [];
  return [...own.filter((op) => !scope.fieldsOnly || !MOVING.includes(op)), ...ALWAYS];
}

/** A first comparison with this field: the most natural operator, without a value yet. */
export function freshRow(field: Field | undefined): FieldCond {
  if (!field) return { field: "", op: "not_empty" };
  const first: Op = NUMERIC.includes(field.type) ? "ge" : (OPS[field.type][0] ?? "not_empty");
  return withOp({ field: field.id, op: first }, first, field);
}

/** The row with another operator; the value stays only where it has the same form. */
function withOp(row: FieldCond, op: string, field: Field | undefined): FieldCond {
  const form = formOf(op);
  const rest = setIn(row, ["value"], undefined);
  if (formOf(row.op) === form && row.value !== undefined) return { ...row, op };
  if (form === "none") return { ...rest, op };
  if (form === "pair") return { ...rest, op, value: ["", ""] };
  if (form === "list") return { ...rest, op, value: [] };
  if (form === "days") return { ...rest, op, value: 7 };
  return { ...rest, op, value: field?.type === "bool" ? true : "" };
}

function formOf(op: string): "none" | "one" | "pair" | "list" | "days" {
  const word = tableParts(op)?.op ?? op;
  if (word === "empty" || word === "not_empty") return "none";
  if (word === "between") return "pair";
  if (word === "within_last" || word === "within_next") return "days";
  return ["in", "under", "has_any", "has_all"].includes(word) ? "list" : "one";
}

/** Operators of a table: on the number of its rows, or on the sum of a numeric column. */
function tableOptions(field: Field): readonly (readonly [string, string])[] {
  const sums = (field.columns ?? []).filter((column) => NUMERIC.includes(column.type));
  const names = [
    ["count_", "", t("p.cond.count")] as const,
    ...sums.map(
      (column) => ["sum_", `(${column.id})`, t("p.cond.sum", { column: column.id })] as const,
    ),
  ];
  return names.flatMap(([before, after, name]) =>
    NUMBERS.map((op) => [`${before}${op}${after}`, `${name} ${wordText("op", op)}`] as const),
  );
}

/** The field whose kind of value stands on the right. */
function operandField(field: Field | undefined, op: string): Field | undefined {
  if (tableParts(op)) return { id: "", label: "", type: "number" };
  return field?.type === "multi_choice" ? { ...field, type: "choice" } : field;
}

function DaysInput({ at, label }: { at: At; label: string }): JSX.Element {
  const value = valueAt<unknown>(at);
  const days = typeof value === "string" ? (/^P(\d+)D$/.exec(value)?.[1] ?? value) : value;
  const shown = typeof days === "string" || typeof days === "number" ? String(days) : "";
  const typing = useTyping(shown, (typed) => {
    const text = typed.trim();
    put(at, /^\d{1,5}$/.test(text) ? Number(text) : text, label, true);
  });
  return (
    <Row at={at} label={label}>
      {(tied) => <input {...tied} {...typing} class="form-control is-short" inputMode="numeric" />}
    </Row>
  );
}

function Operand({
  row,
  at,
  field,
}: {
  row: FieldCond;
  at: At;
  field: Field | undefined;
}): JSX.Element | null {
  const here = [...at, "value"];
  const meant = operandField(field, row.op);
  switch (formOf(row.op)) {
    case "none":
      return null;
    case "days":
      return <DaysInput at={here} label={t("p.cond.days")} />;
    case "pair":
      return (
        <div class="panel-pair">
          <PairEnd at={[...here, 0]} label={t("p.cond.low")} field={meant} />
          <PairEnd at={[...here, 1]} label={t("p.cond.high")} field={meant} />
        </div>
      );
    case "list":
      if (meant?.type === "choice") {
        return <Ticks at={here} label={t("p.cond.values")} options={optionsOf(meant)} keep />;
      }
      if (meant?.type === "user" || meant?.type === "department") {
        const kind = row.op === "under" ? "department" : meant.type;
        return <Codes at={here} kind={kind} label={t("p.cond.values")} />;
      }
      return <Tokens at={here} label={t("p.cond.values")} />;
    case "one":
      return <PairEnd at={here} label={t("p.cond.value")} field={meant} />;
  }
}

/** One operand. An empty one stays in its place: a list must not close up. */
function PairEnd(props: { at: At; label: string; field: Field | undefined }): JSX.Element {
  const { at, label, field } = props;
  switch (field?.type) {
    case "timestamp":
      return <MomentInput at={at} label={label} required />;
    case "date":
    case "time":
      return <TextInput at={at} label={label} type={field.type} required />;
    case "integer":
    case "number":
    case "amount":
      return <TextInput at={at} label={label} mode="decimal" required />;
    case "text":
    case "long_text":
      return <TextInput at={at} label={label} required max={1000} />;
    default:
      return <ValueInput at={at} label={label} field={field} />;
  }
}

function FieldRow({ row, at, scope }: { row: FieldCond; at: At; scope: Scope }): JSX.Element {
  const field = fieldsNow().find((each) => each.id === row.field);
  const choose = (id: string): void =>
    put(at, freshRow(fieldsNow().find((each) => each.id === id)), t(LABEL));
  const ops =
    field?.type === "table"
      ? [...tableOptions(field), ...options("op", ALWAYS)]
      : options("op", opsOf(field, scope));
  return (
    <>
      <Choose
        at={[...at, "field"]}
        label={t("p.cond.field")}
        value={row.field}
        options={comparable(scope).map((each) => [each.id, fieldName(each)] as const)}
        onChoose={choose}
      />
      <Choose
        at={[...at, "op"]}
        label={t("p.cond.op")}
        value={row.op}
        options={ops}
        onChoose={(op) => put(at, withOp(row, op, field), t(LABEL))}
      />
      <Operand row={row} at={at} field={field} />
    </>
  );
}

export function LeafInputs({ leaf, at, scope }: { leaf: Leaf; at: At; scope: Scope }): JSX.Element {
  if ("field" in leaf) return <FieldRow row={leaf} at={at} scope={scope} />;
  if ("initiator" in leaf) {
    const kind = ({ in_role: "role", in_department: "department", is: "user" } as const)[
      leaf.initiator
    ];
    return (
      <>
        <Choose
          at={[...at, "initiator"]}
          label={t("p.cond.initiator")}
          value={leaf.initiator}
          options={options("initiator")}
          onChoose={(chosen) => put(at, { initiator: chosen, ids: [] }, t(LABEL))}
        />
        <Codes at={[...at, "ids"]} kind={kind} label={t("p.cond.values")} required />
      </>
    );
  }
  if ("step" in leaf) {
    return (
      <>
        <StepSelect at={[...at, "step"]} label={t("p.cond.step")} required />
        <SelectInput
          at={[...at, "outcome"]}
          label={t("p.cond.outcome")}
          options={options("outcome")}
        />
      </>
    );
  }
  return (
    <>
      <RuleInputs at={at} member="rule" />
      <RuleAnswer at={[...at, "is"]} />
    </>
  );
}

/** What a rule has to say: yes unless something else is written. */
function RuleAnswer({ at }: { at: At }): JSX.Element {
  const value = valueAt<Scalar>(at);
  return (
    <Row at={at} label={t("p.cond.rule_is")} hint={t("p.cond.rule_is_hint")}>
      {(tied) => (
        <input
          {...tied}
          class="form-control"
          autoComplete="off"
          value={value === undefined ? "" : String(value)}
          onInput={(event) => {
            const text = event.currentTarget.value;
            const answers: Record<string, unknown> = { "": undefined, true: true, false: false };
            put(at, text in answers ? answers[text] : text, t("p.cond.rule_is"), true);
          }}
        />
      )}
    </Row>
  );
}
