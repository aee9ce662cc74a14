"""What a notice or a callback says to its reader, in his language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from notifications.models import Callback, Notice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django_stubs_ext import StrOrPromise

Kind = Notice.Kind

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
    """What happened, as a sentence. Needs the row's ``sender`` and ``task``.

    A message of a process says what its designer wrote, as it was written.
    """
    names = {
        "step": notice.task.step_name if notice.task is not None else "",
        "person": notice.sender.name if notice.sender is not None else "",
    }
    match notice.kind:
        case Kind.ASSIGNED:
            return _assigned(names)
        case Kind.URGE:
            return _("%(person)s asks you to see to it") % names
        case Kind.TIMEOUT:
            if names["step"]:
                return _("“%(step)s” has not been decided yet") % names
            return _("A task has not been decided yet")
        case _:
            return notice.title


def _assigned(names: Mapping[str, str]) -> str:
    if not names["step"]:
        return _("It is back with you")  # the start has no name: a request that was returned
    if names["person"]:
        return _("“%(step)s” is with you now, through %(person)s") % names
    return _("“%(step)s” is with you now") % names


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
