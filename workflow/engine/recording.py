"""A scenario made of what is filled in: everybody agrees, and what comes of it is expected.

Theory of operation. The request is played with the very `decide` that runs the process, as a
scenario is; wherever it stands still, the person whose turn it is agrees, time passes until the
next work is due, or whoever is asked outside says yes. What was done becomes the clicks and the
answers, so that the scenario is green as long as the process does what it did.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from workflow.engine.clicking import Impossible, command_of, ids_of, picked_ids
from workflow.engine.commands import Start
from workflow.engine.evidence import comment_rule
from workflow.engine.flowdoc.durations import LONGEST_SECONDS, written
from workflow.engine.flowdoc.steps import ApproveStep, HttpStep, RuleStep, SubflowStep
from workflow.engine.played import Played, TooLong
from workflow.engine.playing import ends_of
from workflow.engine.rejections import Rejection
from workflow.engine.scenario import MOST_CLICKS, Answer, Click, Do, Expectation, Scenario
from workflow.engine.state import InstanceState
from workflow.forms.scalars import moment_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.engine.facts import Facts
    from workflow.engine.state import Activation, Seat, State
    from workflow.engine.walking import AsksRule

# What is written where a step wants a comment.
SOMETHING = "-"


@dataclass(frozen=True, slots=True)
class Filed:
    """What is put in: the scenario's name, who files it (a login), values, people by login."""

    name: str
    initiator: str
    form: Mapping[str, Any]
    picked: Mapping[str, Sequence[str]] = field(default_factory=dict)


def record(
    definition: Definition,
    filed: Filed,
    at: datetime,
    facts_at: Callable[[datetime], Facts],
    ask_rule: AsksRule | None = None,
) -> dict[str, Any]:
    """The scenario as JSON: what is filled in, the clicks of everybody, path and end as they came.

    ``at`` is the moment (aware UTC) at which its clock begins; ``facts_at`` gives the organisation
    at a moment. ``ask_rule`` asks the rule of a step; without it the request waits there. Where
    nobody can go on (a signature is asked for, a field has to be filled in), the path ends. Raises
    a Rejection when the request cannot be filed, Impossible for people who are not there.
    """
    answers: dict[str, Answer] = {}
    at = at.replace(microsecond=0)
    played = Played(definition, facts_at, answers, at)
    (initiator,) = ids_of(played, (filed.initiator,))
    played.give(Start(initiator, "1", filed.form, picked_ids(played, filed.picked)))
    try:
        clicks = list(_clicks(played, answers, ask_rule))
    except TooLong:
        clicks = []
    scenario = Scenario(
        name=filed.name,
        initiator=filed.initiator,
        at=moment_text(at),
        form=filed.form,
        picked={step: tuple(logins) for step, logins in filed.picked.items()},
        clicks=tuple(clicks),
        answers=answers,
        expect=Expectation(path=tuple(played.path), ends=ends_of(played)),  # type: ignore[arg-type]  # one of Ends
    )
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(scenario))
    return plain


def _clicks(
    played: Played, answers: dict[str, Answer], ask_rule: AsksRule | None
) -> Iterator[Click]:
    for _ in range(MOST_CLICKS):
        played.advance(played.now)
        while _answered(played, answers, ask_rule):
            played.ask_again()
            played.advance(played.now)
        click = _next(played)
        if click is None:
            return
        yield click


def _answered(played: Played, answers: dict[str, Answer], ask_rule: AsksRule | None) -> bool:
    """Say yes for whoever is asked outside and has no answer yet; whether there was one."""
    step_id, state = played.unanswered(), played.state
    if not step_id or step_id in answers or state is None:
        return False
    step = played.definition.plan.steps[step_id].step
    if isinstance(step, HttpStep | SubflowStep):
        answers[step_id] = Answer()
    elif isinstance(step, RuleStep) and ask_rule is not None:
        said = ask_rule(step, state)
        answers[step_id] = Answer(ok=said.ok, values=said.values)
    else:
        return False
    return True


def _next(played: Played) -> Click | None:
    """The click that was made, or the time that has passed; nothing when nobody can go on."""
    state = played.state
    if state is None or state.status is not InstanceState.RUNNING:
        return None
    waiting = _open(state)
    for activation, seat in waiting:
        for do in _verbs(played, activation):
            click = _click(played, activation, seat, do)
            if click is not None:
                return click
    return None if waiting else _waited(played)


def _open(state: State) -> list[tuple[Activation, Seat]]:
    found = [
        (activation, seat)
        for activation in state.activations
        for seat in activation.seats
        if seat.is_open
    ]
    return sorted(found, key=lambda each: each[1].number)


def _verbs(played: Played, activation: Activation) -> tuple[Do, ...]:
    planned = played.definition.plan.steps.get(activation.step)
    approves = planned is not None and isinstance(planned.step, ApproveStep)
    return ("approve" if approves else "complete", "claim")


def _click(played: Played, activation: Activation, seat: Seat, do: Do) -> Click | None:
    (person,) = played.facts.people_by_id([seat.holder]) or (None,)
    if person is None:
        return None
    wanted = do != "claim" and comment_rule(played.definition, activation.step) == "must"
    click = Click(
        as_=person.login, do=do, step=activation.step, comment=SOMETHING if wanted else ""
    )
    try:
        played.give(command_of(played, click))
    except (Rejection, Impossible):
        return None
    return click


def _waited(played: Played) -> Click | None:
    """Let time pass until the next work is due; nothing when none is."""
    due = played.next_due()
    if due is None or due <= played.now:
        return None
    seconds = math.ceil((due - played.now).total_seconds())
    if seconds > LONGEST_SECONDS:
        return None
    # Exactly as when it is played again.
    played.advance(played.now + timedelta(seconds=seconds))
    return Click(do="wait", after=written(seconds))
