// Findings in the order in which their places stand in the document.
import { isList, isRecord, memberOf, pathOf } from "../paths";
import type { Finding } from "./finding";
import { below } from "./finding";

/** Sorted by place; what is missing comes before what is there, equal places keep their order. */
export function inDocumentOrder(root: unknown, findings: readonly Finding[]): readonly Finding[] {
  const ranks = new Map<unknown, ReadonlyMap<string, number>>();
  const rankIn = (here: unknown, part: string): number => {
    if (isList(here)) return /^\d+$/.test(part) && Number(part) < here.length ? Number(part) : -1;
    if (!isRecord(here)) return -1;
    let members = ranks.get(here);
    if (members === undefined) {
      members = new Map(Object.keys(here).map((name, rank) => [below("", name).slice(1), rank]));
      ranks.set(here, members);
    }
    return members.get(part) ?? -1;
  };
  const placed = findings.map((finding) => {
    let here = root;
    const parts = finding.at.split("/").slice(1);
    const path = pathOf(finding.at);
    return {
      finding,
      ranks: parts.map((part, at) => {
        const rank = rankIn(here, part);
        here = memberOf(here, path[at] ?? "");
        return rank;
      }),
    };
  });
  placed.sort((one, other) => byRanks(one.ranks, other.ranks));
  return placed.map(({ finding }) => finding);
}

function byRanks(one: readonly number[], other: readonly number[]): number {
  for (const [at, rank] of one.entries()) {
    const against = other[at];
    if (against === undefined) return 1;
    if (rank !== against) return rank - against;
  }
  return one.length - other.length;
}
