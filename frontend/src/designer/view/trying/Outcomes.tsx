// What the scenarios came to: green or red, and what differs; for the panel and for publishing.
import type { ComponentChildren, JSX } from "preact";
import { played, playFailure, playing, scenarios, upToDate } from "../../scenarios";
import { plural, t } from "../../texts";
import { Icon } from "../Icon";

type State = "unknown" | "green" | "red";

function stateOf(index: number): State {
  const words = upToDate.value ? played.value?.outcomes[index] : undefined;
  if (words === undefined) return "unknown";
  return words === "" ? "green" : "red";
}

const look = {
  unknown: { icon: "circle-dashed", tone: "neutral", text: "try.unknown" },
  green: { icon: "circle-check", tone: "success", text: "try.green" },
  red: { icon: "circle-x", tone: "danger", text: "try.red" },
} as const;

/** "3 scenarios: all green", or how many are red. */
export function Summary(): JSX.Element | null {
  if (playing.value) return <p aria-busy="true">{t("try.playing")}</p>;
  if (playFailure.value !== "") return <p class="field-error">{playFailure.value}</p>;
  const last = played.value;
  if (last === null || !upToDate.value) return null;
  const red = last.outcomes.filter((words) => words !== "").length;
  return (
    <p role="status" data-red={red}>
      {red === 0 ? t("try.all-green") : plural(red, "try.some-red.one", "try.some-red.other")}
    </p>
  );
}

export function OutcomeList(props: {
  children?: (index: number) => ComponentChildren;
}): JSX.Element {
  return (
    <ul class="dz-changes" data-scenarios="">
      {scenarios.value.map(({ name }, index) => {
        const state = stateOf(index);
        const { icon, tone, text } = look[state];
        return (
          <li key={name} data-state={state} data-tone={tone}>
            <Icon name={icon} />
            <div>
              <strong>{name}</strong> <span class="person-note">{t(text)}</span>
              {state === "red" && <p class="m-0">{played.value?.outcomes[index]}</p>}
              {props.children?.(index)}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
