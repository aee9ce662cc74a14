"""What happened to the steps of a request, in words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils import formats, timezone
from django.utils.translation import gettext as _

from workflow.engine.events import (
    BranchArrived,
    BranchLeft,
    BranchTaken,
    CopySent,
    FormChanged,
    GotoDecided,
    InstanceHeld,
    NoticeSent,
    RulesAsked,
    StepEnded,
    StepEntered,
    TaskReassigned,
    TimedOut,
    WentBack,
    WorkAsked,
)
from workflow.engine.flowdoc.steps import (
    AutoStep,
    ChoiceStep,
    CopyStep,
    DelayStep,
    GotoStep,
    HumanStep,
    InclusiveStep,
    NoticeStep,
    ParallelStep,
)
from workflow.engine.plan import START, branches_of
from workflow.engine.state import ActivationState, Reason
from workflow.wording.choosing import chosen_text, dropped_text, when_empty_text
from workflow.wording.entering import because_text
from workflow.wording.reasons import leaf_text
from workflow.wording.states import listed, with_mode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from workflow.engine.events import Leaf
    from workflow.engine.flowdoc.steps import AnyStep
    from workflow.wording.telling import Entry, StateWord, Telling

# Empty rules that the entry of the step itself tells.
_TOLD = frozenset({"", "approve", "reject", "hold", "refuse_start"})


def _entered(telling: Telling, event: StepEntered) -> Entry | None:
    step = telling.step_of(event.activation)
    if telling.within(RulesAsked, event.activation):
        return None  # what it waits for is told there
    if isinstance(step, HumanStep) or event.step == START:
        return _asked(telling, event, step)
    if isinstance(step, ParallelStep | InclusiveStep):
        return _branched_out(telling, event, step)
    if isinstance(step, GotoStep) or telling.state.activation(event.activation) is None:
        # An automatic step is told when it is done; until then it is what is going on.
        return None
    name = telling.name_of(event.activation)
    until = _until(telling, event) if isinstance(step, DelayStep) else ""
    text = (
        _("“%(step)s” waits until %(moment)s")
        if until
        else _("“%(step)s” is about to be carried out automatically")
    )
    text %= {"step": name, "moment": until}
    why = [because_text(telling, event)]
    return telling.entry(event, "automatic", text, step=name, why=why, opens=event.activation)


def _asked(telling: Telling, event: StepEntered, step: AnyStep | None) -> Entry:
    name = telling.name_of(event.activation)
    holders = telling.assigned(0, event.activation)
    if holders:
        text = _("%(step)s → %(people)s") % {
            "step": name,
            "people": telling.reader.people(holders),
        }
        mode = step.decide.mode if isinstance(step, HumanStep) else ""
        text = with_mode(text, mode, len(holders))
        word: StateWord = "assigned"
    else:
        word, text = _nobody(telling, event)
    why = [because_text(telling, event), *_people(telling, event, step)]
    waits = holders or event.activation in telling.state.incidents
    opens = event.activation if waits else 0
    return telling.entry(event, word, text % {"step": name}, step=name, why=why, opens=opens)


def _people(telling: Telling, event: StepEntered, step: AnyStep | None) -> Iterator[str]:
    for chosen in event.chosen:
        yield chosen_text(chosen, step, telling.reader)
    stood_in = {each.instead_of for each in event.chosen}
    for dropped in event.dropped:
        if dropped.why != "absent" or dropped.user not in stood_in:
            yield dropped_text(dropped, telling.reader)
    if event.when_empty not in _TOLD:
        yield when_empty_text(event.when_empty)


def _nobody(telling: Telling, event: StepEntered) -> tuple[StateWord, str]:
    if telling.within(InstanceHeld, event.activation):
        return "held", _("“%(step)s” is held: nobody was found, a manager has to name somebody")
    if event.when_empty == "reject":
        return "rejected", _("“%(step)s” was rejected automatically: nobody was found")
    return "automatic", _("“%(step)s” was passed over: nobody was found")


def _branched_out(
    telling: Telling, event: StepEntered, step: ParallelStep | InclusiveStep
) -> Entry:
    """A block was entered; of an inclusive one the questions to its branches belong to it."""
    name, called = step.name, {each.id: each.name for each in step.branches}
    if event.branches:
        text = _("%(step)s: these branches run side by side: %(branches)s")
        names = listed(called.get(each, each) for each in event.branches)
        text %= {"step": name, "branches": names}
    else:
        text = _("“%(step)s” was passed over: none of its branches applies") % {"step": name}
    decided = [
        each
        for each in telling.events
        if isinstance(each, BranchTaken | BranchLeft) and each.step == step.id
    ]
    why = [because_text(telling, event), *_of_branches(telling, decided, called)]
    return telling.entry(event, "automatic", text, step=name, why=why)


def _of_branches(
    telling: Telling, decided: Iterable[BranchTaken | BranchLeft], called: Mapping[str, str]
) -> Iterator[str]:
    """For each branch of an inclusive block whether it runs, with the answers that decided it."""
    for each in decided:
        branch = called.get(each.branch, each.branch)
        taken = isinstance(each, BranchTaken)
        if not each.leaves and taken:
            yield _("“%(branch)s” runs, since no other branch does") % {"branch": branch}
        text = _("“%(branch)s” runs") if taken else _("“%(branch)s” does not run")
        for question in _leaves(telling, each.leaves):
            yield _("%(what)s. %(question)s") % {
                "what": text % {"branch": branch},
                "question": question,
            }


def _until(telling: Telling, event: StepEntered) -> str:
    """The moment that a delay waits for, in the reader's time zone."""
    for work in telling.within(WorkAsked, event.activation):
        if work.due:
            moment = timezone.localtime(datetime.fromisoformat(work.due))
            return formats.date_format(moment, "SHORT_DATETIME_FORMAT")
    return ""


