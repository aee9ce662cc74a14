// What the values of fields may be: numbers exactly, days, times, moments and texts.
import { isList, memberOf } from "../paths";
import type { Field, FieldType, Limits } from "../types";

const SCALE = 60;
const BIGGEST = 2n ** 53n;

/** An exact number, as many times 10^-60; null for what is no whole number or decimal text. */
export function decimalOf(raw: unknown): bigint | null {
  if (typeof raw === "number") return Number.isSafeInteger(raw) ? scaled(String(raw)) : null;
  if (typeof raw !== "string" || !/^-?\d{1,60}(\.\d{1,60})?$/.test(raw)) return null;
  return scaled(raw);
}

function scaled(text: string): bigint {
  const [whole = "0", part = ""] = text.replace("-", "").split(".");
  const value = BigInt(whole + part.padEnd(SCALE, "0"));
  return text.startsWith("-") ? -value : value;
}

/** How many decimals a number really has. */
function decimalsOf(value: bigint): number {
  let decimals = SCALE;
  let rest = value < 0n ? -value : value;
  while (decimals > 0 && rest % 10n === 0n) {
    rest /= 10n;
    decimals -= 1;
  }
  return decimals;
}

const BOUNDS: Readonly<Record<string, readonly [bigint, number]>> = {
  integer: [BIGGEST * 10n ** 60n, 0],
  number: [scaled(`${"9".repeat(20)}.${"9".repeat(10)}`), 10],
  amount: [scaled(`${"9".repeat(15)}.99`), 2],
};

