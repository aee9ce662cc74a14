"""What a step of kind `notice` says, and to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.events import NoticeSent
from workflow.engine.people import resolve
from workflow.engine.titles import LONGEST_TITLE, Titling

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.steps import NoticeStep
    from workflow.engine.state import Activation

# Where Chinese, Japanese and Korean letters begin.
_CJK = 0x2E80
LONGEST_TEXT = 4000


def message_of(run: Decision, activation: Activation, step: NoticeStep) -> NoticeSent:
    """The message with the values of this moment (approvals.md 3.2, `notice`).

    A notice asks nothing of anybody, so absence and the self rule do not matter; who is disabled
    or excluded gets none. The history keeps the text: whoever reads it later reads the same.
    """
    state = run.state
    doc = run.plan.doc
    people = run.facts.people_by_id([state.initiator])
    name = people[0].name if people else ""
    titling = Titling(run.definition.form, state.values, run.facts, _language_of(step))
    title = " ".join(titling.filled(step.title, doc, name, state.number).split())
    text = titling.filled(step.text, doc, name, state.number).strip()
    return NoticeSent(
        activation=activation.number,
        title=(title or step.name)[:LONGEST_TITLE],
        text=text[:LONGEST_TEXT],
        chosen=resolve(run, step.who, step.id).reasons,
        channels=step.channel,
    )


def _language_of(step: NoticeStep) -> str:
    """In which language the author wrote; values between his words are told in it, too."""
    written = step.title + step.text
    return "zh-hans" if any(ord(letter) >= _CJK for letter in written) else "en"
