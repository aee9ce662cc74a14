// Everything wrong with a form document (`forms/reading.py`).
import {
  LIMITS_OF,
  hasOptions,
  isNumeric,
  mayBeColumn,
  mayDefault,
  MOST_COLUMNS,
  MOST_FIELDS,
  MOST_OPTIONS,
} from "../form";
import { isList, isRecord } from "../paths";
import { type Cond, type Field, FIELD_TYPES, type FieldType, type Limits } from "../types";
import { readCond } from "./cond-reading";
import { checkShowIf, fieldsAsked } from "./conditions";
import { type Args, below, error, type Finding, printable } from "./finding";
import { decimalOf, fitsField, hasBadCharacter, isDate, lengthOf, readValue } from "./values";

type Rec = Readonly<Record<string, unknown>>;
const LONGEST_LABEL = 200;
const LONGEST_HELP = 1000;
const MOST_PARTS = 100;
const ID = /^[a-z][a-z0-9_]{0,47}$/;
const PART = /^[a-z][a-z0-9_]{0,47}(\.[a-z][a-z0-9_]{0,47})?$/;
const COLUMN_KEYS = ["id", "type", "label", "required", "help", "default", "options", "limits"];
const FIELD_KEYS = [...COLUMN_KEYS, "columns", "show_if", "sum_of"];
// Numbers that a sum of this type may add up exactly.
const ADDENDS: Readonly<Partial<Record<FieldType, readonly FieldType[]>>> = {
  integer: ["integer"],
  amount: ["integer", "amount"],
  number: ["integer", "number", "amount"],
};

interface Sound {
  readonly number: number;
  readonly field: Field;
}

/** Every problem of a form, field by field. */
export function checkForm(raw: unknown): readonly Finding[] {
  const reading = new Reading();
  reading.form(raw);
  const place = ({ at }: Finding): number => Number(/^\/fields\/(\d+)/.exec(at)?.[1] ?? -1);
  return reading.findings.sort((one, other) => place(one) - place(other));
}

class Reading {
  readonly findings: Finding[] = [];
  /** Ids of fields that exist but could not be read. */
  private readonly broken = new Set<string>();

  form(raw: unknown): void {
    if (!isRecord(raw)) {
      this.add("doc.bad_type", "", { expected: "object" });
      return;
    }
    this.keys(raw, ["formdoc", "fields"], "");
    if (raw["formdoc"] !== 1) this.add("doc.version", "/formdoc", { supported: 1 });
    const sound = this.fields(raw["fields"], "/fields", FIELD_KEYS, MOST_FIELDS);
    for (const found of across(sound)) {
      if (!this.broken.has(String(found.args["field"] ?? ""))) this.findings.push(found);
    }
  }

  private fields(
    raw: unknown,
    at: string,
    keys: readonly string[],
    most: number,
  ): readonly Sound[] {
    const sound: Sound[] = [];
    const seen = new Set<string>();
    for (const [number, item] of this.list(raw, at, most).entries()) {
      const before = this.findings.length;
      const where = below(at, number);
      if (!isRecord(item)) {
        this.add("doc.bad_type", where, { expected: "object" });
        continue;
      }
      const id = this.id(item, where, seen);
      this.field(item, where, keys);
      if (this.findings.length === before) sound.push({ number, field: item as unknown as Field });
      else this.broken.add(id);
    }
    return sound;
  }

  private field(raw: Rec, at: string, keys: readonly string[]): void {
    this.keys(raw, keys, at);
    const type = raw["type"] as FieldType;
    if (!FIELD_TYPES.includes(type)) {
      const got = typeof raw["type"] === "string" ? printable(raw["type"]) : "";
      this.add("form.unknown_type", below(at, "type"), { type: got });
      return;
    }
    this.label(raw["label"], below(at, "label"), LONGEST_LABEL);
    this.required(raw, type, at);
    if (isGiven(raw["help"])) this.label(raw["help"], below(at, "help"), LONGEST_HELP);
    this.options(raw, type, at);
    const limits = this.limits(raw, type, at);
    this.columns(raw, type, at);
    this.sum(raw, type, at);
    if (isGiven(raw["show_if"]) && keys.includes("show_if")) {
      this.findings.push(...readCond(raw["show_if"], below(at, "show_if"), null));
    }
    this.default({ ...raw, limits }, type, at);
  }

