// Choosing people, roles, groups, posts or departments: a combobox with its list, chosen ones as
// chips. ↑ ↓ walk, Enter takes, Backspace in the empty input takes the last one away, Esc closes.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { announce, readOnly } from "../../state";
import type { Named } from "../../knowledge";
import { t } from "../../texts";
import { codeName, learn, type At, type CodeKind } from "./binding";
import { Icon } from "../Icon";
import { Row } from "./controls";
import { findNamed } from "./finding";

const pause = 200; // milliseconds after the last key press

interface Props {
  at: At;
  kind: CodeKind;
  label: string;
  hint?: string;
  required?: boolean;
  codes: readonly string[];
  /** The most that may be chosen; with one, a new choice takes the place of the old one. */
  most: number;
  onChange: (codes: readonly string[]) => void;
}

/** Asks while somebody types: what was found, and whether the server gave no answer. */
function useFound(
  kind: CodeKind,
  text: string,
  open: boolean,
): { found: readonly Named[]; failed: boolean } {
  const [answer, setAnswer] = useState<{ found: readonly Named[]; failed: boolean }>({
    found: [],
    failed: false,
  });
  useEffect(() => {
    if (!open) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void findNamed(kind, text, stop.signal).then((found) => {
        if (!stop.signal.aborted) setAnswer({ found: found ?? [], failed: found === null });
      });
    }, pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [kind, text, open]);
  return answer;
}

function Chips(props: Pick<Props, "kind" | "codes" | "onChange" | "label">): JSX.Element | null {
  const { kind, codes, onChange } = props;
  if (codes.length === 0) return null;
  return (
    <ul class="picked" aria-label={t("p.picker.chosen", { what: props.label })}>
      {codes.map((code) => (
        <li key={code}>
          <span title={code}>{codeName(kind, code)}</span>
          <button
            type="button"
            disabled={readOnly.value}
            aria-label={t("p.picker.remove", { name: codeName(kind, code) })}
            onClick={() => onChange(codes.filter((each) => each !== code))}
          >
            <Icon name="x" />
          </button>
        </li>
      ))}
    </ul>
  );
}

export function CodePicker(props: Props): JSX.Element {
  const { kind, codes, most, onChange } = props;
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const { found, failed } = useFound(kind, text, open);
  const offered = found.filter((each) => !codes.includes(each.code));
  const shown = Math.min(active, Math.max(offered.length - 1, 0));

  const take = (one: Named | undefined): void => {
    if (!one) return;
    learn(kind, [one]);
    onChange(most === 1 ? [one.code] : [...codes, one.code].slice(0, most));
    announce(t("p.picker.taken", { name: one.name }));
    setText("");
    setActive(0);
    setOpen(false);
    input.current?.focus();
  };

  const move = (by: number): void => {
    setOpen(true);
    if (open && offered.length > 0) setActive((shown + by + offered.length) % offered.length);
  };

  const pressed = (event: KeyboardEvent): void => {
    const last = codes.at(-1);
    if (event.key === "ArrowDown" || event.key === "ArrowUp")
      move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && open) take(offered[shown]);
    else if (event.key === "Escape" && open) setOpen(false);
    else if (event.key === "Backspace" && text === "" && last !== undefined) {
      onChange(codes.slice(0, -1));
      announce(t("p.picker.removed", { name: codeName(kind, last) }));
    } else return;
    // Esc must close the list alone, and Enter not press anything else.
    event.stopPropagation();
    if (event.key !== "Backspace") event.preventDefault();
  };

  return (
    <Row {...props}>
      {(tied) => (
        <div class="picker">
          <Chips {...props} />
          <input
            {...tied}
            ref={input}
            class="form-control"
            type="text"
            role="combobox"
            autoComplete="off"
            spellcheck={false}
            maxLength={100}
            aria-expanded={open && offered.length > 0}
            aria-controls={`${tied.id}+`}
            aria-autocomplete="list"
            aria-activedescendant={open && offered[shown] ? `${tied.id}+${shown}` : undefined}
            placeholder={t(`p.picker.find.${kind}`)}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setActive(0);
              setOpen(true);
            }}
            onClick={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={pressed}
          />
          <ul
            class="picker-list"
            role="listbox"
            id={`${tied.id}+`}
            aria-label={props.label}
            hidden={!open || offered.length === 0}
          >
            {offered.map((one, index) => (
              <li
                key={one.code}
                role="option"
                id={`${tied.id}+${index}`}
                aria-selected={index === shown}
                // Before the blur, which would close the list under the pointer.
                onPointerDown={(event) => {
                  event.preventDefault();
                  take(one);
                }}
              >
                <span>{one.name}</span>
                <small>{one.note ? `${one.code} · ${one.note}` : one.code}</small>
              </li>
            ))}
          </ul>
          <p class="picker-none" role="status">
            {open && failed
              ? t("p.picker.failed")
              : open && text && offered.length === 0
                ? t("p.picker.none")
                : ""}
          </p>
        </div>
      )}
    </Row>
  );
}
