// The last stage: what holds for the whole process: policy, managers, limits.
import type { JSX } from "preact";
import { knowledge, readOnly } from "../../state";
import { t } from "../../texts";
import { valueAt } from "../fields/binding";
import { ClockSelect, named } from "../fields/choices";
import { CheckInput, Faults, Group, NumberInput, SelectInput } from "../fields/controls";
import { options } from "../fields/options";
import { OptionalPeople } from "../fields/People";
import { DurationInput } from "./Automatic";

const at = ["flow", "policy"];

function TakeBack(): JSX.Element {
  return (
    <Group label={t("p.policy.take_back")} plain>
      <CheckInput at={[...at, "take_back", "on"]} label={t("p.policy.take_back_on")} />
      {valueAt<boolean>([...at, "take_back", "on"]) ? (
        <DurationInput
          at={[...at, "take_back", "within"]}
          label={t("p.policy.within")}
          hint={t("p.policy.within_hint")}
        />
      ) : null}
    </Group>
  );
}

function Reversal(): JSX.Element {
  return (
    <Group label={t("p.policy.reversal")} plain>
      <CheckInput at={[...at, "reversal", "on"]} label={t("p.policy.reversal_on")} />
      {valueAt<boolean>([...at, "reversal", "on"]) ? (
        <>
          <SelectInput
            at={[...at, "reversal", "flow"]}
            label={t("p.policy.reversal_flow")}
            options={[["", t("p.policy.same_flow")], ...named(knowledge.value.flows)]}
            usual=""
          />
          <DurationInput
            at={[...at, "reversal", "within"]}
            label={t("p.policy.within")}
            hint={t("p.policy.within_hint")}
          />
        </>
      ) : null}
    </Group>
  );
}

export function MoreSettings(): JSX.Element {
  return (
    <fieldset class="stage-panel panel-body" disabled={readOnly.value}>
      <Faults at={at} />
      <Group label={t("p.policy.people")} plain>
        <SelectInput
          at={[...at, "dedupe"]}
          label={t("p.dedupe.label")}
          options={options("dedupe")}
          usual="off"
        />
        <SelectInput
          at={[...at, "on_self"]}
          label={t("p.self.label")}
          options={options("self")}
          usual="allow"
        />
        <SelectInput
          at={[...at, "comment"]}
          label={t("p.policy.comment")}
          options={options("comment")}
          usual="never"
        />
        <SelectInput
          at={[...at, "branch_reject"]}
          label={t("p.policy.branch_reject")}
          options={options("branch_reject")}
          usual="whole_flow"
        />
        <ClockSelect at={[...at, "clock"]} label={t("p.clock.label")} usual="wall" />
      </Group>
      <Group label={t("p.policy.initiator")} plain>
        <SelectInput
          at={[...at, "initiator_cancel"]}
          label={t("p.policy.cancel")}
          options={options("cancel")}
          usual="before_first_decision"
        />
        <NumberInput
          at={["flow", "limits", "open_per_initiator"]}
          label={t("p.limits.open")}
          hint={t("p.limits.open_hint")}
          min={1}
          max={10000}
        />
      </Group>
      <TakeBack />
      <Reversal />
      <Group label={t("p.policy.reading")} plain>
        <SelectInput
          at={[...at, "visibility"]}
          label={t("p.policy.visibility")}
          options={options("visibility")}
          usual="participants"
        />
        <OptionalPeople
          at={["flow", "managers"]}
          label={t("p.managers.label")}
          none={t("p.managers.none")}
          some={t("p.managers.some")}
        />
      </Group>
    </fieldset>
  );
}
