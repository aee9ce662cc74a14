// The head of the designer: where one is, the four stages, what is saved, and publishing.
import type { JSX } from "preact";
import { checkAll, uncheckable } from "../checking";
import { jump } from "../faults";
import { tell } from "../layers";
import { problemsShown } from "../looking";
import { page } from "../page";
import { startPublishing } from "../publishing";
import { failure, save, saved, saving, unsaved, unsavedCount } from "../saving";
import { draft, problems, readOnly, stage, type Stage } from "../state";
import { plural, t, type TextKey } from "../texts";
import { clockText } from "../times";
import { Icon } from "./Icon";

const stages: readonly (readonly [Stage, TextKey])[] = [
  ["basics", "stage.basics"],
  ["form", "stage.form"],
  ["flow", "stage.flow"],
  ["more", "stage.more"],
];

type SaidState = readonly [tone: string, icon: string, text: string];

function stateOf(at: Date | null, version: number): SaidState {
  if (readOnly.value) return ["neutral", "lock", t("save.read-only")];
  if (saving.value) return ["info", "refresh", t("save.saving")];
  if (failure.value !== null) return ["danger", "alert-circle", t("save.failed")];
  const count = unsavedCount.value;
  if (count > 0) {
    return ["warning", "circle-dot", plural(count, "save.unsaved.one", "save.unsaved.other")];
  }
  if (at === null) return ["success", "check", t("save.version", { version })];
  return ["success", "check", t("save.saved", { time: clockText(at), version })];
}

/** One place that says what is saved; it never says "saved" while something is not. */
function SaveState(): JSX.Element {
  const { at, version } = saved.value;
  const [tone, icon, text] = stateOf(at, version);
  return (
    <span
      class="chip"
      data-tone={tone}
      data-save-state={tone}
      role="status"
      title={failure.value?.text}
    >
      <Icon name={icon} />
      {text}
    </span>
  );
}

async function next(): Promise<void> {
  const at = stages.findIndex(([code]) => code === stage.peek());
  const following = stages[at + 1];
  // "Next" saves, as the paper form did; when that fails, one stays where the input is.
  if (following !== undefined && (readOnly.peek() || (await save()))) stage.value = following[0];
}

async function checkAndShow(): Promise<void> {
  const found = await checkAll();
  problemsShown.value = true;
  if (uncheckable.peek()) tell(t("part.checks"));
  else if (found.length === 0) tell(t("check.none"));
  else jump(1);
}

function Check(): JSX.Element {
  const errors = problems.value.filter((problem) => problem.level === "error").length;
  return (
    <button type="button" class="btn btn-plain btn-sm" onClick={() => void checkAndShow()}>
      <Icon name="checks" />
      {errors > 0 ? t("check.count", { count: errors }) : t("check")}
    </button>
  );
}

function Actions(): JSX.Element {
  const last = stage.value === "more";
  const still = !unsaved.value || saving.value;
  return (
    <div class="dz-acts">
      <SaveState />
      <Check />
      {!readOnly.value && (
        <button
          type="button"
          class={`btn btn-plain btn-sm${saving.value ? " btn-loading" : ""}`}
          disabled={still}
          title="Ctrl+S"
          aria-keyshortcuts="Control+S"
          onClick={() => void save()}
        >
          {failure.value === null ? t("save") : t("save.retry")}
        </button>
      )}
      {!last && (
        <button type="button" class="btn btn-plain btn-sm" onClick={() => void next()}>
          {t("next")}
          <Icon name="arrow-right" />
        </button>
      )}
      {page().may_publish && !readOnly.value && (
        <button
          type="button"
          class="btn btn-primary btn-sm"
          disabled={saving.value}
          onClick={() => void startPublishing()}
        >
          <Icon name="send" />
          {t("publish")}
        </button>
      )}
    </div>
  );
}

export function Head(): JSX.Element {
  const name = draft.value.flow.name || t("draft.unnamed");
  return (
    <header class="dz-head">
      <a class="btn-bare" href={page().addresses.box} title={t("back")} aria-label={t("back")}>
        <Icon name="arrow-left" />
      </a>
      <h1>{t("head.title", { name })}</h1>
      <Actions />
      <nav class="dz-stages" aria-label={t("stages")}>
        <ol>
          {stages.map(([code, text], index) => (
            <li key={code}>
              <button
                type="button"
                aria-current={stage.value === code ? "step" : undefined}
                onClick={() => {
                  stage.value = code;
                }}
              >
                <span aria-hidden="true">{index + 1}</span>
                {t(text)}
              </button>
            </li>
          ))}
        </ol>
      </nav>
    </header>
  );
}
