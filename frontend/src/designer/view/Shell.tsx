// The designer as a whole: head, stage, and the layers above them.
import { computed } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { backToCard } from "../cards";
import { told } from "../layers";
import { later } from "../later";
import { asOutline, hintRead, hintShown, panelShown } from "../looking";
import { everyStep } from "../model";
import { offered, forget } from "../recovery";
import { conflict, failure, save, takeUp } from "../saving";
import { announced, draft, endTyping, readOnly, selected, stage } from "../state";
import { t } from "../texts";
import { Canvas, Ghost } from "./Canvas";
import { Head } from "./Head";
import { Icon } from "./Icon";
import { MenuLayer } from "./Menu";
import { Problems } from "./Problems";
import { Questions } from "./Questions";
import { Toolbar } from "./Toolbar";
import { Simulate } from "./trying/Simulate";

// What is opened later than the first look; see later.tsx.
const Properties = later(() => import("./panels/Properties").then(({ Properties: part }) => part));
const FormEditor = later(() => import("./form/FormEditor").then(({ FormEditor: part }) => part));
const Basics = later(() => import("./panels/Basics").then(({ Basics: part }) => part));
const MoreSettings = later(() =>
  import("./panels/MoreSettings").then(({ MoreSettings: part }) => part),
);
const Minimap = later(() => import("./Minimap").then(({ Minimap: part }) => part), {
  quiet: true,
});
/** From so many steps on one loses sight of the whole (interface.md 7.9). */
const isLarge = computed(() => everyStep(draft.value.flow).length > 60);
const ConflictDialog = later(() => import("./Conflict").then(({ ConflictDialog: part }) => part), {
  onClose: () => {
    conflict.value = null;
  },
});

/** Escape inside of the properties goes back to the card, unless something in there used it. */
function leavePanel(event: KeyboardEvent): void {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  backToCard();
}

function Panel(): JSX.Element {
  return (
    <aside
      class={`dz-panel${panelShown.value ? " is-shown" : ""}`}
      aria-label={t("properties")}
      data-properties=""
      tabIndex={-1}
      onKeyDown={leavePanel}
      onFocusOut={endTyping}
    >
      <button
        type="button"
        class="btn-close-own dz-panel-close"
        data-close-properties=""
        aria-label={t("properties.close")}
        onClick={backToCard}
      >
        <Icon name="x" />
      </button>
      {selected.value === "end" ? <p class="person-note">{t("end.note")}</p> : <Properties />}
    </aside>
  );
}

/** A stage that is one sheet; its heading is in the stages above, for the eye. */
function Sheet(props: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="dz-sheet" onFocusOut={endTyping}>
      <h2 class="visually-hidden">{props.title}</h2>
      {props.children}
    </section>
  );
}

function Stage(): JSX.Element {
  switch (stage.value) {
    case "basics":
      return (
        <Sheet title={t("stage.basics")}>
          <Basics />
        </Sheet>
      );
    case "form":
      return (
        <Sheet title={t("stage.form")}>
          <FormEditor />
        </Sheet>
      );
    case "more":
      return (
        <Sheet title={t("stage.more")}>
          <MoreSettings />
        </Sheet>
      );
    default:
      return (
        <div class="dz-flow">
          <Canvas />
          {isLarge.value && !asOutline.value && <Minimap />}
          <Panel />
        </div>
      );
  }
}

/** Input of before a reload: taken up again, or dropped, as the person says. */
function Recovery(): JSX.Element | null {
  const kept = offered.value;
  if (kept === null) return null;
  return (
    <div class="alert alert-info" role="status">
      <Icon name="history" />
      <div>
        <p>{t("recover.text")}</p>
        <button
          type="button"
          class="btn btn-plain btn-sm"
          onClick={() => {
            offered.value = null;
            takeUp(kept.draft, kept.version, kept.base);
          }}
        >
          {t("recover.take")}
        </button>{" "}
        <button
          type="button"
          class="btn btn-plain btn-sm"
          onClick={() => {
            offered.value = null;
            forget();
          }}
        >
          {t("recover.drop")}
        </button>
      </div>
    </div>
  );
}

function Hint(): JSX.Element | null {
  if (!hintShown.value) return null;
  return (
    <div class="alert alert-info">
      <Icon name="info-circle" />
      <div>
        <p>{t("hint")}</p>
      </div>
      <button type="button" class="btn-close-own" aria-label={t("close")} onClick={hintRead}>
        <Icon name="x" />
      </button>
    </div>
  );
}

function Failed(): JSX.Element | null {
  const now = failure.value;
  if (now === null) return null;
  return (
    <div class="alert alert-danger" role="alert">
      <Icon name="alert-circle" />
      <div>
        <p>{now.text}</p>
        <button type="button" class="btn btn-plain btn-sm" onClick={() => void save()}>
          {t("save.retry")}
        </button>
      </div>
    </div>
  );
}

const shown = 10_000; // milliseconds; with the focus or the pointer on it, longer

function Told(): JSX.Element | null {
  const now = told.value;
  useEffect(() => {
    if (now === null) return;
    const leave = (): void => {
      if (document.querySelector(".dz-told:is(:hover, :focus-within)"))
        timer = setTimeout(leave, shown);
      else if (told.peek() === now) told.value = null;
    };
    let timer = setTimeout(leave, shown);
    return () => clearTimeout(timer);
  }, [now]);
  if (now === null) return null;
  return (
    <div class="toast-note dz-told" data-tone="info">
      <span>{now.text}</span>
      {now.action !== null && (
        <button
          type="button"
          class="btn btn-plain btn-sm"
          onClick={() => {
            told.value = null;
            now.action?.run();
          }}
        >
          {now.action.text}
        </button>
      )}
      <button
        type="button"
        class="btn-close-own"
        aria-label={t("close")}
        onClick={() => {
          told.value = null;
        }}
      >
        <Icon name="x" />
      </button>
    </div>
  );
}

/** Two regions in turn: a reader speaks the same words again only when the text is a new one. */
function Announcer(): JSX.Element {
  const { text, turn } = announced.value;
  return (
    <div class="visually-hidden" role="status" aria-live="polite" data-announced="">
      <p>{turn % 2 === 0 ? text : ""}</p>
      <p>{turn % 2 === 1 ? text : ""}</p>
    </div>
  );
}

export function Shell(): JSX.Element {
  return (
    <>
      <Head />
      <Recovery />
      <Hint />
      <Failed />
      {readOnly.value && <p class="person-note">{t("read-only.note")}</p>}
      <Toolbar canvas={stage.value === "flow"} />
      <Stage />
      <Problems />
      <Simulate />
      <Told />
      <Ghost />
      <MenuLayer />
      {conflict.value !== null && <ConflictDialog />}
      <Questions />
      <Announcer />
    </>
  );
}
