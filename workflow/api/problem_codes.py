"""What the pages `/problems/<code>` say about the refusals of workflow."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flowadmin.rest.catalogue import describe

_OVER = _("It is over already")
_REFUSED = _("The process does not accept this")

for _code, _title, _text in (
    ("flow.unknown", _("There is no such process"), _("GET flows/ lists those you may start.")),
    (
        "flow.suspended",
        _("The process is suspended"),
        _("It accepts no new requests until a manager resumes it."),
    ),
    (
        "flow.invalid",
        _("The process has problems"),
        _("Each of “errors” says where and what; nothing was published."),
    ),
    (
        "start.not_allowed",
        _("You may not start this process"),
        _("The process names who may; flows/ lists those you may start."),
    ),
    ("picked.unknown_step", _REFUSED, _("Leave “picked” empty: no step asks for people.")),
    (
        "task.not_yours",
        _("This task is not yours"),
        _("Only its holder decides a task; a manager can give it to somebody else."),
    ),
    (
        "task.not_open",
        _OVER,
        _("The task is no longer open: “handled_by”, “handled_at” and “decision” say why."),
    ),
    (
        "task.version_moved",
        _("The task has changed"),
        _("Read it again, then decide with its new version."),
    ),
    ("instance.not_running", _OVER, _("The request has ended; its history can be read.")),
    ("instance.unknown", _("There is no such request"), _("Or you may not know of it.")),
    ("instance.moved", _("The request has changed"), _("Somebody else was faster. Try again.")),
    ("instance.too_long", _REFUSED, _("A request has at most 99,999 events.")),
    (
        "form.invalid",
        _("Some fields are not right"),
        _("Each of “errors” points at a field; nothing was stored."),
    ),
    ("comment.required", _REFUSED, _("This decision needs a comment.")),
    ("comment.not_taken", _REFUSED, _("This step takes no comment.")),
    ("reason.required", _REFUSED, _("What a manager does needs a reason, for the record.")),
    ("people.nobody", _REFUSED, _("Nobody was found who could decide its first step.")),
    ("person.unknown", _REFUSED, _("Name an active person of your organisation by login.")),
    ("person.already_holds", _REFUSED, _("A person holds one task of a step at most.")),
):
    describe(_code, _title, _text)
