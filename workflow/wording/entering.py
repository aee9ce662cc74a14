"""Why a step was entered: simply reached, returned to, jumped to, or led back to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from django.utils.translation import gettext as _

from workflow.engine.events import InstanceStarted, StepEnded, StepEntered, WentBack
from workflow.engine.state import Reason

if TYPE_CHECKING:
    from workflow.wording.following import Following

Because = Literal["filed", "forward", "returned", "resumed", "goto", "jump", "timeout", "migrated"]
_CODES: dict[Reason, Because] = {
    Reason.AUTO_STEP: "goto",
    Reason.ADMIN: "jump",
    Reason.TIMEOUT: "timeout",
    Reason.MIGRATED: "migrated",
}


def because_code(following: Following, event: StepEntered) -> Because:
    """The stable word for why a step was entered (`explain/`)."""
    if event.because is None:
        first = following.of(InstanceStarted) and not _before(following, event)
        return "filed" if first else "forward"
    if event.because is Reason.RETURNED:
        # Straight back to the step that had returned the request: nothing goes back now.
        back = any(each.to == event.step for each in following.of(WentBack))
        return "returned" if back else "resumed"
    return _CODES.get(event.because, "forward")


def because_text(following: Following, event: StepEntered) -> str:
    """Why a step was entered when it was not simply reached; else empty."""
    code = because_code(following, event)
    return "" if code in {"filed", "forward"} else because_sentence(following, event, code)


def because_sentence(following: Following, event: StepEntered, code: Because) -> str:
    """Why a step was entered, as a sentence."""
    texts = {
        "filed": _("The request was filed"),
        "forward": _("“%(before)s” came before it"),
        "returned": _("The request was sent back to this step"),
        "resumed": _("The request came straight back here, where it had been sent back from"),
        "goto": _("The process led the request back to this step"),
        "jump": _("A manager moved the request to this step"),
        "timeout": _("A deadline had passed, which sends the request to this step"),
        "migrated": _("The request was moved to a new version of the process"),
    }
    before = _before(following, event)
    if code == "forward" and not before:
        return _("The request came to this step")
    return texts[code] % {"before": before}


def _before(following: Following, event: StepEntered) -> str:
    """The step that ended just before this one was entered, by the same command."""
    name = ""
    for each in following.events:
        if each is event:
            break
        if isinstance(each, StepEnded):
            name = following.name_of(each.activation)
    return name
