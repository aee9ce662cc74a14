// The condition builder: groups of rows (all, any, not), and above them always the whole condition
// as a sentence.
import type { JSX } from "preact";
import { DEEPEST_COND, type AllCond, type AnyCond, type Cond, type Leaf } from "../../model";
import { t } from "../../texts";
import { put, valueAt, type At } from "./binding";
import { LABEL, LeafInputs, comparable, freshRow, type Scope } from "./comparing";
import { AddButton, Check, Choose, Faults, Group, IconButton } from "./controls";
import { options, type WordOf } from "./options";
import { conditionText } from "./words";

type Subject = WordOf<"subject">;

function subjectOf(leaf: Leaf): Subject {
  if ("field" in leaf) return "field";
  if ("initiator" in leaf) return "initiator";
  return "step" in leaf ? "step" : "rule";
}

function freshLeaf(subject: Subject, scope: Scope): Cond {
  if (subject === "field") return freshRow(comparable(scope)[0]);
  if (subject === "initiator") return { initiator: "in_role", ids: [] };
  if (subject === "step") return { step: "", outcome: "approved" };
  return { rule: "", version: "latest_at_entry" };
}

function Node(props: {
  cond: Cond;
  at: At;
  scope: Scope;
  depth: number;
  onRemove: (() => void) | null;
}): JSX.Element {
  const { cond, at, scope, depth, onRemove } = props;
  const negated = "not" in cond;
  const inner = negated ? cond.not : cond;
  const where = negated ? [...at, "not"] : at;
  return (
    <div class="cond">
      <Faults at={at} />
      {"all" in inner || "any" in inner ? (
        <CondGroup cond={inner} at={where} scope={scope} depth={depth} />
      ) : "not" in inner ? (
        <Node cond={inner} at={where} scope={scope} depth={depth + 1} onRemove={null} />
      ) : (
        <LeafNode leaf={inner} at={where} scope={scope} />
      )}
      <div class="cond-tools">
        <Check
          at={[...at, "~not"]}
          label={t("p.cond.not")}
          value={negated}
          onCheck={(now) => put(at, now ? { not: cond } : inner, t("p.cond.not"))}
        />
        {onRemove ? (
          <IconButton
            icon="x"
            label={t("p.cond.remove", { what: conditionText(cond) })}
            onPress={onRemove}
          />
        ) : null}
      </div>
    </div>
  );
}

function LeafNode({ leaf, at, scope }: { leaf: Leaf; at: At; scope: Scope }): JSX.Element {
  return (
    <>
      {scope.fieldsOnly ? null : (
        <Choose
          at={[...at, "*"]}
          label={t("p.cond.subject")}
          value={subjectOf(leaf)}
          options={options("subject")}
          onChoose={(chosen) => put(at, freshLeaf(chosen as Subject, scope), t(LABEL))}
        />
      )}
      <LeafInputs leaf={leaf} at={at} scope={scope} />
    </>
  );
}

function groupOf(kind: string, parts: readonly Cond[]): Cond {
  return kind === "any" ? { any: parts } : { all: parts };
}

function CondGroup(props: {
  cond: AllCond | AnyCond;
  at: At;
  scope: Scope;
  depth: number;
}): JSX.Element {
  const { cond, at, scope, depth } = props;
  const kind = "all" in cond ? "all" : "any";
  const parts = "all" in cond ? cond.all : cond.any;
  const set = (next: readonly Cond[], as: string = kind): void => {
    put(at, groupOf(as, next), t(LABEL));
  };
  return (
    <Group label={t("p.cond.group")}>
      <Choose
        at={[...at, "*"]}
        label={t("p.cond.kind")}
        value={kind}
        options={options("group")}
        onChoose={(chosen) => set(parts, chosen)}
      />
      {parts.map((part, index) => (
        <Node
          key={index}
          cond={part}
          at={[...at, kind, index]}
          scope={scope}
          depth={depth + 1}
          onRemove={() => set(parts.filter((_, other) => other !== index))}
        />
      ))}
      <div class="cond-tools">
        <AddButton
          label={t("p.cond.add")}
          onPress={() => set([...parts, freshLeaf("field", scope)])}
        />
        {depth < DEEPEST_COND - 2 ? (
          <AddButton
            label={t("p.cond.add_group")}
            onPress={() =>
              set([...parts, groupOf(kind === "all" ? "any" : "all", [freshLeaf("field", scope)])])
            }
          />
        ) : null}
      </div>
    </Group>
  );
}

/** A condition member that may be absent. */
export function ConditionInputs(props: {
  at: At;
  label: string;
  none: string;
  required?: boolean;
  fieldsOnly?: boolean;
  without?: string;
}): JSX.Element {
  const { at, label } = props;
  const cond = valueAt<Cond | null>(at) ?? undefined;
  const scope: Scope = { fieldsOnly: props.fieldsOnly ?? false, without: props.without };
  const isGroup = cond !== undefined && ("all" in cond || "any" in cond);
  return (
    <Group label={label} required={props.required} plain>
      <p class="cond-sentence" aria-live="polite">
        {cond === undefined ? props.none : conditionText(cond)}
      </p>
      {cond === undefined ? (
        <>
          <Faults at={at} />
          <AddButton
            label={t("p.cond.first")}
            onPress={() => put(at, freshLeaf("field", scope), label)}
          />
        </>
      ) : (
        <>
          <Node
            cond={cond}
            at={at}
            scope={scope}
            depth={1}
            onRemove={() => put(at, undefined, label)}
          />
          {isGroup ? null : (
            <AddButton
              label={t("p.cond.second")}
              onPress={() => put(at, { all: [cond, freshLeaf("field", scope)] }, label)}
            />
          )}
        </>
      )}
    </Group>
  );
}
