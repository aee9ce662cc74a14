// What differs between two drafts, as a list in words: added, removed, moved, changed.
import type { JSX } from "preact";
import type { Change, Compared } from "../model/diff";
import { memberName } from "./fields/binding";
import { t } from "../texts";

const most = 40;
const signs = { added: "+", removed: "−", moved: "↕", changed: "~" } as const;
// Which version of its form a document was stored with says nothing about what somebody did.
const silent = "form.version";

function memberWords(change: Change): string {
  const names = (change.members ?? []).map((member) => memberName(String(member.path[0] ?? "")));
  return [...new Set(names)].join(t("list.comma"));
}

function settingName(change: Change): string {
  return memberName(change.id.split(".")[0] ?? "");
}

/** One change: what happened to what, and which of its settings. */
function changeWords(change: Change): string {
  if (change.kind === "setting") return t("change.setting", { name: settingName(change) });
  const name = change.name || change.id;
  const what = t(`change.${change.what}`, { what: t(`part.${change.kind}`), name });
  const members = memberWords(change);
  return members === "" ? what : t("change.members", { what, members });
}

function didWords(change: Change): string {
  return change.what === "changed" ? memberWords(change) : t(`conflict.did.${change.what}`);
}

/** What two people did to one part: the part is named once, by both of its names if it has two. */
function pairWords(here: Change, there: Change): string {
  if (here.kind === "setting") return t("change.setting", { name: settingName(here) });
  const what = t(`part.${here.kind}`);
  const [name, other] = [here.name || here.id, there.name || there.id];
  const part =
    name === other
      ? t("conflict.part", { what, name })
      : t("conflict.renamed", { what, mine: name, theirs: other });
  const [mine, theirs] = [didWords(here), didWords(there)];
  return mine === theirs
    ? t("change.members", { what: part, members: mine })
    : t("conflict.pair", { what: part, mine, theirs });
}

/** The parts that two people changed, each in one line. */
export function pairLines(pairs: Compared["both"]): readonly string[] {
  const told = pairs.filter(({ mine }) => mine.id !== silent);
  return [...new Set(told.map(({ mine, theirs }) => pairWords(mine, theirs)))];
}

/** A change inside of something added or removed as a whole is not worth a line of its own. */
export function Changes(props: { title?: string; changes: readonly Change[] }): JSX.Element | null {
  const told = new Map(
    props.changes
      .filter((change) => change.inside === null && change.id !== silent)
      .map((change) => [changeWords(change), change.what]),
  );
  return (
    <ChangeList title={props.title} lines={[...told].map(([text, what]) => ({ text, what }))} />
  );
}

export interface Line {
  what: Change["what"];
  text: string;
  /** What changed inside of it, a sentence each. */
  details?: readonly string[];
}

/** The lines of a comparison, whoever made it. */
export function ChangeList(props: {
  title?: string | undefined;
  lines: readonly Line[];
}): JSX.Element | null {
  const { title, lines } = props;
  if (lines.length === 0) return null;
  return (
    <>
      {title !== undefined && <h3 class="dz-sub">{title}</h3>}
      <ul class="dz-changes">
        {lines.slice(0, most).map(({ what, text, details = [] }, index) => (
          <li key={index} data-what={what}>
            <span aria-hidden="true">{signs[what]}</span>
            {details.length === 0
              ? text
              : t("change.members", { what: text, members: details.join(t("list.comma")) })}
          </li>
        ))}
        {lines.length > most && <li>{t("change.more", { count: lines.length - most })}</li>}
      </ul>
    </>
  );
}
