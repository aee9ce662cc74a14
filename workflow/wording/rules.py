"""What the rules of a step did by themselves: for nobody, for the initiator, for a repetition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from workflow.engine.state import Reason
from workflow.forms.evaluation import text_of
from workflow.wording.choosing import when_empty_text
from workflow.wording.reasons import value_text
from workflow.wording.states import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workflow.engine.events import RuleAnswer, StepEntered, TaskApproved
    from workflow.wording.following import Following, Reader


def rules_at_entry(event: StepEntered) -> Iterator[tuple[str, str]]:
    """Code and sentence of each rule that chose the people of a step."""
    if event.when_empty:
        yield f"empty.{event.when_empty}", when_empty_text(event.when_empty)
    if any(each.by == "head_instead_of_initiator" for each in event.chosen):
        yield "self.head", _("A head decides instead of the person who filed the request")
    elif any(each.why == "is_initiator" for each in event.dropped):
        yield "self.forbid", _("Whoever filed the request does not decide here")


def asked_text(rules: Iterable[str]) -> str:
    """Which rules a step waits for."""
    names = listed(dict.fromkeys(rules))
    return _("It waits for what these rules say: %(rules)s") % {"rules": names}


def answer_text(answer: RuleAnswer, reader: Reader) -> str:
    """What a rule said, and in which version it was asked (issue 3, item 1).

    A rule sees the whole form: what it said is told to whoever sees the whole form too.
    """
    args = {"rule": answer.rule, "version": answer.version}
    if not reader.shows_all:
        return _("The rule %(rule)s, version %(version)d, has answered") % args
    value = answer.value
    if isinstance(value, list):
        value = listed(text_of(each) for each in value if not isinstance(each, dict))
    args["value"] = value_text(None, value, reader.language)
    return _("The rule %(rule)s, version %(version)d, answered: %(value)s") % args


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
