// How the people of a step decide, what a rejection does, and what holds when nobody is found.
import type { JSX } from "preact";
import type { Decide, Empty, Need, Reject, RejectThen, SelfRule } from "../../model";
import { t } from "../../texts";
import { draft, knowledge } from "../../state";
import { put, valueAt, type At } from "../fields/binding";
import { StepSelect, named } from "../fields/choices";
import { CheckInput, Choose, Group, NumberInput, SelectInput } from "../fields/controls";
import { MapEditor } from "../fields/lists";
import { options, wordText, type WordOf } from "../fields/options";
import { PeopleInputs } from "../fields/People";
import { freshSource } from "../fields/sources";

function NeedInputs({ at }: { at: At }): JSX.Element {
  const need = valueAt<Need>(at);
  const kind: WordOf<"need"> = need && "count" in need ? "count" : "share";
  return (
    <>
      <Choose
        at={at}
        label={t("p.decide.need")}
        value={kind}
        options={options("need")}
        onChoose={(chosen) =>
          put(at, chosen === "count" ? { count: 1 } : { num: 1, den: 2 }, t("p.decide.need"))
        }
      />
      {kind === "count" ? (
        <NumberInput at={[...at, "count"]} label={t("p.decide.count")} min={1} max={100} required />
      ) : (
        <div class="panel-pair">
          <NumberInput at={[...at, "num"]} label={t("p.decide.num")} min={1} max={100} required />
          <NumberInput at={[...at, "den"]} label={t("p.decide.den")} min={1} max={100} required />
        </div>
      )}
    </>
  );
}

export function DecideInputs({ at }: { at: At }): JSX.Element {
  const mode = valueAt<Decide>(at)?.mode ?? "any";
  const label = t("p.decide.label");
  const choose = (chosen: string): void => {
    const fresh = chosen === "vote" ? { mode: "vote", need: { num: 1, den: 2 } } : { mode: chosen };
    put(at, chosen === "any" ? undefined : fresh, label);
  };
  return (
    <Group label={label} plain>
      <Choose
        at={at}
        label={t("p.decide.mode")}
        value={mode}
        options={options("decide")}
        onChoose={choose}
      />
      {mode === "vote" ? (
        <>
          <NeedInputs at={[...at, "need"]} />
          <CheckInput at={[...at, "early"]} label={t("p.decide.early")} usual />
          <Group label={t("p.decide.weights")} hint={t("p.decide.weights_hint")}>
            <MapEditor<number>
              at={[...at, "weights"]}
              label={t("p.decide.voter")}
              add={t("p.decide.add_weight")}
              fresh={1}
              most={100}
              names={named(knowledge.value.users)}
            >
              {(_weight, weight) => (
                <NumberInput at={weight} label={t("p.decide.weight")} min={0} max={1000} />
              )}
            </MapEditor>
          </Group>
        </>
      ) : null}
    </Group>
  );
}

function BackInputs({ at }: { at: At }): JSX.Element {
  const to = valueAt<unknown>([...at, "to"]);
  const kind = typeof to === "string" ? to : "step";
  return (
    <>
      <Choose
        at={[...at, "to"]}
        label={t("p.reject.to")}
        value={kind}
        options={options("back")}
        onChoose={(chosen) =>
          put([...at, "to"], chosen === "step" ? { step: "" } : chosen, t("p.reject.to"))
        }
      />
      {kind === "step" ? (
        <StepSelect at={[...at, "to", "step"]} label={t("p.reject.step")} human required />
      ) : null}
      <SelectInput
        at={[...at, "resume"]}
        label={t("p.reject.resume")}
        options={options("resume")}
        usual="forward"
      />
    </>
  );
}

export function RejectInputs({ at }: { at: At }): JSX.Element {
  const then = valueAt<Reject>(at)?.then ?? { do: "end" };
  const fresh: Record<string, RejectThen | undefined> = {
    end: undefined,
    back: { do: "back", to: "start" },
    finish_branch: { do: "finish_branch" },
  };
  return (
    <Group label={t("p.reject.label")} plain>
      <SelectInput
        at={[...at, "counts"]}
        label={t("p.reject.counts")}
        options={options("counts")}
        usual="any_one"
      />
      <Choose
        at={[...at, "then"]}
        label={t("p.reject.then")}
        value={then.do}
        options={options("reject")}
        onChoose={(chosen) => put([...at, "then"], fresh[chosen], t("p.reject.then"))}
      />
      {then.do === "back" ? <BackInputs at={[...at, "then"]} /> : null}
    </Group>
  );
}

const DEEPEST = 3;

export function EmptyInputs({ at, depth = 1 }: { at: At; depth?: number }): JSX.Element {
  const empty = valueAt<Empty>(at) ?? { do: "hold" };
  const label = depth === 1 ? t("p.empty.label") : t("p.empty.then");
  const choose = (chosen: string): void => {
    const people = { do: "people", who: { any_of: [freshSource("user")] } };
    put(at, chosen === "people" ? people : chosen === "hold" ? undefined : { do: chosen }, label);
  };
  return (
    <>
      <Choose at={at} label={label} value={empty.do} options={options("empty")} onChoose={choose} />
      {empty.do === "people" ? (
        <>
          <PeopleInputs at={[...at, "who"]} label={t("p.empty.who")} depth={1} required />
          {depth < DEEPEST ? <EmptyInputs at={[...at, "then"]} depth={depth + 1} /> : null}
        </>
      ) : null}
    </>
  );
}

/** A step's own rule, or the one of the whole process. */
export function SelfInput({ at }: { at: At }): JSX.Element {
  const policy: SelfRule = draft.value.flow.policy?.on_self ?? "allow";
  return (
    <SelectInput
      at={at}
      label={t("p.self.label")}
      options={[["", t("p.self.policy", { rule: wordText("self", policy) })], ...options("self")]}
      usual=""
    />
  );
}

export function RepeatInput({ at }: { at: At }): JSX.Element {
  const policy = draft.value.flow.policy?.dedupe ?? "off";
  return (
    <SelectInput
      at={at}
      label={t("p.dedupe.label")}
      options={[
        ["", t("p.self.policy", { rule: wordText("dedupe", policy) })],
        ...options("dedupe"),
      ]}
      usual=""
    />
  );
}
