// The canvas: the tree, zoomed, with what is dragged following the pointer.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ghost } from "../dragging";
import { asOutline, dense, zoom, zoomTo } from "../looking";
import { stepsOf } from "../model";
import { outdated } from "../sample";
import { draft } from "../state";
import { peopleWords } from "../summary";
import { t } from "../texts";
import { Tree } from "./Chain";

export function Canvas(): JSX.Element {
  const canvas = useRef<HTMLDivElement>(null);
  const scaled = useRef<HTMLDivElement>(null);
  const { flow } = draft.value;
  const scale = asOutline.value ? 1 : zoom.value / 100;
  useEffect(() => {
    // Not a `style` in the markup, which the policy would not take from a server.
    scaled.current?.style.setProperty("zoom", String(scale));
  }, [scale]);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoomTo(zoom.peek() + (event.deltaY < 0 ? 10 : -10));
    };
    element.addEventListener("wheel", wheel, { passive: false });
    element.scrollTo({ left: (element.scrollWidth - element.clientWidth) / 2 });
    return () => element.removeEventListener("wheel", wheel);
  }, []);
  const starters = flow.start?.who === undefined ? t("sum.everybody") : peopleWords(flow.start.who);
  return (
    <div
      ref={canvas}
      class={`dz-canvas${dense.value ? " is-dense" : ""}${outdated.value ? " is-outdated" : ""}`}
      data-canvas=""
    >
      <div ref={scaled} class={`dz-scaled${asOutline.value ? " is-list" : ""}`}>
        <Tree steps={stepsOf(flow)} starters={starters} />
      </div>
    </div>
  );
}

/** The dragged card's name beside the pointer. */
export function Ghost(): JSX.Element | null {
  const element = useRef<HTMLDivElement>(null);
  const now = ghost.value;
  useEffect(() => {
    if (now === null) return;
    element.current?.style.setProperty("translate", `${now.x + 12}px ${now.y + 12}px`);
  });
  if (now === null) return null;
  return (
    <div ref={element} class="dz-ghost" aria-hidden="true">
      {now.text}
    </div>
  );
}
