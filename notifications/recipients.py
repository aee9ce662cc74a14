"""The people behind the words *holder*, *initiator* and *managers* of a notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.decision import Decision
from workflow.engine.people import resolve
from workflow.runtime.facts import Organisation

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.engine.state import State


def managers_of(
    tenant_id: int, definition: Definition, state: State, now: datetime
) -> tuple[int, ...]:
    """The managers whom a process names, as it names them; nobody when it names none."""
    people = definition.plan.doc.managers
    if people is None:
        return ()
    run = Decision(definition, Organisation(tenant_id, now), now, state)
    return tuple(resolve(run, people).people)


def people_of(
    words: Iterable[str],
    *,
    holders: Iterable[int],
    tenant_id: int,
    definition: Definition,
    state: State,
    now: datetime,
) -> tuple[int, ...]:
    """The people whom these words mean for one request, each once.

    ``holders`` are those of the tasks that the notice is about; ``now`` is aware.
    """
    found: list[int] = []
    for word in words:
        if word == "holder":
            found += holders
        elif word == "initiator":
            found.append(state.initiator)
        else:
            found += managers_of(tenant_id, definition, state, now)
    return tuple(dict.fromkeys(found))
