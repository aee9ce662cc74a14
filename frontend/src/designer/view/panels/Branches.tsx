// A block of branches: how they come together, and their order; and one branch with its condition.
import type { JSX } from "preact";
import { draft, edit, selected } from "../../state";
import {
  findBranch,
  hasConditions,
  moveBranch,
  setOtherwise,
  type BlockStep,
  type Branch,
  type Flowdoc,
} from "../../model";
import { t } from "../../texts";
import { idOf, type At } from "../fields/binding";
import { ConditionInputs } from "../fields/Condition";
import { Check, Faults, Group, IconButton, SelectInput, TextInput } from "../fields/controls";
import { options, wordText } from "../fields/options";
import { conditionText } from "../fields/words";
import { JoinInputs } from "./Outside";

function changeFlow(label: string, change: (flow: Flowdoc) => Flowdoc): void {
  edit(label, (was) => {
    const flow = change(was.flow);
    return flow === was.flow ? was : { ...was, flow };
  });
}

/** What a branch is taken for, in words. */
function when(block: BlockStep, branch: Branch): string {
  if (!hasConditions(block.kind)) return "";
  if (branch.otherwise) return t("p.branch.otherwise_note");
  return branch.when ? conditionText(branch.when) : t("p.branch.no_condition");
}

export function BlockInputs({ step, at }: { step: BlockStep; at: At }): JSX.Element {
  const policy = draft.value.flow.policy?.branch_reject ?? "whole_flow";
  return (
    <>
      {step.kind === "choice" ? (
        <p class="form-hint">{t("p.block.choice_hint")}</p>
      ) : (
        <>
          <JoinInputs at={[...at, "join"]} label={t("p.join.label")} most={step.branches.length} />
          <SelectInput
            at={[...at, "branch_reject"]}
            label={t("p.block.reject")}
            options={[
              ["", t("p.self.policy", { rule: wordText("branch_reject", policy) })],
              ...options("branch_reject"),
            ]}
            usual=""
          />
        </>
      )}
      <Group
        label={t("p.block.order")}
        hint={step.kind === "choice" ? t("p.block.order_hint") : undefined}
        plain
      >
        <Faults at={[...at, "branches"]} />
        <ol class="branch-order">
          {step.branches.map((branch, index) => (
            <li key={branch.id} id={idOf([...at, "branches", index])}>
              <button
                type="button"
                class="btn btn-plain btn-sm"
                onClick={() => (selected.value = { step: step.id, branch: branch.id })}
              >
                {branch.name || t("p.branch.unnamed_one")}
              </button>
              <small>{when(step, branch)}</small>
              <span class="rows-tools">
                <IconButton
                  icon="chevron-up"
                  label={t("p.list.up", { what: branch.name })}
                  disabled={index === 0 || branch.otherwise === true}
                  onPress={() =>
                    changeFlow(t("p.block.order"), (flow) =>
                      moveBranch(flow, step.id, branch.id, -1),
                    )
                  }
                />
                <IconButton
                  icon="chevron-down"
                  label={t("p.list.down", { what: branch.name })}
                  disabled={
                    index === step.branches.length - 1 ||
                    step.branches[index + 1]?.otherwise === true
                  }
                  onPress={() =>
                    changeFlow(t("p.block.order"), (flow) =>
                      moveBranch(flow, step.id, branch.id, 1),
                    )
                  }
                />
              </span>
            </li>
          ))}
        </ol>
      </Group>
    </>
  );
}

export function BranchInputs(props: { step: string; branch: string }): JSX.Element | null {
  const { step, branch: id } = props;
  const found = findBranch(draft.value.flow, step, id);
  if (!found) return null;
  const at = ["flow", ...found.path];
  const { block, branch, index } = found;
  return (
    <>
      <Faults at={at} />
      <TextInput at={[...at, "name"]} label={t("p.branch.name")} max={48} required />
      <p class="form-hint">
        {t("p.branch.place", { number: index + 1, of: block.branches.length, block: block.name })}
      </p>
      {hasConditions(block.kind) ? (
        <>
          <Check
            at={[...at, "otherwise"]}
            label={t("p.branch.is_otherwise")}
            hint={t("p.branch.is_otherwise_hint")}
            value={branch.otherwise === true}
            onCheck={(now) =>
              changeFlow(t("p.branch.is_otherwise"), (flow) =>
                setOtherwise(flow, step, now ? id : null),
              )
            }
          />
          {branch.otherwise ? null : (
            <ConditionInputs
              at={[...at, "when"]}
              label={t("p.branch.when")}
              none={t("p.branch.no_condition")}
              required
            />
          )}
        </>
      ) : (
        <p class="form-hint">{t("p.branch.always")}</p>
      )}
    </>
  );
}
