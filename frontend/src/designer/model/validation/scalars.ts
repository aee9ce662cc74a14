// The texts, numbers and words of a document, each read by its own rule (`flowdoc/texts.py`).
import { isList } from "../paths";
import { type Args, printable } from "./finding";
import type { Kind } from "./schema";
import {
  lengthOf,
  LONGEST_MINUTES,
  LONGEST_SECONDS,
  minutesRaw,
  momentOf,
  secondsOf,
} from "./values";

/** Why a value is refused; the reader adds the position. */
export class Fault {
  constructor(
    readonly code: string,
    readonly args: Args = {},
  ) {}
}

type ScalarKind = Exclude<Kind, { t: "later" | "one" | "shape" | "list" | "map" | "cond" }>;

type Reads = (kind: never, raw: never) => unknown;
const READS: Readonly<Record<ScalarKind["t"], Reads>> = {
  text: readText,
  int: readInt,
  word: readWord,
  minutes: (_kind, raw) => readMinutes(raw),
  duration: (_kind, raw) => readDuration(raw),
  moment: (_kind, raw) => (momentOf(raw) === null ? unlike("timestamp", raw) : raw),
  bool: (_kind, raw) => raw,
  null: () => undefined,
};

/** A text, number, truth value, word or null; a Fault when it is none of the kind. */
export function readScalar(kind: ScalarKind, raw: unknown): unknown {
  if (!mayBe(kind, raw)) {
    return new Fault("doc.bad_type", {
      expected: kind.t === "minutes" ? "duration" : called(kind),
    });
  }
  return READS[kind.t](kind as never, raw as never);
}

function readInt({ low, high }: Kind & { t: "int" }, got: number): number | Fault {
  return got >= low && got <= high ? got : new Fault("doc.out_of_range", { low, high, got });
}

function readWord({ words }: Kind & { t: "word" }, raw: string | number): unknown {
  if (words.includes(raw)) return raw;
  const got = typeof raw === "string" ? printable(raw) : "…";
  return new Fault("doc.bad_value", { expected: words.join(", "), got });
}

function readText(kind: Kind & { t: "text" }, raw: string): string | Fault {
  if (/[\p{Cc}\p{Cs}]/u.test(raw.replace(/[\t\n\r]/g, ""))) return new Fault("doc.bad_character");
  const text = raw.normalize("NFC");
  const { low, high } = kind;
  const length = low > 0 && text.trim() === "" ? 0 : lengthOf(text);
  if (length < low || length > high) {
    return new Fault("doc.out_of_range", { low, high, got: length });
  }
  if (kind.as === "slug" && !/^[a-z][a-z0-9_]{0,47}$/.test(text)) return unlike("slug", raw);
  if (kind.as === "header" && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(text)) {
    return unlike("header name", raw);
  }
  return text;
}

function readMinutes(raw: string | number): string | Fault {
  const seconds = minutesRaw(raw);
  if (seconds === null || seconds <= 0 || seconds % 60 !== 0)
    return new Fault("deadline.bad_value");
  if (seconds > LONGEST_MINUTES * 60) {
    return new Fault("deadline.too_long", { high: LONGEST_MINUTES });
  }
  return `PT${seconds}S`;
}

function readDuration(raw: string): string | Fault {
  const seconds = secondsOf(raw);
  if (seconds === null) return unlike("duration", raw);
  if (seconds > 0 && seconds <= LONGEST_SECONDS) return raw;
  return new Fault("doc.out_of_range", { low: 1, high: LONGEST_SECONDS, got: seconds });
}

function unlike(expected: string, raw: string): Fault {
  return new Fault("doc.bad_value", { expected, got: printable(raw) });
}

const SHAPES: Readonly<Record<string, readonly [called: string, type: string]>> = {
  text: ["text", "string"],
  minutes: ["text", "string"],
  duration: ["text", "string"],
  moment: ["text", "string"],
  int: ["whole number", "number"],
  bool: ["true or false", "boolean"],
  null: ["null", "null"],
  list: ["list", "list"],
  map: ["object", "object"],
  shape: ["object", "object"],
  cond: ["object", "object"],
};

function typeOf(raw: unknown): string {
  if (raw === null || raw === undefined) return "null";
  if (isList(raw)) return "list";
  return typeof raw;
}

/** Whether a value has the JSON shape of a kind. */
export function mayBe(kind: Kind, raw: unknown): boolean {
  if (kind.t === "word") return kind.words.some((each) => typeof each === typeof raw);
  if (kind.t === "minutes") return typeof raw === "string" || typeof raw === "number";
  if (kind.t === "int" && !Number.isInteger(raw)) return false;
  return SHAPES[kind.t]?.[1] === typeOf(raw);
}

export function called(kind: Kind): string {
  if (kind.t === "word") return typeof kind.words[0] === "string" ? "text" : "whole number";
  return SHAPES[kind.t]?.[0] ?? "";
}

/** A harmless value of a kind, for a place that could not be read. */
export function standIn(kind: Kind): unknown {
  switch (kind.t) {
    case "later":
      return standIn(kind.of());
    case "one":
      return kind.of.some((each) => each.t === "null")
        ? undefined
        : standIn(kind.of[0] ?? { t: "null" });
    case "shape": {
      const tag = kind.tag === null ? [] : [[kind.tag[0], kind.tag[1]]];
      const needed = kind.required.map((name) => [
        name,
        standIn(kind.members.get(name)?.kind ?? kind),
      ]);
      return Object.fromEntries([...tag, ...needed]);
    }
    case "word":
      return kind.words.toSorted()[0];
    case "int":
      return kind.low;
    default:
      return STAND_INS[kind.t];
  }
}

const STAND_INS: Readonly<Record<string, unknown>> = {
  text: "",
  bool: false,
  minutes: "PT60S",
  duration: "PT60S",
  moment: "",
  list: [],
  map: {},
};
