// The designer's words. They are written in Python (workflow/pages/designer_texts.py and
// designer_panel_texts.py), translated there and delivered with the page; `TextKey` is generated
// from those files by script/text-keys, so a key that Python does not have fails the type check.
import type { TextKey } from "./text-keys";

export type { TextKey };

export type Args = Readonly<Record<string, string | number>>;

let texts: Readonly<Record<string, string>> = {};
let plurals = new Intl.PluralRules("en");

/** Takes the texts of the page and the language they are in. */
export function useTexts(delivered: Readonly<Record<string, string>>, language: string): void {
  texts = delivered;
  plurals = new Intl.PluralRules(language);
}

/** The text of this key; `{name}` in it is replaced by the argument of that name. */
export function t(key: TextKey, args: Args = {}): string {
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(args[name] ?? whole));
}

/** One of two texts by number; `{count}` is the number. */
export function plural(count: number, one: TextKey, other: TextKey, args: Args = {}): string {
  return t(plurals.select(count) === "one" ? one : other, { ...args, count });
}

/** Whether this is a key that the page has a text for: for texts chosen by a code of a document. */
export function isTextKey(key: string): key is TextKey {
  return key in texts;
}
