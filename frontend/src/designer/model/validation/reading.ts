// A raw document read along the format, with every problem, and stand-ins where it is broken.
//
// The same walk as `workflow/engine/flowdoc/reading.py`: what does not fit is noted, its place is
// remembered as broken, and a harmless value takes its place, so that the rest can be looked at.
import { isList, isRecord } from "../paths";
import { readCond } from "./cond-reading";
import { type Args, below, error, type Finding, printable } from "./finding";
import { FLOWDOC, type Kind, type Shape, STEP_MEMBERS } from "./schema";
import { called, Fault, mayBe, readScalar, standIn } from "./scalars";
import { minutesRaw } from "./values";

type Rec = Readonly<Record<string, unknown>>;
const DEEPEST = 64;
const MOST_FINDINGS = 500;

interface Place {
  readonly at: string;
  readonly step: string | null;
  /** The number of the step in document order, 0 outside of all. */
  readonly number: number;
  readonly depth: number;
}
/** A part of the document that was read: which, where, and in which step. */
export interface Spot {
  readonly name: string;
  readonly part: Rec;
  readonly at: string;
  readonly step: string | null;
  readonly number: number;
}
export interface Read {
  /** The document with stand-ins; null when it is no document of this version, or past saving. */
  readonly document: Rec | null;
  readonly findings: readonly Finding[];
  readonly broken: readonly string[];
  readonly spots: readonly Spot[];
}

class Enough extends Error {}

/** Reads a document; never throws, whatever JSON gave. */
export function readDocument(raw: unknown): Read {
  const none = { document: null, broken: [], spots: [] };
  if (!isRecord(raw)) {
    return { ...none, findings: [error("doc.bad_type", "", null, { expected: "object" })] };
  }
  if (raw["flowdoc"] !== 1) {
    return { ...none, findings: [error("doc.version", "/flowdoc", null, { expected: 1 })] };
  }
  const reader = new Reader();
  try {
    const document = reader.value(FLOWDOC, raw, { at: "", step: null, number: 0, depth: 0 });
    const { findings, broken, spots } = reader;
    return { document: document as Rec, findings, broken, spots };
  } catch (trouble) {
    if (!(trouble instanceof Enough)) throw trouble;
    const more = error("doc.too_many_problems", "", null, { shown: reader.findings.length });
    return { ...none, findings: [...reader.findings, more] };
  }
}

class Reader {
  readonly findings: Finding[] = [];
  readonly broken: string[] = [];
  readonly spots: Spot[] = [];
  private steps = 0;

  value(kind: Kind, raw: unknown, place: Place): unknown {
    if (place.depth > DEEPEST) {
      return this.refuse(kind, place, new Fault("doc.depth", { high: DEEPEST }));
    }
    switch (kind.t) {
      case "later":
        return this.value(kind.of(), raw, place);
      case "one":
        return this.oneOf(kind.of, raw, place);
      case "shape":
        return this.shape(kind, raw, place);
      case "list":
        return this.list(kind, raw, place);
      case "map":
        return this.map(kind, raw, place);
      case "cond":
        return this.condition(raw, place);
      default: {
        const read = readScalar(kind, raw);
        return read instanceof Fault ? this.refuse(kind, place, read) : read;
      }
    }
  }

  private note(code: string, place: Place, args: Args = {}): void {
    if (this.findings.length >= MOST_FINDINGS) throw new Enough();
    this.findings.push(error(code, place.at, place.step, args));
  }

  private refuse(kind: Kind, place: Place, fault: Fault): unknown {
    this.note(fault.code, place, fault.args);
    this.broken.push(place.at);
    const isStep =
      kind.t === "one" && kind.of.some((each) => each.t === "shape" && each.role === "step");
    // The stand-in is a step like others, and they are counted.
    if (isStep) this.steps += 1;
    return standIn(kind);
  }