def _leaves(telling: Telling, leaves: Iterable[Leaf]) -> Iterator[str]:
    reader = telling.reader
    for leaf in leaves:
        yield leaf_text(leaf, reader.definition, reader.shows, reader.language, reader.titles)


def _taken(telling: Telling, event: BranchTaken) -> Entry | None:
    planned = telling.reader.definition.plan.steps.get(event.step)
    if planned is not None and isinstance(planned.step, InclusiveStep):
        return None  # told where the block is entered
    name, branch = telling.reader.step(event.step), _branch(telling, event.step, event.branch)
    text = _("%(step)s: the branch “%(branch)s” was taken") % {"step": name, "branch": branch}
    why = _leaves(telling, event.leaves)
    return telling.entry(event, "automatic", text, step=name, why=why)


def _branch(telling: Telling, step_id: str, branch_id: str) -> str:
    planned = telling.reader.definition.plan.steps.get(step_id)
    branches = () if planned is None else branches_of(planned.step)
    return next((each.name for each in branches if each.id == branch_id), branch_id)


def _arrived(telling: Telling, event: BranchArrived) -> Entry | None:
    if telling.within(StepEnded, event.activation):
        return None  # the end of the block says it
    found = telling.seen.get(event.activation)
    if found is None:
        return None
    name, branch = telling.reader.step(found.step), _branch(telling, found.step, event.branch)
    text = (
        _("%(step)s: the branch “%(branch)s” was rejected")
        if event.outcome == "rejected"
        else _("%(step)s: the branch “%(branch)s” has come to its end")
    )
    return telling.entry(event, "automatic", text % {"step": name, "branch": branch}, step=name)


def _went(telling: Telling, event: GotoDecided) -> Entry | None:
    planned = telling.reader.definition.plan.steps.get(event.step)
    name = telling.reader.step(event.step)
    back = telling.of(WentBack)
    if event.taken and not back:
        return None  # it was taken too often: the incident says so
    text = _("%(step)s: the request goes on")
    if event.taken and planned is not None and isinstance(planned.step, GotoStep):
        text = _("%(step)s: the request goes back to “%(to)s”")
        text %= {"step": name, "to": telling.reader.step(planned.step.to)}
    else:
        text %= {"step": name}
    return telling.entry(event, "automatic", text, step=name, why=_leaves(telling, event.leaves))


def _copied(telling: Telling, event: CopySent) -> Entry | None:
    copies = telling.within(CopySent, event.activation)
    if copies[0] is not event:
        return None
    name, step = telling.name_of(event.activation), telling.step_of(event.activation)
    people = telling.reader.people(each.holder for each in copies)
    if isinstance(step, CopyStep):
        text = _("%(step)s: copied to %(people)s") % {"step": name, "people": people}
        why = [chosen_text(each.why, step, telling.reader) for each in copies]
        return telling.entry(event, "copied", text, step=name, why=why)
    text = _("%(actor)s sent a copy to %(people)s") % {"actor": telling.who(), "people": people}
    return telling.entry(event, "copied", text, step=name)


