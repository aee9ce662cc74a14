// What the page brings along beside the texts: which draft this is, who may do what, addresses.
import type { Known, Named } from "./knowledge";
import { openDraft, type Draft } from "./model";

export interface Addresses {
  /** The draft itself: GET, PUT. */
  draft: string;
  /** Where a new draft is made: POST. */
  drafts: string;
  /** The published version of a process; `KEY` stands for its key. */
  live: string;
  publish: string;
  validate: string;
  preview: string;
  record: string;
  what_if: string;
  start: string;
  process: string | null;
  /** The box of drafts, and the designer of another draft (`ID`). */
  box: string;
  designer: string;
  icons: string;
}

/** Sentences of problems by code, with `%(name)s` for arguments, and words for coded arguments. */
export interface ProblemTexts {
  texts: Record<string, string>;
  /** For problems that carry fewer arguments. */
  shorter: Record<string, string>;
  words: Record<string, Record<string, string>>;
}

export interface Delivered {
  id: string;
  version: number;
  saved_at: string;
  document: unknown;
  form: unknown;
  view: unknown;
  /** The draft's own; null: those of the published version, which are `kept_scenarios`. */
  scenarios: unknown;
  kept_scenarios: unknown;
  /** Who designs: the first to start a sample request. */
  me: Named;
  based_on: number | null;
  may_write: boolean;
  may_publish: boolean;
  /** Whether past requests may be replayed. */
  may_replay: boolean;
  knowledge: Known;
  problem_texts: ProblemTexts;
  /** What the members of documents are called, by their own names. */
  member_names: Readonly<Record<string, string>>;
  addresses: Addresses;
}

/** The published version that a draft replaces, for the dialog of publishing. */
export interface Live {
  version: number;
  /** What the draft as it is stored changes in it, in words; none: it is the same. */
  changes: readonly {
    what: "added" | "removed" | "moved" | "changed";
    text: string;
    details: readonly string[];
  }[];
  /** "2 added, 1 changed". */
  summary: string;
  /** Requests that are under way, whatever their version. */
  running: number;
  /** Publishing asks for green scenarios, as the live version has it. */
  require_green: boolean;
  /** The draft has scenarios of its own, other than those of the live version. */
  other_scenarios: boolean;
}

let delivered: Delivered | null = null;

export function usePage(data: Delivered): void {
  delivered = data;
}

/** What the page brought. Throws when it is asked before the start. */
export function page(): Delivered {
  if (delivered === null) throw new Error("The designer was not started.");
  return delivered;
}

/** An address with the placeholder in it filled in. */
export function address(template: string, name: "KEY" | "ID", value: string): string {
  return template.replace(name, encodeURIComponent(value));
}

/** What the server stored, in whatever state, as a draft that can be worked on. */
export function draftOf(stored: {
  document?: unknown;
  form?: unknown;
  view?: unknown;
  scenarios?: unknown;
}): Draft {
  return openDraft(stored.document, stored.form, stored.view, stored.scenarios);
}

/** Reads the JSON that the page carries in `<script type="application/json" id=…>`. */
export function carried(id: string): unknown {
  return JSON.parse(document.getElementById(id)?.textContent ?? "null");
}
