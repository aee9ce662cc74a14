"""What was changed of the way ahead of one request, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from workflow.wording.states import with_mode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workflow.engine.events import FutureEdit
    from workflow.engine.future import Mark
    from workflow.wording.following import Reader


def edits_told(edits: Iterable[FutureEdit], reader: Reader) -> Iterator[str]:
    """One line for each change, as the history and the question before it tell it."""
    for edit in edits:
        args = {"step": edit.name, "people": reader.people(edit.people)}
        if edit.do == "remove":
            yield _("Taken out: “%(step)s”") % args
        elif edit.do == "set_people":
            yield _("“%(step)s” asks %(people)s instead") % args
        else:
            args["after"] = reader.step(edit.after)
            args["people"] = with_mode(args["people"], edit.decide, len(edit.people))
            yield _("Added after “%(after)s”: “%(step)s”, which asks %(people)s") % args


def edit_reason(edit: FutureEdit, person: str, reason: str) -> str:
    """Why a step is there, or asks whom it asks: somebody changed it for this request."""
    args = {"person": person, "reason": reason}
    if edit.do == "set_people":
        return _("%(person)s chose the people for this request: %(reason)s") % args
    return _("%(person)s added this step to this request: %(reason)s") % args


def mark_text(mark: Mark) -> str:
    """How the way ahead differs here from the process as it was designed."""
    texts = {
        "added": _("Added for this request"),
        "people": _("The people were chosen for this request"),
    }
    return texts[mark]
