// Scenarios of the design: keep the sample as one, play all, rename, remove.
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  isTaken,
  keepSample,
  longestName,
  mostScenarios,
  playAll,
  removeScenario,
  renameScenario,
  scenarios,
  showScenario,
} from "../../scenarios";
import { t } from "../../texts";
import { Button } from "../Dialog";
import { OutcomeList, Summary } from "./Outcomes";

export function Scenarios(): JSX.Element {
  const count = scenarios.value.length;
  return (
    <section aria-label={t("try.scenarios")}>
      <h2 class="dz-sub">{t("try.scenarios")}</h2>
      <Keeping full={count >= mostScenarios} />
      {count === 0 ? (
        <p class="person-note">{t("try.scenarios-hint")}</p>
      ) : (
        <>
          <OutcomeList>{(index) => <Row index={index} />}</OutcomeList>
          <Summary />
          <Button text={t("try.play")} icon="player-play" onPress={() => void playAll()} />
        </>
      )}
    </section>
  );
}

function Keeping({ full }: { full: boolean }): JSX.Element {
  const [name, setName] = useState("");
  const [fault, setFault] = useState("");
  // The sample may be refused too: then nothing is wrong with the name.
  const [badName, setBadName] = useState(false);
  const [busy, setBusy] = useState(false);
  const keep = async (): Promise<void> => {
    const wanted = name.trim();
    setBadName(wanted === "" || isTaken(wanted));
    if (wanted === "") setFault(t("try.name-missing"));
    else if (isTaken(wanted)) setFault(t("try.name-taken"));
    else {
      setBusy(true);
      const refusal = await keepSample(wanted);
      setBusy(false);
      setFault(refusal);
      if (refusal === "") setName("");
    }
  };
  return (
    <div class="field">
      <label class="form-label" for="dz-keep">
        {t("try.name")}
      </label>
      <span class="dz-row">
        <input
          id="dz-keep"
          class="form-control"
          autoComplete="off"
          maxLength={longestName}
          value={name}
          aria-invalid={fault !== "" && badName ? "true" : undefined}
          aria-describedby={fault === "" ? undefined : "dz-keep-fault"}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.isComposing) void keep();
          }}
        />
        <Button
          text={t("try.keep")}
          icon="plus"
          busy={busy}
          off={full}
          onPress={() => void keep()}
        />
      </span>
      {fault !== "" && (
        <p class="field-error" id="dz-keep-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

function Row({ index }: { index: number }): JSX.Element | null {
  const [renames, setRenames] = useState(false);
  const scenario = scenarios.value[index];
  if (scenario === undefined) return null;
  if (renames) return <NameInput index={index} onDone={() => setRenames(false)} />;
  const { name } = scenario;
  const act = (text: string, run: () => void): JSX.Element => (
    <button
      type="button"
      class="btn btn-plain btn-sm"
      aria-label={t("try.act", { act: text, name })}
      onClick={run}
    >
      {text}
    </button>
  );
  return (
    <span class="dz-row">
      {act(t("try.show"), () => showScenario(scenario))}
      {act(t("act.rename"), () => setRenames(true))}
      {act(t("act.delete"), () => removeScenario(index))}
    </span>
  );
}

/** Enter or leaving takes the name, Escape leaves it as it was; one that is taken is not taken. */
function NameInput({ index, onDone }: { index: number; onDone: () => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  const name = scenarios.value[index]?.name ?? "";
  useLayoutEffect(() => input.current?.select(), []);
  const take = (text: string): void => {
    // Taking it away makes it lose the focus, which would take the name once more.
    if (done.current) return;
    done.current = true;
    const wanted = text.trim();
    if (wanted !== "" && wanted !== name && !isTaken(wanted, index)) renameScenario(index, wanted);
    onDone();
  };
  return (
    <input
      ref={input}
      class="form-control form-control-sm"
      aria-label={t("act.rename")}
      maxLength={longestName}
      value={name}
      onBlur={(event) => take(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") take(event.currentTarget.value);
        else if (event.key === "Escape") {
          event.stopPropagation();
          take("");
        }
      }}
    />
  );
}
