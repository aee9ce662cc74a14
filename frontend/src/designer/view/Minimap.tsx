// A large process in small, at the corner of the canvas: which part of it is to be seen, and a way
// to another one with the pointer.
import { signal } from "@preact/signals";
import type { JSX, TargetedPointerEvent } from "preact";
import { useEffect } from "preact/hooks";
import { folded, zoom } from "../looking";
import { draft } from "../state";

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Everything in pixels of the canvas's content, as it is scrolled. */
interface Drawn {
  width: number;
  height: number;
  cards: readonly Box[];
}

const drawn = signal<Drawn>({ width: 1, height: 1, cards: [] });
const seen = signal<Box>({ x: 0, y: 0, width: 1, height: 1 });

function canvasNow(): HTMLElement | null {
  return document.querySelector<HTMLElement>("[data-canvas]");
}

function look(canvas: HTMLElement): void {
  const { scrollLeft: x, scrollTop: y, clientWidth: width, clientHeight: height } = canvas;
  seen.value = { x, y, width, height };
}

function measure(canvas: HTMLElement): void {
  const frame = canvas.getBoundingClientRect();
  const [left, top] = [
    frame.left + canvas.clientLeft - canvas.scrollLeft,
    frame.top + canvas.clientTop - canvas.scrollTop,
  ];
  const cards = [...canvas.querySelectorAll("[data-card]")].map((card): Box => {
    const { x, y, width, height } = card.getBoundingClientRect();
    return { x: x - left, y: y - top, width, height };
  });
  drawn.value = { width: canvas.scrollWidth, height: canvas.scrollHeight, cards };
  look(canvas);
}

/** Puts the middle of what is seen where the pointer is. */
function goThere(event: TargetedPointerEvent<SVGSVGElement>): void {
  if ((event.buttons & 1) === 0) return;
  const picture = event.currentTarget;
  const inverse = picture.getScreenCTM()?.inverse();
  const canvas = canvasNow();
  if (inverse === undefined || canvas === null) return;
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse);
  canvas.scrollTo({ left: x - canvas.clientWidth / 2, top: y - canvas.clientHeight / 2 });
  event.preventDefault();
}

export function Minimap(): JSX.Element {
  const { flow } = draft.value;
  const closed = folded.value;
  const percent = zoom.value;
  useEffect(() => {
    const canvas = canvasNow();
    const content = canvas?.firstElementChild ?? null;
    if (canvas === null || content === null) return;
    let frame = 0;
    const later = (run: (canvas: HTMLElement) => void) => () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => run(canvas));
    };
    const scrolled = later(look);
    const resized = new ResizeObserver(later(measure));
    resized.observe(content);
    resized.observe(canvas);
    canvas.addEventListener("scroll", scrolled, { passive: true });
    later(measure)();
    return () => {
      cancelAnimationFrame(frame);
      resized.disconnect();
      canvas.removeEventListener("scroll", scrolled);
    };
  }, [flow, closed, percent]);
  const { width, height, cards } = drawn.value;
  return (
    // Hidden from readers and keys on purpose: a picture of what the canvas has as buttons, which
    // arrows, the outline and "Find a step" lead through.
    <svg
      class="dz-minimap"
      aria-hidden="true"
      viewBox={`0 0 ${width} ${height}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        goThere(event);
      }}
      onPointerMove={goThere}
    >
      {cards.map((card, index) => (
        <rect key={index} {...card} />
      ))}
      <rect class="dz-minimap-seen" {...seen.value} />
    </svg>
  );
}
