// What differs between two drafts, as a list in words: added, removed, moved, changed.
import type { JSX } from "preact";
import type { Change } from "../model";
import { t } from "../texts";

const most = 40;
const signs = { added: "+", removed: "−", moved: "↕", changed: "~" } as const;

/** One change: what happened to what, and which of its settings. */
export function changeWords(change: Change): string {
  const members = [
    ...new Set((change.members ?? []).map((member) => String(member.path[0] ?? ""))),
  ];
  const name = change.name || change.id;
  const what = t(`change.${change.what}`, { what: t(`part.${change.kind}`), name });
  return members.length > 0 ? `${what}: ${members.join(t("list.comma"))}` : what;
}

/** A change inside of something added or removed as a whole is not worth a line of its own. */
export function Changes(props: { title?: string; changes: readonly Change[] }): JSX.Element | null {
  const shown = props.changes.filter((change) => change.inside === null);
  if (shown.length === 0) return null;
  return (
    <>
      {props.title !== undefined && <h3 class="dz-sub">{props.title}</h3>}
      <ul class="dz-changes">
        {shown.slice(0, most).map((change) => (
          <li
            key={`${change.what} ${change.part} ${change.kind} ${change.id}`}
            data-what={change.what}
          >
            <span aria-hidden="true">{signs[change.what]}</span>
            {changeWords(change)}
          </li>
        ))}
        {shown.length > most && <li>{t("change.more", { count: shown.length - most })}</li>}
      </ul>
    </>
  );
}
