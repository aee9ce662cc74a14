// The operators of conditions: which type has which, and what they compare with (`operators.py`).
import { isList } from "../paths";
import type { FieldType, Scalar } from "../types";
import { MOST_LISTED } from "../types";
import { decimalOf, hasBadCharacter, isDate, isNumber, momentOf, secondOf } from "./values";

/** What stands in `value`: nothing, one, from and to (inclusive), a list, a number of days. */
export type OperandForm = "none" | "one" | "pair" | "list" | "days";
const FORMS: Readonly<Record<string, OperandForm>> = {
  empty: "none",
  not_empty: "none",
  between: "pair",
  in: "list",
  has_any: "list",
  has_all: "list",
  under: "list",
  within_last: "days",
  within_next: "days",
};
export function operandForm(op: string): OperandForm {
  return FORMS[op] ?? "one";
}

const ANY = ["empty", "not_empty"];
const TEXT = ["eq", "ne", "contains", "starts", "ends", "in"];
const MOMENT = ["eq", "before", "after", "between"];
const WITHIN = ["within_last", "within_next"];
const DIRECTORY = ["is", "in", "under"];
export const NUMBER_OPERATORS: readonly string[] = [
  "eq",
  "ne",
  "gt",
  "ge",
  "lt",
  "le",
  "between",
  "in",
];
/** The operators of each type; a table has those of `TABLE_OPERATOR` besides. */
export const OPERATORS: Readonly<Record<FieldType, readonly string[]>> = {
  integer: [...NUMBER_OPERATORS, ...ANY],
  number: [...NUMBER_OPERATORS, ...ANY],
  amount: [...NUMBER_OPERATORS, ...ANY],
  text: [...TEXT, "matches", ...ANY],
  long_text: [...TEXT, ...ANY],
  date: [...MOMENT, ...WITHIN, ...ANY],
  time: [...MOMENT, ...ANY],
  timestamp: [...MOMENT, ...WITHIN, ...ANY],
  bool: ["is", ...ANY],
  choice: ["is", "in", ...ANY],
  multi_choice: ["has", "has_any", "has_all", ...ANY],
  user: [...DIRECTORY, ...ANY],
  department: [...DIRECTORY, ...ANY],
  table: ANY,
  file: ANY,
  note: [],
};
/** `count_ge`, `sum_gt(amount)`: a number operator on the rows of a table or on a column. */
export const TABLE_OPERATOR = /^(?:count_([a-z]{2,7})|sum_([a-z]{2,7})\(([a-z][a-z0-9_]{0,47})\))$/;

const SETS: ReadonlySet<FieldType> = new Set(["multi_choice", "user", "department"]);
const MOST_DAYS = 36_600;

/** Whether the operand has the form and kind that this operator of this type needs. */
export function operandFits(type: FieldType, op: string, operand: unknown): boolean {
  const kind: FieldType = SETS.has(type) ? "choice" : type;
  switch (operandForm(op)) {
    case "none":
      return operand === undefined || operand === null;
    case "days":
      return isDays(operand);
    case "one":
      return fits(kind, operand);
    case "list":
      return isListOf(kind, operand);
    case "pair":
      return isListOf(kind, operand) && isRange(type, operand);
  }
}

function isListOf(kind: FieldType, operand: unknown): operand is readonly Scalar[] {
  if (!isList(operand) || operand.length < 1 || operand.length > MOST_LISTED) return false;
  return operand.every((item) => fits(kind, item));
}

function isDays(operand: unknown): boolean {
  if (typeof operand === "number") {
    return Number.isInteger(operand) && operand >= 0 && operand <= MOST_DAYS;
  }
  const found = typeof operand === "string" ? /^P(\d{1,5})([DW])$/.exec(operand) : null;
  return found !== null && Number(found[1]) * (found[2] === "W" ? 7 : 1) <= MOST_DAYS;
}

function fits(kind: FieldType, operand: unknown): boolean {
  if (typeof operand === "string" && (operand === "" || hasBadCharacter(operand, true))) {
    return false;
  }
  return comparable(kind, operand) !== null;
}

/** What is compared of a value; null when it is of another kind. */
function comparable(kind: FieldType, value: unknown): string | number | bigint | boolean | null {
  if (isNumber(kind)) return decimalOf(value);
  switch (kind) {
    case "bool":
      return typeof value === "boolean" ? value : null;
    case "date":
      return isDate(value) ? value : null;
    case "time":
      return secondOf(value);
    case "timestamp":
      return momentOf(value);
    default:
      return typeof value === "string" ? value.normalize("NFC") : null;
  }
}

function isRange(kind: FieldType, operand: readonly Scalar[]): boolean {
  const [low, high] = operand.map((item) => comparable(kind, item));
  if (operand.length !== 2 || low === undefined || high === undefined) return false;
  return low !== null && high !== null && low <= high;
}
