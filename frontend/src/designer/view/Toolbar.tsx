// The tools of the canvas: undo, zoom, how it is shown, finding a card.
import type { JSX } from "preact";
import { doAgain, takeBack } from "../commands";
import { fit } from "../fitting";
import { ask } from "../layers";
import { asOutline, dense, largest, smallest, zoom, zoomTo } from "../looking";
import { askWhatToUndo } from "../menus";
import { history, readOnly } from "../state";
import { t } from "../texts";
import { Tool } from "./Icon";

function UndoTools(): JSX.Element | null {
  const { past, future } = history.value;
  if (readOnly.value) return null;
  const last = past.at(-1)?.label;
  const next = future.at(-1)?.label;
  return (
    <>
      <Tool
        icon="arrow-back-up"
        label={last === undefined ? t("undo") : t("undo.what", { what: last })}
        keys="Ctrl+Z"
        off={last === undefined}
        onPress={takeBack}
      />
      <Tool
        icon="chevron-down"
        label={t("menu.undo")}
        menu
        off={last === undefined}
        onPress={askWhatToUndo}
      />
      <Tool
        icon="arrow-forward-up"
        label={next === undefined ? t("redo") : t("redo.what", { what: next })}
        keys="Ctrl+Y"
        off={next === undefined}
        onPress={doAgain}
      />
    </>
  );
}

/** Undo is for everything; the rest only for the canvas. */
export function Toolbar({ canvas }: { canvas: boolean }): JSX.Element {
  const percent = zoom.value;
  return (
    <div class="dz-tools" role="toolbar" aria-label={t("tools")}>
      <UndoTools />
      {canvas && (
        <>
          {!asOutline.value && (
            <>
              <Tool
                icon="minus"
                label={t("zoom.out")}
                keys="-"
                off={percent <= smallest}
                onPress={() => zoomTo(percent - 10)}
              />
              <output class="dz-percent">{t("zoom.percent", { percent })}</output>
              <Tool
                icon="plus"
                label={t("zoom.in")}
                keys="+"
                off={percent >= largest}
                onPress={() => zoomTo(percent + 10)}
              />
              <Tool icon="maximize" label={t("zoom.fit")} keys="0" onPress={fit} />
            </>
          )}
          <Tool
            icon="list-tree"
            label={t("outline")}
            keys="o"
            pressed={asOutline.value}
            onPress={() => {
              asOutline.value = !asOutline.value;
            }}
          />
          <Tool
            icon="baseline-density-small"
            label={t("density")}
            pressed={dense.value}
            onPress={() => {
              dense.value = !dense.value;
            }}
          />
          <Tool
            icon="search"
            label={t("find.title")}
            keys="Ctrl+F"
            onPress={() => ask({ kind: "find" })}
          />
        </>
      )}
      <Tool icon="keyboard" label={t("keys.title")} onPress={() => ask({ kind: "keys" })} />
    </div>
  );
}