def _noticed(telling: Telling, event: NoticeSent) -> Entry:
    """Who was told, and the heading; the text is for those whom it was sent to."""
    name, step = telling.name_of(event.activation), telling.step_of(event.activation)
    people = telling.reader.people(each.user for each in event.chosen)
    text = _("%(step)s: “%(title)s” was sent to %(people)s")
    why = [chosen_text(each, step, telling.reader) for each in event.chosen]
    args = {"step": name, "title": event.title, "people": people}
    return telling.entry(event, "copied", text % args, step=name, why=why)


def _ended(telling: Telling, event: StepEnded) -> Entry | None:
    step, name = telling.step_of(event.activation), telling.name_of(event.activation)
    if event.state not in {ActivationState.PASSED, ActivationState.REFUSED} or step is None:
        return None
    passed = event.state is ActivationState.PASSED
    if isinstance(step, ParallelStep | InclusiveStep):
        return _joined(telling, event, step)
    if event.reason is not Reason.AUTO_STEP or isinstance(step, HumanStep):
        return None
    if isinstance(step, AutoStep):
        text = (
            _("“%(step)s” approved automatically")
            if passed
            else _("“%(step)s” rejected automatically")
        )
        word: StateWord = "automatic" if passed else "rejected"
        said = step.reason
        return telling.entry(event, word, text % {"step": name}, step=name, comment=said)
    text = _automatic(telling, event, step, passed=passed)
    if not text:
        return None
    return telling.entry(event, "automatic", text % {"step": name}, step=name)


def _automatic(telling: Telling, event: StepEnded, step: AnyStep, *, passed: bool) -> str:
    """How another automatic step ended; empty where other entries tell all of it."""
    if isinstance(step, CopyStep):
        sent = telling.within(CopySent, event.activation)
        return "" if sent else _("%(step)s: there was nobody to send a copy to")
    if isinstance(step, NoticeStep):
        sent = telling.within(NoticeSent, event.activation)
        return "" if sent else _("%(step)s: there was nobody to tell")
    if isinstance(step, DelayStep):
        return _("“%(step)s”: the wait is over")
    if telling.of(FormChanged) or isinstance(step, ChoiceStep | GotoStep):
        return ""
    if passed:
        return _("“%(step)s” was carried out automatically")
    return _("“%(step)s” could not be carried out")


def _joined(telling: Telling, event: StepEnded, step: ParallelStep | InclusiveStep) -> Entry:
    """The join of a block decided: how many of its branches had come to their end."""
    found = telling.seen[event.activation]
    ended = sum(each.state != "running" for each in found.branches)
    passed = event.state is ActivationState.PASSED
    text = (
        _("%(step)s: complete with %(ended)d of %(total)d branches")
        if passed
        else _("%(step)s: rejected after %(ended)d of %(total)d branches")
    )
    text %= {"step": step.name, "ended": ended, "total": len(found.branches)}
    word: StateWord = "automatic" if passed else "rejected"
    return telling.entry(event, word, text, step=step.name)


def _timed_out(telling: Telling, event: TimedOut) -> Entry:
    """A deadline passed; what it did to the seat, or to the request, is said with it."""
    args = telling.of_seat(event.seat)
    texts = {
        "approve": _("The deadline of %(person)s passed: “%(step)s” was approved automatically"),
        "reject": _("The deadline of %(person)s passed: “%(step)s” was rejected automatically"),
    }
    handed = [each for each in telling.of(TaskReassigned) if each.seat == event.seat]
    back = telling.of(WentBack)
    if handed:
        text = _("The deadline of %(before)s passed: “%(step)s” is with %(person)s now")
        args["before"] = telling.reader.person(handed[0].before)
        args["person"] = telling.reader.person(handed[0].holder)
    elif event.then == "goto" and back:
        text = _("The deadline of %(person)s for “%(step)s” passed: back to “%(to)s”")
        args["to"] = telling.reader.step(back[0].to)
    elif event.then in texts and not telling.within(InstanceHeld, telling.homes[event.seat]):
        text = texts[event.then]
    else:
        text = _("The deadline of %(person)s for “%(step)s” passed")
    opens = telling.homes.get(event.seat, 0) if handed else 0
    return telling.entry(
        event, "timed_out", text % args, step=args["step"], why=telling.also(event.seat),
        opens=opens,
    )  # fmt: skip


TELLERS: dict[type[Any], Callable[[Telling, Any], Entry | None]] = {
    StepEntered: _entered,
    BranchTaken: _taken,
    BranchArrived: _arrived,
    GotoDecided: _went,
    CopySent: _copied,
    NoticeSent: _noticed,
    StepEnded: _ended,
    TimedOut: _timed_out,
}
