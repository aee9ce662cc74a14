"""How steps are decided and when they are due (approvals 3.2, invariant 9; P8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.flowdoc import (
    ByInitiator,
    ByUser,
    DecideInOrder,
    DecideVote,
    HumanStep,
    StepEvent,
    WorkStep,
    seconds_of,
)
from workflow.engine.validation.look import fault, warning
from workflow.forms.findings import Finding, child, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.flowdoc import Deadline, EventPost, Need, Remind
    from workflow.engine.plan import PlanStep
    from workflow.engine.validation.look import Look

# Sources that give people without an order of their own.
_UNORDERED = frozenset({"role", "group", "post", "department"})
# Contract, Events of a step: only these may call out.
_POSTED = frozenset({"approved", "rejected", "returned", "closed"})


def check(look: Look) -> Iterator[Finding]:
    """Every finding about votes, self rules, deadlines and events."""
    for placed in look.steps:
        if isinstance(placed.step, HumanStep):
            yield from _decide(placed.step, placed)
            yield from _self(placed.step, placed, look)
            if placed.step.deadline is not None:
                yield from _deadline(placed.step.deadline, placed)
                if isinstance(placed.step, WorkStep) and placed.step.deadline.then == "reject":
                    # Work has no rejection, not even one that nobody speaks.
                    where = child(child(placed.at, "deadline"), "then")
                    yield fault("deadline.work_rejects", placed, where)
        for number, event in enumerate(placed.step.on_event):
            yield from _event(event, placed, child(child(placed.at, "on_event"), number))


def _decide(step: HumanStep, placed: PlanStep) -> Iterator[Finding]:
    at = child(placed.at, "decide")
    unordered = any(source.by in _UNORDERED for source in step.who.any_of)
    if isinstance(step.decide, DecideInOrder) and step.who.order == "given" and unordered:
        yield warning("decide.order_unstable", placed, at)
    if isinstance(step.decide, DecideVote):
        if not _in_range(step.decide.need):
            yield fault("decide.ratio_range", placed, child(at, "need"))
        else:
            yield from _votes(step, step.decide, placed, at)


def _in_range(need: Need) -> bool:
    if need.count is not None:
        return need.count >= 1
    return need.num is not None and need.den is not None and 0 < need.num <= need.den


def _votes(step: HumanStep, decide: DecideVote, placed: PlanStep, at: str) -> Iterator[Finding]:
    """Only where every voter is named in the document can it be known who votes."""
    named = [source.ids for source in step.who.any_of if isinstance(source, ByUser)]
    if len(named) != len(step.who.any_of):
        return
    voters = {name for names in named for name in names}
    weights = decide.weights or {}
    for name in weights:
        if name not in voters:
            where = child(child(at, "weights"), name)
            yield fault("decide.weights_unknown_user", placed, where, user=printable(name))
    total = sum(weights.get(name, 1) for name in voters)
    if total == 0 or (decide.need.count or 0) > total:
        need = decide.need.count or 1
        yield fault(
            "decide.weights_cannot_pass", placed, child(at, "need"), need=need, total=total
        )


def _self(step: HumanStep, placed: PlanStep, look: Look) -> Iterator[Finding]:
    rule = step.on_self or look.doc.policy.on_self
    if rule == "forbid" and all(isinstance(each, ByInitiator) for each in step.who.any_of):
        yield warning("self.forbid_leaves_nobody", placed, child(placed.at, "who"))


def _deadline(deadline: Deadline, placed: PlanStep) -> Iterator[Finding]:
    at = child(placed.at, "deadline")
    if not isinstance(deadline.after, str):
        return
    length = seconds_of(deadline.after) or 0
    for number, remind in enumerate(deadline.remind):
        where = child(child(at, "remind"), number)
        yield from _remind(remind, length, placed, where, ends=deadline.then != "none")


def _remind(
    remind: Remind, length: int, placed: PlanStep, at: str, *, ends: bool
) -> Iterator[Finding]:
    # Without a consequence the task stays open after its time, and late reminders are the point.
    if remind.after is not None and ends and (seconds_of(remind.after) or 0) > length:
        yield fault("deadline.remind_after_end", placed, child(at, "after"))
    if remind.before is not None and (seconds_of(remind.before) or 0) > length:
        yield fault("deadline.bad_value", placed, child(at, "before"))


def _event(event: StepEvent, placed: PlanStep, at: str) -> Iterator[Finding]:
    if event.post is None:
        return
    if event.on not in _POSTED:
        yield fault("event.post_not_here", placed, child(at, "post"), on=event.on)
    yield from _post(event.post, placed, child(at, "post"))


def _post(post: EventPost, placed: PlanStep, at: str) -> Iterator[Finding]:
    if post.url is not None and not post.url.startswith("https://"):
        yield fault("http.scheme", placed, child(at, "url"))
