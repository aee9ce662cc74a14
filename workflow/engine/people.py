"""From the sources of a step to people, with the reason for each and for each who was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from workflow.engine.events import Chosen, Dropped
from workflow.engine.flowdoc.people import ByRule
from workflow.engine.sources import Assignment, named, people_of
from workflow.engine.substitutes import stand_in

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.people import People
    from workflow.engine.flowdoc.rules import Self
    from workflow.engine.flowdoc.steps import CopyStep


def resolve(run: Decision, people: People, step: str = "") -> Assignment:
    """Everybody whom the sources give (approvals.md 2.7): once each, active, not excluded.

    The first source that names a person is the reason. Beyond ``cap`` people are left out.
    ``step`` is the step they are looked for, which only picked people need. Absence is not asked
    here: whoever is to act is found by `present`.
    """
    excluded = excluded_by(run, people, step)
    found = Assignment(excluded=excluded)
    seen: set[int] = set()
    for source in people.any_of:
        for person, of in people_of(run, source, step):
            if person.id in seen:
                continue
            seen.add(person.id)
            if not person.active:
                found.drop(person.id, "disabled")
            elif person.id in excluded:
                found.drop(person.id, "excluded")
            else:
                found.chosen.append((person, Chosen(user=person.id, by=source.by, of=of)))
        if isinstance(source, ByRule):
            _drop_unknown(run, source, found)
    _put_in_order(run, people, found)
    for person, _ in found.chosen[people.cap :]:
        found.drop(person.id, "beyond_cap")
    del found.chosen[people.cap :]
    return found


def _drop_unknown(run: Decision, source: ByRule, found: Assignment) -> None:
    """Whom a rule names and nobody knows is left out, and the explanation says so."""
    logins = named(run, source)
    known = {person.login for person in run.facts.people_by_login(logins)}
    found.dropped += [
        Dropped(user=0, why="unknown", login=each) for each in logins if each not in known
    ]


def excluded_by(run: Decision, people: People, step: str = "") -> frozenset[int]:
    """Whom ``without`` excludes."""
    return frozenset(
        person.id for source in people.without for person, _ in people_of(run, source, step)
    )


def present(run: Decision, people: People, rule: Self, step: str = "") -> Assignment:
    """Those who are asked to act: substitutes for the absent, then the self rule.

    In this order, because a substitute may be the initiator, and because the head who takes his
    place may be absent.
    """
    found = resolve(run, people, step)
    stand_in(run, found)
    before = found.people
    apply_self_rule(run, rule, found)
    if found.people != before:
        stand_in(run, found)
        if run.state.initiator in found.people:
            _remove(found, run.state.initiator, "is_initiator")
    return found


def readers(run: Decision, step: CopyStep) -> Assignment:
    """Who gets a copy: those of the step, then those whom the initiator picked for it, if any.

    A copy asks nothing of anybody, so absence and the self rule do not matter.
    """
    found = resolve(run, step.who, step.id)
    if step.also_initiator_picks:
        for person in run.facts.people_by_id(run.state.picks.get(step.id, [])):
            if person.active and person.id not in {*found.people, *found.excluded}:
                found.chosen.append((person, Chosen(user=person.id, by="picked_at_start")))
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
            found.forget(head.id)
            why = Chosen(user=head.id, by="head_instead_of_initiator", of=department.code)
            found.chosen.insert(place, (head, why))
        return
    _remove(found, initiator, "is_initiator")


def _remove(found: Assignment, user: int, why: str) -> None:
    found.chosen = [(person, reason) for person, reason in found.chosen if person.id != user]
    found.drop(user, why)


def _put_in_order(run: Decision, people: People, found: Assignment) -> None:
    if people.order == "name":
        found.chosen.sort(key=lambda each: (each[0].name, each[0].id))
    elif people.order == "near_first":
        line = [department.code for department in run.facts.line_of_user(run.state.initiator)]
        departments = run.facts.departments_of(found.people)
        distance = {user: line.index(code) for user, code in departments.items() if code in line}
        found.chosen.sort(key=lambda each: distance.get(each[0].id, len(line)))
