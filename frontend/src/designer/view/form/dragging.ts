// Dragging a row of the list of fields onto another one's place; Esc puts it back where it was.
import { readOnly } from "../../state";
import { move } from "./fields";

const after = "is-after";
const before = "is-before";

function rowAt(event: PointerEvent): HTMLElement | null {
  const found = document.elementFromPoint(event.clientX, event.clientY);
  return found instanceof Element ? found.closest<HTMLElement>("[data-row]") : null;
}

/** The rows of the same list: fields among fields, columns among the columns of their table. */
function siblings(row: HTMLElement): HTMLElement[] {
  const list = row.closest("ol");
  return [...(list?.children ?? [])]
    .map((item) => item.querySelector<HTMLElement>(":scope > [data-row]"))
    .filter((each) => each !== null);
}

export function startDrag(event: PointerEvent, name: string): void {
  const row =
    event.target instanceof Element ? event.target.closest<HTMLElement>("[data-row]") : null;
  if (!row || readOnly.value || event.button !== 0) return;
  event.preventDefault();
  const rows = siblings(row);
  const from = rows.indexOf(row);
  const drag = new AbortController();
  let to = from;
  const mark = (): void => {
    for (const [index, each] of rows.entries()) {
      each.classList.toggle(before, index === to && to < from);
      each.classList.toggle(after, index === to && to > from);
    }
  };
  const end = (): void => {
    drag.abort();
    row.classList.remove("is-dragged");
    for (const each of rows) each.classList.remove(before, after);
  };
  row.classList.add("is-dragged");
  const { signal } = drag;
  addEventListener(
    "pointermove",
    (moved) => {
      const over = rowAt(moved);
      const index = over ? rows.indexOf(over) : -1;
      to = index < 0 ? from : index;
      mark();
    },
    { signal },
  );
  addEventListener(
    "pointerup",
    () => {
      end();
      if (to !== from) move(name, to - from);
    },
    { signal },
  );
  addEventListener("pointercancel", end, { signal });
  addEventListener(
    "keydown",
    (pressed) => {
      if (pressed.key !== "Escape") return;
      pressed.stopPropagation();
      end();
    },
    { signal, capture: true },
  );
}
