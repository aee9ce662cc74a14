"""Why a task that is there cannot be decided now: others are before it, or were asked first."""

from __future__ import annotations

from django.utils.translation import gettext as _

from workflow.engine.state import SeatState
from workflow.wording.rejections import rejection_text

# The states of a task that waits for other people, as rows and the API write them.
STATES = frozenset({SeatState.BLOCKED.value, SeatState.HANDED_ON.value})


def text(state: str, people: str | None) -> str:
    """For whom such a task waits; ``people`` are their names, when they are known.

    ``state`` is one of ``STATES``. Source: interface.md 5.3, Gone or moved.
    """
    if state == SeatState.HANDED_ON:
        if people:
            return _("%(people)s was asked for an opinion, and this task waits for it.") % {
                "people": people
            }
        return _("An opinion was asked for, and this task waits for it.")
    if people:
        return _("It is not the turn of this task yet: it waits for %(people)s.") % {
            "people": people
        }
    return _("It is not the turn of this task yet: others decide first.")


def refusal_text(code: str, state: str) -> str:
    """The sentence of a rejection of an act on a task in this state."""
    if code == "task.not_open" and state in STATES:
        return text(state, None)
    return rejection_text(code)
