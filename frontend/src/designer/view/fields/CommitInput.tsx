// A box whose text takes effect when it is complete: with Enter, or when the box is left.
import type { JSX } from "preact";
import type { Tied } from "./controls";
import { useTyping } from "./typing";

interface Props extends Partial<Tied> {
  "aria-label"?: string;
  maxLength: number;
  spellcheck?: boolean;
  /** What holds. */
  text: string;
  /** Takes a text; false: it was refused, and the box shows again what holds. */
  onCommit: (text: string) => boolean;
}

export function CommitInput({ text, onCommit, ...passed }: Props): JSX.Element {
  const typing = useTyping(text);
  return (
    <input
      {...passed}
      {...typing}
      class="form-control"
      autoComplete="off"
      onChange={(event) => {
        // By hand: what holds is the same as before, so nothing would be drawn again.
        if (!onCommit(event.currentTarget.value.trim())) event.currentTarget.value = text;
        typing.onBlur();
      }}
    />
  );
}
