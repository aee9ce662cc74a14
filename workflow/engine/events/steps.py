"""What happened to the steps of a request, and to the work that they left to workers."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from workflow.engine.events.basis import Chosen, Dropped, Event, Leaf
from workflow.engine.state import Activation, ActivationState, Ask, Reason


class StepEntered(Event, frozen=True, tag="step_entered"):
    """A step was entered. ``step`` is "start" when the request is back with its initiator.

    ``within`` and ``branch`` place it in a block (see Activation); ``branches`` are those that a
    block begins to run. ``because`` is the reason when it was not simply reached: returned, admin
    (a jump), timeout … ``resume`` is the step to go straight back to afterwards. A step that asks
    rules first stands here once more, with the same number, when it has their answers.
    """

    activation: int
    step: str
    round: int
    chosen: tuple[Chosen, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    # The empty rule's word when nobody was found: approve, reject, hold, refuse_start, people …
    when_empty: str = ""
    within: int = 0
    branch: str = ""
    branches: tuple[str, ...] = ()
    because: Reason | None = None
    resume: str = ""


class RulesAsked(Event, frozen=True, tag="rules_asked"):
    """A step waits for what these rules say; ``because`` is that of its entry."""

    activation: int
    asks: tuple[Ask, ...]
    because: Reason | None = None


class RuleAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one rule said (plain JSON), and in which version."""

    rule: str
    version: int
    value: Any
    pinned: int = 0


class RulesAnswered(Event, frozen=True, tag="rules_answered"):
    """All rules of a step have answered, and it goes on with what they said."""

    activation: int
    answers: tuple[RuleAnswer, ...]


class StepReopened(Event, frozen=True, tag="step_reopened"):
    """A step that had ended is open again as it was, because a decision was taken back.

    ``was`` is the activation as it stands from now on; the versions of its waiting seats are new.
    """

    was: Activation


class StepEnded(Event, frozen=True, tag="step_ended"):
    """An activation ended; ``outcome`` is what conditions on this step see, if anything."""

    activation: int
    state: ActivationState
    reason: Reason
    outcome: str = ""


class BranchTaken(Event, frozen=True, tag="branch_taken"):
    """A choice was made; ``leaves`` are the questions asked on the way to it, in order."""

    step: str
    branch: str
    leaves: tuple[Leaf, ...] = ()


class BranchLeft(Event, frozen=True, tag="branch_left"):
    """A branch of an inclusive block is not run; ``leaves`` are the questions that said so."""

    step: str
    branch: str
    leaves: tuple[Leaf, ...] = ()


class BranchArrived(Event, frozen=True, tag="branch_arrived"):
    """A branch of a block came to its end; the join counts it in this activation of the block."""

    activation: int
    branch: str
    outcome: Literal["passed", "rejected"] = "passed"


class GotoDecided(Event, frozen=True, tag="goto_decided"):
    """A goto was reached; ``count`` is how often it has been taken, unchanged when it was not."""

    step: str
    taken: bool
    count: int
    leaves: tuple[Leaf, ...] = ()


class WorkAsked(Event, frozen=True, tag="work_asked"):
    """Something became a durable row that a worker will claim.

    ``job`` numbers it (0, in old histories: the activation's number); ``due`` is the moment
    (RFC 3339, UTC; "": at once). ``child`` is the request that a subflow step wants started,
    ``version`` that of the rule which is asked.
    """

    activation: int
    kind: str
    job: int = 0
    seat: int = 0
    due: str = ""
    child: int = 0
    version: int = 0

    @property
    def number(self) -> int:
        return self.job or self.activation


class WorkPutOff(Event, frozen=True, tag="work_put_off"):
    """Work fell due while the request was paused."""

    job: int


class WorkEnded(Event, frozen=True, tag="work_ended"):
    """Work is over although its step is not: it was carried out, or nobody needs it any more."""

    job: int
    done: bool = True


class CopySent(Event, frozen=True, tag="copy_sent"):
    """A copy for a reader: a seat that asks nothing of its holder."""

    activation: int
    seat: int
    why: Chosen
    comment: str = ""

    @property
    def holder(self) -> int:
        return self.why.user


class NoticeSent(Event, frozen=True, tag="notice_sent"):
    """A step sent a message; ``chosen`` are those who get it, ``channels`` the ways it takes.

    ``title`` and ``text`` are what they read, with the values of that moment.
    """

    activation: int
    title: str
    text: str = ""
    chosen: tuple[Chosen, ...] = ()
    channels: tuple[str, ...] = ()


class TimedOut(Event, frozen=True, tag="timed_out"):
    """The deadline of a seat passed; what followed from it stands behind this event."""

    seat: int
    job: int
    then: str
