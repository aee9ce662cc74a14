// One finding of a check and how foreign text may stand in it.
import { child } from "../paths";

export type Args = Readonly<Record<string, string | number>>;
export interface Finding {
  readonly code: string;
  readonly at: string;
  readonly step: string | null;
  readonly level: "error" | "warning";
  readonly args: Args;
}

const LONGEST_PART = 64;

/** Foreign text cut to what a message can hold. */
export function printable(text: string): string {
  // Nearly all texts are short and plain, and there are thousands in a document.
  if (text.length <= LONGEST_PART && !/[\p{Cs}\p{Cc}]/u.test(text)) return text;
  const letters = Array.from(text);
  const cut = letters.length <= LONGEST_PART ? text : `${letters.slice(0, LONGEST_PART).join("")}…`;
  return cut.replace(/[\p{Cs}\p{Cc}]/gu, (letter) => (/[\x7f-\x9f]/.test(letter) ? letter : " "));
}

/** The JSON Pointer of a member; the same as in the model's paths, for long foreign names cut. */
export function below(at: string, ...parts: readonly (string | number)[]): string {
  return parts.reduce<string>(
    (all, part) => child(all, typeof part === "string" ? printable(part) : part),
    at,
  );
}

export function error(code: string, at: string, step: string | null, args: Args = {}): Finding {
  return { code, at, step, level: "error", args };
}
export function warning(code: string, at: string, step: string | null, args: Args = {}): Finding {
  return { code, at, step, level: "warning", args };
}
