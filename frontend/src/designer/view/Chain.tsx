// The process as nested ordered lists: steps below each other, branches beside each other. The
// lines between the cards are drawn by designer.css alone.
import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { slotKey } from "../cards";
import { kindKey } from "../commands";
import { dropTarget, openSlots } from "../dragging";
import { askWhatToInsert, fold, kindIcons } from "../menus";
import { asOutline, folded } from "../looking";
import {
  branchesOf,
  isBlock,
  stepsOf,
  type BlockStep,
  type Branch,
  type ChainRef,
  type Step,
} from "../model";
import { readOnly } from "../state";
import { conditionOf } from "../conditions";
import { summaryOf } from "../summary";
import { plural, t } from "../texts";
import { Card } from "./Card";
import { Icon } from "./Icon";

function chainRef(step: string, branch: string): ChainRef {
  return step === "" ? { root: true } : { step, branch };
}

/** The gap after a card: a line, a button to add, and while something is dragged a place to drop. */
function Gap(props: { step: string; branch: string; index: number; after: string }): JSX.Element {
  const slot = { chain: chainRef(props.step, props.branch), index: props.index };
  const key = slotKey(slot);
  const state = useComputed(() => {
    if (!openSlots.value.has(key)) return "";
    return dropTarget.value === key ? " is-open is-over" : " is-open";
  });
  return (
    <span class={`dz-gap${state.value}`} data-slot={key}>
      {!readOnly.value && (
        <button
          type="button"
          class="dz-add"
          tabIndex={-1}
          aria-haspopup="menu"
          aria-label={t("slot.add", { name: props.after })}
          title={t("slot.add", { name: props.after })}
          onClick={(event) => askWhatToInsert(slot, event.currentTarget)}
        />
      )}
    </span>
  );
}

function Column(props: { block: BlockStep; branch: Branch; index: number }): JSX.Element {
  const { block, branch, index } = props;
  const count = block.branches.length;
  const line = conditionOf(block, branch);
  const name = branch.name || t("branch.unnamed");
  return (
    <li class="dz-branch" data-branch={`${block.id}/${branch.id}`}>
      <Card
        node={{ step: block.id, branch: branch.id }}
        name={name}
        sort={t("card.branch")}
        icon={branch.otherwise === true ? "circle-dashed" : "git-branch"}
        line={line}
        place={t("branch.place", { number: index + 1, of: count })}
        look="head"
      />
      <Gap step={block.id} branch={branch.id} index={0} after={name} />
      <Chain steps={stepsOf(branch)} step={block.id} branch={branch.id} label={name} />
    </li>
  );
}

function Block({ step }: { step: BlockStep }): JSX.Element {
  const closed = useComputed(() => folded.value.has(step.id));
  const branches = branchesOf(step);
  return (
    <section class="dz-block" aria-label={t("block.label", { name: step.name })}>
      <button
        type="button"
        class="dz-fold"
        tabIndex={-1}
        aria-expanded={!closed.value}
        aria-label={t(closed.value ? "act.unfold" : "act.fold")}
        onClick={() => fold(step.id)}
      >
        <Icon name={closed.value ? "chevron-right" : "chevron-down"} />
        {closed.value && plural(branches.length, "block.branch", "block.branches")}
      </button>
      {!closed.value && (
        <ol class="dz-branches">
          {branches.map((branch, index) => (
            <Column key={branch.id} block={step} branch={branch} index={index} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Item(props: {
  step: Step;
  index: number;
  count: number;
  owner: string;
  branch: string;
}): JSX.Element {
  const { step, index, count, owner, branch } = props;
  const sort = t(kindKey(step.kind));
  const name = step.name || sort;
  // Reads a signal, so that Preact draws this card again only when the step itself has changed.
  const look = readOnly.value ? `${step.kind} dz-still` : step.kind;
  return (
    <li class="dz-item">
      <Card
        node={step.id}
        name={name}
        sort={sort}
        icon={kindIcons[step.kind]}
        line={summaryOf(step)}
        place={t("card.place", { number: index + 1, of: count })}
        look={look}
      />
      {isBlock(step) && <Block step={step} />}
      <Gap step={owner} branch={branch} index={index + 1} after={name} />
    </li>
  );
}

export function Chain(props: {
  steps: readonly Step[];
  step: string;
  branch: string;
  label: string;
}): JSX.Element | null {
  const { steps, step, branch, label } = props;
  const still = readOnly.value;
  if (steps.length === 0) return null;
  return (
    <ol class="dz-chain" aria-label={label} data-still={still ? "" : undefined}>
      {steps.map((each, index) => (
        <Item
          key={each.id}
          step={each}
          index={index}
          count={steps.length}
          owner={step}
          branch={branch}
        />
      ))}
    </ol>
  );
}

/** Start, the process, and its end. */
export function Tree(props: { steps: readonly Step[]; starters: string }): JSX.Element {
  return (
    <ol class={`dz-tree${asOutline.value ? " is-outline" : ""}`} aria-label={t("canvas.label")}>
      <li class="dz-item">
        <Card
          node="start"
          name={t("card.start")}
          sort=""
          icon="player-play"
          line={props.starters}
          place=""
          look="start"
        />
        <Gap step="" branch="" index={0} after={t("card.start")} />
      </li>
      {props.steps.map((each, index) => (
        <Item
          key={each.id}
          step={each}
          index={index}
          count={props.steps.length}
          owner=""
          branch=""
        />
      ))}
      <li class="dz-item">
        <Card node="end" name={t("card.end")} sort="" icon="flag" line="" place="" look="end" />
      </li>
    </ol>
  );
}
