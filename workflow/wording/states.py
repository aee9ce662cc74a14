"""What the states of requests, steps and tasks, and the reasons for them, are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from workflow.engine.plan import START
from workflow.engine.state import ActivationState, InstanceState, Reason, SeatState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django_stubs_ext import StrOrPromise

    from workflow.engine.decision import Definition

INSTANCE_STATES: dict[str, StrOrPromise] = {
    InstanceState.RUNNING.value: pgettext_lazy("request", "In progress"),
    InstanceState.APPROVED.value: pgettext_lazy("request", "Approved"),
    InstanceState.REJECTED.value: pgettext_lazy("request", "Rejected"),
    InstanceState.CANCELLED.value: pgettext_lazy("request", "Withdrawn"),
    InstanceState.TERMINATED.value: pgettext_lazy("request", "Ended by a manager"),
    # Overlays of a running request (contract, Shapes).
    "held": pgettext_lazy("request", "Held"),
    "paused": pgettext_lazy("request", "Paused"),
}

STEP_STATES: dict[str, StrOrPromise] = {
    ActivationState.WAITING.value: pgettext_lazy("step", "Waiting"),
    ActivationState.OPEN.value: pgettext_lazy("step", "In progress"),
    ActivationState.PASSED.value: pgettext_lazy("step", "Passed"),
    ActivationState.REFUSED.value: pgettext_lazy("step", "Refused"),
    ActivationState.RETURNED.value: pgettext_lazy("step", "Returned"),
    ActivationState.CLOSED.value: pgettext_lazy("step", "Closed"),
    ActivationState.TIMED_OUT.value: pgettext_lazy("step", "Timed out"),
    ActivationState.SKIPPED.value: pgettext_lazy("step", "Passed over"),
}

TASK_STATES: dict[str, StrOrPromise] = {
    SeatState.BLOCKED.value: pgettext_lazy("task", "Waiting for its turn"),
    SeatState.OPEN.value: pgettext_lazy("task", "To do"),
    SeatState.APPROVED.value: pgettext_lazy("task", "Approved"),
    SeatState.REJECTED.value: pgettext_lazy("task", "Rejected"),
    SeatState.DONE.value: pgettext_lazy("task", "Done"),
    SeatState.OPINION_GIVEN.value: pgettext_lazy("task", "Opinion given"),
    SeatState.HANDED_ON.value: pgettext_lazy("task", "Handed on"),
    SeatState.CLOSED.value: pgettext_lazy("task", "No longer needed"),
    SeatState.TAKEN_BACK.value: pgettext_lazy("task", "Taken back"),
}

REASONS: dict[str, StrOrPromise] = {
    Reason.HUMAN.value: _("Decided by a person"),
    Reason.TIMEOUT.value: _("The deadline passed"),
    Reason.DEDUPE.value: _("The same person had approved already"),
    Reason.SELF_RULE.value: _("The person filed the request"),
    Reason.EMPTY_RULE.value: _("Nobody was found"),
    Reason.AUTO_STEP.value: _("Automatic step"),
    Reason.SIBLING_DECIDED.value: _("Somebody else decided"),
    Reason.RETURNED.value: _("The request was returned"),
    Reason.CANCELLED.value: _("The request ended"),
    Reason.MIGRATED.value: _("Moved to a new version"),
    Reason.ADMIN.value: _("Done by a manager"),
    Reason.SUBSTITUTE.value: _("Done by a substitute"),
}

_RESULTS: dict[str, StrOrPromise] = {
    InstanceState.APPROVED.value: _("The request was approved"),
    InstanceState.REJECTED.value: _("The request was rejected"),
    InstanceState.CANCELLED.value: _("The request was withdrawn"),
    InstanceState.TERMINATED.value: _("The request was ended"),
}
_RESULTS_BY_HAND: dict[str, StrOrPromise] = {
    InstanceState.APPROVED.value: _("%(person)s ended the request as approved"),
    InstanceState.CANCELLED.value: _("%(person)s withdrew the request"),
    InstanceState.TERMINATED.value: _("%(person)s ended the request"),
}


def instance_state(word: str) -> str:
    """What a request's state, or its overlay ``held`` or ``paused``, is called."""
    return _called(INSTANCE_STATES, word)


def step_state(word: str) -> str:
    """What the state of a step entered once is called."""
    return _called(STEP_STATES, word)


def task_state(word: str) -> str:
    """What a task's state is called."""
    return _called(TASK_STATES, word)


def reason_text(word: str) -> str:
    """Why a state changed, in words (approvals.md 2.13)."""
    return _called(REASONS, word)


def step_name(definition: Definition, step_id: str) -> str:
    """What a step is called; the step ``start``, which no process names, has a word of its own.

    A step that is not in the process (any more) is told by its id.
    """
    planned = definition.plan.steps.get(step_id)
    if planned is not None:
        return planned.step.name
    return gettext("Initiator") if step_id == START else step_id


def result_text(result: str, by: str = "") -> str:
    """How a request ended; ``by`` names the person who ended it by hand, when one did."""
    if by:
        return _called(_RESULTS_BY_HAND, result) % {"person": by}
    return _called(_RESULTS, result)


def unknown_person() -> str:
    """What somebody is called whose name is not known any more."""
    return gettext("Unknown person")


def listed(words: Iterable[str]) -> str:
    """Several names or values with the mark that the language puts between them."""
    return pgettext("between the words of a list", ", ").join(words)


def with_mode(text: str, mode: str, count: int) -> str:
    """A sentence about several people with the word how they decide; one person needs none."""
    if count < 2:
        return text
    told = {
        "any": ngettext(
            "%(text)s (any one of %(count)d)", "%(text)s (any one of %(count)d)", count
        ),
        "all": ngettext("%(text)s (all of %(count)d)", "%(text)s (all of %(count)d)", count),
        "in_order": ngettext(
            "%(text)s (%(count)d, one by one)", "%(text)s (%(count)d, one by one)", count
        ),
        "claim": ngettext(
            "%(text)s (%(count)d, whoever takes it)",
            "%(text)s (%(count)d, whoever takes it)",
            count,
        ),
        "vote": ngettext(
            "%(text)s (a vote of %(count)d)", "%(text)s (a vote of %(count)d)", count
        ),
    }
    return told.get(mode, "%(text)s") % {"text": text, "count": count}


def _called(words: Mapping[str, StrOrPromise], word: str) -> str:
    # A word without a text is shown as it is rather than hidden.
    return str(words.get(word, word))
