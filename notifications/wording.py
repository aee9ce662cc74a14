"""What a notice or a callback says to its reader, in his language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from notifications.models import Callback, Notice
from workflow.engine.state import Reason
from workflow.models import Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django_stubs_ext import StrOrPromise

Kind = Notice.Kind
_WAITING = frozenset({Task.State.OPEN.value, Task.State.BLOCKED.value})

# Kind → tone and icon of its chip.
LOOKS: Mapping[str, tuple[str, str]] = {
    Kind.ASSIGNED.value: ("info", "inbox"),
    Kind.URGE.value: ("warning", "bell-ringing"),
    Kind.TIMEOUT.value: ("danger", "clock-exclamation"),
    Kind.NOTICE.value: ("neutral", "message"),
}


def kind_text(kind: str) -> StrOrPromise:
    """What a kind of notice is called."""
    return Kind(kind).label if kind in Kind.values else kind


def sentence_of(notice: Notice) -> str:
    """What happened, as a sentence. Needs the row's ``sender`` and ``task`` with who ended it.

    Of a task that is not the receiver's any more it tells in the past, and what became of it.
    A message of a process says what its designer wrote, as it was written. One that was taken
    over from another installation names nothing that is here: its text says the rest.
    """
    if (
        notice.task is None
        and notice.sender is None
        and notice.kind != Kind.NOTICE
        and notice.text
    ):
        return str(kind_text(notice.kind))
    names = {
        "step": notice.task.step_name if notice.task is not None else "",
        "person": notice.sender.name if notice.sender is not None else "",
    }
    match notice.kind:
        case Kind.ASSIGNED:
            return _assigned(names) if _is_with(notice) else _was_assigned(notice, names)
        case Kind.URGE:
            return _("%(person)s asks you to see to it") % names
        case Kind.TIMEOUT:
            return _late(notice, names)
        case _:
            return notice.title


def _assigned(names: Mapping[str, str]) -> str:
    if not names["step"]:
        return _("It is back with you")  # the start has no name: a request that was returned
    if names["person"]:
        return _("“%(step)s” is with you now, through %(person)s") % names
    return _("“%(step)s” is with you now") % names


def _late(notice: Notice, names: Mapping[str, str]) -> str:
    if not names["step"]:
        return _("A task has not been decided yet")
    if notice.task is not None and notice.task.state not in _WAITING:
        return _("“%(step)s” had not been decided by then") % names
    return _("“%(step)s” has not been decided yet") % names


def _is_with(notice: Notice) -> bool:
    """Whether the task is still the receiver's; also where nothing is known of it."""
    task = notice.task
    return task is None or (task.state in _WAITING and task.holder_id == notice.receiver_id)


def _was_assigned(notice: Notice, names: Mapping[str, str]) -> str:
    task = notice.task
    if task is None or not names["step"]:
        return _("It was back with you")
    if task.holder_id != notice.receiver_id:
        return _("“%(step)s” was with you; it went to somebody else") % names
    if task.decided_by_id != notice.receiver_id:
        if task.decided_by is None:
            return _("“%(step)s” was with you; it is over") % names
        text = _("“%(step)s” was with you; %(person)s ended it")
        return text % {"step": names["step"], "person": task.decided_by.name}
    return _own_end(task) % names


def _own_end(task: Task) -> str:
    """What the receiver himself did with his task."""
    if task.state == Task.State.DONE and task.reason == Reason.RETURNED:
        return _("“%(step)s” was with you; you returned it")
    return str(_OWN_ENDS.get(task.state, _("“%(step)s” was with you; it is over")))


_OWN_ENDS: Mapping[str, StrOrPromise] = {
    Task.State.APPROVED.value: gettext_lazy("“%(step)s” was with you; you approved it"),
    Task.State.REJECTED.value: gettext_lazy("“%(step)s” was with you; you rejected it"),
    Task.State.DONE.value: gettext_lazy("“%(step)s” was with you; you completed it"),
    Task.State.OPINION_GIVEN.value: gettext_lazy("“%(step)s” was with you; you gave your opinion"),
    Task.State.HANDED_ON.value: gettext_lazy("“%(step)s” was with you; you asked for an opinion"),
}


# Callbacks ------------------------------------------------------------------------------------

CALLBACK_LOOKS: Mapping[str, tuple[str, str]] = {
    Callback.Status.PENDING.value: ("info", "clock"),
    Callback.Status.LEASED.value: ("info", "send"),
    Callback.Status.SUCCEEDED.value: ("success", "circle-check"),
    Callback.Status.FAILED.value: ("danger", "circle-x"),
}
EVENTS: Mapping[str, StrOrPromise] = {
    "approved": pgettext_lazy("callback", "Approved"),
    "rejected": pgettext_lazy("callback", "Rejected"),
    "returned": pgettext_lazy("callback", "Returned"),
    "closed": pgettext_lazy("callback", "Closed"),
}
# Result classes and nothing of what the other side said (reliability.md 4.6).
_RESULTS: Mapping[str, StrOrPromise] = {
    "TIMEOUT": gettext_lazy("no answer in time"),
    "CONNECTION": gettext_lazy("no connection"),
    "TLS": gettext_lazy("certificate or encryption not accepted"),
    "PROTOCOL": gettext_lazy("not an answer of the web"),
    "NOT_ALLOWED": gettext_lazy("address not allowed"),
    "UNKNOWN": gettext_lazy("unknown: the process ended or the lease expired"),
    "SUCCEEDED": gettext_lazy("delivered"),
    "FAILED": gettext_lazy("failed"),
}


def event_text(event: str) -> StrOrPromise:
    """What happened to the task or step."""
    return EVENTS.get(event, event)


def result_text(result: str) -> StrOrPromise:
    """The class of a result; empty before the first."""
    if result.startswith("HTTP_"):
        return result.replace("_", " ", 1)
    return _RESULTS.get(result, result)


# Messages outside -----------------------------------------------------------------------------

_MESSAGE_RESULTS: Mapping[str, StrOrPromise] = {
    "SENT": gettext_lazy("taken by the server"),
    "REFUSED": gettext_lazy("refused by the chat"),
    "READ": gettext_lazy("not needed: read in the app"),
    "OFF": gettext_lazy("channel closed"),
    "UNWANTED": gettext_lazy("not wanted any more"),
    "NO_ADDRESS": gettext_lazy("no address"),
    "GONE": gettext_lazy("nobody to tell"),
}


def message_result_text(result: str) -> StrOrPromise:
    """What became of the latest attempt of a message outside; empty before the first."""
    if result.startswith("SMTP_"):
        return result.replace("_", " ", 1)
    return _MESSAGE_RESULTS.get(result) or result_text(result)
