"""What a step of a process will do, in one line, for people who read the process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from workflow.engine.events.basis import Leaf
from workflow.engine.flowdoc.durations import seconds_of
from workflow.engine.flowdoc.people import (
    BaseOf,
    ByDepartment,
    ByFormDepartmentHead,
    ByFormUsers,
    ByGroup,
    ByHead,
    ByHeadChain,
    ByManager,
    ByPost,
    ByRole,
    ByRule,
    ByUser,
    DecidersOf,
    PickedBy,
)
from workflow.engine.flowdoc.rules import FieldRef
from workflow.engine.flowdoc.steps import (
    AtLeast,
    AutoStep,
    BlockStep,
    ChoiceStep,
    CopyStep,
    DelayStep,
    FinishStep,
    GotoStep,
    HttpStep,
    HumanStep,
    NoticeStep,
    RuleStep,
    SetStep,
    SubflowStep,
)
from workflow.engine.plan import START
from workflow.forms.conditions import Cond, leaves, parts, shape
from workflow.forms.evaluation import text_of
from workflow.forms.operators import TABLE_OPERATOR
from workflow.wording.reasons import field_label, question_text
from workflow.wording.states import listed, step_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django_stubs_ext import StrOrPromise

    from workflow.engine.decision import Definition
    from workflow.engine.flowdoc.people import AnySource, Base, People
    from workflow.engine.flowdoc.rules import Deadline
    from workflow.engine.flowdoc.steps import AnyStep, Branch
    from workflow.wording.following import Titles

_MODES: dict[str, StrOrPromise] = {
    "any": gettext_lazy("the first decides"),
    "all": gettext_lazy("all decide"),
    "in_order": gettext_lazy("one after the other"),
    "claim": gettext_lazy("whoever takes it"),
    "draw": gettext_lazy("one of them, by lot"),
    "vote": gettext_lazy("by vote"),
}
_JOINS: dict[str, StrOrPromise] = {
    "all": gettext_lazy("goes on when all branches have ended"),
    "first": gettext_lazy("goes on with the first branch that has ended"),
}
_ENDS: dict[str, StrOrPromise] = {
    "approved": gettext_lazy("ends the request as approved"),
    "rejected": gettext_lazy("ends the request as rejected"),
    "cancelled": gettext_lazy("ends the request as withdrawn"),
}
_INITIATOR = {"in_role": "role", "in_department": "department", "is": "is"}
# What a source names that has a title of its own.
_TITLED = (
    (ByUser, "user"),
    (ByRole, "role"),
    (ByGroup, "group"),
    (ByPost, "post"),
    (ByDepartment, "department"),
)


@dataclass(frozen=True, slots=True)
class Planned:
    """The words for one version of a process, in one language."""

    definition: Definition
    titles: Titles
    language: str

    # People -----------------------------------------------------------------------------------

    def people(self, people: People) -> str:
        """Who that is: “Head of the initiator's department, role Finance”."""
        text = listed(self._source(source) for source in people.any_of)
        if not people.without:
            return text
        left_out = listed(self._source(source) for source in people.without)
        return _("%(people)s, but not %(left_out)s") % {"people": text, "left_out": left_out}

    def _source(self, source: AnySource) -> str:
        for kind, title in _TITLED:
            if isinstance(source, kind):
                names = listed(self._title(title, code) for code in source.ids)
                return self._named_set(title, names)
        if isinstance(source, ByHead | ByHeadChain | ByManager):
            return self._above(source)
        if isinstance(source, ByFormUsers | ByFormDepartmentHead):
            return self._of_field(source)
        if isinstance(source, PickedBy | DecidersOf):
            return self._of_step(source)
        if isinstance(source, ByRule):
            return _("named by the rule %(rule)s") % {"rule": source.key}
        return _("the initiator") if source.by == "initiator" else _("chosen by the initiator")

    def _of_step(self, source: PickedBy | DecidersOf) -> str:
        step = step_name(self.definition, source.step)
        if isinstance(source, PickedBy):
            return _("chosen in “%(step)s”") % {"step": step}
        return _("whoever decided “%(step)s”") % {"step": step}

    def _named_set(self, kind: str, names: str) -> str:
        texts = {
            "role": _("role %(names)s"),
            "group": _("group %(names)s"),
            "post": _("post %(names)s"),
            "department": _("members of %(names)s"),
        }
        return texts.get(kind, "%(names)s") % {"names": names}

    def _above(self, source: ByHead | ByHeadChain | ByManager) -> str:
        base = self._base(source.of)
        if isinstance(source, ByHeadChain):
            return _("the heads above %(base)s, one after the other") % {"base": base}
        if isinstance(source, ByManager):
            if source.level == 1:
                return _("superior of %(base)s") % {"base": base}
            text = _("superior of %(base)s, %(level)d levels up")
            return text % {"base": base, "level": source.level}
        if source.level == 0:
            return _("head of the department of %(base)s") % {"base": base}
        text = ngettext(
            "head %(level)d department above %(base)s",
            "head %(level)d departments above %(base)s",
            source.level,
        )
        return text % {"base": base, "level": source.level}

    def _base(self, base: Base) -> str:
        if not isinstance(base, BaseOf):
            return _("the initiator")
        if base.field is not None:
            return f"“{self.field(base.field)}”"
        if base.decider_of is not None:
            step = step_name(self.definition, base.decider_of)
            return _("whoever decided “%(step)s”") % {"step": step}
        return self._title("department", base.department or "")

    def _of_field(self, source: ByFormUsers | ByFormDepartmentHead) -> str:
        field = self.field(source.field)
        if isinstance(source, ByFormUsers):
            return _("the people in the field “%(field)s”") % {"field": field}
        return _("head of the department in the field “%(field)s”") % {"field": field}

    # Steps ------------------------------------------------------------------------------------

    def line(self, step: AnyStep) -> str:
        """The step in one line, without its name."""
        if isinstance(step, HumanStep):
            return self._human(step)
        if isinstance(step, CopyStep | NoticeStep):
            return self.people(step.who)
        if isinstance(step, BlockStep):
            return self._block(step)
        return self._automatic(step)

    def _human(self, step: HumanStep) -> str:
        words = [self.people(step.who)]
        several = any(source.by not in {"initiator", "manager"} for source in step.who.any_of)
        if several or len(step.who.any_of) > 1:
            words.append(str(_MODES[step.decide.mode]))
        if step.deadline is not None:
            words.append(self._deadline(step.deadline))
        return " · ".join(words)

    def _deadline(self, deadline: Deadline) -> str:
        if isinstance(deadline.after, FieldRef):
            return _("due by the field “%(field)s”") % {"field": self.field(deadline.after.field)}
        return _("due after %(span)s") % {"span": span_text(deadline.after)}

    def _block(self, step: BlockStep) -> str:
        if isinstance(step, ChoiceStep):
            return _("the first branch whose condition holds")
        if isinstance(step.join, AtLeast):
            count = step.join.at_least
            return ngettext(
                "goes on when %(n)d branch has ended",
                "goes on when %(n)d branches have ended",
                count,
            ) % {"n": count}
        return str(_JOINS[step.join])

    def _automatic(self, step: AnyStep) -> str:  # noqa: C901, PLR0911 - one line a kind
        if isinstance(step, AutoStep):
            return _("approves by itself") if step.verdict == "approve" else _("rejects by itself")
        if isinstance(step, SubflowStep):
            return _("runs the process %(flow)s") % {"flow": step.flow}
        if isinstance(step, DelayStep):
            return self._delay(step)
        if isinstance(step, HttpStep):
            return _("calls another system")
        if isinstance(step, SetStep):
            fields = listed(self.field(each.field) for each in step.changes)
            return _("fills in %(fields)s") % {"fields": fields}
        if isinstance(step, RuleStep):
            return _("asks the rule %(rule)s") % {"rule": step.rule.key}
        if isinstance(step, GotoStep):
            text = _("back to “%(step)s”") % {"step": step_name(self.definition, step.to)}
            return text if step.when is None else f"{text} · {self.condition(step.when)}"
        if isinstance(step, FinishStep):
            return str(_ENDS[step.result])
        return ""

    def _delay(self, step: DelayStep) -> str:
        if step.for_ is not None:
            return _("waits %(span)s") % {"span": span_text(step.for_)}
        if step.until_field is not None:
            return _("waits for the moment in “%(field)s”") % {
                "field": self.field(step.until_field)
            }
        return _("waits until %(moment)s") % {"moment": step.until}

    # Conditions -------------------------------------------------------------------------------

    def branch(self, branch: Branch) -> str:
        """When a branch is taken; empty for one that always is."""
        if branch.otherwise:
            return _("in all other cases")
        return "" if branch.when is None else self.condition(branch.when)

    def condition(self, cond: Cond) -> str:
        """A condition as one sentence, with brackets where a group stands in another."""
        return self._group(cond, inside=False)

    def _group(self, cond: Cond, *, inside: bool) -> str:
        kind = shape(cond)
        if kind not in {"all", "any", "not"}:
            return self._question(cond)
        below = [self._group(part, inside=kind != "not") for _at, part in parts(cond)]
        if kind == "not":
            return _("not (%(question)s)") % {"question": below[0]}
        text = (_(" and ") if kind == "all" else _(" or ")).join(below)
        return f"({text})" if inside and len(below) > 1 else text

    def _question(self, cond: Cond) -> str:
        if shape(cond) == "rule":
            rule, value = cond.rule or "", text_of(True if cond.is_ is None else cond.is_)
            return _("the rule %(rule)s says %(value)s") % {"rule": rule, "value": value}
        return question_text(_leaf(cond), self.definition, self.language, self.titles)

    def field(self, name: str) -> str:
        """What a field is called."""
        return field_label(self.definition, name, self.language)

    def _title(self, kind: str, code: str) -> str:
        return self.titles.get((kind, code), code)


