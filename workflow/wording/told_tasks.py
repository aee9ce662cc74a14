"""What happened to the seats of a request, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from workflow.engine.events import (
    Commented,
    GroupAdded,
    InstanceFinished,
    Migrated,
    MigrationUndone,
    OpinionGiven,
    PeopleAdded,
    Picked,
    StepEntered,
    SubstituteAsked,
    TaskApproved,
    TaskAssigned,
    TaskClaimed,
    TaskClosed,
    TaskCompleted,
    TaskHandedOn,
    TaskReassigned,
    TaskRejected,
    TaskReleased,
    TaskReturned,
    TaskTakenBack,
    TimedOut,
    WentBack,
)
from workflow.engine.plan import START
from workflow.engine.state import Reason
from workflow.wording.rules import seat_rule_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workflow.engine.events import AnyEvent
    from workflow.wording.telling import Entry, StateWord, Telling

    _OnSeat = TaskApproved | TaskRejected | TaskCompleted | TaskReturned | OpinionGiven


def _assigned(telling: Telling, event: TaskAssigned) -> Entry | None:
    """Only a seat that nothing else in the command explains is a fact of its own."""
    explained = telling.within(StepEntered, event.activation)
    if explained or event.origin in {"added", "delegated", "taken_back"}:
        return None
    name = telling.name_of(event.activation)
    text = _("%(actor)s gave “%(step)s” to %(person)s")
    text %= {
        "actor": telling.who(),
        "step": name,
        "person": telling.reader.person(event.holder),
    }
    said = next((each.comment for each in telling.of(Commented)), "")
    return telling.entry(event, "assigned", text, step=name, comment=said, opens=event.activation)


def _decided(telling: Telling, event: _OnSeat, word: StateWord, text: str, **more: str) -> Entry:
    """What a person did with a task, for whom, and what it did to the other tasks of the step."""
    args = telling.of_seat(event.seat) | more
    why = [*telling.holding(event.seat), *telling.also(event.seat)]
    return telling.entry(event, word, text % args, step=args["step"], why=why)


def _approved(telling: Telling, event: TaskApproved) -> Entry | None:
    if event.reason is Reason.TIMEOUT:
        return None  # told with the deadline
    _code, text = seat_rule_text(telling, event)
    if text:
        why = telling.also(event.seat)
        return telling.entry(event, "automatic", text, step=telling.name_at(event.seat), why=why)
    return _decided(telling, event, "approved", _("%(person)s approved “%(step)s”"))


def _rejected(telling: Telling, event: TaskRejected) -> Entry | None:
    if event.reason is Reason.TIMEOUT:
        return None
    return _decided(telling, event, "rejected", _("%(person)s rejected “%(step)s”"))


def _completed(telling: Telling, event: TaskCompleted) -> Entry | None:
    if event.reason is Reason.TIMEOUT:
        return None
    activation = telling.seen.get(telling.homes.get(event.seat, 0))
    if activation is not None and activation.step == START:
        return _decided(telling, event, "started", _("%(person)s sent the request on again"))
    return _decided(telling, event, "completed", _("%(person)s completed “%(step)s”"))


def _returned(telling: Telling, event: TaskReturned) -> Entry:
    text = _("%(person)s sent the request back from “%(step)s” to “%(to)s”")
    return _decided(telling, event, "returned", text, to=telling.reader.step(event.to))


def _opinion(telling: Telling, event: OpinionGiven) -> Entry:
    text = _("%(person)s gave an opinion on “%(step)s”")
    return _decided(telling, event, "opinion", text)


def _handed_on(telling: Telling, event: TaskHandedOn) -> Entry:
    activation = telling.homes.get(event.seat, 0)
    asked = [
        each.holder
        for each in telling.within(TaskAssigned, activation)
        if each.origin == "delegated"
    ]
    text = _("%(person)s asked %(people)s for an opinion on “%(step)s”")
    args = telling.of_seat(event.seat) | {"people": telling.reader.people(asked)}
    return telling.entry(event, "reassigned", text % args, step=args["step"], opens=activation)


def _closed(telling: Telling, event: TaskClosed) -> Entry | None:
    args = telling.of_seat(event.seat) | {"actor": telling.who()}
    if event.removed:
        text = _("%(actor)s removed %(person)s from “%(step)s”") % args
        return telling.entry(event, "closed", text, step=args["step"], why=_consequences(telling))
    parts = (InstanceFinished, WentBack, TaskTakenBack, TimedOut, Migrated, MigrationUndone)
    if event.by_seat or any(telling.of(each) for each in parts):
        # Part of the decision, or of the end, that closed it.
        return None
    text = _("The task “%(step)s” of %(person)s is no longer needed") % args
    return telling.entry(event, "closed", text, step=args["step"])


def _consequences(telling: Telling) -> Iterator[str]:
    """Who is no longer needed because somebody was removed: those whom he had added."""
    others = [each for each in telling.of(TaskClosed) if not each.removed and not each.by_seat]
    yield from telling.no_longer(others)


def _reassigned(telling: Telling, event: TaskReassigned) -> Entry | None:
    if event.reason is Reason.TIMEOUT:
        return None
    activation = telling.homes.get(event.seat, 0)
    args = {
        "actor": telling.who(),
        "step": telling.name_of(activation),
        "before": telling.reader.person(event.before),
        "person": telling.reader.person(event.holder),
    }
    text = (
        _("%(actor)s transferred the task “%(step)s” to %(person)s")
        if event.reason is Reason.HUMAN and event.before == telling.actor
        else _("%(actor)s gave the task “%(step)s” of %(before)s to %(person)s")
    )
    return telling.entry(event, "reassigned", text % args, step=args["step"], opens=activation)


def _taken_back(telling: Telling, event: TaskTakenBack) -> Entry:
    args = telling.of_seat(event.seat)
    text = _("%(person)s took the decision on “%(step)s” back") % args
    return telling.entry(
        event,
        "taken_back",
        text,
        step=args["step"],
        why=telling.also(event.seat),
        opens=telling.homes.get(event.seat, 0),
    )


def _claimed(telling: Telling, event: TaskClaimed) -> Entry | None:
    decided: list[TaskApproved | TaskRejected | TaskCompleted] = []
    decided += [*telling.of(TaskApproved), *telling.of(TaskRejected), *telling.of(TaskCompleted)]
    if any(each.seat == event.seat for each in decided):
        return None  # who decides takes the work by it
    return _pool(telling, event, _("%(person)s took “%(step)s” on"))


def _released(telling: Telling, event: TaskReleased) -> Entry:
    return _pool(telling, event, _("%(person)s gave “%(step)s” back to the others"))


def _pool(telling: Telling, event: TaskClaimed | TaskReleased, text: str) -> Entry:
    args, opens = telling.of_seat(event.seat), telling.homes.get(event.seat, 0)
    return telling.entry(event, "claimed", text % args, step=args["step"], opens=opens)


def _group_added(telling: Telling, event: GroupAdded) -> Entry | None:
    if event.place == "delegate":
        return None  # told where the task was handed on
    text = (
        _("%(actor)s added %(people)s, who decide “%(step)s” before %(person)s")
        if event.place == "before"
        else _("%(actor)s added %(people)s, who decide “%(step)s” after %(person)s")
    )
    added = telling.assigned(event.group, event.activation)
    return _added(telling, event, text, event.seat, added)


def _people_added(telling: Telling, event: PeopleAdded) -> Entry:
    activation = telling.homes.get(event.seat, 0)
    added = [
        each.holder for each in telling.within(TaskAssigned, activation) if each.origin == "added"
    ]
    text = _("%(actor)s added %(people)s to “%(step)s”")
    return _added(telling, event, text, event.seat, added)


def _added(telling: Telling, event: AnyEvent, text: str, seat: int, people: list[int]) -> Entry:
    args = telling.of_seat(seat)
    args |= {"actor": telling.who(), "people": telling.reader.people(people)}
    opens = telling.homes.get(seat, 0)
    return telling.entry(event, "added", text % args, step=args["step"], opens=opens)


def _picked(telling: Telling, event: Picked) -> Entry:
    step = telling.reader.step(event.step)
    text = _("%(actor)s chose %(people)s for “%(step)s”")
    args = {"actor": telling.who(), "people": telling.reader.people(event.people), "step": step}
    return telling.entry(event, "added", text % args, step=step)


def _substitute_asked(telling: Telling, event: SubstituteAsked) -> Entry:
    args = telling.of_seat(event.seat)
    text = _("%(person)s asked the managers to find somebody else for “%(step)s”")
    return telling.entry(event, "comment", text % args, step=args["step"])


TELLERS: dict[type[Any], Callable[[Telling, Any], Entry | None]] = {
    TaskAssigned: _assigned,
    TaskApproved: _approved,
    TaskRejected: _rejected,
    TaskCompleted: _completed,
    TaskReturned: _returned,
    OpinionGiven: _opinion,
    TaskHandedOn: _handed_on,
    TaskClosed: _closed,
    TaskReassigned: _reassigned,
    TaskTakenBack: _taken_back,
    TaskClaimed: _claimed,
    TaskReleased: _released,
    GroupAdded: _group_added,
    PeopleAdded: _people_added,
    Picked: _picked,
    SubstituteAsked: _substitute_asked,
}
