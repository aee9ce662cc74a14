"""From the sources of a step to people, with the reason for each and for each who was left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from workflow.engine.events import Chosen, Dropped
from workflow.engine.flowdoc.people import (
    AnySource,
    Base,
    ByDepartment,
    ByHead,
    ByInitiator,
    ByRole,
    ByUser,
    People,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.facts import DepartmentFact, Person
    from workflow.engine.flowdoc.rules import Self


@dataclass(slots=True)
class Assignment:
    """Who was found, each once and in order, and who was left out and why."""

    chosen: list[tuple[Person, Chosen]] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    excluded: frozenset[int] = frozenset()
    # With the self rule "skip" the initiator keeps his seat and it approves itself.
    passes_itself: int | None = None

    @property
    def people(self) -> list[int]:
        return [person.id for person, _ in self.chosen]

    @property
    def reasons(self) -> tuple[Chosen, ...]:
        return tuple(why for _, why in self.chosen)

    def drop(self, user: int, why: str) -> None:
        self.dropped.append(Dropped(user=user, why=why))


def resolve(run: Decision, people: People) -> Assignment:
    """Everybody whom the sources give (approvals.md 2.7): once each, active, not excluded.

    The first source that names a person is the reason. Beyond ``cap`` people are left out.
    """
    excluded = {person.id for source in people.without for person, _ in _of(run, source)}
    found = Assignment(excluded=frozenset(excluded))
    seen: set[int] = set()
    for source in people.any_of:
        for person, of in _of(run, source):
            if person.id in seen:
                continue
            seen.add(person.id)
            if not person.active:
                found.drop(person.id, "disabled")
            elif person.id in excluded:
                found.drop(person.id, "excluded")
            else:
                found.chosen.append((person, Chosen(user=person.id, by=source.by, of=of)))
    _put_in_order(run, people, found)
    for person, _ in found.chosen[people.cap :]:
        found.drop(person.id, "beyond_cap")
    del found.chosen[people.cap :]
    return found


def apply_self_rule(run: Decision, rule: Self, found: Assignment) -> None:
    """What happens when the initiator is among the approvers (approvals.md 3.2, Self)."""
    initiator = run.state.initiator
    if initiator not in found.people:
        return
    match rule:
        case "allow":
            return
        case "skip":
            found.passes_itself = initiator
        case "forbid":
            _remove(found, initiator, "is_initiator")
        case "head":
            _replace_by_head(run, found, initiator)
        case _:
            assert_never(rule)


def _replace_by_head(run: Decision, found: Assignment, initiator: int) -> None:
    """The nearest head above who is somebody else takes the initiator's place.

    Whom ``without`` excludes is not brought back this way.
    """
    place = found.people.index(initiator)
    for department in run.facts.line_of_user(initiator):
        head = department.head
        if head is None or not head.active or head.id in {initiator, *found.excluded}:
            continue
        _remove(found, initiator, "is_initiator")
        if head.id not in found.people:
            found.dropped = [each for each in found.dropped if each.user != head.id]
            why = Chosen(user=head.id, by="head_instead_of_initiator", of=department.code)
            found.chosen.insert(place, (head, why))
        return
    _remove(found, initiator, "is_initiator")


def _remove(found: Assignment, user: int, why: str) -> None:
    found.chosen = [(person, reason) for person, reason in found.chosen if person.id != user]
    found.drop(user, why)


def _of(  # noqa: C901 - one arm per source
    run: Decision, source: AnySource
) -> Iterator[tuple[Person, str]]:
    """The people of one source, each with the code that the source found them by."""
    match source:
        case ByUser():
            for person in run.facts.people_by_login(source.ids):
                yield person, person.login
        case ByRole():
            code = ", ".join(source.ids)
            members = run.facts.role_members(source.ids)
            for person in _within(run, source.within, members):
                yield person, code
        case ByDepartment():
            code = ", ".join(source.ids)
            for person in run.facts.department_members(source.ids, deep=source.deep):
                yield person, code
        case ByHead():
            yield from _head(run, source)
        case ByInitiator():
            for person in run.facts.people_by_id([run.state.initiator]):
                yield person, ""
        case _:
            # Publishing refuses every other source until the engine runs it (runnable.py).
            message = f"The source {source.by} is not run by this version."
            raise ValueError(message)


def _head(run: Decision, source: ByHead) -> Iterator[tuple[Person, str]]:
    """The head ``level`` departments up; ``climb`` goes past departments without an able head."""
    line = _line(run, source.of)
    for department in line[source.level :]:
        head = department.head
        if head is not None and head.active:
            yield head, department.code
            return
        if source.missing == "none":
            return


def _line(run: Decision, base: Base) -> Sequence[DepartmentFact]:
    if base == "initiator":
        return run.facts.line_of_user(run.state.initiator)
    if base.department is not None:
        return run.facts.line_of_department(base.department)
    if base.decider_of is not None:
        deciders = run.state.deciders.get(base.decider_of, [])
        return run.facts.line_of_user(deciders[-1]) if deciders else ()
    # A field that holds a person or a department: such fields are not rendered yet.
    message = "A field as the base of a department is not run by this version."
    raise ValueError(message)


def _within(run: Decision, within: str, members: Sequence[Person]) -> Sequence[Person]:
    """Members of a role in the initiator's department, or in it and those above it."""
    if within == "any" or not members:
        return members
    line = [department.code for department in run.facts.line_of_user(run.state.initiator)]
    near = set(line[:1] if within == "initiator_department" else line)
    departments = run.facts.departments_of([person.id for person in members])
    return [person for person in members if departments.get(person.id) in near]


def _put_in_order(run: Decision, people: People, found: Assignment) -> None:
    if people.order == "name":
        found.chosen.sort(key=lambda each: (each[0].name, each[0].id))
    elif people.order == "near_first":
        line = [department.code for department in run.facts.line_of_user(run.state.initiator)]
        departments = run.facts.departments_of(found.people)
        distance = {user: line.index(code) for user, code in departments.items() if code in line}
        found.chosen.sort(key=lambda each: distance.get(each[0].id, len(line)))