  private oneOf(kinds: readonly Kind[], raw: unknown, place: Place): unknown {
    const shapes = kinds.filter((kind): kind is Shape => kind.t === "shape");
    if (isRecord(raw) && shapes.length > 1) return this.tagged(kinds, shapes, raw, place);
    const fitting = kinds.find((kind) => mayBe(kind, raw));
    if (fitting !== undefined) return this.value(fitting, raw, place);
    const expected = [...new Set(kinds.map(called))].join(" | ");
    return this.refuse({ t: "one", of: kinds }, place, new Fault("doc.bad_type", { expected }));
  }

  private tagged(
    kinds: readonly Kind[],
    shapes: readonly Shape[],
    raw: Rec,
    place: Place,
  ): unknown {
    const field = shapes[0]?.tag?.[0] ?? "";
    const tag = raw[field] ?? null;
    const chosen = shapes.find((shape) => shape.tag?.[1] === tag);
    if (chosen !== undefined) return this.shape(chosen, raw, place);
    const isStep = field === "kind";
    const inner = isStep ? { ...place, step: stepId(raw) } : place;
    if (tag === null) {
      this.missing(field, inner, null);
    } else if (typeof tag !== "string") {
      this.note("doc.bad_type", inside(inner, field), { expected: "text" });
    } else if (isStep) {
      this.note("step.unknown_kind", inside(inner, field), { kind: printable(tag) });
    } else {
      const expected = shapes.map((shape) => shape.tag?.[1]).join(", ");
      this.note("doc.bad_value", inside(inner, field), { expected, got: printable(tag) });
    }
    this.broken.push(place.at);
    if (!isStep) return standIn({ t: "one", of: kinds });
    this.steps += 1;
    return { id: stepId(raw) ?? "", name: "?", kind: "auto", verdict: "approve" };
  }

  private shape(shape: Shape, raw: unknown, place: Place): unknown {
    if (!isRecord(raw)) {
      return this.refuse(shape, place, new Fault("doc.bad_type", { expected: "object" }));
    }
    if (shape.role === "deadline") return this.deadline(shape, raw, place);
    if (shape.role !== "step") return this.members(shape, raw, place);
    this.steps += 1;
    return this.members(shape, raw, { ...place, step: stepId(raw), number: this.steps });
  }

  private members(shape: Shape, raw: Rec, place: Place): Rec {
    const values: Record<string, unknown> = {};
    if (shape.tag !== null) values[shape.tag[0]] = shape.tag[1];
    const { at, step, number } = place;
    this.spots.push({ name: shape.name, part: values, at, step, number });
    this.needed(shape, raw, place, values);
    this.exactlyOne(shape, raw, place);
    for (const [key, given] of Object.entries(raw)) {
      const member = shape.members.get(key);
      if (member === undefined) {
        if (key !== shape.tag?.[0]) this.unknown(shape, key, place);
      } else if (!Object.hasOwn(values, key)) {
        const read = this.value(member.kind, given, inside(place, key));
        if (read !== undefined) values[key] = read;
      }
    }
    return values;
  }

  private needed(shape: Shape, raw: Rec, place: Place, values: Record<string, unknown>): void {
    for (const name of shape.required) {
      const blank = name === "id" && shape.role !== null && ["", null].includes(raw[name] as null);
      if (Object.hasOwn(raw, name) && !blank) continue;
      this.missing(name, place, shape);
      values[name] = standIn(shape.members.get(name)?.kind ?? { t: "null" });
    }
  }

  private missing(name: string, place: Place, shape: Shape | null): void {
    this.broken.push(below(place.at, name));
    if (name === "id" && (shape?.role === "step" || shape?.role === "branch")) {
      this.note("id.missing", place);
    } else if (name === "join") {
      this.note("join.missing", place);
    } else {
      const code = place.at.startsWith("/steps/") ? "step.field_missing" : "doc.field_missing";
      this.note(code, place, { field: name });
    }
  }

