"""An organisation in memory, the only double of the product, and a request driven along."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from workflow.engine.commands import (
    AddSigners,
    Approve,
    AssignHeld,
    Claim,
    Comment,
    Complete,
    Delegate,
    FinishWork,
    HandBack,
    Reassign,
    Reject,
    Release,
    RemoveSigner,
    Return,
    Start,
    Terminate,
    Transfer,
)
from workflow.engine.decide import decide
from workflow.engine.decision import Decision, Definition
from workflow.engine.evolve import fold
from workflow.engine.parsing import decode
from workflow.engine.plan import compile_plan
from workflow.engine.rejections import Rejection
from workflow.engine.runnable import not_run_yet
from workflow.engine.validation import validate
from workflow.forms.findings import errors
from workflow.forms.reading import decode_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workflow.engine.commands import Command
    from workflow.engine.events import AnyEvent
    from workflow.engine.facts import WorkingTime
    from workflow.engine.state import Activation, Seat, State

Refused = TypeVar("Refused", bound=Rejection)

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Somebody:
    """A person of the tenant."""

    id: int
    login: str
    name: str
    active: bool = True
    department: str | None = None


@dataclass(frozen=True)
class Unit:
    """A department with its head, as the engine sees it."""

    code: str
    head: Somebody | None

    @property
    def name(self) -> str:
        return self.code.title()


@dataclass
class Organisation:
    """The engine's `Facts` from plain dicts; what a test changes is seen by the next command."""

    people: dict[str, Somebody] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)
    roles: dict[str, list[str]] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    posts: dict[str, list[str]] = field(default_factory=dict)
    superiors: dict[str, str] = field(default_factory=dict)
    # Who is absent, and who stands in ("": nobody); for one process alone under "login/process".
    absent: dict[str, str] = field(default_factory=dict)
    calendars: dict[str, WorkingTime] = field(default_factory=dict)
    # The current version of each process, and the newest of each rule.
    flows: dict[str, int] = field(default_factory=dict)
    rules: dict[str, int] = field(default_factory=dict)
    today: date = date(2026, 3, 2)

    def add(self, login: str, *, department: str | None = None, name: str = "") -> int:
        person = Somebody(len(self.people) + 1, login, name or login.title(), True, department)
        self.people[login] = person
        return person.id

    def unit(self, code: str, *, parent: str | None = None, head: str | None = None) -> None:
        self.parents[code] = parent
        if head is not None:
            self.heads[code] = head

    def disable(self, *logins: str) -> None:
        for login in logins:
            self.people[login] = replace(self.people[login], active=False)

    def id(self, login: str) -> int:
        return self.people[login].id

    def login(self, user: int) -> str:
        return next(person.login for person in self.people.values() if person.id == user)

    # What the engine asks.

    def people_by_login(self, logins: Sequence[str]) -> list[Somebody]:
        return [self.people[login] for login in dict.fromkeys(logins) if login in self.people]

    def people_by_id(self, ids: Sequence[int]) -> list[Somebody]:
        known = {person.id: person for person in self.people.values()}
        return [known[user] for user in ids if user in known]

    def role_members(self, codes: Sequence[str]) -> list[Somebody]:
        return self._members(self.roles, codes)

    def group_members(self, codes: Sequence[str]) -> list[Somebody]:
        return self._members(self.groups, codes)

    def post_holders(self, codes: Sequence[str]) -> list[Somebody]:
        return self._members(self.posts, codes)

    def managers_above(self, user: int) -> list[Somebody]:
        above: list[Somebody] = []
        at = self.superiors.get(self.login(user))
        while at is not None and self.people[at] not in above and len(above) < 20:
            above.append(self.people[at])
            at = self.superiors.get(at)
        return above

    def substitutes_of(self, users: Sequence[int], process: str) -> dict[int, int]:
        found: dict[int, int] = {}
        for user in users:
            login = self.login(user)
            named = self.absent.get(f"{login}/{process}", self.absent.get(login))
            if named is not None:
                found[user] = self.id(named) if named else 0
        return found

    def flow_version(self, key: str) -> int:
        return self.flows.get(key, 0)

    def rule_version(self, key: str) -> int:
        return self.rules.get(key, 0)

    def working_time(self, calendar: str) -> WorkingTime | None:
        return self.calendars.get(calendar)

    def department_members(self, codes: Sequence[str], *, deep: bool) -> list[Somebody]:
        return [
            person
            for person in self.people.values()
            if person.department in codes
            or (deep and any(code in codes for code in self._line(person.department)))
        ]

    def line_of_user(self, user: int) -> list[Unit]:
        people = self.people_by_id([user])
        return self.line_of_department(people[0].department) if people else []

    def line_of_department(self, code: str | None) -> list[Unit]:
        return [
            Unit(each, self.people[self.heads[each]] if each in self.heads else None)
            for each in self._line(code)
        ]

    def departments_of(self, users: Sequence[int]) -> Mapping[int, str]:
        return {
            person.id: person.department
            for person in self.people_by_id(users)
            if person.department is not None
        }

    def _members(self, known: Mapping[str, list[str]], codes: Sequence[str]) -> list[Somebody]:
        logins = {login for code in codes for login in known.get(code, ())}
        return [person for login, person in self.people.items() if login in logins]

    def _line(self, code: str | None) -> list[str]:
        line: list[str] = []
        while code is not None and code in self.parents:
            line.append(code)
            code = self.parents[code]
        return line


