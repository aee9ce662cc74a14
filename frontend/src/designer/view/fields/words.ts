// A condition as a sentence, with the names of fields, people and steps instead of their codes.
import { draft } from "../../state";
import { find, isList, type Cond, type Field, type FieldCond, type Scalar } from "../../model";
import { plural, t } from "../../texts";
import { codeName, labelText, referenceName, references } from "./binding";
import { wordText, type WordOf } from "./options";

export type Op = WordOf<"op">;

const tableOp = /^(?:(count)|sum)_([a-z]+)(?:\((\w+)\))?$/;

/** What an operator of a table is made of: what is counted or summed, and the number operator. */
export function tableParts(op: string): { op: Op; column: string | null } | null {
  const found = tableOp.exec(op);
  if (!found) return null;
  return { op: found[2] as Op, column: found[1] ? null : (found[3] ?? "") };
}

const amounts = new Intl.NumberFormat("en", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** A number or a day as pages write it; what is half typed stays as it stands. */
function written(type: Field["type"] | undefined, text: string): string {
  if (type === "amount" && /^-?\d{1,15}(\.\d{1,2})?$/.test(text)) {
    return amounts.format(Number(text));
  }
  if (type !== "date" || !/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  const day = new Date(text);
  if (Number.isNaN(day.getTime())) return text;
  const language = document.documentElement.lang || "en";
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(day);
}

/** One value of a comparison as it is read. */
export function valueWord(field: Field | undefined, value: Scalar): string {
  if (typeof value === "boolean") return t(value ? "p.say.yes" : "p.say.no");
  const text = String(value);
  if (field?.type === "user" || field?.type === "department") return codeName(field.type, text);
  const option = field?.options?.find((each) => each.id === text);
  return option ? labelText(option.label) || text : written(field?.type, text);
}

function valueWords(field: Field | undefined, op: string, value: FieldCond["value"]): string {
  if (value === undefined) return "";
  if (op === "within_last" || op === "within_next") {
    const days = /^P(\d+)D$/.exec(String(value))?.[1] ?? value;
    return typeof days === "string" || typeof days === "number"
      ? plural(Number(days), "p.time.day", "p.time.days")
      : "";
  }
  if (!isList(value)) return valueWord(field, value);
  const words = value.map((each) => valueWord(field, each));
  if (op.endsWith("between"))
    return t("p.say.between", { low: words[0] ?? "?", high: words[1] ?? "?" });
  return words.join(t(op === "has_all" ? "p.say.and" : "p.say.or"));
}

function comparison(cond: FieldCond): string {
  const field = references().find((each) => each.id === cond.field)?.field;
  const table = tableParts(cond.op);
  let what = cond.field === "" ? t("p.say.nothing") : referenceName(cond.field);
  if (table) {
    what =
      table.column === null
        ? t("p.say.count", { field: what })
        : t("p.say.sum", { field: referenceName(`${cond.field}.${table.column}`) });
  }
  const op = table ? table.op : (cond.op as Op);
  const column = field?.columns?.find((each) => each.id === table?.column);
  const value = valueWords(table ? column : field, op, cond.value);
  const words = (op as string) === "" ? "" : wordText("op", op);
  return t("p.say.field", { field: what, op: words, value }).trim();
}

function joined(parts: readonly Cond[], between: string): string {
  if (parts.length === 0) return t("p.say.nothing");
  return parts
    .map((part) => {
      const text = conditionText(part);
      return parts.length > 1 && ("all" in part || "any" in part) ? `(${text})` : text;
    })
    .join(between);
}

/** The whole condition in words; what is missing in it is shown as a gap. */
export function conditionText(cond: Cond): string {
  if ("all" in cond) return joined(cond.all, t("p.say.and"));
  if ("any" in cond) return joined(cond.any, t("p.say.or"));
  if ("not" in cond) return t("p.say.not", { what: conditionText(cond.not) });
  if ("field" in cond) return comparison(cond);
  if ("initiator" in cond) {
    const kind = ({ in_role: "role", in_department: "department", is: "user" } as const)[
      cond.initiator
    ];
    const names =
      cond.ids.map((id) => codeName(kind, id)).join(t("p.say.or")) || t("p.say.nothing");
    return t("p.say.initiator", { is: wordText("initiator", cond.initiator), names });
  }
  if ("step" in cond) {
    const name = find(draft.value.flow, cond.step)?.step.name ?? (cond.step || t("p.say.nothing"));
    return t("p.say.step", { step: name, outcome: wordText("outcome", cond.outcome) });
  }
  return t("p.say.rule", {
    rule: cond.rule || t("p.say.nothing"),
    is: cond.is === undefined ? t("p.say.yes") : valueWord(undefined, cond.is),
  });
}
