"""Why the people of a step ahead are not known yet: a field, a pick, whoever decides, a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.flowdoc.people import (
    BaseOf,
    ByFormDepartmentHead,
    ByFormUsers,
    ByHead,
    ByHeadChain,
    ByManager,
    ByRule,
    DecidersOf,
    PickedAtStart,
    PickedBy,
)
from workflow.engine.flowdoc.rules import EmptyManagers, EmptyPeople
from workflow.engine.foreseen import Unknowable
from workflow.engine.plan import START
from workflow.forms.evaluation import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.flowdoc.people import AnySource, Base, People
    from workflow.engine.flowdoc.steps import HumanStep
    from workflow.engine.ways import PartialView


def unknowable(view: PartialView, who: People, step: str) -> tuple[Unknowable, ...]:
    """What these people of a step still hang on, each once, in the order of the sources."""
    found = (
        each for source in (*who.any_of, *who.without) for each in _of_source(view, source, step)
    )
    return tuple(dict.fromkeys(found))


def unknowable_when_empty(view: PartialView, step: HumanStep) -> tuple[Unknowable, ...]:
    """The same for those whom the empty rule names, when it comes to it."""
    found: list[Unknowable] = []
    rule = step.on_empty
    while isinstance(rule, EmptyPeople):
        found += unknowable(view, rule.who, step.id)
        rule = rule.then
    managers = view.run.plan.doc.managers
    if isinstance(rule, EmptyManagers) and managers is not None:
        found += unknowable(view, managers, step.id)
    return tuple(dict.fromkeys(found))


def needs_rule(who: People) -> bool:
    """Whether a rule names some of them: it is asked outside, and not by a preview."""
    return any(isinstance(source, ByRule) for source in (*who.any_of, *who.without))


def _of_source(view: PartialView, source: AnySource, step: str) -> Iterator[Unknowable]:
    match source:
        case PickedAtStart() | PickedBy():
            by = source.step if isinstance(source, PickedBy) else START
            if by in view.way.acts and not view.way.state.picks.get(step):
                yield Unknowable("pick", by)
        case DecidersOf():
            yield from _of_decider(view, source.step)
        case ByFormUsers() | ByFormDepartmentHead():
            yield from _of_field(view, source.field)
        case ByHead() | ByHeadChain() | ByManager():
            yield from _of_base(view, source.of)
        case ByRule():
            yield Unknowable("rule", source.key)
        case _:
            return


def _of_base(view: PartialView, base: Base) -> Iterator[Unknowable]:
    if isinstance(base, BaseOf):
        if base.field is not None:
            yield from _of_field(view, base.field)
        elif base.decider_of is not None:
            yield from _of_decider(view, base.decider_of)


def _of_decider(view: PartialView, step: str) -> Iterator[Unknowable]:
    if step in view.way.acts and not view.way.state.deciders.get(step):
        yield Unknowable("decider", step)


def _of_field(view: PartialView, name: str) -> Iterator[Unknowable]:
    if view.value(name) is UNKNOWN:
        yield Unknowable("form", name)