  private id(raw: Rec, at: string, seen: Set<string>): string {
    const id = raw["id"] ?? "";
    const where = below(at, "id");
    if (id === "") this.add("id.missing", where);
    else if (typeof id !== "string" || !ID.test(id))
      this.add("doc.bad_value", where, { expected: "id" });
    else if (seen.has(id)) this.add("id.duplicate", where, { id });
    else {
      seen.add(id);
      return id;
    }
    return "";
  }

  private label(raw: unknown, at: string, most: number): void {
    if (!isRecord(raw)) {
      this.text(raw, at, most);
      return;
    }
    this.keys(raw, ["en", "zh-hans"], at);
    const languages = ["en", "zh-hans"].filter((name) => Object.hasOwn(raw, name));
    for (const language of languages) this.text(raw[language], below(at, language), most);
    if (languages.length === 0) this.add("form.field_missing", at, { key: "en" });
  }

  private options(raw: Rec, type: FieldType, at: string): void {
    const where = below(at, "options");
    if (!this.allowed(raw, "options", at, type, hasOptions(type))) return;
    const seen = new Set<string>();
    const given = Object.hasOwn(raw, "options") ? raw["options"] : [];
    let many = 0;
    for (const [number, item] of this.list(given, where, MOST_OPTIONS).entries()) {
      const here = below(where, number);
      if (!isRecord(item)) {
        this.add("doc.bad_type", here, { expected: "object" });
        continue;
      }
      many += 1;
      this.keys(item, ["id", "label"], here);
      const id = this.text(item["id"], below(here, "id"), LONGEST_LABEL);
      if (id !== "" && seen.has(id)) {
        this.add("form.option_duplicate", below(here, "id"), { id: printable(id) });
      }
      seen.add(id);
      this.label(item["label"], below(here, "label"), LONGEST_LABEL);
    }
    if (many === 0) this.add("form.options_missing", where);
  }

  private columns(raw: Rec, type: FieldType, at: string): void {
    if (!this.allowed(raw, "columns", at, type, type === "table")) return;
    const where = below(at, "columns");
    const sound = this.fields(raw["columns"], where, COLUMN_KEYS, MOST_COLUMNS);
    if (isList(raw["columns"]) && raw["columns"].length === 0)
      this.add("form.columns_missing", where);
    for (const { number, field } of sound) {
      if (mayBeColumn(field.type)) continue;
      this.add("form.bad_column", below(where, number, "type"), { type: field.type });
    }
  }

  private sum(raw: Rec, type: FieldType, at: string): void {
    if (!this.allowed(raw, "sum_of", at, type, isNumeric(type)) || !isGiven(raw["sum_of"])) return;
    const where = below(at, "sum_of");
    const parts = new Set<string>();
    for (const [number, name] of this.list(raw["sum_of"], where, MOST_PARTS).entries()) {
      if (typeof name !== "string" || !PART.test(name) || parts.has(name)) {
        this.add("doc.bad_value", below(where, number), { expected: "id" });
      } else {
        parts.add(name);
      }
    }
  }

  /** The limits that are sound. */
  private limits(raw: Rec, type: FieldType, at: string): Limits {
    const given = raw["limits"] ?? null;
    const where = below(at, "limits");
    if (given === null) return {};
    if (!isRecord(given)) {
      this.add("doc.bad_type", where, { expected: "object" });
      return {};
    }
    const known = LIMITS_OF[type] ?? [];
    this.keys(given, known, where);
    const read: Record<string, unknown> = {};
    for (const key of known) {
      if (!isGiven(given[key])) continue;
      if (isLimit(type, key, given[key])) read[key] = given[key];
      else this.add("form.bad_limit", below(where, key), { key, type });
    }
    if (!isOrdered(read)) this.add("form.limit_range", where, { type });
    return read;
  }

  private default(raw: Rec, type: FieldType, at: string): void {
    const sum = isList(raw["sum_of"]) && raw["sum_of"].length > 0;
    if (!isGiven(raw["default"])) return;
    if (!this.allowed(raw, "default", at, type, mayDefault(type) && !sum)) return;
    if (!fitsField(raw as unknown as Field, raw["default"])) {
      this.add("form.bad_default", below(at, "default"));
    }
  }

  private required(raw: Rec, type: FieldType, at: string): void {
    const where = below(at, "required");
    const flag = raw["required"] === undefined ? false : raw["required"];
    if (typeof flag !== "boolean") this.add("doc.bad_type", where, { expected: "bool" });
    else if (flag && type === "note") {
      this.add("form.member_not_allowed", where, { key: "required", type });
    }
  }

