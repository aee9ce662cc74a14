// What-if: how many past requests would have gone another way, branch by branch, and which.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  outcomes,
  replay,
  replayed,
  replayFailure,
  replaying,
  type Replayed,
} from "../../replaying";
import { plural, t } from "../../texts";
import { Button } from "../Dialog";

const most = 200;

export function Replay(): JSX.Element {
  const [last, setLast] = useState("50");
  const now = replayed.value;
  const count = Math.max(1, Math.min(most, Math.trunc(Number(last)) || 1));
  return (
    <section aria-label={t("try.replay")} data-replay="">
      <h2 class="dz-sub">{t("try.replay")}</h2>
      <p class="person-note">{t("try.replay-hint")}</p>
      <div class="field">
        <label class="form-label" for="dz-last">
          {t("try.last")}
        </label>
        <span class="dz-row">
          <input
            id="dz-last"
            class="form-control is-short"
            type="number"
            min={1}
            max={most}
            value={last}
            onInput={(event) => setLast(event.currentTarget.value)}
          />
          <Button
            text={t("try.replay-now")}
            icon="history"
            busy={replaying.value}
            onPress={() => void replay(count)}
          />
        </span>
      </div>
      {replayFailure.value !== "" && (
        <p class="field-error" role="alert">
          {replayFailure.value}
        </p>
      )}
      {now !== null && <Result found={now} />}
    </section>
  );
}

function Result({ found }: { found: Replayed }): JSX.Element {
  if (found.looked_at === 0) return <p role="status">{t("try.replay-none")}</p>;
  return (
    <>
      <p role="status" data-looked={found.looked_at}>
        {plural(found.looked_at, "try.looked.one", "try.looked.other")}
      </p>
      <dl class="dz-counts">
        {outcomes.map((each) => (
          <div key={each} data-outcome={each}>
            <dt>{t(`try.outcome.${each}`)}</dt>
            <dd>{found.counts[each]}</dd>
          </div>
        ))}
      </dl>
      {found.branches.length > 0 && <Branches found={found} />}
      {found.examples.length > 0 && <Examples found={found} />}
    </>
  );
}

function Branches({ found }: { found: Replayed }): JSX.Element {
  return (
    <div class="dz-scroll" tabIndex={0} role="group" aria-label={t("try.branches")}>
      <table class="table table-sm">
        <caption class="visually-hidden">{t("try.branches")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("card.branch")}</th>
            <th scope="col">{t("try.past")}</th>
            <th scope="col">{t("try.candidate")}</th>
          </tr>
        </thead>
        <tbody>
          {found.branches.map(({ step, branch, past, candidate }) => (
            <tr key={`${step.id}/${branch.id}`}>
              <th scope="row">
                {step.name} › {branch.name}
              </th>
              <td>{past}</td>
              <td>{candidate}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Examples({ found }: { found: Replayed }): JSX.Element {
  return (
    <ul class="dz-changes" aria-label={t("try.examples")} data-examples="">
      {found.examples.map(({ id, number, title, url, comparison, step }) => (
        <li key={id}>
          <div>
            <a href={url} target="_blank" rel="noopener">
              {number} {title}
            </a>{" "}
            <span class="person-note">
              {t(`try.outcome.${comparison}`)}
              {step !== null && ` · ${step.name || step.id}`}
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}
