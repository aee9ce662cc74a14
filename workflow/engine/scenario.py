"""Scenarios: what is filled in, who clicks what and when, and what should come of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from workflow.engine.flowdoc.durations import seconds_of
from workflow.engine.plan import START
from workflow.forms.findings import Finding, child, errors, printable
from workflow.forms.scalars import timestamp_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.plan import Plan

# approvals.md 5, idea 16; the numbers are ours: enough for a process of 300 steps.
MOST_SCENARIOS = 50
MOST_CLICKS = 200
# All of them are played whenever a process is checked, so together they stay this small.
MOST_CLICKS_TOGETHER = 2_000

Do = Literal[
    "approve", "reject", "complete", "return", "transfer", "delegate", "hand-back", "add-signer",
    "remove-signer", "copy", "comment", "take-back", "claim", "release", "snooze",
    "ask-substitute", "resubmit", "withdraw", "cancel", "suspend", "resume", "jump", "reassign",
    "wait",
]  # fmt: skip
# What is done to the whole request, and not to a task of one's own.
OF_THE_REQUEST: frozenset[str] = frozenset(
    {"withdraw", "cancel", "suspend", "resume", "jump", "reassign", "wait"}
)
Ends = Literal["running", "approved", "rejected", "cancelled", "terminated", "held"]
Login = Annotated[str, msgspec.Meta(min_length=1, max_length=150)]
StepId = Annotated[str, msgspec.Meta(min_length=1, max_length=48)]
Logins = Annotated[tuple[Login, ...], msgspec.Meta(max_length=100)]
Words = Annotated[str, msgspec.Meta(max_length=2000)]
Values = Annotated[Mapping[str, Any], msgspec.Meta(max_length=500)]
Picked = Annotated[Mapping[str, Logins], msgspec.Meta(max_length=300)]


class Piece(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """Base of all parts: a member that nobody knows is refused, and no default is written."""


class Click(Piece, frozen=True, kw_only=True):
    """Somebody does something; ``after`` is how much time passes before (a duration).

    ``step`` says which task is meant when a person has several. ``to`` is a step for return,
    reject and jump, and people for everything else that needs some.
    """

    do: Do
    as_: Annotated[str, msgspec.Meta(max_length=150)] = msgspec.field(default="", name="as")
    step: Annotated[str, msgspec.Meta(max_length=48)] = ""
    comment: Words = ""
    form: Values = msgspec.field(default_factory=dict)
    picked: Picked = msgspec.field(default_factory=dict)
    to: Annotated[str, msgspec.Meta(max_length=150)] | Logins = ""
    place: Literal["before", "after", "with"] = "before"
    resume: Literal["forward", "here"] = "forward"
    after: Annotated[str, msgspec.Meta(max_length=40)] = ""

    @property
    def people(self) -> tuple[str, ...]:
        """``to`` as logins."""
        if isinstance(self.to, str):
            return (self.to,) if self.to else ()
        return self.to

    @property
    def target(self) -> str:
        """``to`` as the id of a step."""
        return self.to if isinstance(self.to, str) else ""


class Answer(Piece, frozen=True, kw_only=True):
    """What another system, a rule or a started request answers whenever this step asks it.

    ``values`` are fields of this form for a call or a rule step, and fields of the other form for
    a started request, which is approved when ``ok`` and otherwise rejected. Where a step mentions
    rules in its people, conditions or changes, they are what each rule says, by its key.
    """

    ok: bool = True
    values: Values = msgspec.field(default_factory=dict)


class Expectation(Piece, frozen=True, kw_only=True):
    """What should come of it; what is left out is not compared.

    ``path`` are the steps in the order in which they are entered (a choice is not entered),
    ``people`` those who are first asked in a step, ``values`` fields as they stand at the end.
    """

    path: Annotated[tuple[StepId, ...], msgspec.Meta(max_length=1000)] | None = None
    ends: Ends | None = None
    people: Picked = msgspec.field(default_factory=dict)
    values: Values = msgspec.field(default_factory=dict)


class Scenario(Piece, frozen=True, kw_only=True):
    """One story of one request (approvals.md 5, idea 16). ``at`` is when it is filed."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    initiator: Login
    at: Annotated[str, msgspec.Meta(max_length=40)]
    expect: Expectation
    form: Values = msgspec.field(default_factory=dict)
    picked: Picked = msgspec.field(default_factory=dict)
    clicks: Annotated[tuple[Click, ...], msgspec.Meta(max_length=MOST_CLICKS)] = ()
    answers: Annotated[Mapping[StepId, Answer], msgspec.Meta(max_length=300)] = msgspec.field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class Decoded:
    """The scenarios, or none of them and what is wrong."""

    scenarios: tuple[Scenario, ...]
    findings: tuple[Finding, ...]


