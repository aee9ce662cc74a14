// A value that is handed on: written down, taken from a field, or from a variable of the run.
import type { JSX } from "preact";
import type { ValueOf } from "../../model";
import { t } from "../../texts";
import { put, valueAt, type At } from "../fields/binding";
import { FieldSelect } from "../fields/choices";
import { Choose, TextInput } from "../fields/controls";
import { options, type WordOf } from "../fields/options";

const FRESH: Record<string, unknown> = { literal: "", field: { field: "" }, var: { var: "" } };

/** `literal` is left out where only a place is meant, as for what is saved. */
export function ValueOfInputs({ at, literal = true }: { at: At; literal?: boolean }): JSX.Element {
  const value = valueAt<unknown>(at);
  const kind: WordOf<"value"> =
    typeof value !== "object" || value === null
      ? "literal"
      : "var" in (value as ValueOf)
        ? "var"
        : "field";
  return (
    <>
      <Choose
        at={[...at, "*"]}
        label={literal ? t("p.value.from") : t("p.value.into")}
        value={kind}
        options={options("value", literal ? ["literal", "field", "var"] : ["field", "var"])}
        onChoose={(chosen) => put(at, FRESH[chosen], t("p.value.from"))}
      />
      {kind === "literal" ? <LiteralInput at={at} /> : null}
      {kind === "field" ? (
        <FieldSelect at={[...at, "field"]} label={t("p.value.field")} columns required />
      ) : null}
      {kind === "var" ? (
        <TextInput at={[...at, "var"]} label={t("p.value.var")} max={48} required />
      ) : null}
    </>
  );
}

/** A text; `true`, `false` and whole numbers stay what they are in an imported document. */
function LiteralInput({ at }: { at: At }): JSX.Element {
  const value = valueAt<unknown>(at);
  if (typeof value !== "boolean")
    return <TextInput at={at} label={t("p.value.literal")} max={2000} required />;
  return (
    <Choose
      at={at}
      label={t("p.value.literal")}
      value={String(value)}
      options={[
        ["true", t("p.say.yes")],
        ["false", t("p.say.no")],
      ]}
      onChoose={(chosen) => put(at, chosen === "true", t("p.value.literal"))}
    />
  );
}
