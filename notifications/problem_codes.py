"""What the problem codes of notices and callbacks mean, for the page that explains each."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flowadmin.rest.catalogue import describe

_URGE = _("The request cannot be urged now")

for _code, _title, _text in (
    ("notice.unknown", _("There is no such notice"), _("It is nobody's, or another person's.")),
    (
        "urge.not_initiator",
        _("Only whoever filed a request may urge"),
        _("Ask that person to urge, or write a comment."),
    ),
    (
        "urge.too_soon",
        _("Urged less than ten minutes ago"),
        _("The Retry-After header says after how many seconds it is possible again."),
    ),
    (
        "callback.unknown",
        _("There is no such event"),
        _("It does not exist, or it is of a request that somebody else filed."),
    ),
    (
        "callback.not_failed",
        _("Only a failed event can be sent again"),
        _("It is under way or delivered, or another window was faster. Read its state again."),
    ),
    (
        "channel.address",
        _("No address of this chat"),
        _("Copy the whole address (webhook) that the chat shows for its robot, and nothing else."),
    ),
    ("urge.nobody", _URGE, _("Nobody has a task of it at this moment. Nothing was used up.")),
    ("urge.not_running", _URGE, _("It has ended, or it is paused.")),
):
    describe(_code, _title, _text)
