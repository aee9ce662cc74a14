// The way of a sample request as the server answered it: as a list, and as marks on the cards.

/** A reason, an unknown, an end, in words. */
export interface Said {
  readonly code: string;
  readonly message: string;
}
export interface WayBranch {
  readonly id: string;
  readonly name: string;
  /** Null: it depends on something. */
  readonly taken: boolean | null;
  readonly questions: readonly Said[];
  readonly depends_on: readonly Said[];
  readonly steps: readonly WayStep[];
}
export interface WayStep {
  readonly step: { readonly id: string; readonly name: string; readonly kind: string };
  /** Every way leads to it, as far as is known. */
  readonly sure: boolean;
  readonly people: readonly Said[];
  readonly left_out: readonly Said[];
  readonly passes: readonly Said[];
  readonly unknown: readonly Said[];
  readonly rule: Said | null;
  readonly ends: Said | null;
  readonly goto: (Said & Pick<WayBranch, "taken" | "questions" | "depends_on">) | null;
  readonly branches: readonly WayBranch[];
}

/** On the way, perhaps on it, or not. */
export type Lies = "on" | "maybe" | "off";
export interface Mark {
  readonly lies: Lies;
  /** What it depends on, in the words of the reader. */
  readonly note: string;
}

const words = (said: readonly Said[]): string =>
  [...new Set(said.map(({ message }) => message))].join(" · ");

function liesOf(taken: boolean | null): Lies {
  if (taken === null) return "maybe";
  return taken ? "on" : "off";
}

/** Each card that the way touches, by its key; a card that is not in here is not on the way. */
export function marksOf(steps: readonly WayStep[]): ReadonlyMap<string, Mark> {
  const found = new Map<string, Mark>([["start", { lies: "on", note: "" }]]);
  mark(steps, found);
  const over = endOf(steps);
  found.set("end", { lies: over, note: "" });
  return found;
}

function mark(steps: readonly WayStep[], found: Map<string, Mark>): void {
  for (const each of steps) {
    const note = words([...each.unknown, ...(each.goto?.depends_on ?? [])]);
    found.set(each.step.id, { lies: each.sure ? "on" : "maybe", note });
    for (const branch of each.branches) {
      const lies = branch.taken === true && !each.sure ? "maybe" : liesOf(branch.taken);
      const depends = lies === "maybe" ? words(branch.depends_on) : "";
      found.set(`${each.step.id}/${branch.id}`, { lies, note: depends });
      mark(branch.steps, found);
    }
  }
}

/** Whether the end of the process is reached, as far as the outermost steps tell. */
function endOf(steps: readonly WayStep[]): Lies {
  const ends = steps.flatMap((each) => (each.ends === null ? [] : [each]));
  if (ends.some((each) => each.sure && each.branches.length === 0)) return "off";
  return ends.length > 0 ? "maybe" : "on";
}

/** One line of the list; `depth` counts the blocks around it. */
export interface WayLine {
  readonly key: string;
  readonly depth: number;
  readonly name: string;
  readonly lies: Lies;
  readonly kind: string;
  /** People with their reasons, conditions with what they saw, how it ends. */
  readonly reasons: readonly Said[];
  /** What nobody can know yet. */
  readonly unknown: readonly Said[];
}

/** The way as lines in document order; branches that are not taken are left out. */
export function linesOf(steps: readonly WayStep[], depth = 0): readonly WayLine[] {
  return steps.flatMap((each) => [stepLine(each, depth), ...branchLines(each, depth + 1)]);
}

function stepLine(each: WayStep, depth: number): WayLine {
  const turns = each.goto === null ? [] : [each.goto, ...each.goto.questions];
  return {
    key: each.step.id,
    depth,
    name: each.step.name,
    lies: each.sure ? "on" : "maybe",
    kind: each.step.kind,
    reasons: [
      ...each.people,
      ...each.left_out,
      ...each.passes,
      ...(each.rule === null ? [] : [each.rule]),
      ...turns,
      ...(each.ends === null ? [] : [each.ends]),
    ],
    unknown: [...each.unknown, ...(each.goto?.depends_on ?? [])],
  };
}

function branchLines(block: WayStep, depth: number): readonly WayLine[] {
  return block.branches
    .filter((branch) => branch.taken !== false)
    .flatMap((branch) => [
      {
        key: `${block.step.id}/${branch.id}`,
        depth,
        name: branch.name || branch.id,
        lies: liesOf(branch.taken),
        kind: "branch",
        reasons: branch.questions,
        unknown: branch.depends_on,
      },
      ...linesOf(branch.steps, depth + 1),
    ]);
}
