// What changed between two drafts, part by part, and which changes of two people meet.
import { getIn, isRecord, type Path, pointerOf, same } from "./paths";
import { branchesOf, stepsOf } from "./tree";
import type { Branch, Draft, Field, Flowdoc, Step } from "./types";

export interface Member {
  /** Below the part: `["deadline", "after"]`. */
  readonly path: Path;
  /** Undefined = it was, or is, not there. */
  readonly before: unknown;
  readonly after: unknown;
}
export interface Change {
  readonly what: "added" | "removed" | "moved" | "changed";
  readonly kind: "step" | "branch" | "field" | "setting";
  /** Of a step, branch or field (`table.column`); of a setting its path with dots. */
  readonly id: string;
  readonly name: string;
  /** JSON Pointer into the flow or form that has it: the newer one, but for what was removed. */
  readonly at: string;
  readonly part: "flow" | "form";
  /** The step that was added or removed as a whole and has this inside; else null. */
  readonly inside: string | null;
  readonly members?: readonly Member[];
}

/** What a field is called in a comparison; the page has a language, this file has none. */
export type Called = (field: Field) => string;

/** Every change from one draft to another; none between equal ones. How it is viewed is no part. */
export function diff(base: Draft, mine: Draft, called: Called = anyLabel): readonly Change[] {
  if (base === mine) return [];
  return [
    ...settings(base.flow, mine.flow),
    ...scenarioPart(base.scenarios, mine.scenarios),
    ...flowParts(base.flow, mine.flow),
    ...formParts(base, mine, called),
  ];
}

/** How many steps, branches, fields and settings were changed in which way. */
export function counts(changes: readonly Change[]): Readonly<Record<Change["what"], number>> {
  const count = { added: 0, removed: 0, moved: 0, changed: 0 };
  for (const change of changes) count[change.what] += 1;
  return count;
}

/** The changes of two people since one base; `both` are parts that the two changed differently. */
export interface Compared {
  readonly mine: readonly Change[];
  readonly theirs: readonly Change[];
  readonly both: readonly { readonly mine: Change; readonly theirs: Change }[];
  /** What both did alike. */
  readonly alike: readonly Change[];
}
export function compare(
  base: Draft,
  mine: Draft,
  theirs: Draft,
  called: Called = anyLabel,
): Compared {
  const own = diff(base, mine, called);
  const other = diff(base, theirs, called);
  const meets = (one: Change, two: Change): boolean =>
    one.kind === two.kind && one.id === two.id && one.part === two.part && collide(one, two);
  const both = own.flatMap((one) =>
    other.filter((two) => meets(one, two)).map((two) => ({ mine: one, theirs: two })),
  );
  const equal = both.filter((pair) => isAlike(pair.mine, pair.theirs, mine, theirs));
  const met = new Set(both.flatMap((pair) => [pair.mine, pair.theirs]));
  return {
    mine: own.filter((change) => !met.has(change)),
    theirs: other.filter((change) => !met.has(change)),
    both: both.filter((pair) => !equal.includes(pair)),
    alike: equal.map((pair) => pair.mine),
  };
}

/** Moving a step and renaming it do not disturb each other; two changes of one member do. */
function collide(one: Change, two: Change): boolean {
  if (one.what !== two.what) return one.what === "removed" || two.what === "removed";
  if (one.what !== "changed") return true;
  const first = one.members ?? [];
  return (two.members ?? []).some((each) => first.some((other) => overlap(each.path, other.path)));
}

function overlap(one: Path, two: Path): boolean {
  const length = Math.min(one.length, two.length);
  return one.slice(0, length).every((part, at) => part === two[at]);
}

function isAlike(one: Change, two: Change, mine: Draft, theirs: Draft): boolean {
  if (one.what !== two.what) return false;
  if (one.what === "changed") return same(one.members, two.members);
  if (one.what === "removed") return true;
  const where = (draft: Draft, change: Change): unknown =>
    getIn(draft[change.part], pathIn(change));
  return one.at === two.at && same(where(mine, one), where(theirs, two));
}

