// The structure of a condition: its shape, its size, its texts (`forms/condition_reading.py`).
import { isList, isRecord } from "../paths";
import { COND_SHAPES, type CondShape, DEEPEST_COND, MOST_LEAVES, MOST_LISTED } from "../types";
import { type Args, below, error, type Finding, printable } from "./finding";
import { hasBadCharacter, lengthOf } from "./values";

type Rec = Readonly<Record<string, unknown>>;
const BESIDE: Readonly<Record<CondShape, readonly string[]>> = {
  all: [],
  any: [],
  not: [],
  field: ["op", "value"],
  initiator: ["ids"],
  rule: ["version", "is"],
  step: ["outcome"],
};
const LONGEST_NAME = 128;
const LONGEST_OPERAND = 1000;

/** Every structural problem of a condition, in document order. */
export function readCond(raw: unknown, at: string, step: string | null): readonly Finding[] {
  const reading = new Reading(step);
  reading.node(raw, at, 1);
  return reading.findings;
}

class Reading {
  readonly findings: Finding[] = [];
  private leaves = 0;

  constructor(private readonly step: string | null) {}

  node(raw: unknown, at: string, depth: number): void {
    if (depth > DEEPEST_COND) {
      this.add("cond.depth", at, { max: DEEPEST_COND });
    } else if (!isRecord(raw)) {
      this.count(at);
      this.add("doc.bad_type", at, { expected: "condition" });
    } else {
      this.shaped(raw, at, depth);
    }
  }

  private shaped(raw: Rec, at: string, depth: number): void {
    const shapes = COND_SHAPES.filter((name) => Object.hasOwn(raw, name));
    const [kind] = shapes;
    if (kind === undefined || shapes.length !== 1) {
      this.count(at);
      this.add("cond.bad_shape", at, { found: shapes.length });
      return;
    }
    for (const key of Object.keys(raw)) {
      if (key !== kind && !BESIDE[kind].includes(key)) {
        this.add("doc.unknown_key", below(at, key), { key: printable(key) });
      }
    }
    if (kind === "all" || kind === "any") this.list(raw[kind], below(at, kind), depth);
    else if (kind === "not") this.node(raw["not"], below(at, "not"), depth + 1);
    else this.leaf(raw, kind, at);
  }

  private leaf(raw: Rec, kind: CondShape, at: string): void {
    this.count(at);
    if (kind === "field") this.field(raw, at);
    else if (kind === "initiator") this.initiator(raw, at);
    else if (kind === "rule") this.rule(raw, at);
    else {
      if (!["approved", "rejected", "skipped"].includes(raw["outcome"] as string)) {
        this.add("cond.bad_value", below(at, "outcome"), { op: "outcome" });
      }
      this.name(raw["step"], below(at, "step"));
    }
  }

  private list(raw: unknown, at: string, depth: number): void {
    if (!isList(raw)) {
      this.add("doc.bad_type", at, { expected: "list" });
      return;
    }
    if (raw.length === 0) {
      this.count(at);
      this.add("cond.bad_value", at, { op: "" });
    }
    for (const [number, part] of raw.entries()) {
      if (this.leaves > MOST_LEAVES) return;
      this.node(part, below(at, number), depth + 1);
    }
  }

  private field(raw: Rec, at: string): void {
    this.name(raw["field"], below(at, "field"));
    const op = raw["op"];
    if (typeof op !== "string" || op === "" || lengthOf(op) > LONGEST_NAME) {
      this.add("cond.bad_op", below(at, "op"), { op: typeof op === "string" ? printable(op) : "" });
    }
    const { value } = raw;
    const where = below(at, "value");
    if (!isList(value)) {
      if (value !== undefined && value !== null) this.scalar(value, where);
    } else if (value.length > MOST_LISTED) {
      this.add("cond.bad_value", where, { op: "" });
    } else {
      for (const [number, item] of value.entries()) this.scalar(item, below(where, number));
    }
  }

  private initiator(raw: Rec, at: string): void {
    const kind = raw["initiator"];
    if (!["in_role", "in_department", "is"].includes(kind as string)) {
      const op = typeof kind === "string" ? printable(kind) : "";
      this.add("cond.bad_op", below(at, "initiator"), { op });
    }
    const { ids } = raw;
    const where = below(at, "ids");
    if (!isList(ids) || ids.length < 1 || ids.length > MOST_LISTED) {
      this.add("cond.bad_value", where, { op: "ids" });
      return;
    }
    for (const [number, name] of ids.entries()) this.name(name, below(where, number));
  }

  private rule(raw: Rec, at: string): void {
    this.name(raw["rule"], below(at, "rule"));
    const version = raw["version"] ?? null;
    const known = Number.isSafeInteger(version) && Number(version) >= 1;
    if (version !== null && !known && version !== "latest_at_entry") {
      this.add("cond.bad_value", below(at, "version"), { op: "version" });
    }
    const is = raw["is"] ?? null;
    if (is !== null) this.scalar(is, below(at, "is"));
  }

  private scalar(raw: unknown, at: string): void {
    if (typeof raw === "boolean" || Number.isSafeInteger(raw)) return;
    if (!isText(raw, 0, LONGEST_OPERAND, true)) this.add("cond.bad_value", at, { op: "" });
  }

  private name(raw: unknown, at: string): void {
    if (!isText(raw, 1, LONGEST_NAME, false)) this.add("doc.bad_type", at, { expected: "text" });
  }

  private count(at: string): void {
    this.leaves += 1;
    if (this.leaves === MOST_LEAVES + 1) this.add("cond.too_many", at, { max: MOST_LEAVES });
  }

  private add(code: string, at: string, args: Args): void {
    this.findings.push(error(code, at, this.step, args));
  }
}

function isText(raw: unknown, low: number, high: number, lines: boolean): boolean {
  if (typeof raw !== "string" || hasBadCharacter(raw, lines)) return false;
  const length = lengthOf(raw);
  return length >= low && length <= high;
}
