// What a person may do with each field at a step (`forms/rights.py`).
import type { Field, Right, Rights, RowRight } from "../types";

const ROW_RIGHTS: readonly RowRight[] = ["add", "edit", "delete"];

export function isWritable(right: Right | undefined): boolean {
  return right === "edit" || right === "must";
}

/**
 * The right to every field, to every column as `table.column`, and to rows as `table+add`.
 *
 * A column follows its table unless it is named itself; one of a hidden table is hidden. `usual` is
 * the default where the document names none: "edit" at the start, "read" in a step.
 */
export function effective(
  rights: Rights | undefined,
  usual: "edit" | "read",
  fields: ReadonlyMap<string, Field>,
): ReadonlyMap<string, Right> {
  // Most steps say nothing about fields, and they are asked about again and again.
  if (rights !== undefined) return worked(rights, usual, fields);
  const known = unsaid[usual].get(fields) ?? worked({}, usual, fields);
  unsaid[usual].set(fields, known);
  return known;
}

type Allowed = ReadonlyMap<string, Right>;
const unsaid = {
  edit: new WeakMap<ReadonlyMap<string, Field>, Allowed>(),
  read: new WeakMap<ReadonlyMap<string, Field>, Allowed>(),
};

function worked(rights: Rights, usual: Right, fields: ReadonlyMap<string, Field>): Allowed {
  const all = new Map<string, Right>();
  const set = new Map(Object.entries(rights.set ?? {}));
  for (const field of fields.values()) {
    const named = set.get(field.id) ?? rights.default ?? usual;
    const right = field.type === "note" && isWritable(named) ? "read" : named;
    all.set(field.id, right);
    if (field.type === "table") {
      const rows = new Map(Object.entries(rights.rows ?? {})).get(field.id);
      for (const [name, own] of ofTable(field, right, set, rows)) all.set(name, own);
    }
  }
  return all;
}

function ofTable(
  table: Field,
  right: Right,
  set: ReadonlyMap<string, Right>,
  named: readonly RowRight[] | undefined,
): readonly [string, Right][] {
  const columns = (table.columns ?? []).map((column): [string, Right] => {
    const name = `${table.id}.${column.id}`;
    return [name, right === "hide" ? "hide" : (set.get(name) ?? right)];
  });
  const some: readonly RowRight[] = columns.some(([, own]) => isWritable(own)) ? ["edit"] : [];
  const usual = isWritable(right) ? ROW_RIGHTS : some;
  const rows = usual.length > 0 ? (named ?? usual) : [];
  const ofRows = ROW_RIGHTS.map((name): [string, Right] => [
    `${table.id}+${name}`,
    rows.includes(name) ? "edit" : "hide",
  ]);
  return [...columns, ...ofRows];
}

export function mayAddRows(rights: ReadonlyMap<string, Right>, table: string): boolean {
  return rights.get(`${table}+add`) === "edit";
}