  private allowed(raw: Rec, key: string, at: string, type: FieldType, allowed: boolean): boolean {
    if (!allowed && isGiven(raw[key]))
      this.add("form.member_not_allowed", below(at, key), { key, type });
    return allowed;
  }

  private list(raw: unknown, at: string, most: number): readonly unknown[] {
    if (!isList(raw)) {
      this.add("doc.bad_type", at, { expected: "list" });
      return [];
    }
    if (raw.length > most) this.add("doc.too_many", at, { max: most });
    return raw.slice(0, most);
  }

  private text(raw: unknown, at: string, most: number): string {
    if (typeof raw !== "string") this.add("doc.bad_type", at, { expected: "text" });
    else if (raw.trim() === "" || lengthOf(raw) > most || hasBadCharacter(raw, true)) {
      this.add("doc.bad_value", at, { expected: "text", max: most });
    } else return raw.normalize("NFC");
    return "";
  }

  private keys(raw: Rec, known: readonly string[], at: string): void {
    for (const key of Object.keys(raw)) {
      if (!known.includes(key))
        this.add("doc.unknown_key", below(at, key), { key: printable(key) });
    }
  }

  private add(code: string, at: string, args: Args = {}): void {
    this.findings.push(error(code, at, null, args));
  }
}

function isGiven(raw: unknown): boolean {
  return raw !== undefined && raw !== null;
}

function isLimit(type: FieldType, key: string, raw: unknown): boolean {
  if (key === "min" || key === "max") return typeof readValue(type, raw) === "bigint";
  if (key === "earliest" || key === "latest") return isDate(raw);
  const most = MOST_OF[key === "decimals" ? key : type] ?? 500;
  return Number.isInteger(raw) && Number(raw) >= 0 && Number(raw) <= most;
}
const MOST_OF: Readonly<Record<string, number>> = { text: 1000, long_text: 20_000, decimals: 10 };

function isOrdered(limits: Limits): boolean {
  const pairs: readonly (readonly [unknown, unknown])[] = [
    [limits.min_length, limits.max_length],
    [decimalOf(limits.min), decimalOf(limits.max)],
    [limits.earliest, limits.latest],
    [limits.min_count, limits.max_count],
  ];
  return pairs.every(
    ([low, high]) => !isGiven(low) || !isGiven(high) || (low as number) <= (high as number),
  );
}

/** Problems between fields: conditions, sums, circles. */
function* across(sound: readonly Sound[]): Generator<Finding> {
  const fields = new Map(sound.map(({ field }) => [field.id, field]));
  const types = new Map<string, FieldType>();
  for (const field of fields.values()) {
    types.set(field.id, field.type);
    for (const column of field.columns ?? []) types.set(`${field.id}.${column.id}`, column.type);
  }
  const circle = circleOf([...fields.values()]);
  for (const { number, field } of sound) {
    const here = below("/fields", number);
    if (field.show_if !== undefined) yield* shown(field.show_if, fields, below(here, "show_if"));
    for (const [place, name] of (field.sum_of ?? []).entries()) {
      const type = types.get(name);
      const where = below(here, "sum_of", place);
      if (type === undefined) {
        yield error("form.unknown_field", where, null, { field: name.split(".")[0] ?? "" });
      } else if (!(ADDENDS[field.type] ?? []).includes(type)) {
        yield error("form.type_mismatch", where, null, { field: name, type });
      }
    }
    if (circle.has(field.id)) yield error("form.circle", here, null, { field: field.id });
  }
}

function shown(
  cond: Cond | null,
  fields: ReadonlyMap<string, Field>,
  at: string,
): Iterable<Finding> {
  return cond === null ? [] : checkShowIf(cond, fields, at);
}

/** The fields that can never be settled, because they wait for each other or for such ones. */
function circleOf(fields: readonly Field[]): ReadonlySet<string> {
  const waiting = new Map(fields.map((field) => [field.id, needs(field)]));
  for (;;) {
    const ready = [...waiting].filter(([, needed]) => !needed.some((name) => waiting.has(name)));
    if (ready.length === 0) return new Set(waiting.keys());
    for (const [name] of ready) waiting.delete(name);
  }
}

function needs(field: Field): readonly string[] {
  const cond = field.show_if ?? null;
  const asked = cond === null ? [] : fieldsAsked(cond);
  return [...asked, ...(field.sum_of ?? []).map((name) => name.split(".")[0] ?? "")];
}
