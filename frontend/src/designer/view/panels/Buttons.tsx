// What the holder of a step may do besides deciding, what the buttons say, what a decision needs.
import type { JSX } from "preact";
import { t } from "../../texts";
import { put, valueAt, type At } from "../fields/binding";
import { stepOptions } from "../fields/choices";
import { CheckInput, Choose, Group, SelectInput, TextInput } from "../fields/controls";
import { options, type WordOf } from "../fields/options";
import { Ticks } from "../fields/values";

function ReturnInputs({ at }: { at: At }): JSX.Element {
  const value = valueAt<unknown>(at) ?? "none";
  const kind = typeof value === "string" ? value : "steps";
  const steps = stepOptions(true);
  const label = t("p.acts.return_to");
  return (
    <>
      <Choose
        at={[...at, "*"]}
        label={label}
        value={kind}
        options={options("return_to")}
        onChoose={(chosen) => {
          const first = steps.slice(0, 1).map(([id]) => id);
          put(at, chosen === "none" ? undefined : chosen === "steps" ? first : chosen, label);
        }}
      />
      {kind === "steps" ? (
        <Ticks at={at} label={t("p.acts.return_steps")} options={steps} keep required />
      ) : null}
    </>
  );
}

export function ButtonInputs({ at, decides }: { at: At; decides: boolean }): JSX.Element {
  const acts = [...at, "acts"];
  const labels: readonly WordOf<"label">[] = decides
    ? ["approve", "reject", "return"]
    : ["approve", "return"];
  return (
    <>
      <Group label={t("p.acts.label")} plain>
        {options("acts").map(([act, label]) => (
          <CheckInput key={act} at={[...acts, act]} label={label} />
        ))}
        <CheckInput at={[...acts, "comment"]} label={t("p.acts.comment")} usual />
        <ReturnInputs at={[...acts, "return_to"]} />
      </Group>
      <Group label={t("p.acts.labels")} hint={t("p.acts.labels_hint")} plain>
        {options("label", labels).map(([name, label]) => (
          <TextInput key={name} at={[...acts, "labels", name]} label={label} max={20} />
        ))}
      </Group>
      <Group label={t("p.evidence.label")} plain>
        {options("evidence").map(([name, label]) => (
          <SelectInput
            key={name}
            at={[...at, "evidence", name]}
            label={label}
            options={options("ask")}
            usual={name === "comment" ? "may" : "no"}
          />
        ))}
      </Group>
    </>
  );
}
