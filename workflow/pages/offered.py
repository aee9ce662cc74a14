"""What a request's page offers this reader to do: exactly what the actions would accept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from workflow import recorded
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.plan import START
from workflow.engine.state import SeatState
from workflow.models import Task
from workflow.offering import (
    Held,
    Situation,
    instance_verbs,
    rejection_steps,
    removable,
    task_offers,
)
from workflow.wording.not_yet import refusal_text
from workflow.wording.states import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django_stubs_ext import StrOrPromise

    from workflow.engine.offers import Offer
    from workflow.reading import Reading

# verb -> label and icon. The dots say that a panel opens and asks more.
WORDS: Mapping[str, tuple[StrOrPromise, str]] = {
    "approve": (_("Approve"), "check"),
    "reject": (_("Reject"), "x"),
    "complete": (_("Done"), "check"),
    "resubmit": (_("Submit again"), "send"),
    "hand-back": (_("Give my opinion"), "message"),
    "return": (_("Return …"), "arrow-back-up"),
    "transfer": (_("Transfer …"), "user-share"),
    "delegate": (_("Ask for an opinion …"), "help"),
    "add-signer": (_("Add people …"), "circle-plus"),
    "remove-signer": (_("Remove an added person …"), "circle-x"),
    "copy": (_("Send a copy …"), "copy"),
    "claim": (_("Take on"), "user-check"),
    "release": (pgettext_lazy("a task, to the pool", "Give back"), "arrow-forward-up"),
    "snooze": (_("Snooze …"), "clock"),
    "wake": (_("Show it again now"), "bell"),
    "ask-substitute": (_("Ask for a substitute …"), "users"),
    "take-back": (_("Take back …"), "arrow-back-up"),
    "comment": (_("Comment only"), "message"),
    "withdraw": (_("Withdraw …"), "arrow-back-up"),
    "suspend": (_("Pause …"), "player-pause"),
    "resume": (_("Resume …"), "arrow-forward-up"),
    "jump": (_("Jump to a step …"), "git-branch"),
    "retry": (_("Try again …"), "refresh"),
    "edit-future": (_("Change what comes next …"), "pencil"),
    "reassign": (_("Reassign …"), "user-share"),
    "cancel": (_("End the request …"), "ban"),
}
PRIMARY = ("approve", "complete", "hand-back", "reject")
MORE = (
    "claim", "release", "return", "transfer", "delegate", "add-signer", "copy", "snooze",
    "ask-substitute",
)  # fmt: skip
# What is asked in a form of its own, above the page: it decides nothing that was filled in.
APART = ("edit-future", "take-back", "remove-signer", "withdraw")
MANAGING = ("suspend", "resume", "retry", "jump", "reassign", "cancel")
# What is done at once, without a panel.
AT_ONCE = frozenset({"approve", "complete", "hand-back", "claim", "release", "comment", "wake"})
# Refusals that say nothing about this moment: the process, or the kind of the task.
_NEVER = frozenset({"act.switched_off", "act.not_here", "task.not_yours", "signer.not_yours"})


@dataclass(frozen=True, slots=True)
class Act:
    """One button: ``address`` is that of its panel, empty when it acts at once."""

    verb: str
    label: StrOrPromise
    icon: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Buttons:
    """All buttons of one reader on one request; ``refused``: a reason, and for which of them."""

    primary: tuple[Act, ...] = ()
    more: tuple[Act, ...] = ()
    apart: tuple[Act, ...] = ()
    managing: tuple[Act, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    comment: bool = False

    @property
    def decides(self) -> bool:
        """Whether what is filled in may go along with something."""
        return bool(self.primary) or any(act.verb in _KEEPING for act in self.more)


_KEEPING = frozenset({"return", "transfer", "delegate", "add-signer"})


def situation_of(reading: Reading) -> Situation:
    """The reader before the request now; the history is read only when it is asked for."""
    return Situation(
        user=reading.user,
        definition=reading.definition,
        state=reading.state,
        now=timezone.now(),
        history=lambda: [each.event for each in recorded.read(reading.instance.pk)],
    )


def buttons_of(reading: Reading, task: Task | None) -> Buttons:
    """The buttons for the reader, with the task of his that the page shows, if it shows one."""
    at = situation_of(reading)
    offers = () if task is None else task_offers(at, Held.of(task))
    found: dict[str, Offer] = {each.verb: each for each in offers}
    of_request = instance_verbs(reading.user, reading.definition, reading.state)
    offered_apart = {
        "take-back": _allowed(found, "take-back"),
        "remove-signer": bool(removable_tasks(reading, at)),
        "withdraw": "withdraw" in of_request,
        "edit-future": "edit-future" in of_request and not at.manages,
    }
    # For a manager it is one act among many.
    managing = (*(("edit-future",) if at.manages else ()), *MANAGING)
    shared: dict[str, Any] = {
        "apart": tuple(_act(reading, task, verb) for verb in APART if offered_apart[verb]),
        "managing": tuple(_act(reading, task, verb) for verb in managing if verb in of_request),
        "refused": _reasons(found, task),
    }
    if task is None or not _is_open(reading, task):
        return Buttons(**shared)
    more = [_act(reading, task, verb) for verb in MORE if _allowed(found, verb)]
    if task.snoozed_until is not None and task.snoozed_until > at.now:
        more.append(_act(reading, task, "wake"))
    return Buttons(
        primary=tuple(
            _primary(reading, task, verb, at) for verb in PRIMARY if _allowed(found, verb)
        ),
        more=tuple(more),
        comment=_allowed(found, "comment"),
        **shared,
    )


def removable_tasks(reading: Reading, at: Situation) -> dict[int, str]:
    """The tasks of added people whom the reader may remove: the holder's name by the task's id."""
    found = {pk for task in reading.tasks for pk in removable(at, Held.of(task))}
    return {task.pk: task.holder.name for task in reading.tasks if task.pk in found}


def labels_of(reading: Reading, task: Task) -> dict[str, str]:
    """What the process calls its decisions, where it has words of its own."""
    planned = reading.definition.plan.steps.get(task.step)
    step = planned.step if planned is not None else None
    if not isinstance(step, HumanStep):
        return {}
    own = step.acts.labels
    named = {"approve": own.approve, "reject": own.reject, "return": own.return_}
    return {verb: label for verb, label in named.items() if label}


def bare_label(reading: Reading, task: Task | None, verb: str) -> str:
    """The label of an act without dots: of its panel, and of the button that sends it."""
    own = labels_of(reading, task).get(verb) if task is not None else None
    return own or str(WORDS[verb][0]).rstrip(" …")


def panel_address(reading: Reading, task: Task | None, verb: str) -> str:
    """Where the panel of an act is found."""
    address = reverse("request-act", args=[reading.instance.pk, verb])
    return f"{address}?task={task.pk}" if task is not None else address


def _allowed(found: Mapping[str, Offer], verb: str) -> bool:
    return verb in found and found[verb].allowed


def _is_open(reading: Reading, task: Task) -> bool:
    seat = reading.state.seat(Held.of(task).number)
    return seat is not None and seat[1].state is SeatState.OPEN


def _act(reading: Reading, task: Task | None, verb: str, *, at_once: bool = False) -> Act:
    label, icon = WORDS[verb]
    own = labels_of(reading, task).get(verb) if task is not None else None
    has_panel = verb not in AT_ONCE and not at_once
    address = panel_address(reading, task, verb) if has_panel else ""
    return Act(verb, own or label, icon, address)


def _primary(reading: Reading, task: Task, verb: str, at: Situation) -> Act:
    if verb == "complete" and task.step == START:
        return Act(verb, *WORDS["resubmit"])
    asks = verb == "reject" and bool(rejection_steps(at, Held.of(task)))
    return _act(reading, task, verb, at_once=not asks)


def _reasons(found: Mapping[str, Offer], task: Task | None) -> tuple[tuple[str, str], ...]:
    """What would be possible here at another moment, and why it is not now."""
    if task is None or task.state not in (Task.State.OPEN, Task.State.BLOCKED):
        return ()
    labels: dict[str, list[str]] = {}
    for verb in (*PRIMARY, *MORE):
        offer = found.get(verb)
        if offer is not None and not offer.allowed and offer.code not in _NEVER:
            label = str(WORDS[verb][0]).rstrip(" …")
            labels.setdefault(refusal_text(offer.code, task.state), []).append(label)
    return tuple((reason, listed(names)) for reason, names in labels.items())