function pathIn(change: Change): Path {
  return change.at.split("/").slice(1);
}

// Steps and branches ------------------------------------------------------------------------

interface Placed {
  readonly part: Step | Branch;
  readonly kind: "step" | "branch";
  readonly at: string;
  /** The sequence of steps, or the block, that it stands in. */
  readonly around: string;
  readonly above: string | null;
}

/** All steps and branches in document order; of two with one id the first. */
function placedIn(flow: Flowdoc): Map<string, Placed> {
  const all = new Map<string, Placed>();
  const put = (id: string, placed: Placed): void => {
    if (!all.has(id)) all.set(id, placed);
  };
  const place = (steps: readonly Step[], path: string, around: string): void => {
    for (const [index, step] of steps.entries()) {
      const at = `${path}/${index}`;
      put(step.id, { part: step, kind: "step", at, around, above: around === "" ? null : around });
      for (const [number, branch] of branchesOf(step).entries()) {
        const where = `${at}/branches/${number}`;
        put(branch.id, {
          part: branch,
          kind: "branch",
          at: where,
          around: step.id,
          above: step.id,
        });
        place(stepsOf(branch), `${where}/steps`, branch.id);
      }
    }
  };
  place(stepsOf(flow), "/steps", "");
  return all;
}

function flowParts(base: Flowdoc, mine: Flowdoc): Change[] {
  if (stepsOf(base) === stepsOf(mine)) return [];
  const before = placedIn(base);
  const now = placedIn(mine);
  const shifted = movedAmong(orders(before, now), orders(now, before));
  const changes: Change[] = [];
  for (const [id, old] of before) {
    if (now.get(id)?.kind !== old.kind) changes.push(whole("removed", id, old, before, now));
  }
  for (const [id, placed] of now) {
    const old = before.get(id);
    if (old === undefined || old.kind !== placed.kind) {
      changes.push(whole("added", id, placed, now, before));
      continue;
    }
    const own = { kind: placed.kind, id, name: placed.part.name, at: placed.at, inside: null };
    const part = "flow" as const;
    if (old.around !== placed.around || shifted.has(id)) {
      changes.push({ what: "moved", part, ...own });
    }
    const members = memberChanges(old.part, placed.part, ["branches", "steps"]);
    if (members.length > 0) changes.push({ what: "changed", part, ...own, members });
  }
  return changes;
}

function whole(
  what: "added" | "removed",
  id: string,
  placed: Placed,
  own: ReadonlyMap<string, Placed>,
  other: ReadonlyMap<string, Placed>,
): Change {
  let inside: string | null = null;
  for (let above = placed.above; above !== null; above = own.get(above)?.above ?? null) {
    if (other.has(above)) break;
    inside = above;
  }
  const { kind, at, part } = placed;
  return { what, kind, id, name: part.name, at, part: "flow", inside };
}

/** What stands in each sequence or block, in order, as far as the other side has it there too. */
function orders(
  own: ReadonlyMap<string, Placed>,
  other: ReadonlyMap<string, Placed>,
): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [id, placed] of own) {
    if (other.get(id)?.around !== placed.around) continue;
    const list = lists.get(placed.around);
    if (list === undefined) lists.set(placed.around, [id]);
    else list.push(id);
  }
  return lists;
}

function movedAmong(
  before: ReadonlyMap<string, readonly string[]>,
  now: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const moved = new Set<string>();
  for (const [around, list] of now) {
    for (const id of outOfOrder(before.get(around) ?? [], list)) moved.add(id);
  }
  return moved;
}

/** The fewest that have to move to get from one order of the same ids to the other. */
function outOfOrder(before: readonly string[], now: readonly string[]): readonly string[] {
  if (same(before, now)) return [];
  const rank = new Map(before.map((id, at) => [id, at]));
  const stays = longestRise(now.map((id) => rank.get(id) ?? -1));
  return now.filter((_, at) => !stays.has(at));
}

