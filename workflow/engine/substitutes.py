"""Out of office: whoever is absent is stood in for, in a bounded chain of substitutes.

A substitute may be absent too. The chain is followed at most five steps; where it comes back to
somebody it has passed, or is longer, it stops at the last person reached, who gets the seat, and
the reason why the first one was left out says so (approvals.md 2.7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from workflow.engine.events import Chosen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.facts import Person
    from workflow.engine.sources import Assignment

LONGEST_CHAIN = 5

ABSENT = "absent"
IN_CIRCLE = "absent_in_circle"
CHAIN_TOO_LONG = "absent_chain_too_long"


class StandIn(NamedTuple):
    """The person at the end of a chain (None: nobody stands in) and why the first was left out."""

    user: int | None
    why: str = ABSENT


def stand_in(run: Decision, found: Assignment) -> None:
    """Put substitutes in the places of those who are absent.

    Whoever is excluded, disabled or has a seat already takes no further one; then the place is
    simply left out, and the empty rule decides if nobody remains.
    """
    absent = _absent_among(run, found.people)
    if not absent:
        return
    known = _chains(run, absent)
    before, found.chosen = found.chosen, []
    held = {person.id for person, _ in before if person.id not in absent}
    for person, why in before:
        if person.id not in absent:
            found.chosen.append((person, why))
            continue
        end = follow(person.id, known)
        found.drop(person.id, end.why)
        substitute = _able(run, end.user, found)
        if substitute is not None and substitute.id not in held:
            held.add(substitute.id)
            chosen = Chosen(user=substitute.id, by=why.by, of=why.of, instead_of=person.id)
            found.chosen.append((substitute, chosen))
            found.forget(substitute.id)


def follow(user: int, substitutes: Mapping[int, int]) -> StandIn:
    """From an absent person along the chain; ``substitutes``: the absent with theirs, or 0."""
    passed = [user]
    while passed[-1] in substitutes:
        following = substitutes[passed[-1]]
        if not following:
            return StandIn(None)
        if following in passed:
            # Nobody in a circle is present; the last one that the chain reached is asked.
            return StandIn(passed[-1] if len(passed) > 1 else None, IN_CIRCLE)
        if len(passed) > LONGEST_CHAIN:
            return StandIn(passed[-1], CHAIN_TOO_LONG)
        passed.append(following)
    return StandIn(passed[-1])


def _absent_among(run: Decision, users: Sequence[int]) -> Mapping[int, int]:
    return run.facts.substitutes_of(users, run.plan.doc.key) if users else {}


def _chains(run: Decision, absent: Mapping[int, int]) -> dict[int, int]:
    """Everybody absent along the chains with his substitute; one question for each step."""
    known = dict(absent)
    for _ in range(LONGEST_CHAIN):
        further = [user for user in dict.fromkeys(known.values()) if user and user not in known]
        more = _absent_among(run, further)
        if not more:
            break
        known.update(more)
    return known


def _able(run: Decision, user: int | None, found: Assignment) -> Person | None:
    if user is None or user in found.excluded:
        return None
    return next((each for each in run.facts.people_by_id([user]) if each.active), None)
