// What the form editor does to the form: each is one edit with its words.
import { signal } from "@preact/signals";
import { announce, draft, edit } from "../../state";
import { find, setIn, type Draft, type FieldType, type Formdoc } from "../../model";
import {
  addField,
  duplicateField,
  fieldNamed,
  fieldPath,
  moveField,
  newField,
  removeField,
  retype,
  uses,
  type Use,
} from "../../model/form";
import { plural, t, type TextKey } from "../../texts";
import { referenceName } from "../fields/binding";

/** The field that is being edited: its id, or `table.column`. */
export const chosen = signal<string | null>(null);

/** What was asked for and waits for a second word, because the field is used elsewhere. */
export const doubtful = signal<
  { kind: "remove"; name: string } | { kind: "retype"; name: string; type: FieldType } | null
>(null);

export const words = {
  get label(): string {
    return t("p.form.new_field");
  },
  option: (number: number): string => t("p.form.option", { number }),
};

/** The draft with another form. A process has a form exactly as long as there are fields. */
function withForm(was: Draft, form: Formdoc): Draft {
  const flow = was.flow;
  if ((form.fields ?? []).length === 0) {
    return { ...was, form: null, flow: setIn(flow, ["form"], undefined) };
  }
  return { ...was, form, flow: flow.form ? flow : { ...flow, form: { key: flow.key } } };
}

export function add(type: FieldType, table?: string): void {
  const { form } = draft.peek();
  const field = newField(type, form, words, table);
  const named = { ...field, label: t(`o.type.${type}`) };
  const name = table === undefined ? field.id : `${table}.${field.id}`;
  edit(t("p.form.did_add", { name: named.label }), (was) =>
    withForm(was, addField(was.form, named, placeFor(was.form, table), table)),
  );
  chosen.value = name;
  doubtful.value = null;
  announce(t("p.form.did_add", { name: named.label }));
}

/** A new field comes right after the chosen one. */
function placeFor(form: Formdoc | null, table: string | undefined): number {
  const [first, column] = (chosen.peek() ?? "").split(".");
  if (table !== undefined) {
    const columns = fieldNamed(form, table)?.columns ?? [];
    return first === table && column ? columns.findIndex((each) => each.id === column) + 1 : -1;
  }
  const index = (form?.fields ?? []).findIndex((each) => each.id === first);
  return index < 0 ? -1 : index + 1;
}

export function move(name: string, by: number): void {
  const label = t("p.form.did_move", { name: referenceName(name) });
  edit(label, (was) => (was.form ? { ...was, form: moveField(was.form, name, by) } : was));
  announce(label);
}

export function duplicate(name: string): void {
  const { form } = draft.peek();
  const made = form ? duplicateField(form, name) : null;
  if (!made?.name) return;
  const next = made.form;
  edit(t("p.form.did_duplicate", { name: referenceName(name) }), (was) => ({ ...was, form: next }));
  chosen.value = made.name;
}

/** Removes a field; one that is used elsewhere only when it is said twice. */
export function remove(name: string, certain = false): void {
  if (!certain && uses(draft.peek(), name).length > 0) {
    chosen.value = name;
    doubtful.value = { kind: "remove", name };
    announce(t("p.form.used_remove", { name: referenceName(name) }));
    return;
  }
  const label = t("p.form.did_remove", { name: referenceName(name) });
  doubtful.value = null;
  edit(label, (was) => (was.form ? withForm(was, removeField(was.form, name)) : was));
  chosen.value = null;
  announce(label);
}

/** Gives a field another type; one that is used elsewhere only when it is said twice. */
export function changeType(name: string, type: FieldType, certain = false): void {
  if (!certain && uses(draft.peek(), name).length > 0) {
    doubtful.value = { kind: "retype", name, type };
    announce(t("p.form.used_retype", { name: referenceName(name) }));
    return;
  }
  doubtful.value = null;
  edit(t("p.form.did_retype", { name: referenceName(name) }), (was) => {
    const path = fieldPath(was.form, name);
    const field = fieldNamed(was.form, name);
    if (!was.form || !path || !field) return was;
    return setIn(was, ["form", ...path], retype(field, type, words));
  });
}

const HOW: Readonly<Record<Use["how"], TextKey>> = {
  condition: "p.form.use_condition",
  people: "p.form.use_people",
  rights: "p.form.use_rights",
  text: "p.form.use_text",
  summary: "p.form.use_summary",
  sum: "p.form.use_sum",
  value: "p.form.use_value",
};

/** Where a field is used, in words, each place once. */
export function usesInWords(name: string): readonly string[] {
  const { flow } = draft.value;
  const lines = uses(draft.value, name).map(({ how, step, field }) => {
    const where = step === null ? field : (find(flow, step)?.step.name ?? step);
    const place = field !== null && step === null ? referenceName(field) : where;
    return place ? t("p.form.use_in", { how: t(HOW[how]), place }) : t(HOW[how]);
  });
  return [...new Set(lines)];
}

export function countOfUses(name: string): string {
  return plural(usesInWords(name).length, "p.form.use_one", "p.form.use_many");
}
