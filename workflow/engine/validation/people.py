"""People of a process: sources that can answer where they stand, and whom the document names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from workflow.engine.flowdoc import (
    BaseOf,
    ByDepartment,
    ByGroup,
    ByPost,
    ByRole,
    ByUser,
    DecidersOf,
    DecideVote,
    EmptyHold,
    EmptyManagers,
    HumanStep,
    PickedAtStart,
    PickedBy,
    Until,
)
from workflow.engine.flowdoc.people import Source
from workflow.engine.validation.look import Spot, fault, look_at, warning
from workflow.forms.conditions import Cond, leaves
from workflow.forms.findings import Finding, child, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workflow.engine.flowdoc import Flowdoc
    from workflow.engine.plan import PlanStep
    from workflow.engine.validation.look import Look

ReferenceKind = Literal["user", "role", "department", "group", "post"]

# Before a request exists there is no initiator, no form and no decision to look at.
_BEFORE_START = frozenset({"user", "role", "group", "post", "department", "rule"})
_NEVER_FOR_MANAGERS = frozenset({"picked_at_start", "picked_by", "deciders_of"})
_CONDITION_KINDS: dict[str, ReferenceKind] = {
    "in_role": "role",
    "in_department": "department",
    "is": "user",
}


class Reference(NamedTuple):
    """A directory code that the document names; publishing looks it up in the directory."""

    kind: ReferenceKind
    code: str
    at: str
    step: str | None


def check(look: Look) -> Iterator[Finding]:
    """Every finding about people that needs no directory."""
    for spot in look.spots():
        if isinstance(spot.part, Source):
            yield from _place(spot)
        yield from _earlier_step(spot, look)
        yield from _picks(spot)
        if isinstance(spot.part, EmptyManagers) and look.doc.managers is None:
            yield warning("people.no_managers", spot, spot.at)
    for placed in look.steps:
        if isinstance(placed.step, HumanStep):
            yield from _single(placed.step, placed)


def people_references(doc: Flowdoc) -> tuple[Reference, ...]:
    """Every user, role, department, group and post that the document names, the top first.

    `code` is the directory code (for a user the login name), `at` the JSON Pointer of the code.
    """
    return tuple(
        reference for spot in look_at(doc, None).spots() for reference in _references(spot)
    )


def _references(spot: Spot) -> Iterator[Reference]:
    match spot.part:
        case ByUser(ids=ids):
            yield from _codes("user", ids, child(spot.at, "ids"), spot)
        case ByRole(ids=ids):
            yield from _codes("role", ids, child(spot.at, "ids"), spot)
        case ByGroup(ids=ids):
            yield from _codes("group", ids, child(spot.at, "ids"), spot)
        case ByPost(ids=ids):
            yield from _codes("post", ids, child(spot.at, "ids"), spot)
        case ByDepartment(ids=ids):
            yield from _codes("department", ids, child(spot.at, "ids"), spot)
        case _:
            yield from _single_references(spot)


def _single_references(spot: Spot) -> Iterator[Reference]:
    match spot.part:
        case BaseOf(department=str(code)):
            yield Reference("department", code, child(spot.at, "department"), spot.step)
        case Until(role=str(code)):
            yield Reference("role", code, child(spot.at, "role"), spot.step)
        case DecideVote(weights=weights) if weights is not None:
            at = child(spot.at, "weights")
            for code in weights:
                yield Reference("user", code, child(at, code), spot.step)
        case Cond() as cond:
            for at, leaf in leaves(cond, spot.at):
                if leaf.initiator is not None:
                    kind = _CONDITION_KINDS[leaf.initiator]
                    yield from _codes(kind, leaf.ids or (), child(at, "ids"), spot)
        case _:
            return


def _codes(kind: ReferenceKind, codes: Iterable[str], at: str, spot: Spot) -> Iterator[Reference]:
    for number, code in enumerate(codes):
        yield Reference(kind, code, child(at, number), spot.step)


def _place(spot: Spot) -> Iterator[Finding]:
    by = spot.part.by if isinstance(spot.part, Source) else ""
    if spot.at.startswith("/start/who/"):
        within = getattr(spot.part, "within", "any")
        if by not in _BEFORE_START or within != "any":
            yield fault("people.source_not_here", spot, spot.at, by=by)
    elif spot.at.startswith("/managers/") and by in _NEVER_FOR_MANAGERS:
        yield fault("people.source_not_here", spot, spot.at, by=by)


def _earlier_step(spot: Spot, look: Look) -> Iterator[Finding]:
    match spot.part:
        case PickedBy(step=name) | DecidersOf(step=name):
            at = child(spot.at, "step")
        case BaseOf(decider_of=str(name)):
            at = child(spot.at, "decider_of")
        case _:
            return
    # A source at the top that asks for a step is reported as being in the wrong place.
    at_top = spot.placed is None and not isinstance(spot.part, BaseOf)
    if not at_top and not look.is_human_before(name, spot.placed):
        yield fault("people.not_dominating_step", spot, at, target=printable(name))


def _picks(spot: Spot) -> Iterator[Finding]:
    part = spot.part
    if isinstance(part, PickedAtStart | PickedBy) and part.min > part.max:
        at = child(spot.at, "min")
        yield fault("people.pick_range", spot, at, low=part.min, high=part.max)


def _single(step: HumanStep, placed: PlanStep) -> Iterator[Finding]:
    """One named person and nobody else when he is away (the directory may know a substitute)."""
    sources = step.who.any_of
    alone = len(sources) == 1 and isinstance(sources[0], ByUser) and len(sources[0].ids) == 1
    if alone and isinstance(step.on_empty, EmptyHold):
        yield warning("people.single", placed, child(placed.at, "who"))
