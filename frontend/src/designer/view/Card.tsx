// One card: a button with its name, its line in words and what is wrong; its name can be typed over.
import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { keyOf, select } from "../cards";
import { rename, startRenaming } from "../commands";
import { dragged, dragStart } from "../dragging";
import { panelShown } from "../looking";
import { renaming } from "../layers";
import { askWhatToDo } from "../menus";
import { sameNode, type Node } from "../model";
import type { Lies } from "../model/ways";
import { faultsOf, type Faults } from "../faults";
import { marks } from "../sample";
import { selected } from "../state";
import { plural, t } from "../texts";
import { Icon } from "./Icon";

interface CardProps {
  node: Node;
  name: string;
  /** What sort of card it is, in words. */
  sort: string;
  icon: string;
  line: string;
  /** "step 2 of 5"; empty where nothing is counted. */
  place: string;
  look: string;
}

function faultWords(faults: Faults): string {
  const parts = [
    faults.errors > 0 ? plural(faults.errors, "faults.error", "faults.errors") : "",
    faults.warnings > 0 ? plural(faults.warnings, "faults.warning", "faults.warnings") : "",
  ];
  return parts.filter(Boolean).join(t("list.comma"));
}

function faultsIn(counted: string): Faults | null {
  const [errors, warnings] = counted.split(" ").map(Number);
  return errors === undefined || warnings === undefined ? null : { errors, warnings };
}

function lyingOf(key: string): string {
  if (marks.value === null) return "";
  const { lies, note } = marks.value.get(key) ?? { lies: "off", note: "" };
  return `${lies} ${note}`;
}

function markIn(lying: string): { lies: Lies | undefined; note: string } {
  const gap = lying.indexOf(" ");
  if (gap < 0) return { lies: undefined, note: "" };
  return { lies: lying.slice(0, gap) as Lies, note: lying.slice(gap + 1) };
}

function sentences(...parts: readonly string[]): string | undefined {
  return parts.filter(Boolean).join(". ") || undefined;
}

/** The mark of problems: a colour, a sign and a number, and the words for who cannot see it. */
function Mark({ count }: { count: Faults | null }): JSX.Element | null {
  if (count === null) return null;
  return (
    <span
      class="dz-mark"
      data-tone={count.errors > 0 ? "danger" : "warning"}
      title={faultWords(count)}
    >
      <Icon name="alert-triangle" />
      {count.errors + count.warnings}
    </span>
  );
}

export function Card(props: CardProps): JSX.Element {
  const { node, name, sort, icon, line, place, look } = props;
  const key = keyOf(node);
  const is = useComputed(() => sameNode(selected.value ?? "start", node));
  const types = useComputed(() => sameNode(renaming.value, node));
  const moves = useComputed(() => dragged.value === key);
  // As text, so that a card is drawn again only when its own number changes.
  const counted = useComputed(() => {
    const found = faultsOf(node);
    return found === null ? "" : `${found.errors} ${found.warnings}`;
  });
  const faults = faultsIn(counted.value);
  // As text, for the same reason: how it lies on the way that is simulated, and what decides that.
  const lying = useComputed(() => lyingOf(key));
  const { lies, note } = markIn(lying.value);
  if (types.value) return <NameInput node={node} name={name} look={look} />;
  const spoken = [
    name,
    sort === name ? "" : sort,
    place,
    faults === null ? "" : faultWords(faults),
    lies === undefined ? "" : t(`try.lies.${lies}`),
  ];
  return (
    <span class="dz-spot">
      <button
        type="button"
        class={`dz-card dz-${look}${moves.value ? " is-moved" : ""}`}
        data-card={key}
        tabIndex={is.value ? 0 : -1}
        aria-current={is.value ? "true" : undefined}
        aria-label={spoken.filter(Boolean).join(t("list.comma"))}
        aria-description={sentences(line, note)}
        data-lies={lies}
        onFocus={() => select(node)}
        onClick={() => {
          select(node);
          panelShown.value = true;
        }}
        onDblClick={() => startRenaming(node)}
        onPointerDown={(event) => dragStart(event, node)}
        onContextMenu={(event) => {
          // A long press on touch drags; only a mouse opens the menu this way.
          event.preventDefault();
          if (dragged.peek() === null) askWhatToDo(node, event.currentTarget);
        }}
      >
        <Icon name={icon} />
        <span class="dz-name">{name}</span>
        <Mark count={faults} />
        {line && <span class="dz-line">{line}</span>}
        {note && <span class="dz-depends">{note}</span>}
      </button>
      {is.value && node !== "end" && (
        <button
          type="button"
          class="dz-more"
          tabIndex={-1}
          aria-haspopup="menu"
          aria-label={t("act.more", { name })}
          title={t("act.more", { name })}
          onClick={(event) => {
            select(node);
            askWhatToDo(node, event.currentTarget);
          }}
        >
          <Icon name="dots" />
        </button>
      )}
    </span>
  );
}

/** Where a name is typed over: Enter takes it, Escape leaves it as it was. */
function NameInput({ node, name, look }: { node: Node; name: string; look: string }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  // The card is drawn again when its problems change; the letters typed so far stay.
  const [typed, setTyped] = useState(name);
  // Before the next key: what is typed right after F2 belongs into the name.
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const take = (text: string): void => {
    if (done.current) return;
    done.current = true;
    rename(node, text === name ? "" : text);
  };
  return (
    <span class={`dz-card dz-${look}`} data-card={keyOf(node)} tabIndex={-1}>
      <input
        ref={input}
        class="form-control form-control-sm"
        aria-label={t("act.rename")}
        value={typed}
        maxLength={48}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={(event) => take(event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.isComposing) return;
          if (event.key === "Enter") take(event.currentTarget.value);
          else if (event.key === "Escape") take("");
        }}
      />
    </span>
  );
}