  private unknown(shape: Shape, name: string, place: Place): void {
    const key = printable(name);
    const where = inside(place, name);
    if (shape.role === "step" && STEP_MEMBERS.has(name)) {
      this.note("step.field_not_allowed", where, { key, kind: shape.tag?.[1] ?? "" });
    } else {
      this.note("doc.unknown_key", where, { key });
    }
  }

  private exactlyOne(shape: Shape, raw: Rec, place: Place): void {
    if (shape.choose === null) return;
    const { groups, low } = shape.choose;
    let number = 0;
    for (const group of groups) {
      const names = group.split(" + ");
      const given = names.filter((name) => ![undefined, null, false].includes(raw[name] as false));
      if (given.length === 0) continue;
      number += given.length < names.length ? 2 : 1;
    }
    if (number >= low && number <= 1) return;
    this.note("doc.one_of", place, { fields: groups.join(", ") });
    this.broken.push(place.at);
  }

  private condition(raw: unknown, place: Place): unknown {
    if (!isRecord(raw)) {
      return this.refuse({ t: "cond" }, place, new Fault("doc.bad_type", { expected: "object" }));
    }
    const { at, step, number } = place;
    const findings = readCond(raw, at, step);
    for (const finding of findings) {
      if (this.findings.length >= MOST_FINDINGS) throw new Enough();
      this.findings.push(finding);
    }
    if (findings.length === 0) {
      this.spots.push({ name: "cond", part: raw, at, step, number });
      return raw;
    }
    this.broken.push(at);
    return undefined;
  }

  private deadline(shape: Shape, raw: Rec, place: Place): unknown {
    // 0, blank and absent mean "off" and are valid (P8): the document has no deadline then.
    const after = raw["after"] ?? null;
    const blank = typeof after === "string" || typeof after === "number";
    const off = after === null || (blank && minutesRaw(after) === 0);
    if (!off) return this.members(shape, raw, place);
    const before = this.spots.length;
    this.members(shape, { ...raw, after: "PT1M" }, place);
    this.spots.length = before;
    return undefined;
  }

  private list(kind: Kind & { t: "list" }, raw: unknown, place: Place): unknown {
    if (!isList(raw)) {
      return this.refuse(kind, place, new Fault("doc.bad_type", { expected: "list" }));
    }
    this.length(kind.low, kind.high, raw.length, place);
    return raw
      .slice(0, kind.high)
      .map((item, number) => this.value(kind.of, item, inside(place, number)));
  }

  private map(kind: Kind & { t: "map" }, raw: unknown, place: Place): unknown {
    if (!isRecord(raw)) {
      return this.refuse(kind, place, new Fault("doc.bad_type", { expected: "object" }));
    }
    const entries = Object.entries(raw);
    this.length(0, kind.high, entries.length, place);
    const read = entries.slice(0, kind.high).map(([name, given]) => {
      const here = inside(place, name);
      return [this.value(kind.key, name, here), this.value(kind.of, given, here)];
    });
    return Object.fromEntries(read) as Rec;
  }

  private length(low: number, high: number, got: number, place: Place): void {
    if (got < low) {
      const short = TOO_SHORT[place.at.slice(place.at.lastIndexOf("/") + 1)];
      this.note(short ?? "doc.out_of_range", place, short === undefined ? { low, high, got } : {});
      this.broken.push(place.at);
    } else if (got > high) {
      const steps = place.at.endsWith("/steps");
      this.note(
        steps ? "doc.size" : "doc.out_of_range",
        place,
        steps ? { high } : { low, high, got },
      );
      this.broken.push(place.at);
    }
  }
}

const TOO_SHORT: Readonly<Record<string, string>> = {
  branches: "branch.too_few",
  any_of: "people.none",
  ids: "people.none",
};

function inside(place: Place, part: string | number): Place {
  return { ...place, at: below(place.at, part), depth: place.depth + 1 };
}

function stepId(raw: Rec): string | null {
  const { id } = raw;
  return typeof id === "string" && id !== "" ? printable(id) : null;
}
