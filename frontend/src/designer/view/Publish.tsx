// The dialog of publishing: what changes for whom, why, and afterwards where to go.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { question } from "../layers";
import { address, page } from "../page";
import {
  noteChanged,
  prepared,
  publish,
  published,
  publishFailure,
  publishing,
} from "../publishing";
import { played, scenarios, upToDate } from "../scenarios";
import { draft, problems } from "../state";
import { plural, t } from "../texts";
import { ChangeList } from "./Changes";
import { Button, Dialog } from "./Dialog";
import { Icon } from "./Icon";
import { placeOf } from "./Problems";
import { sentenceOf } from "./fields/binding";
import { OutcomeList, Summary } from "./trying/Outcomes";

const longest = 500;

function close(): void {
  question.value = null;
}

export function PublishDialog(): JSX.Element {
  const done = published.value;
  return done === null ? <Asking /> : <Done version={done.version} flow={done.key} />;
}

function Impact(): JSX.Element {
  const now = prepared.value;
  if (now === null) return <p aria-busy="true">{t("publish.loading")}</p>;
  if (now.live === null) return <p>{t("publish.first")}</p>;
  const { version, running, changes, summary } = now.live;
  return (
    <>
      <p>{t("publish.against", { version })}</p>
      <p>{changes.length === 0 ? t("publish.same") : summary}</p>
      <ChangeList lines={changes} />
      <p>
        {running === 0
          ? t("publish.running.none")
          : plural(running, "publish.running.one", "publish.running.other")}
      </p>
    </>
  );
}

/** What was found and does not stop publishing: said before, not after. */
function Warnings(): JSX.Element | null {
  const open = problems.value.filter((problem) => problem.level === "warning");
  if (open.length === 0) return null;
  return (
    <>
      <h3 class="dz-sub">{t("publish.warnings", { count: open.length })}</h3>
      <ul class="dz-changes" data-warnings="">
        {open.map((problem) => (
          <li key={`${problem.code} ${problem.part} ${problem.at}`}>
            <Icon name="alert-triangle" />
            <div>
              <strong>{placeOf(problem)}</strong> {sentenceOf(problem)}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Whether there is something to publish: known only when the comparison is there. */
function isReady(): boolean {
  const now = prepared.value;
  if (now === null) return false;
  const { live } = now;
  return live === null || live.changes.length > 0 || live.other_scenarios;
}

/** Whether one of the scenarios is known not to come out as expected. */
function hasRed(): boolean {
  return upToDate.value && (played.value?.outcomes ?? []).some((words) => words !== "");
}

function asksForGreen(): boolean {
  return prepared.value?.live?.require_green === true;
}

/** The scenarios as they came out, and whether all of them have to come out as expected. */
function Rehearsed(props: { green: boolean; onGreen: (green: boolean) => void }): JSX.Element {
  return (
    <>
      <h3 class="dz-sub">{t("try.scenarios")}</h3>
      <Summary />
      <OutcomeList />
      <label class="form-check">
        <input
          class="form-check-input"
          type="checkbox"
          checked={props.green}
          onChange={(event) => props.onGreen(event.currentTarget.checked)}
        />
        <span>{t("try.require")}</span>
      </label>
    </>
  );
}

function Failed(): JSX.Element | null {
  if (publishFailure.value === "") return null;
  return (
    <p class="field-error" role="alert">
      {publishFailure.value}
    </p>
  );
}

function Asking(): JSX.Element {
  const [note, setNote] = useState("");
  const [asked, setAsked] = useState(false);
  const [wanted, setWanted] = useState<boolean | null>(null);
  const green = wanted ?? asksForGreen();
  const missing = note.trim() === "";
  const send = (): void => {
    setAsked(true);
    if (!missing) void publish(note.trim(), green);
  };
  return (
    <Dialog
      wide
      title={t("publish.title", { name: draft.value.flow.name })}
      onClose={close}
      foot={
        <>
          <Button text={t("cancel")} onPress={close} />
          <Button
            text={t("publish.now")}
            icon="send"
            look="primary"
            busy={publishing.value}
            off={!isReady() || (green && hasRed())}
            onPress={send}
          />
        </>
      }
    >
      <Impact />
      <Warnings />
      {scenarios.value.length > 0 && (
        <Rehearsed
          green={green}
          onGreen={(now) => {
            setWanted(now);
            noteChanged();
          }}
        />
      )}
      <label class="form-label required" for="dz-note">
        {t("publish.note")}
      </label>
      <textarea
        id="dz-note"
        class="form-control"
        rows={3}
        autoFocus
        maxLength={longest}
        value={note}
        aria-required="true"
        aria-invalid={asked && missing ? "true" : undefined}
        aria-describedby={asked && missing ? "dz-note-missing" : undefined}
        onInput={(event) => {
          setNote(event.currentTarget.value);
          noteChanged();
        }}
      />
      {asked && missing && (
        <p class="field-error" id="dz-note-missing">
          {t("publish.note-missing")}
        </p>
      )}
      <Failed />
    </Dialog>
  );
}

function Done({ version, flow }: { version: number; flow: string }): JSX.Element {
  const { process, start } = page().addresses;
  return (
    <Dialog
      title={t("publish.done", { version })}
      onClose={close}
      foot={<Button text={t("close")} onPress={close} />}
    >
      <p>{t("publish.effect")}</p>
      <p class="dz-row">
        <a class="btn btn-primary" href={address(start, "KEY", flow)}>
          <Icon name="send" />
          {t("publish.try")}
        </a>
        {process !== null && (
          <a class="btn btn-plain" href={address(process, "KEY", flow)}>
            <Icon name="history" />
            {t("publish.versions")}
          </a>
        )}
      </p>
    </Dialog>
  );
}
