"""What the rules of a step did by themselves: for nobody, for the initiator, for a repetition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from workflow.engine.state import Reason
from workflow.wording.choosing import when_empty_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.events import StepEntered, TaskApproved
    from workflow.wording.following import Following


def rules_at_entry(event: StepEntered) -> Iterator[tuple[str, str]]:
    """Code and sentence of each rule that chose the people of a step."""
    if event.when_empty:
        yield f"empty.{event.when_empty}", when_empty_text(event.when_empty)
    if any(each.by == "head_instead_of_initiator" for each in event.chosen):
        yield "self.head", _("A head decides instead of the person who filed the request")
    elif any(each.why == "is_initiator" for each in event.dropped):
        yield "self.forbid", _("Whoever filed the request does not decide here")


def seat_rule_text(following: Following, event: TaskApproved) -> tuple[str, str]:
    """Code and sentence of the rule by which a seat approved itself; empty for a person's act."""
    reader = following.reader
    args = {
        "step": following.name_at(event.seat),
        "person": reader.person(following.holder(event.seat)),
    }
    if event.reason is Reason.SELF_RULE:
        text = _("“%(step)s” approved itself for %(person)s, who filed the request")
        return "self.skip", text % args
    if event.reason is Reason.DEDUPE and event.later:
        text = _("“%(step)s” was passed over for %(person)s, whom “%(other)s” will ask")
        return "dedupe.later", text % (args | {"other": reader.step(event.later)})
    if event.reason is Reason.DEDUPE:
        text = _("“%(step)s” counts the approval that %(person)s gave in “%(other)s”")
        args["other"] = following.name_at(event.because)
        return "dedupe.earlier", text % args
    return "", ""
