// Somebody saved in between: what each side changed, and three ways on, none of which loses input.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { compare, diff } from "../model/diff";
import { forget } from "../recovery";
import { conflict, failure, loadTheirs, overwrite, saveAsNew, type Conflict } from "../saving";
import { t } from "../texts";
import { exactText } from "../times";
import { goAway } from "../leaving";
import { Changes, pairLines } from "./Changes";
import { Button, Dialog } from "./Dialog";
import { fieldName } from "./fields/binding";

function Differences({ clash }: { clash: Conflict }): JSX.Element {
  const { base, mine, theirs } = clash;
  if (base === null) {
    return <Changes title={t("conflict.between")} changes={diff(theirs, mine, fieldName)} />;
  }
  const sides = compare(base, mine, theirs, fieldName);
  const both = pairLines(sides.both);
  return (
    <>
      {both.length > 0 && (
        <>
          <h3 class="dz-sub">{t("conflict.both")}</h3>
          <ul class="dz-changes">
            {both.map((line) => (
              <li key={line} data-what="removed">
                <span aria-hidden="true">!</span>
                {line}
              </li>
            ))}
          </ul>
        </>
      )}
      <Changes title={t("conflict.theirs")} changes={sides.theirs} />
      <Changes title={t("conflict.mine")} changes={sides.mine} />
    </>
  );
}

export function ConflictDialog(): JSX.Element | null {
  const clash = conflict.value;
  return clash === null ? null : <Asking clash={clash} />;
}

function Asking({ clash }: { clash: Conflict }): JSX.Element {
  const [sure, setSure] = useState(false);
  const [busy, setBusy] = useState(false);
  const run = (work: () => Promise<unknown>) => () => {
    setBusy(true);
    void work().finally(() => setBusy(false));
  };
  const asNew = async (): Promise<void> => {
    const address = await saveAsNew(clash);
    if (address === null) return;
    forget();
    goAway(address);
  };
  return (
    <Dialog
      wide
      title={t("conflict.title")}
      onClose={() => {
        conflict.value = null;
      }}
      foot={
        <>
          <Button text={t("conflict.as-new")} busy={busy} onPress={run(asNew)} />
          <Button
            text={t("conflict.overwrite")}
            look="danger"
            off={!sure}
            busy={busy}
            onPress={run(() => overwrite(clash))}
          />
          <Button
            text={t("conflict.load")}
            look="primary"
            busy={busy}
            onPress={run(() => loadTheirs(clash))}
          />
        </>
      }
    >
      <p>
        {t("conflict.text", {
          by: clash.by,
          at: exactText(new Date(clash.at)),
          version: clash.theirVersion,
        })}
      </p>
      <Differences clash={clash} />
      {failure.value !== null && <p class="field-error">{failure.value.text}</p>}
      <label class="form-check">
        <input
          class="form-check-input"
          type="checkbox"
          checked={sure}
          onChange={(event) => setSure(event.currentTarget.checked)}
        />
        <span>{t("conflict.sure")}</span>
      </label>
    </Dialog>
  );
}