def span_text(duration: str) -> str:
    """An ISO 8601 duration in its largest whole unit."""
    seconds = int(seconds_of(duration) or 0)
    minutes = seconds // 60
    if seconds < 60:
        return ngettext("%(n)d second", "%(n)d seconds", seconds) % {"n": seconds}
    if minutes % 1440 == 0:
        return ngettext("%(n)d day", "%(n)d days", minutes // 1440) % {"n": minutes // 1440}
    if minutes % 60 == 0:
        return ngettext("%(n)d hour", "%(n)d hours", minutes // 60) % {"n": minutes // 60}
    return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}


def named_in_process(definition: Definition) -> frozenset[tuple[str, str]]:
    """The (kind, code) whose titles the words need: ask for them once, before."""
    return frozenset(_named(definition))


def _named(definition: Definition) -> Iterator[tuple[str, str]]:
    doc = definition.plan.doc
    for people in (doc.start.who, doc.managers):
        if people is not None:
            yield from _named_by(people)
    for planned in definition.plan.steps.values():
        step = planned.step
        if isinstance(step, HumanStep | CopyStep | NoticeStep):
            yield from _named_by(step.who)
        for cond in _conditions(step):
            yield from _named_in(cond)


def _conditions(step: AnyStep) -> Iterator[Cond]:
    if isinstance(step, BlockStep):
        yield from (each.when for each in step.branches if each.when is not None)
    elif isinstance(step, GotoStep) and step.when is not None:
        yield step.when


def _named_by(people: People) -> Iterator[tuple[str, str]]:
    for source in (*people.any_of, *people.without):
        for kind, title in _TITLED:
            if isinstance(source, kind):
                yield from ((title, code) for code in source.ids)
        if isinstance(source, ByHead | ByHeadChain | ByManager) and isinstance(source.of, BaseOf):
            yield "department", source.of.department or ""


def _named_in(cond: Cond) -> Iterator[tuple[str, str]]:
    for _at, leaf in leaves(cond):
        if leaf.initiator is not None:
            kind = {"in_role": "role", "in_department": "department", "is": "user"}
            yield from ((kind[leaf.initiator], code) for code in leaf.ids or ())
        elif leaf.field is not None:
            # A value may be a person or a department; whoever is neither is not found.
            yield from ((kind, code) for kind in ("user", "department") for code in _texts(leaf))


def _texts(leaf: Cond) -> Iterable[str]:
    values = leaf.value if isinstance(leaf.value, tuple) else (leaf.value,)
    return (each for each in values if isinstance(each, str))


def _leaf(cond: Cond) -> Leaf:
    """The question of a condition as an explanation would keep it."""
    if cond.field is not None:
        op = cond.op or ""
        rows = TABLE_OPERATOR.fullmatch(op)
        column = rows["column"] if rows is not None else None
        asked = cond.field if column is None else f"{cond.field}.{column}"
        return Leaf(asked, op.partition("(")[0], text_of(cond.value), kind="field")
    if cond.initiator is not None:
        return Leaf(_INITIATOR[cond.initiator], "", text_of(cond.ids or ()), kind="initiator")
    return Leaf(cond.step or START, "", cond.outcome or "", kind="step")
