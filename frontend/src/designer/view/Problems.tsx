// The list of problems below the canvas; each line leads to where it is put right.
import type { JSX } from "preact";
import { cardOf, jumpTo, stageOf } from "../faults";
import { titleOf } from "../commands";
import { problemsShown } from "../looking";
import type { Problem } from "../model";
import { problems } from "../state";
import { plural, t } from "../texts";
import { sentenceOf } from "./fields/binding";
import { Icon } from "./Icon";

export function placeOf(problem: Problem): string {
  const stage = stageOf(problem);
  return stage === "flow" ? titleOf(cardOf(problem)) : t(`stage.${stage}`);
}

/** "1 problem, 2 warnings", without what there is none of. */
function countWords(all: readonly Problem[]): string {
  const errors = all.filter((problem) => problem.level === "error").length;
  const warnings = all.length - errors;
  return [
    errors > 0 ? plural(errors, "faults.error", "faults.errors") : "",
    warnings > 0 ? plural(warnings, "faults.warning", "faults.warnings") : "",
  ]
    .filter(Boolean)
    .join(t("list.comma"));
}

export function Problems(): JSX.Element | null {
  const all = problems.value;
  if (all.length === 0) return null;
  return (
    <details
      class="dz-problems"
      open={problemsShown.value}
      onToggle={(event) => {
        problemsShown.value = event.currentTarget.open;
      }}
    >
      <summary>
        <Icon name="alert-triangle" />
        {countWords(all)}
      </summary>
      <ul>
        {all.map((problem) => (
          <li key={`${problem.code} ${problem.part} ${problem.at}`}>
            <button
              type="button"
              data-tone={problem.level === "error" ? "danger" : "warning"}
              onClick={() => jumpTo(problem)}
            >
              <Icon name={problem.level === "error" ? "alert-circle" : "alert-triangle"} />
              <strong>{placeOf(problem)}</strong> {sentenceOf(problem)}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
