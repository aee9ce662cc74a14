// The small dialogs: find a card, the keys, leaving, what becomes of a block that loses a branch.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { goTo, keyOf } from "../cards";
import { dropBranch, emptyBranch, kindKey, titleOf } from "../commands";
import { later } from "../later";
import { question } from "../layers";
import { discardAndGo, saveAndGo } from "../leaving";
import { outline, type Line } from "../model";
import { failure } from "../saving";
import { draft } from "../state";
import { t } from "../texts";
import { Button, Dialog } from "./Dialog";

const most = 12;

function close(): void {
  question.value = null;
}

const PublishDialog = later(() => import("./Publish").then(({ PublishDialog: part }) => part), {
  onClose: close,
});

export function Questions(): JSX.Element | null {
  const now = question.value;
  switch (now?.kind) {
    case "publish":
      return <PublishDialog />;
    case "find":
      return <Find />;
    case "keys":
      return <Keys />;
    case "leave":
      return <Leave href={now.href} />;
    case "last-branch":
      return <LastBranch step={now.step} branch={now.branch} />;
    default:
      return null;
  }
}

function matching(lines: readonly Line[], words: string): readonly Line[] {
  const wanted = words.trim().toLowerCase();
  const texts = (line: Line): string =>
    line.branch === null
      ? `${line.step.name} ${line.step.id} ${t(kindKey(line.step.kind))}`
      : `${line.branch.name} ${line.branch.id}`;
  return lines.filter((line) => texts(line).toLowerCase().includes(wanted));
}

function Find(): JSX.Element {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const found = matching(outline(draft.value.flow), words);
  const shown = found.slice(0, most);
  const here = Math.min(at, shown.length - 1);
  const go = (line: Line | undefined): void => {
    if (line === undefined) return;
    close();
    setTimeout(() => goTo(line.node));
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") setAt(Math.min(here + 1, shown.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(here - 1, 0));
    else if (event.key === "Enter") go(shown[here]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t("find.title")} onClose={close}>
      <input
        class="form-control"
        type="text"
        role="combobox"
        aria-label={t("find.label")}
        aria-expanded="true"
        aria-controls="dz-found"
        aria-autocomplete="list"
        aria-activedescendant={shown[here] === undefined ? undefined : `dz-found-${here}`}
        value={words}
        autoFocus
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={pressed}
      />
      <ul class="dz-found" id="dz-found" role="listbox" aria-label={t("find.results")}>
        {shown.map((line, index) => (
          <li
            key={keyOf(line.node)}
            id={`dz-found-${index}`}
            role="option"
            aria-selected={index === here}
            onClick={() => go(line)}
          >
            {titleOf(line.node)}
            <span class="person-note">
              {line.branch === null ? t(kindKey(line.step.kind)) : t("card.branch")}
            </span>
          </li>
        ))}
      </ul>
      <p class="person-note" role="status">
        {found.length === 0 ? t("find.none") : t("find.count", { count: found.length })}
      </p>
    </Dialog>
  );
}

const keys = [
  ["↑ ↓ ← →", "keys.walk"],
  ["Home End", "keys.ends"],
  ["Enter", "keys.enter"],
  ["Esc", "keys.escape"],
  ["Insert", "keys.insert"],
  ["Delete", "keys.delete"],
  ["F2", "keys.rename"],
  ["Alt+↑ ↓", "keys.move"],
  ["Alt+← →", "keys.branch"],
  ["Space", "keys.fold"],
  ["Shift+F10", "keys.menu"],
  ["Ctrl+Z", "keys.undo"],
  ["Ctrl+Y", "keys.redo"],
  ["Ctrl+C X V D", "keys.copy"],
  ["Ctrl+S", "keys.save"],
  ["Ctrl+F", "keys.find"],
  ["F8", "keys.problem"],
  ["+ − 0", "keys.zoom"],
  ["o", "keys.outline"],
] as const;

function Keys(): JSX.Element {
  return (
    <Dialog title={t("keys.title")} onClose={close}>
      <dl class="keys">
        {keys.map(([key, text]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(text)}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}

function Leave({ href }: { href: string }): JSX.Element {
  return (
    <Dialog
      title={t("leave.title")}
      onClose={close}
      foot={
        <>
          <Button text={t("leave.discard")} look="danger" onPress={() => discardAndGo(href)} />
          <Button text={t("leave.stay")} onPress={close} />
          <Button
            text={t("leave.save")}
            look="primary"
            onPress={() => {
              close();
              void saveAndGo(href);
            }}
          />
        </>
      }
    >
      <p class="m-0">{t("leave.text")}</p>
      {failure.value !== null && <p class="field-error">{failure.value.text}</p>}
    </Dialog>
  );
}

function LastBranch({ step, branch }: { step: string; branch: string }): JSX.Element {
  const run = (work: (step: string, branch: string) => void) => () => {
    close();
    work(step, branch);
  };
  return (
    <Dialog
      title={t("last-branch.title", { name: titleOf({ step, branch }) })}
      onClose={close}
      foot={
        <>
          <Button text={t("cancel")} onPress={close} />
          <Button text={t("last-branch.empty")} onPress={run(emptyBranch)} />
          <Button text={t("last-branch.dissolve")} look="primary" onPress={run(dropBranch)} />
        </>
      }
    >
      <p class="m-0">{t("last-branch.text")}</p>
    </Dialog>
  );
}
