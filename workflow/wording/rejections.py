"""Why something was refused, as a sentence in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

REJECTIONS = {
    "start.not_allowed": _("You may not start this process."),
    "flow.unknown": _("There is no such process."),
    "flow.suspended": _("This process accepts no new requests now."),
    "task.not_yours": _("This task is not yours."),
    "task.not_open": _("This task is no longer open."),
    "task.version_moved": _("This task has changed since you opened it."),
    "instance.not_running": _("This request has ended."),
    "instance.too_long": _("This request has become too long to go on."),
    "work.not_open": _("This automatic step is over."),
    "step.not_held": _("This step is not held."),
    "people.nobody": _("Nobody was found who could decide this step."),
    "form.invalid": _("Some fields are not right."),
    "comment.required": _("A comment is needed here."),
    "comment.not_taken": _("This step takes no comment."),
    "reason.required": _("Say why."),
    "person.unknown": _("There is no such active person."),
    "person.already_holds": _("This person already holds a task of this step."),
}


def rejection_text(code: str) -> str:
    """The sentence of a rejection; an unknown code is shown as it is rather than hidden."""
    return str(REJECTIONS.get(code, code))