/** The places of the longest run of numbers that rises. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  interface Run {
    readonly length: number;
    readonly at: number;
    readonly value: number;
    readonly before: Run | null;
  }
  const longer = (one: Run | null, two: Run): Run =>
    one !== null && one.length >= two.length ? one : two;
  const runs: Run[] = [];
  for (const [at, value] of numbers.entries()) {
    const before = runs.filter((run) => run.value < value).reduce<Run | null>(longer, null);
    runs.push({ length: (before?.length ?? 0) + 1, at, value, before });
  }
  const stays = new Set<number>();
  for (let run = runs.reduce<Run | null>(longer, null); run !== null; run = run.before) {
    stays.add(run.at);
  }
  return stays;
}

// Members -----------------------------------------------------------------------------------

/** The members that differ, as deep as both sides are objects. */
function memberChanges(before: unknown, after: unknown, but: readonly string[] = []): Member[] {
  const changes: Member[] = [];
  const look = (old: unknown, now: unknown, path: Path): void => {
    if (same(old, now)) return;
    if (!isRecord(old) || !isRecord(now)) {
      changes.push({ path, before: old, after: now });
      return;
    }
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      if (path.length > 0 || !but.includes(name)) look(old[name], now[name], [...path, name]);
    }
  };
  look(before, after, []);
  return changes;
}

function settings(base: Flowdoc, mine: Flowdoc): Change[] {
  return memberChanges(base, mine, ["steps"]).map((member) => ({
    what: "changed",
    kind: "setting",
    id: member.path.join("."),
    name: member.path.join("."),
    at: pointerOf(member.path),
    part: "flow",
    inside: null,
    members: [member],
  }));
}

/** Scenarios belong to the draft and not to the process; they are compared as one setting. */
function scenarioPart(before: Draft["scenarios"], after: Draft["scenarios"]): Change[] {
  if (same(before, after)) return [];
  const id = "scenarios";
  const member = { path: [id], before, after };
  const what = { what: "changed", kind: "setting", part: "flow" } as const;
  return [{ ...what, id, name: id, at: `/${id}`, inside: null, members: [member] }];
}

// Fields ------------------------------------------------------------------------------------

function formParts(base: Draft, mine: Draft, called: Called): Change[] {
  if (base.form === mine.form) return [];
  const [before, now] = [base.form?.fields ?? [], mine.form?.fields ?? []];
  return fieldChanges(before, now, { prefix: "", at: "/fields", called });
}

function fieldChanges(
  before: readonly Field[],
  now: readonly Field[],
  place: { prefix: string; at: string; called: Called },
): Change[] {
  const { prefix, at, called } = place;
  const old = new Map(before.map((field) => [field.id, field]));
  const own = new Map(now.map((field) => [field.id, field]));
  const both = (list: readonly Field[], other: ReadonlyMap<string, Field>): string[] =>
    list.filter((field) => other.has(field.id)).map((field) => field.id);
  const shifted = new Set(outOfOrder(both(before, own), both(now, old)));
  const changes: Change[] = [];
  const base = { kind: "field", part: "form", inside: null } as const;
  for (const [index, field] of before.entries()) {
    const { id } = field;
    const where = { id: prefix + id, name: called(field), at: `${at}/${index}` };
    if (!own.has(id)) changes.push({ what: "removed", ...base, ...where });
  }
  for (const [index, field] of now.entries()) {
    const was = old.get(field.id);
    const where = { id: prefix + field.id, name: called(field), at: `${at}/${index}` };
    if (was === undefined) {
      changes.push({ what: "added", ...base, ...where });
      continue;
    }
    if (shifted.has(field.id)) changes.push({ what: "moved", ...base, ...where });
    const members = memberChanges(was, field, ["columns"]);
    if (members.length > 0) changes.push({ what: "changed", ...base, ...where, members });
    const inner = { prefix: `${prefix}${field.id}.`, at: `${where.at}/columns`, called };
    changes.push(...fieldChanges(was.columns ?? [], field.columns ?? [], inner));
  }
  return changes;
}

function anyLabel(field: Field): string {
  const { label } = field;
  if (typeof label === "string") return label;
  return label.en ?? label["zh-hans"] ?? field.id;
}