def decode_scenarios(raw: object, plan: Plan | None = None) -> Decoded:
    """Read a list of scenarios, strictly. ``plan``, if there is one, knows the steps.

    Positions begin with the number of the scenario, such as ``/0/clicks/2``. Of each scenario
    the first problem of its shape is told, or else everything that its members say wrongly.
    """
    if not isinstance(raw, list):
        return Decoded((), (Finding("scenario.bad_value", "", args={"expected": "list"}),))
    if len(raw) > MOST_SCENARIOS:
        return Decoded((), (Finding("scenario.too_many", "", args={"max": MOST_SCENARIOS}),))
    found: list[Scenario] = []
    findings: list[Finding] = []
    for number, each in enumerate(raw):
        at = child("", number)
        try:
            scenario = msgspec.convert(each, Scenario)
        except msgspec.ValidationError as fault:
            findings.append(_shape_fault(str(fault), at))
        else:
            findings.extend(_faults(scenario, plan, at))
            found.append(scenario)
    findings.extend(_together(found))
    return Decoded(() if errors(findings) else tuple(found), tuple(findings))


_AT = re.compile(r"^(?P<what>.*?)(?: - at `(?P<key>key in )?\$(?P<path>.*)`)?$", re.DOTALL)
_PART = re.compile(r"\.([A-Za-z_]+)|\[([0-9]+|\.\.\.)\]")
_UNKNOWN = re.compile(r"unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"missing required field `(.*)`", re.DOTALL)


def _shape_fault(message: str, at: str) -> Finding:
    """The decoder's first complaint as a code and a position."""
    found = _AT.match(message)
    what, path = (found["what"], found["path"] or "") if found else (message, "")
    for name, number in _PART.findall(path):
        if number == "...":
            # Of a mapping the decoder does not say which of its members.
            break
        at = child(at, name or number)
    unknown, missing = _UNKNOWN.search(what), _MISSING.search(what)
    if unknown is not None:
        return Finding("scenario.unknown_key", at, args={"key": printable(unknown[1])})
    if missing is not None:
        return Finding("scenario.field_missing", at, args={"field": missing[1]})
    return Finding("scenario.bad_shape", at)


def _faults(scenario: Scenario, plan: Plan | None, at: str) -> Iterator[Finding]:
    if timestamp_of(scenario.at) is None:
        yield Finding("scenario.bad_value", child(at, "at"), args={"expected": "timestamp"})
    for number, click in enumerate(scenario.clicks):
        yield from _click_faults(click, child(child(at, "clicks"), number))
    if plan is not None:
        yield from _unknown_steps(scenario, plan, at)


def _click_faults(click: Click, at: str) -> Iterator[Finding]:
    if click.after and seconds_of(click.after) is None:
        yield Finding("scenario.bad_value", child(at, "after"), args={"expected": "duration"})
    if not click.as_ and click.do != "wait":
        yield Finding("scenario.field_missing", at, args={"field": "as"})


def _unknown_steps(scenario: Scenario, plan: Plan, at: str) -> Iterator[Finding]:
    named: list[tuple[str, str]] = []
    for number, click in enumerate(scenario.clicks):
        if click.step:
            named.append((click.step, child(child(child(at, "clicks"), number), "step")))
    expected = child(at, "expect")
    for number, step in enumerate(scenario.expect.path or ()):
        named.append((step, child(child(expected, "path"), number)))
    named += [(step, child(child(expected, "people"), step)) for step in scenario.expect.people]
    named += [(step, child(child(at, "answers"), step)) for step in scenario.answers]
    for step, where in named:
        if step not in plan.steps and step != START:
            yield Finding("scenario.unknown_step", where, args={"step": printable(step)})


def _together(scenarios: list[Scenario]) -> Iterator[Finding]:
    if sum(len(each.clicks) for each in scenarios) > MOST_CLICKS_TOGETHER:
        yield Finding("scenario.too_many_clicks", "", args={"max": MOST_CLICKS_TOGETHER})
    seen: set[str] = set()
    for number, each in enumerate(scenarios):
        if each.name in seen:
            where = child(child("", number), "name")
            yield Finding("scenario.same_name", where, args={"name": printable(each.name)})
        seen.add(each.name)
