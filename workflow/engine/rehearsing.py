"""What another version would have done with a past request: its recorded inputs, replayed.

Theory of operation. The inputs of a history (`past_inputs`) are fed to the very same `decide` with
the other version. Where it asks somebody in a step and a round in which the past decided, the same
verdict is given, in the order of the past; where it asks where the past never did, it is approved,
because the question is where the request would go; where the past still stood, it stands. An
automatic step that asks others gets the answer that the past got; if the past has none, that ends
the comparison. Nothing is written and nobody outside is asked (approvals.md 5, idea 3).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from workflow.engine.commands import (
    Answered,
    Approve,
    AssignHeld,
    ChildBegun,
    ChildOver,
    Complete,
    FinishWork,
    Reject,
    Return,
    Start,
)
from workflow.engine.decide import decide
from workflow.engine.evidence import comment_rule, evidence_of
from workflow.engine.flowdoc.rules import Evidence
from workflow.engine.flowdoc.steps import ApproveStep, HttpStep, RuleStep, SubflowStep
from workflow.engine.past_inputs import PastDecision, Trace, as_given, trace_of
from workflow.engine.picking import picks_asked
from workflow.engine.plan import START
from workflow.engine.rejections import Invalid, Rejection
from workflow.engine.state import InstanceState
from workflow.forms.rights import fillable
from workflow.forms.scalars import says_something

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from workflow.engine.commands import Command
    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.facts import Facts
    from workflow.engine.past_inputs import Inputs, PastAnswer, Place
    from workflow.engine.state import Activation, Seat, State, Work
    from workflow.engine.walking import AsksRule
    from workflow.forms.rights import Right
    from workflow.forms.scalars import Value

Comparison = Literal["same", "other_path", "other_people", "cannot_decide"]
# Nothing real takes more commands; a document that loops is told apart from one that is long.
MOST_COMMANDS = 500
# Stands for a comment, a signature or a file that only the other version asks for.
SOMETHING = "-"


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What the other version makes of it.

    ``step`` is where the two part, or where it could not go on; ``code`` says why not, and
    ``about`` which field that is about.
    """

    comparison: Comparison
    trace: Trace = field(default_factory=Trace)
    step: str = ""
    code: str = ""
    about: str = ""


class _Unknown(Exception):
    """The past does not say what would come now."""

    def __init__(self, code: str, step: str) -> None:
        super().__init__(code)
        self.code, self.step = code, step


def rehearse(
    definition: Definition,
    past: Inputs,
    facts: Facts,
    now: datetime,
    ask_rule: AsksRule | None = None,
) -> Rehearsal:
    """Drive the inputs of a past request through another version of its process.

    ``now`` is aware UTC; ``facts`` are today's organisation, as for a request filed now, and
    ``ask_rule`` asks today's rules (without it the past's answers are taken).
    ``code`` of what cannot be decided is that of a rejection or an incident, or one of ours:
    ``jumped`` (a manager moved the request), ``asks_outside`` (only the other version asks),
    ``too_long``.
    """
    if past.trouble:
        return Rehearsal("cannot_decide", code=past.trouble)
    events: list[AnyEvent] = []
    script = _Script(definition, past, ask_rule)
    try:
        run = decide(definition, None, script.start(), facts, now)
        events.extend(run.events)
        for _ in range(MOST_COMMANDS):
            command = script.next(run.state)
            if command is None:
                return _at_rest(past, run.state, trace_of(events))
            run = decide(definition, run.state, command, facts, now)
            events.extend(run.events)
    except Rejection as refusal:
        findings = refusal.findings if isinstance(refusal, Invalid) else ()
        about = next((str(each.args.get("field", "")) for each in findings), "")
        return Rehearsal(
            "cannot_decide", trace_of(events), script.at, code=refusal.code, about=about
        )
    except _Unknown as unknown:
        return Rehearsal("cannot_decide", trace_of(events), unknown.step, code=unknown.code)
    return Rehearsal("cannot_decide", trace_of(events), script.at, code="too_long")


