// New steps with defaults that hold together, and steps that become another kind.
import { withoutOtherwise, withoutWhen } from "./branching";
import { setIn } from "./paths";
import { everyStep, find, takenIds, untaken } from "./tree";
import type { BlockKind, Branch, Flowdoc, Kind, People, Step } from "./types";
import { hasConditions, isBlock, isHuman } from "./types";

/** The words that new parts are called by, in the language of the page. */
export interface Names {
  readonly step: (kind: Kind) => string;
  readonly branch: (number: number) => string;
  readonly otherwise: string;
}

// Somebody answers for every request; whoever draws the process names somebody better.
export const SOMEBODY: People = { any_of: [{ by: "head", of: "initiator" }] };

interface Own {
  readonly id: string;
  readonly name: string;
}

/** A new step of a kind, with ids that are free; what only the user can know is left empty. */
export function newStep(kind: Kind, flow: Flowdoc, names: Names): Step {
  const taken = takenIds(flow);
  const own = { id: untaken(taken, kind), name: names.step(kind) };
  switch (kind) {
    case "approve":
    case "work":
    case "copy":
      return { ...own, kind, who: SOMEBODY };
    case "choice":
    case "parallel":
    case "inclusive":
      return newBlock(own, kind, names, taken);
    case "goto":
      return { ...own, kind, to: lastHuman(flow), max: 3 };
    default:
      return newAutomatic(own, kind);
  }
}

function newAutomatic(
  own: Own,
  kind: Exclude<Kind, "approve" | "work" | "copy" | BlockKind | "goto">,
): Step {
  switch (kind) {
    case "auto":
      return { ...own, kind, verdict: "approve" };
    case "subflow":
      return { ...own, kind, flow: "", version: "latest_at_entry" };
    case "delay":
      return { ...own, kind, for: "PT24H" };
    case "http":
      return { ...own, kind, method: "POST", url: "https://" };
    case "set":
      return { ...own, kind, changes: [] };
    case "rule":
      return { ...own, kind, rule: { key: "", version: "latest_at_entry" } };
    case "notice": {
      const who: People = { any_of: [{ by: "initiator" }] };
      return { ...own, kind, who, channel: ["inbox"], title: "{flow.name}" };
    }
    case "finish":
      return { ...own, kind, result: "approved" };
  }
}

function newBlock(own: Own, kind: BlockKind, names: Names, taken: Set<string>): Step {
  const first: Branch = { id: untaken(taken, `${own.id}_1`), name: names.branch(1), steps: [] };
  const second: Branch = { id: untaken(taken, `${own.id}_2`), name: names.branch(2), steps: [] };
  if (kind === "choice") {
    return {
      ...own,
      kind,
      branches: [first, { ...second, name: names.otherwise, otherwise: true }],
    };
  }
  return { ...own, kind, branches: [first, second], join: "all" };
}

function lastHuman(flow: Flowdoc): string {
  return everyStep(flow).findLast(({ step }) => isHuman(step))?.step.id ?? "";
}

const SHARED = ["id", "name", "note", "fields", "on_event"] as const;
// Members that mean the same in several kinds; everything else goes with the old kind.
const ALSO: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  approve: humans(),
  work: humans(),
  copy: ["who"],
  notice: ["who"],
  parallel: ["join", "branch_reject"],
  inclusive: ["join", "branch_reject"],
  choice: [],
  goto: ["when"],
};
function humans(): readonly string[] {
  return ["who", "decide", "on_empty", "on_self", "deadline", "acts", "evidence", "repeat_skip"];
}

/**
 * The process with a step as another kind, under the same id.
 *
 * What both kinds have stays, so do the branches of a block that remains one. Branches get or lose
 * "otherwise" and their conditions as the new kind needs it.
 */
export function replaceKind(flow: Flowdoc, id: string, kind: Kind, names: Names): Flowdoc {
  const found = find(flow, id);
  if (found === undefined || found.step.kind === kind) return flow;
  const old = found.step;
  const kept = new Set<string>([...SHARED, ...common(old.kind, kind)]);
  const members = Object.entries(old).filter(([name]) => kept.has(name));
  const fresh: Step = { ...newStep(kind, flow, names), ...Object.fromEntries(members) };
  const next =
    isBlock(old) && isBlock(fresh) ? { ...fresh, branches: fitted(old.branches, kind) } : fresh;
  return setIn(flow, found.path, next);
}

function common(one: Kind, other: Kind): readonly string[] {
  const theirs = ALSO[other] ?? [];
  return (ALSO[one] ?? []).filter((name) => theirs.includes(name));
}

function fitted(branches: readonly Branch[], kind: Kind): readonly Branch[] {
  if (!hasConditions(kind)) return branches.map((each) => withoutWhen(withoutOtherwise(each)));
  if (kind !== "choice" || branches.some((each) => each.otherwise === true)) return branches;
  return branches.map((each, index) =>
    index === branches.length - 1 ? { ...withoutWhen(each), otherwise: true } : each,
  );
}