def demo() -> Organisation:
    """Engineering and finance below the head office; ann applies, bao, dan and kim are heads."""
    org = Organisation()
    for code, parent, head in (
        ("office", None, "kim"),
        ("engineering", "office", "bao"),
        ("platform", "engineering", None),
        ("finance", "office", "dan"),
    ):
        org.unit(code, parent=parent, head=head)
    for login, department in (
        ("kim", "office"),
        ("ann", "engineering"),
        ("bao", "engineering"),
        ("chi", "finance"),
        ("dan", "finance"),
        ("pia", "platform"),
        ("tom", None),
    ):
        org.add(login, department=department)
    org.roles = {"hr": ["chi", "pia"], "auditors": ["dan", "kim"], "nobody": []}
    return org


# Documents.


def users(*logins: str, **members: Any) -> dict[str, Any]:
    """People by login name."""
    return {"any_of": [{"by": "user", "ids": list(logins)}], **members}


def by(source: str, **members: Any) -> dict[str, Any]:
    """People by one source."""
    return {"any_of": [{"by": source, **members}]}


def approve(
    step_id: str, who: dict[str, Any], mode: str = "any", **members: Any
) -> dict[str, Any]:
    """An approval step."""
    decided = {"decide": {"mode": mode}}
    return (
        {"id": step_id, "kind": "approve", "name": step_id.title(), "who": who} | decided | members
    )


def step(step_id: str, kind: str, **members: Any) -> dict[str, Any]:
    """Any other step."""
    return {"id": step_id, "kind": kind, "name": step_id.title(), **members}


def choice(
    step_id: str,
    *ways: tuple[dict[str, Any] | None, list[dict[str, Any]]],
    prefix: str = "way",
) -> dict[str, Any]:
    """A choice of branches ``way_0``, ``way_1`` …; without a condition means: otherwise."""
    branches = [
        {"id": f"{prefix}_{number}", "name": f"Way {number}", "steps": steps}
        | ({"otherwise": True} if when is None else {"when": when})
        for number, (when, steps) in enumerate(ways)
    ]
    return {"id": step_id, "kind": "choice", "name": step_id.title(), "branches": branches}


