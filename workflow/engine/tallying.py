"""Whether a step that asks people has passed, was refused, or still waits: arithmetic on seats.

Theory of operation. The seats of a step are a tree. Group 0 decides by the step's own rule; each
further group was added to one seat and decides by its own (approvals.md 2.5). What a seat says
follows from its state and from the groups added to it: a seat whose group before it was refused
says no, and an approval counts only once the groups after it have passed. What a group says is
counted anew from its present seats each time, with exact fractions, so that adding, removing or
handing over a seat changes the result at once and nothing is remembered (approvals.md 2.2).
A delegate gives an opinion: his group is over once he has, and never says no.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from workflow.engine.flowdoc.rules import DecideAll, DecideClaim, DecideInOrder, DecideVote
from workflow.engine.flowdoc.steps import ApproveStep, WorkStep
from workflow.engine.moves import Verdict
from workflow.engine.state import SeatState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workflow.engine.flowdoc.rules import Need
    from workflow.engine.flowdoc.steps import HumanStep
    from workflow.engine.state import Activation, Group, Seat

# `gone`: the seat counts for nothing any more, neither as a vote nor in the total.
Say = Literal["for", "against", "open", "gone"]

DECIDED_FOR = frozenset({SeatState.APPROVED, SeatState.DONE, SeatState.OPINION_GIVEN})
OWN_GROUP = 0
# Readers have seats in this group, and no say.
READERS = -1


class Rule(NamedTuple):
    """How a group decides: how much must be for it, when, and what one rejection means."""

    kind: Literal["any", "all", "vote"] = "any"
    need: Need | None = None
    early: bool = True
    any_one: bool = True
    in_order: bool = False


class Count(NamedTuple):
    """The weights of the present seats by what they say, and how many they are."""

    for_it: int
    against: int
    open: int
    seats: int
    refusals: int
    waiting: int

    @property
    def total(self) -> int:
        return self.for_it + self.against + self.open


def tally(activation: Activation, step: HumanStep | None) -> Verdict | None:
    """How the step stands; nothing while it is open.

    Without a step it is the initiator who has to send the request on (step ``start``). A vote
    that needs more than all present seats have together cannot pass; that alone refuses nothing
    while somebody may still decide (`too_few` says so, and it is an incident), and once everybody
    has decided it is refused, or done where work cannot be refused.
    """
    rule = rule_of(step)
    count = _count(activation, OWN_GROUP)
    taker = claimer(activation) if step is not None and is_pool(step) else None
    if taker is not None and say_of(activation, taker) == "against":
        # Who took the work out of the pool decides alone.
        return Verdict.REFUSED
    verdict = _verdict(rule, count)
    if verdict is Verdict.REFUSED and isinstance(step, WorkStep) and not count.refusals:
        return Verdict.PASSED
    return verdict


def too_few(activation: Activation, step: HumanStep | None) -> bool:
    """Whether the vote cannot pass although nobody is against it: it lacks people."""
    count = _count(activation, OWN_GROUP)
    short = not count.refusals and count.waiting > 0
    return short and not _reaches(rule_of(step), count, count.for_it + count.open)


def rule_of(step: HumanStep | None) -> Rule:
    """The rule of a step's own group."""
    if step is None:
        return Rule()
    any_one = not isinstance(step, ApproveStep) or step.reject.counts == "any_one"
    match step.decide:
        case DecideVote() as vote:
            return Rule("vote", vote.need, early=vote.early, any_one=any_one)
        case DecideAll():
            return Rule("all", any_one=any_one)
        case DecideInOrder():
            return Rule("all", any_one=any_one, in_order=True)
        case _:
            return Rule("any", any_one=any_one)


def rule_of_group(group: Group) -> Rule:
    """The rule of a group that was added."""
    return Rule(
        kind="any" if group.decide == "any" else "all",
        any_one=group.counts == "any_one",
        in_order=group.decide == "in_order",
    )


def is_pool(step: HumanStep) -> bool:
    """Whether the work of the step is taken out of a pool."""
    return isinstance(step.decide, DecideClaim)


def claimer(activation: Activation) -> Seat | None:
    """The seat that took the work out of the pool and still counts."""
    seat = activation.seat(activation.claimed) if activation.claimed else None
    return None if seat is None or say_of(activation, seat) == "gone" else seat