def _at_rest(past: Inputs, state: State, trace: Trace) -> Rehearsal:
    """Nothing comes any more: the request ended, waits as the past did, or is held."""
    for number, code in state.incidents.items():
        activation = state.activation(number)
        if activation is not None and (activation.step, activation.round) not in past.held_at:
            return Rehearsal("cannot_decide", trace, activation.step, code=code)
    return compared(past.trace, trace)


class _Script:
    """Says what happens next: the past's own inputs, step by step and round by round."""

    def __init__(self, definition: Definition, past: Inputs, ask_rule: AsksRule | None) -> None:
        self._definition, self._past, self._ask_rule = definition, past, ask_rule
        self._left = {place: deque(found) for place, found in past.decisions.items()}
        self._children: dict[int, int] = {}
        # The step that the last command was about.
        self.at = START

    def start(self) -> Start:
        """The request as it was filed, as far as the other version asks for it."""
        rights = self._definition.start_rights()
        return Start(
            self._past.initiator,
            self._past.number,
            self._asked(self._past.values, rights),
            self._picks(START),
        )

    def next(self, state: State) -> Command | None:
        """The next command; nothing when the request ended, or stands where the past stood."""
        if state.status is not InstanceState.RUNNING:
            return None
        for work in state.work:
            command = self._of_worker(state, work)
            if command is not None:
                return command
        return self._of_people(state)

    # Workers and whoever is asked outside.

    def _of_worker(self, state: State, work: Work) -> Command | None:
        activation = state.activation(work.activation)
        if work.seat or activation is None or work.activation in state.incidents:
            return None
        self.at = activation.step
        step = self._definition.plan.steps[activation.step].step
        if not isinstance(step, HttpStep | RuleStep | SubflowStep):
            asking = activation.is_asking
            return self._of_rules(activation) if asking else FinishWork(activation.number)
        place = (activation.step, activation.round)
        if place in self._past.stood_at:
            return None
        if isinstance(step, RuleStep) and self._ask_rule is not None:
            return replace(self._ask_rule(step, state), activation=activation.number)
        answer = self._past.answers.get(place)
        if answer is None:
            raise _Unknown("asks_outside", activation.step)
        if isinstance(step, SubflowStep):
            return self._of_child(activation, work, step, answer)
        return self._answered(activation, step, answer)

    def _of_rules(self, activation: Activation) -> Command | None:
        """The rules that a step mentions say what they said then; nobody asks them now."""
        place = (activation.step, activation.round)
        if place in self._past.stood_at:
            return None
        said = self._past.rules.get(place, {})
        if any((each.rule, each.pinned) not in said for each in activation.asks):
            raise _Unknown("asks_outside", activation.step)
        return Answered(activation.number, ok=True, rules=said)

    def _answered(
        self, activation: Activation, step: HttpStep | RuleStep, answer: PastAnswer
    ) -> Command:
        if answer.outcome == "rejected":
            return Answered(activation.number, ok=False)
        if isinstance(step, RuleStep):
            fields, variables = set(step.save), set()
        else:
            fields = {each.to.field for each in step.save if each.to.field is not None}
            variables = {each.to.var for each in step.save if each.to.var is not None}
        return Answered(
            activation.number,
            ok=True,
            values=as_given({name: answer.values.get(name) for name in fields}),
            variables={name: answer.variables.get(name) for name in variables},
        )

    def _of_child(
        self, activation: Activation, work: Work, step: SubflowStep, answer: PastAnswer
    ) -> Command:
        """The requests that it starts come out as those of the past did, in their order."""
        child = activation.child(work.child)
        number = f"{self._past.number}-{work.number}"
        if child is not None and not child.instance:
            return ChildBegun(work.number, work.number, number)
        turn = self._children.get(activation.number, 0)
        self._children[activation.number] = turn + 1
        results = answer.children or (InstanceState.APPROVED,)
        values = {there: answer.values.get(here) for here, there in step.output.items()}
        return ChildOver(
            work.number, work.number, number, results[min(turn, len(results) - 1)], values
        )

    # People.

    def _of_people(self, state: State) -> Command | None:
        """Of the steps that are open the one that the past decided first, then the others."""
        waiting = [each for each in state.activations if not each.branches]
        for activation in sorted(waiting, key=self._order):
            command = self._of_step(activation, state)
            if command is not None:
                return command
        return None

    def _order(self, activation: Activation) -> tuple[int, int]:
        left = self._left.get((activation.step, activation.round))
        return (left[0].order if left else MOST_COMMANDS * 100, activation.number)

    def _of_step(self, activation: Activation, state: State) -> Command | None:
        place = (activation.step, activation.round)
        if activation.number in state.incidents and not activation.seats:
            return self._named(activation, place)
        seats = [seat for seat in activation.seats if seat.is_open]
        if not seats:
            return None
        self.at = activation.step
        left = self._left.get(place)
        if left:
            past = left.popleft()
            seat = next((each for each in seats if each.holder == past.by), seats[0])
            return self._decision(activation.step, seat, past)
        if place in self._past.stood_at:
            # The past did not decide here any further either.
            return None
        return self._decision(
            activation.step, seats[0], PastDecision("approve", seats[0].holder, 0, 0)
        )

    def _named(self, activation: Activation, place: Place) -> Command | None:
        person = self._past.named.get(place)
        if person is None:
            return None
        self.at = activation.step
        return AssignHeld(activation.number, person, 0, SOMETHING)

    def _decision(self, step: str, seat: Seat, past: PastDecision) -> Command:
        definition = self._definition
        planned = definition.plan.steps.get(step)
        approves = planned is not None and isinstance(planned.step, ApproveStep)
        against = past.verdict == "return" or (past.verdict == "reject" and approves)
        given: dict[str, Any] = {
            "seat": seat.number,
            "by": seat.holder,
            "version": seat.version,
            "changes": self._asked(past.changes, definition.rights_at(step)),
            **self._evidence(step, past, against=against),
        }
        if past.verdict == "return":
            return Return(**given, to=past.to, resume=past.resume)
        if against:
            return Reject(**given, to=past.to)
        kind = Approve if approves else Complete
        return kind(**given, picked=self._picks(step))

    def _evidence(self, step: str, past: PastDecision, *, against: bool) -> dict[str, Any]:
        """What the past brought along, and something where only the other version asks for it."""
        rule = comment_rule(self._definition, step)
        needed = rule == "must" or (rule == "to_reject" and against)
        evidence = evidence_of(self._definition, step) or Evidence(comment="may")
        papers: dict[str, Any] = {
            "comment": _fitting("must" if needed else evidence.comment, past.comment),
            "signature": _fitting(evidence.signature, past.signature),
        }
        files = _fitting(evidence.files, "".join(past.files[:1]))
        return papers | {"files": (past.files or (files,)) if files else ()}

    def _picks(self, at: str) -> dict[str, Sequence[int]]:
        """Who was picked, for the steps for which the other version lets people be picked here."""
        asked = [each.step for each in picks_asked(self._definition.plan, at)]
        return {step: self._past.picked[step] for step in asked if step in self._past.picked}

    def _asked(
        self, values: Mapping[str, Value], rights: Mapping[str, Right]
    ) -> dict[str, object]:
        """Of these values those that the other version lets this person fill in."""
        form = self._definition.form
        wanted = {each.id for each in form.fields if fillable(each, rights)} if form else set()
        return as_given({name: each for name, each in values.items() if name in wanted})


def _fitting(rule: Literal["no", "may", "must"], given: str) -> str:
    if rule == "no":
        return ""
    return SOMETHING if rule == "must" and not says_something(given) else given


def compared(past: Trace, other: Trace) -> Rehearsal:
    """Where two traces part: by their path, by how they end, or by the people of a step."""
    for step, other_step in zip(past.path, other.path, strict=False):
        if step != other_step:
            return Rehearsal("other_path", other, step=other_step)
    if len(past.path) != len(other.path):
        longer = max(past.path, other.path, key=len)
        return Rehearsal("other_path", other, step=longer[min(len(past.path), len(other.path))])
    if past.result and other.result and past.result != other.result:
        return Rehearsal("other_path", other, step=other.path[-1] if other.path else "")
    for step in dict.fromkeys(other.path):
        if past.people.get(step, frozenset()) != other.people.get(step, frozenset()):
            return Rehearsal("other_people", other, step=step)
    return Rehearsal("same", other)
