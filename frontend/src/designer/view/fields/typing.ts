// What is being typed into a box, until the box is left.
//
// Preact puts a box's `value` back at every drawing, and the panels are drawn again whenever an
// answer comes: of the checks, of the server, of a part that was fetched. A box whose text is not
// (yet, or not letter by letter) what the document holds would lose letters by that.
import type { RefObject, TargetedEvent } from "preact";
import { useRef, useState } from "preact/hooks";

export interface Typing {
  ref: RefObject<HTMLInputElement | null>;
  value: string;
  onInput: (event: TargetedEvent<HTMLInputElement>) => void;
  onBlur: () => void;
}

/**
 * The members of an `<input>` that shows this text, but what is typed while it has the focus.
 * `take` gets the text at each key, for what takes effect at once.
 */
export function useTyping(shown: string, take?: (text: string) => void): Typing {
  const ref = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const here = typed !== null && ref.current !== null && ref.current === document.activeElement;
  return {
    ref,
    value: here ? typed : shown,
    onInput: (event) => {
      const { value } = event.currentTarget;
      setTyped(value);
      take?.(value);
    },
    onBlur: () => setTyped(null),
  };
}
