"""A click of a scenario as the command that it stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workflow.engine.commands import (
    AddSigners,
    Approve,
    AskSubstitute,
    AssignHeld,
    Claim,
    Command,
    Comment,
    Complete,
    Delegate,
    HandBack,
    Jump,
    Pause,
    Reassign,
    Reject,
    Release,
    RemoveSigner,
    Resume,
    Return,
    SendCopy,
    Snooze,
    TakeBack,
    Terminate,
    Transfer,
    Withdraw,
)
from workflow.engine.scenario import OF_THE_REQUEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from workflow.engine.played import Played
    from workflow.engine.scenario import Click
    from workflow.engine.state import Activation, Seat

UNKNOWN_PERSON = "scenario.unknown_person"
NO_TASK = "scenario.no_task"
NOBODY_NAMED = "scenario.nobody_named"


@dataclass(frozen=True, slots=True)
class Impossible(Exception):
    """There is no such command: a person is not there, or has no such task."""

    code: str
    args_: Mapping[str, str | int] = field(default_factory=dict)


def command_of(play: Played, click: Click) -> Command:
    """What the click asks for, of the request as it stands now. Raises Impossible."""
    (by,) = ids_of(play, (click.as_,))
    if click.do in OF_THE_REQUEST:
        return _of_the_request(play, click, by)
    if click.do == "take-back":
        return _take_back(play, click, by)
    activation, seat = _task(play, click, by)
    if click.do == "comment":
        return Comment(by, click.comment, activation.step)
    if click.do == "remove-signer":
        return RemoveSigner(seat=_of_person(play, click, activation), by=by, comment=click.comment)
    mine: dict[str, Any] = {
        "seat": seat.number,
        "by": by,
        "version": seat.version,
        "comment": click.comment,
        "changes": click.form,
    }
    return _on_task(play, click, mine)


def ids_of(play: Played, logins: Sequence[str]) -> tuple[int, ...]:
    """People by login. Raises Impossible (scenario.unknown_person) for the first who is not."""
    found = {each.login: each.id for each in play.facts.people_by_login(logins)}
    for login in logins:
        if login not in found:
            raise Impossible(UNKNOWN_PERSON, {"login": login})
    return tuple(found[login] for login in logins)


def picked_ids(play: Played, picked: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, ...]]:
    """People who are picked, by step. Raises Impossible."""
    return {step: ids_of(play, logins) for step, logins in picked.items()}


def _task(play: Played, click: Click, by: int) -> tuple[Activation, Seat]:
    """The waiting task that is meant; the open ones come first."""
    state = play.state
    found = [
        (activation, seat)
        for activation in (state.activations if state is not None else ())
        for seat in activation.seats
        if seat.holder == by and seat.waits and click.step in {"", activation.step}
    ]
    if not found:
        raise Impossible(NO_TASK, {"login": click.as_, "step": click.step})
    return min(found, key=lambda each: (not each[1].is_open, each[1].number))


def _of_person(play: Played, click: Click, activation: Activation) -> int:
    (person,) = ids_of(play, (_first(click),))
    for seat in activation.seats:
        if seat.holder == person and seat.waits:
            return seat.number
    raise Impossible(NO_TASK, {"login": _first(click), "step": activation.step})


def _first(click: Click) -> str:
    if not click.people:
        raise Impossible(NOBODY_NAMED, {"do": click.do})
    return click.people[0]


def _take_back(play: Played, click: Click, by: int) -> TakeBack:
    mine = [seat for seat in play.decided if play.holders.get(seat) == by]
    if not mine:
        raise Impossible(NO_TASK, {"login": click.as_, "step": click.step})
    seat = max(mine, key=lambda each: (play.decided[each], each))
    return TakeBack(
        seat=seat,
        by=by,
        comment=click.comment,
        history=tuple(play.events),
        decided_at=play.decided[seat],
    )


def _on_task(play: Played, click: Click, mine: dict[str, Any]) -> Command:
    simple = _SIMPLE.get(click.do)
    if simple is not None:
        return simple(**mine)
    if click.do in {"approve", "complete", "resubmit"}:
        decided = Approve if click.do == "approve" else Complete
        return decided(**mine, picked=picked_ids(play, click.picked))
    if click.do == "reject":
        return Reject(**mine, to=click.target)
    if click.do == "return":
        return Return(**mine, to=click.target, resume=click.resume)
    return _to_people(play, click, mine)


def _to_people(play: Played, click: Click, mine: dict[str, Any]) -> Command:
    """What is done with a task for, or together with, others."""
    people = ids_of(play, click.people)
    if click.do == "add-signer":
        return AddSigners(**mine, people=people, place=click.place)
    if click.do == "copy":
        return SendCopy(**mine, to=people)
    _first(click)
    return (Transfer if click.do == "transfer" else Delegate)(**mine, to=people[0])


def _now(**mine: Any) -> Snooze:
    return Snooze(**mine, until=None)


_SIMPLE: Mapping[str, Callable[..., Command]] = {
    "hand-back": HandBack,
    "claim": Claim,
    "release": Release,
    "snooze": _now,
    "ask-substitute": AskSubstitute,
}


def _of_the_request(play: Played, click: Click, by: int) -> Command:
    match click.do:
        case "withdraw":
            return Withdraw(by, click.comment)
        case "cancel":
            return Terminate(by, click.comment)
        case "suspend":
            return Pause(by, click.comment)
        case "resume":
            return Resume(by, click.comment)
        case "jump":
            return Jump(click.target, by, click.comment)
        case _:
            return _reassign(play, click, by)


def _reassign(play: Played, click: Click, by: int) -> Command:
    """Another person for the first waiting task of the step, or for a step that has nobody."""
    (person,) = ids_of(play, (_first(click),))
    for activation in play.state.activations if play.state is not None else ():
        if activation.step != click.step and click.step:
            continue
        for seat in activation.seats:
            if seat.waits:
                return Reassign(seat.number, person, by, click.comment)
        if not activation.branches and not activation.seats:
            return AssignHeld(activation.number, person, by, click.comment)
    raise Impossible(NO_TASK, {"login": _first(click), "step": click.step})
