// The one menu: arrows, Home, End and typed letters walk it; Escape and a click beside close it.
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { menu, type Menu, type MenuItem } from "../layers";
import { Icon } from "./Icon";

const margin = 8; // pixels that stay free at the window's edge
const pause = 700; // milliseconds after which typed letters begin a new word

function placeBeside(panel: HTMLElement, anchor: Element): void {
  const from = anchor.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const left = Math.min(from.left, innerWidth - width - margin);
  const below = from.bottom + 4;
  const above = from.top - height - 4;
  const top = below + height > innerHeight - margin && above > margin ? above : below;
  panel.style.setProperty("left", `${Math.max(margin, left)}px`);
  panel.style.setProperty(
    "top",
    `${Math.max(margin, Math.min(top, innerHeight - height - margin))}px`,
  );
}

function close(back: boolean): void {
  const anchor = menu.peek()?.anchor;
  menu.value = null;
  if (back && anchor instanceof HTMLElement) anchor.focus({ preventScroll: true });
}

function choose(item: MenuItem): void {
  if (item.off === true) return;
  close(true);
  item.run();
}

/** How many entries stand beside each other, so that up and down stay in their column. */
function columnsOf(entries: readonly HTMLElement[]): number {
  const top = entries[0]?.offsetTop;
  const next = entries.findIndex((entry) => entry.offsetTop !== top);
  return next < 0 ? entries.length : next;
}

function target(
  key: string,
  here: number,
  entries: readonly HTMLElement[],
  grid: boolean,
): number | null {
  const count = entries.length;
  const row = grid ? columnsOf(entries) : 1;
  const by = { ArrowDown: row, ArrowUp: -row, ArrowRight: grid ? 1 : 0, ArrowLeft: grid ? -1 : 0 }[
    key
  ];
  if (by !== undefined) return by === 0 ? null : (here + by + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}

export function MenuLayer(): JSX.Element | null {
  const now = menu.value;
  return now === null ? null : <Panel key={now.title} now={now} />;
}

function Panel({ now }: { now: Menu }): JSX.Element {
  const panel = useRef<HTMLDivElement>(null);
  const typed = useRef({ word: "", at: 0 });
  const entries = (): HTMLElement[] => [
    ...(panel.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []),
  ];
  useLayoutEffect(() => {
    const element = panel.current;
    if (element === null) return;
    element.showPopover();
    placeBeside(element, now.anchor);
    entries()[0]?.focus();
    const gone = (event: Event): void => {
      if (event instanceof ToggleEvent && event.newState === "closed" && menu.peek() === now)
        close(false);
    };
    // Its place was measured in a window of another size.
    const resized = (): void => close(false);
    element.addEventListener("toggle", gone);
    addEventListener("resize", resized);
    return () => {
      element.removeEventListener("toggle", gone);
      removeEventListener("resize", resized);
    };
  }, [now]);

  const search = (letter: string): void => {
    const { word, at } = typed.current;
    const time = performance.now();
    const wanted = (time - at < pause ? word : "") + letter.toLowerCase();
    typed.current = { word: wanted, at: time };
    const found = now.items.findIndex((item) => item.label.toLowerCase().startsWith(wanted));
    const inside = now.items.findIndex((item) => item.label.toLowerCase().includes(wanted));
    entries()[found >= 0 ? found : inside]?.focus();
  };

  const pressed = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const all = entries();
    const here = all.findIndex((entry) => entry === document.activeElement);
    const to = target(event.key, here, all, now.grid === true);
    if (to !== null) all[to]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close(true);
    else if (event.key.length === 1 && event.key !== " " && !event.ctrlKey) search(event.key);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={panel}
      class={`menu-panel dz-menu${now.grid === true ? " is-grid" : ""}`}
      popover="auto"
      role="menu"
      aria-label={now.title}
      onKeyDown={pressed}
    >
      {now.items.map((item) => (
        <button
          key={item.key}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={`menu-item${item.danger === true ? " is-danger" : ""}`}
          aria-disabled={item.off === true ? "true" : undefined}
          onClick={() => choose(item)}
        >
          {item.icon !== undefined && <Icon name={item.icon} />}
          <span>{item.label}</span>
          {item.note !== undefined && item.note !== "" && <kbd aria-hidden="true">{item.note}</kbd>}
        </button>
      ))}
    </div>
  );
}