/** Whether a text is a day, `YYYY-MM-DD`. */
export function isDate(raw: unknown): raw is string {
  const found = typeof raw === "string" ? /^(\d{4})-(\d{2})-(\d{2})$/.exec(raw) : null;
  if (found === null) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  const days = month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= days;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** The second of the day of `HH:MM` or `HH:MM:SS`; null for anything else. */
export function secondOf(raw: unknown): number | null {
  const found = typeof raw === "string" ? /^(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(raw) : null;
  if (found === null) return null;
  const [hour, minute, second] = [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
  return hour > 23 || minute > 59 || second > 59 ? null : hour * 3600 + minute * 60 + second;
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.0{1,9})?(?:Z|([+-])(\d{2}):(\d{2}))$/;
/** The seconds since 1970 of an RFC 3339 text with its offset; null for anything else. */
export function momentOf(raw: unknown): number | null {
  const found = typeof raw === "string" ? MOMENT.exec(raw) : null;
  if (found === null || !isDate(found[1]) || secondOf(found[2]) === null) return null;
  const [hours, minutes] = [Number(found[4] ?? 0), Number(found[5] ?? 0)];
  if (hours > 23 || minutes > 59) return null;
  const offset = (hours * 3600 + minutes * 60) * (found[3] === "-" ? -1 : 1);
  const moment = Date.parse(`${found[1]}T${found[2] ?? ""}Z`) / 1000 - offset;
  return moment >= FIRST && moment <= LAST ? moment : null;
}
const FIRST = Date.parse("0001-01-01T00:00:00Z") / 1000;
const LAST = Date.parse("9999-12-31T23:59:59Z") / 1000;

/** Whether a text holds what no text may: control characters, but tab and (with `lines`) newline. */
export function hasBadCharacter(text: string, lines: boolean): boolean {
  const plain = lines ? text.replaceAll("\r\n", "\n\n").replaceAll("\n", "") : text;
  return /[\p{Cc}\p{Cs}]/u.test(plain.replaceAll("\t", ""));
}

/** The number of characters, not of UTF-16 units. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

export function isNumber(type: FieldType): boolean {
  return type in BOUNDS;
}

type Reader = (raw: unknown, type: FieldType) => unknown;
const line: Reader = (raw) => readText(raw, false, 20_000);
const number: Reader = (raw, type) => readNumber(type, raw);
const code: Reader = (raw) => readText(raw, false, 200);
const READERS: Readonly<Partial<Record<FieldType, Reader>>> = {
  text: line,
  choice: line,
  long_text: (raw) => readText(raw, true, 20_000),
  integer: number,
  number,
  amount: number,
  date: (raw) => (isDate(raw) ? raw : undefined),
  time: (raw) => secondOf(raw) ?? undefined,
  timestamp: (raw) => momentOf(raw) ?? undefined,
  bool: (raw) => (typeof raw === "boolean" ? raw : undefined),
  multi_choice: readList,
  file: readList,
  user: code,
  department: code,
};

/** What is compared of a JSON value: undefined when it is none of the type, null when it is empty. */
export function readValue(type: FieldType, raw: unknown): unknown {
  return READERS[type]?.(raw, type);
}

function readText(raw: unknown, lines: boolean, most: number): string | null | undefined {
  if (typeof raw !== "string" || lengthOf(raw) > most || hasBadCharacter(raw, lines)) {
    return undefined;
  }
  return raw === "" ? null : raw;
}

function readNumber(type: string, raw: unknown): bigint | undefined {
  const number = decimalOf(raw);
  const bounds = BOUNDS[type];
  if (number === null || bounds === undefined) return undefined;
  const [largest, decimals] = bounds;
  const size = number < 0n ? -number : number;
  return decimalsOf(number) > decimals || size > largest ? undefined : number;
}

function readList(raw: unknown): readonly string[] | null | undefined {
  if (!isList(raw) || raw.length > 500) return undefined;
  const items = raw.map((item) => readText(item, false, 200));
  if (!items.every((item) => typeof item === "string")) return undefined;
  const chosen = [...new Set(items.map((item) => item.normalize("NFC")))];
  return chosen.length === 0 ? null : chosen;
}

/** Whether a field holds a list of ids. */
export function takesMany(field: Field): boolean {
  if (field.type === "user" || field.type === "department") {
    return Math.max(field.limits?.min_count ?? 0, field.limits?.max_count ?? 0) > 1;
  }
  return field.type === "multi_choice" || field.type === "file";
}

/** Whether a value is one that the field takes, its options and limits included. */
export function fitsField(field: Field, raw: unknown): boolean {
  if (raw === null || raw === undefined) return true;
  const many = takesMany(field);
  const value = many ? readList(raw) : readValue(field.type, raw);
  if (value === undefined || value === null) return value === null;
  return inLimits(field, field.limits ?? {}, value);
}

function inLimits(field: Field, limits: Limits, value: unknown): boolean {
  if (typeof value === "bigint") return numberInLimits(limits, value);
  if (isList(value)) {
    const { length } = value;
    if (length > (limits.max_count ?? 500) || length < (limits.min_count ?? 0)) return false;
  }
  switch (field.type) {
    case "text":
    case "long_text":
      return textInLimits(limits, String(value), field.type === "text" ? 500 : 5000);
    case "date":
      return dayInLimits(limits, String(value));
    case "choice":
    case "multi_choice":
      return areOptions(field, isList(value) ? value : [value]);
    default:
      return true;
  }
}

function textInLimits(limits: Limits, value: string, usual: number): boolean {
  const length = lengthOf(value);
  return length <= (limits.max_length ?? usual) && length >= (limits.min_length ?? 0);
}

function dayInLimits(limits: Limits, day: string): boolean {
  return day >= (limits.earliest ?? day) && day <= (limits.latest ?? day);
}

/** The ids of the options, also of a form that nobody has checked yet. */
export function optionIds(field: Field): readonly string[] {
  const options: unknown = field.options;
  const ids = (isList(options) ? options : []).map((option) => memberOf(option, "id"));
  return ids.map((id) => String(id).normalize("NFC"));
}

function areOptions(field: Field, items: readonly unknown[]): boolean {
  const known = new Set(optionIds(field));
  return items.every((item) => known.has(String(item).normalize("NFC")));
}

function numberInLimits(limits: Limits, value: bigint): boolean {
  const low = decimalOf(limits.min);
  const high = decimalOf(limits.max);
  if ((low !== null && value < low) || (high !== null && value > high)) return false;
  return limits.decimals === undefined || decimalsOf(value) <= limits.decimals;
}

const DURATION =
  /^P(?=[0-9T])(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;
/** Seconds of a duration such as `PT24H`; null when the text is none. */
export function secondsOf(text: string): number | null {
  const found = DURATION.exec(text);
  if (found === null) return null;
  const part = (at: number, seconds: number): number => Number(found[at] ?? 0) * seconds;
  return part(1, 86_400) + part(2, 3600) + part(3, 60) + part(4, 1);
}

/** The longest reminder (seed requirements, P8) in minutes, and the longest wait in seconds. */
export const LONGEST_MINUTES = 525_600;
export const LONGEST_SECONDS = 20 * 366 * 86_400;

/** Seconds of a deadline as it may be written: a number of minutes, blank, or a duration. */
export function minutesRaw(raw: string | number): number | null {
  if (typeof raw === "number") return Number.isInteger(raw) ? raw * 60 : null;
  return raw.trim() === "" ? 0 : secondsOf(raw);
}
