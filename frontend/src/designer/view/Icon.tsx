// An icon of the sprite: decoration beside a word, or inside a button that has a label.
import type { JSX } from "preact";
import { page } from "../page";

export function Icon({ name }: { name: string }): JSX.Element {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${page().addresses.icons}#${name}`} />
    </svg>
  );
}

/** A button that shows only an icon; its label is its tooltip too. */
export function Tool(props: {
  icon: string;
  label: string;
  keys?: string;
  off?: boolean;
  pressed?: boolean;
  menu?: boolean;
  onPress: (button: HTMLButtonElement) => void;
}): JSX.Element {
  const { icon, label, keys, off = false, pressed, menu = false, onPress } = props;
  return (
    <button
      type="button"
      class="btn-bare"
      title={keys === undefined ? label : `${label} (${keys})`}
      aria-label={label}
      aria-keyshortcuts={keys?.replaceAll("Ctrl", "Control")}
      aria-pressed={pressed}
      aria-haspopup={menu ? "menu" : undefined}
      aria-disabled={off ? "true" : undefined}
      onClick={(event) => {
        if (!off) onPress(event.currentTarget);
      }}
    >
      <Icon name={icon} />
    </button>
  );
}
