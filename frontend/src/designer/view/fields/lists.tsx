// Lists and tables of names inside the panels: rows that are added, moved and taken away.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { readOnly } from "../../state";
import { t } from "../../texts";
import { idOf, put, valueAt, type At } from "./binding";
import { CommitInput } from "./CommitInput";
import { AddButton, Faults, IconButton } from "./controls";

/** A list without one element moved by one place. */
export function moved<T>(list: readonly T[], index: number, by: -1 | 1): readonly T[] {
  const other = index + by;
  const [one, two] = [list[index], list[other]];
  if (one === undefined || two === undefined) return list;
  return list.map((each, at) => (at === index ? two : at === other ? one : each));
}

interface Listed<T> {
  at: At;
  /** What one row is called, for its buttons: "Source 2". */
  name: (item: T, index: number) => string;
  /** The word of the undo menu. */
  label: string;
  add: string;
  fresh: (() => T) | null;
  /** Whether these rows are only a beginning, which an added one takes the place of. */
  replaces?: (list: readonly T[]) => boolean;
  most: number;
  ordered?: boolean;
  /** The fewest rows: the last ones cannot be taken away. */
  least?: number;
  children: (item: T, at: At, index: number) => ComponentChildren;
}

/** The rows of a list member, each a small card with its own buttons. */
export function ListEditor<T>(props: Listed<T>): JSX.Element {
  const { at, label, fresh, least = 0 } = props;
  const found = valueAt<unknown>(at);
  const list = (Array.isArray(found) ? found : []) as readonly T[];
  const set = (next: readonly T[]): void =>
    put(at, next.length === 0 && least === 0 ? undefined : next, label);
  return (
    <div class="rows-editor">
      <Faults at={at} />
      {list.length > 0 ? (
        <ol>
          {list.map((item, index) => {
            const name = props.name(item, index);
            return (
              <li key={index} id={idOf([...at, index])} aria-label={name}>
                <div class="rows-tools">
                  <strong>{name}</strong>
                  {props.ordered && index > 0 ? (
                    <IconButton
                      icon="chevron-up"
                      label={t("p.list.up", { what: name })}
                      onPress={() => set(moved(list, index, -1))}
                    />
                  ) : null}
                  {props.ordered && index < list.length - 1 ? (
                    <IconButton
                      icon="chevron-down"
                      label={t("p.list.down", { what: name })}
                      onPress={() => set(moved(list, index, 1))}
                    />
                  ) : null}
                  <IconButton
                    icon="x"
                    label={t("p.list.remove", { what: name })}
                    disabled={list.length <= least}
                    onPress={() => set(list.filter((_, other) => other !== index))}
                  />
                </div>
                <Faults at={[...at, index]} />
                {props.children(item, [...at, index], index)}
              </li>
            );
          })}
        </ol>
      ) : null}
      {fresh && list.length < props.most ? (
        <AddButton
          label={props.add}
          onPress={() => set([...(props.replaces?.(list) ? [] : list), fresh()])}
        />
      ) : null}
    </div>
  );
}

type Members<T> = Readonly<Record<string, T>>;

interface Mapped<T> {
  at: At;
  /** What the names are: "Header", "Field of the other process". */
  label: string;
  add: string;
  fresh: T;
  most: number;
  /** Names that can be chosen; without them one types. */
  names?: readonly (readonly [value: string, label: string])[];
  children: (item: T, at: At, name: string) => ComponentChildren;
}

/** The members of an object by name. A name is taken over when it is complete, not at each key. */
export function MapEditor<T>(props: Mapped<T>): JSX.Element {
  const { at, label, names } = props;
  const members = valueAt<Members<T>>(at) ?? {};
  const entries = Object.entries(members);
  const [refused, setRefused] = useState("");
  const set = (next: readonly (readonly [string, T])[]): void =>
    put(at, next.length === 0 ? undefined : Object.fromEntries(next), label);
  const rename = (index: number, name: string): boolean => {
    const isFree =
      name !== "" && entries.every(([other], place) => place === index || other !== name);
    setRefused(isFree ? "" : name);
    if (isFree) set(entries.map(([old, item], place) => [place === index ? name : old, item]));
    return isFree;
  };
  const add = (): void => {
    const free = names?.find(([name]) => !(name in members))?.[0];
    let name = free ?? "name";
    for (let number = 2; name in members; number += 1) name = `name_${number}`;
    set([...entries, [name, props.fresh]]);
  };
  return (
    <div class="rows-editor">
      <Faults at={at} />
      <ul>
        {entries.map(([name, item], index) => (
          <li key={index} id={idOf([...at, name])}>
            <div class="rows-tools">
              {names ? (
                <select
                  class="form-select"
                  aria-label={`${label} ${index + 1}`}
                  value={name}
                  onChange={(event) => {
                    if (!rename(index, event.currentTarget.value)) event.currentTarget.value = name;
                  }}
                >
                  {names.every(([each]) => each !== name) ? (
                    <option value={name}>{name}</option>
                  ) : null}
                  {names.map(([value, text]) => (
                    <option key={value} value={value} disabled={value !== name && value in members}>
                      {text}
                    </option>
                  ))}
                </select>
              ) : (
                <CommitInput
                  aria-label={`${label} ${index + 1}`}
                  {...(refused !== "" ? { "aria-invalid": "true" } : {})}
                  maxLength={100}
                  text={name}
                  onCommit={(text) => rename(index, text)}
                />
              )}
              <IconButton
                icon="x"
                label={t("p.list.remove", { what: name })}
                onPress={() => set(entries.filter((_, other) => other !== index))}
              />
            </div>
            <Faults at={[...at, name]} />
            {props.children(item, [...at, name], name)}
          </li>
        ))}
      </ul>
      {refused ? <p class="field-error">{t("p.list.taken", { what: refused })}</p> : null}
      {entries.length < props.most && !readOnly.value ? (
        <AddButton label={props.add} onPress={add} />
      ) : null}
    </div>
  );
}
