// The way as a list: steps and branches in order, people with reasons, and what is unknown.
import type { JSX } from "preact";
import { goTo } from "../../cards";
import { isBlock, find, type Node } from "../../model";
import type { Lies, WayLine } from "../../model/ways";
import { outdated } from "../../sample";
import { draft, stage } from "../../state";
import { plural, t } from "../../texts";
import { failure, way } from "../../trying";
import { Icon } from "../Icon";

const icons: Readonly<Record<Lies, string>> = {
  on: "circle-check",
  maybe: "help",
  off: "circle-x",
};

/** The card of a line; "start" is no card of the document's steps. */
function nodeOf(key: string): Node {
  const [step = "", branch] = key.split("/");
  return branch === undefined ? step : { step, branch };
}

function jump(key: string): void {
  stage.value = "flow";
  goTo(nodeOf(key));
}

export function WayList(): JSX.Element {
  const now = way.value;
  return (
    <section
      aria-label={t("try.way")}
      aria-busy={outdated.value}
      class={outdated.value ? "is-outdated" : undefined}
      data-way={outdated.value ? "outdated" : "known"}
    >
      <h2 class="dz-sub">
        {now === null ? t("try.way") : plural(now.count, "try.way.one", "try.way.other")}
      </h2>
      {failure.value !== "" && <p class="field-error">{failure.value}</p>}
      {now !== null && now.refusal !== null && <p class="field-error">{now.refusal}</p>}
      {now === null && failure.value === "" && <p class="person-note">{t("try.waiting")}</p>}
      <ol class="dz-way">
        {now?.lines.map((line) => (
          <Line key={line.key} line={line} />
        ))}
      </ol>
    </section>
  );
}

function Line({ line }: { line: WayLine }): JSX.Element {
  const { key, depth, name, lies, reasons, unknown } = line;
  const found = find(draft.value.flow, key);
  const block = found !== undefined && isBlock(found.step);
  return (
    <li data-lies={lies} data-depth={Math.min(depth, 6)} data-line={key}>
      <button type="button" onClick={() => jump(key)}>
        <Icon name={block || line.kind === "branch" ? "git-branch" : icons[lies]} />
        <strong>{name}</strong>
        {lies === "maybe" && <span class="person-note"> {t("try.lies.maybe")}</span>}
      </button>
      {(reasons.length > 0 || unknown.length > 0) && (
        <ul>
          {reasons.map(({ message }, index) => (
            <li key={`${index} ${message}`}>{message}</li>
          ))}
          {unknown.map(({ message }) => (
            <li key={message} class="is-unknown">
              <Icon name="help" />
              {message}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
