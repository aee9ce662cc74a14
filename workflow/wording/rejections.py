"""Why something was refused, as a sentence in the reader's language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from workflow.wording.finding_texts import TEXTS

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# Rejections that are one finding: the same sentence, where it needs no arguments.
_FINDINGS = (
    "comment.required", "comment.not_taken", "reason.required", "files.required",
    "files.not_taken", "signature.required", "signature.not_taken", "signature.no_picture",
    "people.nobody",
    "people.required", "person.unknown", "person.already_holds", "person.already_decided",
    "person.already_reads", "person.in_chain", "person.is_initiator", "person.excluded",
    "snooze.bad_moment", "return.bad_target", "jump.unknown_step", "jump.into_branch",
)  # fmt: skip

REJECTIONS: dict[str, StrOrPromise] = {
    "start.not_allowed": _("You may not start this process."),
    "start.too_many_open": _(
        "You have as many open requests of this process as it allows: %(most)s."
    ),
    "flow.unknown": _("There is no such process."),
    "flow.suspended": _("This process accepts no new requests now."),
    "task.not_yours": _("This task is not yours."),
    "task.not_open": _("This task is no longer open."),
    "task.version_moved": _("This task has changed since you opened it."),
    "task.claimed": _("Somebody else has taken this task on."),
    "task.not_claimed": _("You have not taken this task on."),
    "act.switched_off": _("The process does not allow this at this step."),
    "act.not_here": _("This cannot be done with this task."),
    "return.nowhere": _("There is no earlier step that the request could go back to."),
    "signer.not_added": _("Only people who were added can be removed."),
    "signer.not_yours": _("Only whoever added a person, or a manager, can remove this person."),
    "people.too_many": _("Too many people are named."),
    "people.too_deep": _("People who were added this way can add no further people."),
    "picked.invalid": _("The people chosen for later steps are not right."),
    "instance.not_running": _("This request has ended."),
    "instance.paused": _("This request is paused."),
    "instance.not_paused": _("This request is not paused."),
    "instance.too_long": _("This request has become too long to go on."),
    "withdraw.not_yours": _("Only whoever filed a request can withdraw it."),
    "withdraw.never": _("Requests of this process cannot be withdrawn."),
    "withdraw.decided": _("Somebody has decided already, so it cannot be withdrawn any more."),
    "take_back.not_decided": _("There is no decision of yours here that could be taken back."),
    "take_back.too_late": _("The time in which a decision can be taken back has passed."),
    "take_back.joined": _("The branches have come together, so it is too late to take it back."),
    "take_back.decided": _("Somebody has decided after you, so it is too late to take it back."),
    "take_back.moved": _("The request has gone elsewhere since, so it is too late for that."),
    "take_back.sent": _("Something was sent out because of it, so it cannot be taken back."),
    "migrate.stuck": _("This request cannot be moved to the other version."),
    "migrate.would_end": _("The move would end this request, and only people decide that."),
    "migrate.not_moved": _("This request was not moved between these versions."),
    "migrate.decided": _("Something was decided after the move, so it cannot be undone."),
    "migrate.sent": _("Something went out, or was called off, by the move; it stays moved."),
    "migrate.edited": _("What comes next was edited in this request, so it is left as it is."),
    "edit.not_yours": _(
        "What comes next is edited by managers, and where a step lets its holders."
    ),
    "edit.invalid": _("What comes next cannot be changed like this."),
    "work.not_open": _("This automatic step is over."),
    "step.not_held": _("This step is not held."),
    "step.asks_nobody": _("This step asks nobody, so nobody can be named for it."),
    "form.invalid": _("Some fields are not right."),
    **{code: TEXTS[code] for code in _FINDINGS},
}


def rejection_text(code: str) -> str:
    """The sentence of a rejection; an unknown code is shown as it is rather than hidden."""
    return str(REJECTIONS.get(code, code))