def document(*steps: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A whole process document."""
    return {"flowdoc": 1, "key": "leave", "name": "Leave", "steps": list(steps), **members}


def a_field(field_id: str, kind: str = "text", **members: Any) -> dict[str, Any]:
    """A field of a form; its label is its id with a capital."""
    return {"id": field_id, "type": kind, "label": field_id.title(), **members}


def define(*steps: dict[str, Any], form: list[Any] | None = None, **members: Any) -> Definition:
    """A process of these steps that could be published: valid, and all of it is run."""
    if form is not None:
        members.setdefault("form", {"key": "leave", "version": 1})
    decoded = decode(document(*steps, **members))
    assert decoded.doc is not None, decoded.findings
    form_doc = None
    if form is not None:
        form_doc, findings = decode_form({"formdoc": 1, "fields": form})
        assert form_doc is not None, findings
    findings = (*errors(validate(decoded.doc, form_doc)), *errors(not_run_yet(decoded.doc)))
    assert not findings, findings
    return Definition(compile_plan(decoded.doc), form_doc)


# Driving.


@dataclass
class Driven:
    """A request to which commands are given; every answer is checked against its history."""

    definition: Definition
    org: Organisation
    events: list[AnyEvent] = field(default_factory=list)
    folded: State | None = None

    @property
    def state(self) -> State:
        assert self.folded is not None, "not started"
        return self.folded

    def give(self, command: Command) -> Decision:
        """Carry out a command; the same input gives the same events, which fold to the state."""
        run = decide(self.definition, self.folded, command, self.org, NOW)
        again = decide(self.definition, self.folded, command, self.org, NOW)
        assert again.events == run.events
        self.events += run.events
        self.folded = run.state
        assert fold(self.events) == run.state
        return run

    def refused(self, command: Command, kind: type[Refused], code: str) -> Refused:
        """The command is refused for this reason, and nothing has happened."""
        with pytest.raises(kind) as caught:
            decide(self.definition, self.folded, command, self.org, NOW)
        assert caught.value.code == code
        assert self.folded is None or fold(self.events) == self.folded
        return caught.value

    # Commands by login.

    def start(self, login: str = "ann", **values: Any) -> Decision:
        return self.give(self.starting(login, **values))

    def starting(
        self, login: str = "ann", picked: Mapping[str, Sequence[str]] | None = None, **values: Any
    ) -> Start:
        return Start(self.org.id(login), "L-1", values, self.ids(picked))

    def ids(self, picked: Mapping[str, Sequence[str]] | None) -> dict[str, list[int]]:
        """People who were picked, by number; a login that is not known becomes a foreign one."""
        people = self.org.people
        return {
            name: [people[login].id if login in people else 999 for login in logins]
            for name, logins in (picked or {}).items()
        }

    def approve(self, login: str, comment: str = "", **changes: object) -> Decision:
        return self.give(self.approving(login, comment, **changes))

    def approving(self, login: str, comment: str = "", **changes: object) -> Approve:
        command: Approve = self.act(Approve, login, comment=comment, changes=changes)
        return command

    def reject(self, login: str, comment: str = "", **changes: object) -> Decision:
        return self.give(self.rejecting(login, comment, **changes))

    def rejecting(self, login: str, comment: str = "", **changes: object) -> Reject:
        command: Reject = self.act(Reject, login, comment=comment, changes=changes)
        return command

    def complete(self, login: str, comment: str = "", **changes: object) -> Decision:
        return self.give(self.act(Complete, login, comment=comment, changes=changes))

    def send_back(self, login: str, to: str, **members: Any) -> Decision:
        return self.give(self.act(Return, login, to=to, **members))

    def transfer(self, login: str, to: str, **members: Any) -> Decision:
        return self.give(self.act(Transfer, login, to=self.org.id(to), **members))

    def delegate(self, login: str, to: str, **members: Any) -> Decision:
        return self.give(self.act(Delegate, login, to=self.org.id(to), **members))

    def hand_back(self, login: str, comment: str = "", **members: Any) -> Decision:
        return self.give(self.act(HandBack, login, comment=comment, **members))

    def add(self, login: str, place: str, *people: str, **members: Any) -> Decision:
        return self.give(self.adding(login, place, *people, **members))

    def adding(self, login: str, place: str, *people: str, **members: Any) -> AddSigners:
        ids = tuple(self.org.id(each) for each in people)
        command: AddSigners = self.act(AddSigners, login, people=ids, place=place, **members)
        return command

    def remove(self, login: str, by: str, **members: Any) -> Decision:
        return self.give(self.removing(login, by, **members))

    def removing(self, login: str, by: str, **members: Any) -> RemoveSigner:
        return RemoveSigner(seat=self.seat(login).number, by=self.org.id(by), **members)

    def claim(self, login: str) -> Decision:
        return self.give(self.act(Claim, login))

    def release(self, login: str) -> Decision:
        return self.give(self.act(Release, login))

    def act(self, kind: type[Any], login: str, **members: Any) -> Any:
        """An act of this kind on the waiting task of this person, at the version he sees."""
        seat = self.seat(login)
        return kind(seat=seat.number, by=seat.holder, version=seat.version, **members)

    def comment(self, login: str, text: str) -> Decision:
        return self.give(Comment(self.org.id(login), text))

    def reassign(self, before: str, to: str, reason: str = "away") -> Decision:
        seat = self.seat(before)
        return self.give(Reassign(seat.number, self.org.id(to), self.org.id("kim"), reason))

    def name(self, to: str, reason: str = "you know it") -> Decision:
        return self.give(self.naming(to, reason))

    def naming(self, to: str, reason: str = "you know it") -> AssignHeld:
        number = self.activation().number
        return AssignHeld(number, self.org.id(to), self.org.id("kim"), reason)

    def terminate(self, reason: str = "enough") -> Decision:
        return self.give(Terminate(self.org.id("kim"), reason))

    def work(self) -> Decision:
        """A worker carries out the automatic step that waits."""
        return self.give(FinishWork(self.activation().number))

    # Looking.

    def activation(self) -> Activation:
        (activation,) = self.state.activations
        return activation

    def seat(self, login: str) -> Seat:
        """The waiting seat of this person."""
        (found,) = [
            seat
            for activation in self.state.activations
            for seat in activation.seats
            if seat.holder == self.org.id(login) and seat.waits
        ]
        return found

    def seats(self) -> dict[str, str]:
        """Who sits in the open step, and the state of each seat, in order."""
        return {self.org.login(seat.holder): seat.state.value for seat in self.activation().seats}

    def at(self) -> str | None:
        """The step that is open."""
        return self.activation().step if self.state.activations else None

    def of(self, *kinds: type[Any]) -> list[Any]:
        """The events of these kinds, from the whole history."""
        return [event for event in self.events if isinstance(event, kinds)]


def drive(org: Organisation, *steps: dict[str, Any], **members: Any) -> Driven:
    """A request of such a process, not yet started."""
    return Driven(define(*steps, **members), org)