def say_of(activation: Activation, seat: Seat) -> Say:
    """What one seat says, with the groups that were added to it."""
    if seat.group == READERS:
        return "gone"
    if seat.state is SeatState.REJECTED:
        return "against"
    # Added people who refused speak for the seat, also when it was closed because of them.
    verdicts = [
        group_verdict(activation, group)
        for group in activation.groups
        if group.seat == seat.number and group.place != "delegate"
    ]
    refused = Verdict.REFUSED in verdicts
    if seat.state in {SeatState.CLOSED, SeatState.TAKEN_BACK}:
        return "against" if refused and seat.state is SeatState.CLOSED else "gone"
    if refused:
        return "against"
    if seat.state in DECIDED_FOR and None not in verdicts:
        return "for"
    return "open"


def group_verdict(activation: Activation, group: Group) -> Verdict | None:
    """How a group that was added stands; one from which all were removed no longer matters."""
    says = [say_of(activation, seat) for seat in members(activation, group.number)]
    if not says:
        return None
    if group.place == "delegate":
        return None if "open" in says else Verdict.PASSED
    if all(say == "gone" for say in says):
        return Verdict.PASSED
    return _verdict(rule_of_group(group), _count(activation, group.number))


def members(activation: Activation, group: int) -> Sequence[Seat]:
    """The seats of a group in their order.

    The new seat of somebody who took a decision back stands where the old one stood.
    """
    seats: list[Seat] = []
    for seat in activation.seats:
        if seat.group == group:
            seats.insert(_place(seats, seat), seat)
    return seats


def depth_of(activation: Activation, seat: Seat) -> int:
    """How deep a seat is added: 0 for a seat of the step itself."""
    depth = 0
    group = activation.group(seat.group)
    while group is not None:
        depth += 1
        parent = activation.seat(group.seat)
        group = activation.group(parent.group) if parent is not None else None
    return depth


def turn(activation: Activation, group: int) -> Seat | None:
    """Whose turn it is where people decide one after the other."""
    for seat in members(activation, group):
        if say_of(activation, seat) == "open":
            return seat
    return None


def _place(seats: Sequence[Seat], seat: Seat) -> int:
    if seat.origin == "taken_back":
        for place, each in enumerate(seats):
            if each.state is SeatState.TAKEN_BACK and each.holder == seat.holder:
                return place + 1
    return len(seats)


def _count(activation: Activation, group: int) -> Count:
    said = [(say_of(activation, seat), seat.weight) for seat in members(activation, group)]
    present = [(say, weight) for say, weight in said if say != "gone"]
    return Count(
        for_it=_sum(present, "for"),
        against=_sum(present, "against"),
        open=_sum(present, "open"),
        seats=len(present),
        refusals=sum(say == "against" for say, _ in present),
        waiting=sum(say == "open" for say, _ in present),
    )


def _sum(present: Iterable[tuple[Say, int]], wanted: Say) -> int:
    return sum(weight for say, weight in present if say == wanted)


def _verdict(rule: Rule, count: Count) -> Verdict | None:
    if not count.seats or (count.waiting and not rule.early):
        return None
    if count.refusals and rule.any_one:
        return Verdict.REFUSED
    if _reaches(rule, count, count.for_it) and _is_certain(rule, count):
        return Verdict.PASSED
    reachable = _reaches(rule, count, count.for_it + count.open)
    if not count.waiting or (count.refusals and not reachable):
        return Verdict.REFUSED
    return None


def _is_certain(rule: Rule, count: Count) -> bool:
    """In *all* everybody has to have decided; elsewhere what is reached stays reached."""
    return rule.kind != "all" or not count.waiting


def _reaches(rule: Rule, count: Count, weight: int) -> bool:
    """Whether so much weight for it is enough, without rounding: for · den ≥ num · total."""
    need = rule.need
    if rule.kind == "all":
        return count.refusals == 0
    if rule.kind == "any" or need is None:
        return weight > 0
    if need.count is not None:
        return weight >= need.count
    return weight > 0 and weight * (need.den or 1) >= (need.num or 1) * count.total
