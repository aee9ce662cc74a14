"""Scenarios played with the very `decide` that runs the process: green, or what differed first.

Theory of operation. Everything is pure: a fake clock moves on only where a click says so, and on
the way everything that falls due is carried out at its own moment; automatic steps are carried
out at once. Whatever asks outside gets the scenario's own answer, or stands still. After each
click the path so far is compared, so that what is told is where the two part, and not what a
later click stumbles over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from workflow.engine.clicking import Impossible, command_of, ids_of, picked_ids
from workflow.engine.commands import Start
from workflow.engine.flowdoc.durations import seconds_of
from workflow.engine.played import Played, TooLong
from workflow.engine.rejections import Invalid, Rejection
from workflow.engine.state import InstanceState
from workflow.forms.evaluation import text_of
from workflow.forms.fields import typed
from workflow.forms.findings import child
from workflow.forms.formdoc import field_named
from workflow.forms.scalars import Fault, timestamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from workflow.engine.decision import Definition
    from workflow.engine.facts import Facts
    from workflow.engine.scenario import Click, Scenario
    from workflow.forms.scalars import Value

REFUSED = "scenario.refused"
NOT_STARTED = "scenario.not_started"
OTHER_PATH = "scenario.other_path"
OTHER_END = "scenario.other_end"
OTHER_PEOPLE = "scenario.other_people"
OTHER_VALUE = "scenario.other_value"
UNANSWERED = "scenario.unanswered"
TOO_LONG = "scenario.too_long"
# Nowhere: what a path says where it has ended already.
NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Difference:
    """What came out otherwise first. ``at`` is a JSON Pointer into the scenario."""

    code: str
    at: str
    args: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a scenario came to; ``difference`` is nothing when it is green."""

    name: str
    path: tuple[str, ...] = ()
    ends: str = ""
    difference: Difference | None = None

    @property
    def green(self) -> bool:
        return self.difference is None


def play(
    definition: Definition, scenario: Scenario, facts_at: Callable[[datetime], Facts]
) -> Outcome:
    """Play a scenario that `scenario.decode_scenarios` gave.

    ``facts_at`` gives the organisation as it is at a moment (aware UTC) of the scenario's clock.
    """
    at = timestamp_of(scenario.at) or datetime(1970, 1, 1, tzinfo=UTC)
    played = Played(definition, facts_at, scenario.answers, at)
    try:
        difference = _run(played, scenario)
    except TooLong:
        difference = Difference(TOO_LONG, "", {"step": played.path[-1] if played.path else ""})
    return Outcome(scenario.name, tuple(played.path), ends_of(played), difference)


def _run(played: Played, scenario: Scenario) -> Difference | None:
    trouble = _start(played, scenario)
    if trouble is not None:
        return trouble
    for number, click in enumerate(scenario.clicks):
        trouble = _click(played, click, child("/clicks", number))
        parted = _parted(played, scenario)
        if parted is not None:
            return parted
        if trouble is not None:
            # Who clicks on a request that has ended stumbles over where, or how, it ended.
            ended = _compared(played, scenario) if _has_ended(played) else None
            return ended or _waiting(played, trouble)
    return _compared(played, scenario)


def _has_ended(played: Played) -> bool:
    return played.state is not None and played.state.status is not InstanceState.RUNNING


def _start(played: Played, scenario: Scenario) -> Difference | None:
    try:
        (initiator,) = ids_of(played, (scenario.initiator,))
        picked = picked_ids(played, scenario.picked)
        played.give(Start(initiator, "1", scenario.form, picked))
        played.advance(played.now)
    except Impossible as impossible:
        return Difference(impossible.code, "/initiator", impossible.args_)
    except Rejection as refusal:
        return Difference(NOT_STARTED, "/form", _about(refusal))
    return _parted(played, scenario)


def _click(played: Played, click: Click, at: str) -> Difference | None:
    played.advance(played.now + timedelta(seconds=seconds_of(click.after) or 0))
    if click.do == "wait":
        return None
    try:
        played.give(command_of(played, click))
    except Impossible as impossible:
        return Difference(impossible.code, at, impossible.args_)
    except Rejection as refusal:
        args = {"do": click.do, "login": click.as_, **_about(refusal)}
        return Difference(REFUSED, at, args)
    played.advance(played.now)
    return None


def _about(refusal: Rejection) -> dict[str, str | int]:
    """The code of a refusal, and the place of its first finding."""
    findings = refusal.findings if isinstance(refusal, Invalid) else ()
    named = next((each for each in findings if each.code != refusal.code), None)
    return {
        "code": refusal.code,
        "detail": named.code if named is not None else "",
        "place": findings[0].at if findings else "",
    }


def _parted(played: Played, scenario: Scenario) -> Difference | None:
    """Where the path so far leaves the expected one."""
    expected = scenario.expect.path
    if expected is None:
        return None
    for number, step in enumerate(played.path):
        wanted = expected[number] if number < len(expected) else NOTHING
        if step != wanted:
            return _other_path(number, wanted, step)
    return None


def _other_path(number: int, expected: str, got: str) -> Difference:
    at = child("/expect/path", number)
    return Difference(OTHER_PATH, at, {"expected": expected, "got": got})


def _waiting(played: Played, trouble: Difference) -> Difference:
    """Where the request stands still for want of an answer, that is what is wrong."""
    step = played.unanswered()
    if step and trouble.code != REFUSED:
        return Difference(UNANSWERED, trouble.at, {"step": step})
    return trouble


def _compared(played: Played, scenario: Scenario) -> Difference | None:
    expected = scenario.expect
    path = expected.path
    difference = None
    if path is not None and len(played.path) < len(path):
        number = len(played.path)
        difference = _other_path(number, path[number], NOTHING)
    elif expected.ends is not None and expected.ends != ends_of(played):
        args = {"expected": expected.ends, "got": ends_of(played)}
        difference = Difference(OTHER_END, "/expect/ends", args)
    if difference is not None:
        return _waiting(played, difference)
    return _other_people(played, scenario) or _other_value(played, scenario)


def ends_of(played: Played) -> str:
    """How the request stands: `held`, or the word of its state; "" when it was never filed."""
    state = played.state
    if state is None:
        return ""
    return "held" if state.held is not None else state.status.value


def _other_people(played: Played, scenario: Scenario) -> Difference | None:
    for step, logins in scenario.expect.people.items():
        people = played.facts.people_by_id(list(dict.fromkeys(played.asked.get(step, ()))))
        got = sorted({person.login for person in people})
        if got != sorted(set(logins)):
            args = {
                "step": step,
                "expected": ", ".join(sorted(set(logins))) or NOTHING,
                "got": ", ".join(got) or NOTHING,
            }
            return Difference(OTHER_PEOPLE, child("/expect/people", step), args)
    return None


def _other_value(played: Played, scenario: Scenario) -> Difference | None:
    form, state = played.definition.form, played.state
    for name, raw in scenario.expect.values.items():
        known = field_named(form, name) if form is not None else None
        wanted = typed(known, raw) if known is not None else Fault("form.unknown_field")
        got = state.values.get(name) if state is not None else None
        if isinstance(wanted, Fault) or _said(wanted) != _said(got):
            # What cannot even be a value of this field is another one, too.
            shown = NOTHING if isinstance(wanted, Fault) else text_of(wanted) or NOTHING
            args = {"field": name, "expected": shown, "got": text_of(got) or NOTHING}
            return Difference(OTHER_VALUE, child("/expect/values", name), args)
    return None


def _said(value: Value) -> Value:
    """An empty text or list is no value."""
    return None if value in ("", ()) else value
