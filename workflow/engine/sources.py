"""The fifteen sources of people: whom each gives, by what it found them, and who was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from workflow.engine.events import Chosen, Dropped
from workflow.engine.flowdoc.people import (
    AnySource,
    Base,
    ByDepartment,
    ByFormDepartmentHead,
    ByFormUsers,
    ByGroup,
    ByHead,
    ByHeadChain,
    ByInitiator,
    ByManager,
    ByPost,
    ByRole,
    ByRule,
    ByUser,
    DecidersOf,
    PickedAtStart,
    PickedBy,
)
from workflow.engine.questions import question_of
from workflow.forms.scalars import texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.facts import DepartmentFact, Person
    from workflow.engine.flowdoc.people import Until

# A person, and the code, field or step by which the source found him.
Found = tuple["Person", str]


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

    def forget(self, user: int) -> None:
        """Nobody is both chosen and left out: whoever gets a seat after all was not dropped."""
        self.dropped = [each for each in self.dropped if each.user != user]


def people_of(  # noqa: C901, PLR0912 - one arm per source
    run: Decision, source: AnySource, step: str = ""
) -> Iterator[Found]:
    """The people of one source in its own order, disabled ones included.

    ``step`` is the step for which they are looked for: picked people are kept by step
    (approvals.md 3.2, People).
    """
    facts, state = run.facts, run.state
    match source:
        case ByUser():
            for person in facts.people_by_login(source.ids):
                yield person, person.login
        case ByRole():
            yield from _each(_within(run, source.within, facts.role_members(source.ids)), source)
        case ByPost():
            yield from _each(_within(run, source.within, facts.post_holders(source.ids)), source)
        case ByGroup():
            yield from _each(facts.group_members(source.ids), source)
        case ByDepartment():
            yield from _each(facts.department_members(source.ids, deep=source.deep), source)
        case ByHead():
            line = line_of(run, source.of)[source.level :]
            yield from _nearest_head(line, climb=source.missing == "climb")
        case ByHeadChain():
            yield from _chain(run, line_of(run, source.of), source.until)
        case ByManager():
            above = _managers(run, source.of)[source.level - 1 : source.level]
            yield from ((person, str(source.level)) for person in above)
        case ByInitiator():
            yield from ((person, "") for person in facts.people_by_id([state.initiator]))
        case PickedAtStart() | PickedBy():
            of = source.step if isinstance(source, PickedBy) else ""
            picked = state.picks.get(step, [])
            yield from ((person, of) for person in facts.people_by_id(picked))
        case ByFormUsers():
            logins = texts_of(state.values.get(source.field))
            yield from ((person, source.field) for person in facts.people_by_login(logins))
        case ByFormDepartmentHead():
            for code in texts_of(state.values.get(source.field)):
                line = facts.line_of_department(code)[source.level :]
                yield from _nearest_head(line, climb=True)
        case DecidersOf():
            deciders = state.deciders.get(source.step, [])
            yield from ((person, source.step) for person in facts.people_by_id(deciders))
        case ByRule():
            yield from ((each, source.key) for each in facts.people_by_login(named(run, source)))
        case _:
            assert_never(source)


def named(run: Decision, source: ByRule) -> list[str]:
    """The login names that a rule has given; none while it is not asked (in a preview)."""
    value = None if run.consulted is None else run.consulted.answers.get(question_of(source))
    logins = value if isinstance(value, list) else ()
    return list(dict.fromkeys(each for each in logins if isinstance(each, str)))


def line_of(run: Decision, base: Base) -> Sequence[DepartmentFact]:
    """The department that a base stands for, and those above it; empty when it says nothing."""
    if base == "initiator":
        return run.facts.line_of_user(run.state.initiator)
    if base.department is not None:
        return run.facts.line_of_department(base.department)
    if base.field is not None and _is_department(run, base.field):
        for code in texts_of(run.state.values.get(base.field))[:1]:
            return run.facts.line_of_department(code)
        return ()
    user = user_of(run, base)
    return () if user is None else run.facts.line_of_user(user)


def _each(
    people: Iterable[Person], source: ByRole | ByPost | ByGroup | ByDepartment
) -> Iterator[Found]:
    code = ", ".join(source.ids)
    return ((person, code) for person in people)


def user_of(run: Decision, base: Base) -> int | None:
    """The person a base stands for: of several the first in a field, the last who decided."""
    if base == "initiator":
        return run.state.initiator
    if base.decider_of is not None:
        deciders = run.state.deciders.get(base.decider_of, [])
        return deciders[-1] if deciders else None
    if base.field is not None and not _is_department(run, base.field):
        logins = texts_of(run.state.values.get(base.field))
        return next((each.id for each in run.facts.people_by_login(logins[:1])), None)
    # The superior of a department is that of its head.
    for department in line_of(run, base)[:1]:
        return department.head.id if department.head is not None else None
    return None


def _managers(run: Decision, base: Base) -> Sequence[Person]:
    user = user_of(run, base)
    return () if user is None else run.facts.managers_above(user)


def _is_department(run: Decision, field_id: str) -> bool:
    form = run.definition.form
    fields = form.fields if form is not None else ()
    return any(each.id == field_id and each.type == "department" for each in fields)


def _nearest_head(line: Sequence[DepartmentFact], *, climb: bool) -> Iterator[Found]:
    """The first head who can act; without ``climb`` only the first department is asked."""
    for department in line if climb else line[:1]:
        head = department.head
        if head is not None and head.active:
            yield head, department.code
            return


def _chain(run: Decision, line: Sequence[DepartmentFact], until: Until) -> Iterator[Found]:
    """The heads upwards; the one with the role ends the chain and belongs to it."""
    last = len(line) if until.level is None else until.level + 1
    ends: set[int] = set()
    if until.role is not None:
        ends = {person.id for person in run.facts.role_members([until.role])}
    for department in line[:last]:
        if department.head is not None:
            yield department.head, department.code
            if department.head.id in ends:
                return


def _within(run: Decision, within: str, members: Sequence[Person]) -> Sequence[Person]:
    """Those in the initiator's department, or in it and those above it."""
    if within == "any" or not members:
        return members
    line = [department.code for department in run.facts.line_of_user(run.state.initiator)]
    near = set(line[:1] if within == "initiator_department" else line)
    departments = run.facts.departments_of([person.id for person in members])
    return [person for person in members if departments.get(person.id) in near]
