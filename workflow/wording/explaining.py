"""Why a request went the way it went: for each step entered, what led to it and who was asked.

Theory of operation. The history is walked once. A choice, a branch of a block or a goto that was
decided belongs to the next step that is entered in the same lane by the same command; a step's
people are its seats, each with the source that gave it. The votes of a step are those at the
moment when it was decided: the tasks that the decision closed were not cast.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from workflow.engine.events import (
    BranchArrived,
    BranchLeft,
    BranchTaken,
    Chosen,
    CopySent,
    Dropped,
    GotoDecided,
    InstanceFinished,
    InstanceHeld,
    Leaf,
    Migrated,
    RulesAnswered,
    StepEnded,
    StepEntered,
    StepReopened,
    TaskApproved,
    TaskClosed,
    TaskCompleted,
    TaskRejected,
    TaskReturned,
)
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.going_back import lanes_of
from workflow.engine.plan import START, branches_of
from workflow.engine.state import Reason
from workflow.engine.tallying import READERS
from workflow.wording.choosing import (
    chosen_text,
    dropped_text,
    is_unseen,
    origin_text,
)
from workflow.wording.editing import edit_reason
from workflow.wording.entering import because_code, because_sentence
from workflow.wording.explanation import (
    Asked,
    Condition,
    Ending,
    Explained,
    Explanation,
    Said,
)
from workflow.wording.following import Following, at_the_start
from workflow.wording.incidents import incident_text
from workflow.wording.reasons import is_hidden, leaf_text
from workflow.wording.rules import answer_text, rules_at_entry, seat_rule_text
from workflow.wording.states import reason_text, result_text, step_state, task_state
from workflow.wording.votes import count_votes, votes_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from workflow.engine.events import AnyEvent
    from workflow.engine.state import Activation, Seat
    from workflow.recorded import Recorded
    from workflow.wording.following import Reader

_DECISIONS = (TaskApproved, TaskRejected, TaskCompleted, TaskReturned)


def explain(records: Iterable[Recorded], reader: Reader) -> Explained:
    """Explain a whole history to this reader, in the active language (approvals.md 5.1, 5.20)."""
    records = list(records)
    walk = _Explaining(at_the_start(reader, records))
    for (at, actor), group in groupby(records, key=lambda each: (each.at, each.actor_id)):
        walk.begin(at, actor, [record.event for record in group])
        walk.pending = []
        for event in walk.events:
            walk.take(event)
            walk.explain(event)
    for explanation in walk.found.values():
        walk.people_of(explanation)
    return Explained(tuple(walk.found.values()), walk.ended)


@dataclass(slots=True)
class _Explaining(Following):
    """The walk: what was decided about the way since the last step was entered."""

    pending: list[Condition] = field(default_factory=list)
    found: dict[int, Explanation] = field(default_factory=dict)
    sources: dict[int, tuple[Chosen, ...]] = field(default_factory=dict)
    copies: dict[int, list[CopySent]] = field(default_factory=dict)
    # Steps that were put in, or ask other people, for this request alone, and who changed that.
    edited: dict[str, Said] = field(default_factory=dict)
    # Activations as they stood when they were last decided on, before anything was closed.
    counted: dict[int, Activation] = field(default_factory=dict)
    ended: Ending | None = None

    def explain(self, event: AnyEvent) -> None:
        if not isinstance(event, StepEnded) and not (
            isinstance(event, TaskClosed) and not event.removed
        ):
            self.counted.update((each.number, each) for each in self.open_now())
        explainer = _EXPLAINERS.get(type(event))
        if explainer is not None:
            explainer(self, event)

    def open_now(self) -> tuple[Activation, ...]:
        return self.now.activations if self.now is not None else ()

    def decided(self, event: BranchTaken | BranchLeft | GotoDecided) -> None:
        self.pending.append(self.condition(event))

    def arrived(self, _event: BranchArrived) -> None:
        # What was decided in this lane led to its end, and to no step.
        self.pending = []

    def sent(self, event: CopySent) -> None:
        self.copies.setdefault(event.activation, []).append(event)

    def moved(self, event: Migrated) -> None:
        for edit in event.edits:
            text = edit_reason(edit, self.reader.person(self.actor or 0), event.comment)
            self.edited[edit.step] = Said(f"edited.{edit.do}", text, person=self.actor or 0)

    def reopened(self, event: StepReopened) -> None:
        if event.was.number in self.found:
            self.found[event.was.number].ended = None

    def condition(self, event: BranchTaken | BranchLeft | GotoDecided) -> Condition:
        if isinstance(event, GotoDecided):
            code, branch = "goto_taken" if event.taken else "goto_not_taken", ""
        else:
            code = "branch_taken" if isinstance(event, BranchTaken) else "branch_left"
            branch = event.branch
        planned = self.reader.definition.plan.steps.get(event.step)
        branches = () if planned is None else branches_of(planned.step)
        name = next((each.name for each in branches if each.id == branch), branch)
        questions = tuple(self.question(leaf) for leaf in event.leaves)
        return Condition(code, event.step, branch, name, questions)

    def question(self, leaf: Leaf) -> Said:
        reader = self.reader
        message = leaf_text(
            leaf, reader.definition, reader.shows_field, reader.language, reader.titles
        )
        if is_hidden(leaf, reader.shows_field):
            return Said("field", message, args={"hidden": True})
        names = ["asked", "op", "expected", "seen", "held", "no_value"]
        if leaf.kind == "rule" and not reader.shows_all:
            names.remove("seen")
        args = {name: getattr(leaf, name) for name in names}
        return Said(leaf.kind, message, args=args | ({"denied": True} if leaf.denied else {}))

    def rules_answered(self, event: RulesAnswered) -> None:
        explanation = self.found.get(event.activation)
        for each in event.answers:
            text = answer_text(each, self.reader)
            args: dict[str, Any] = {"rule": each.rule, "version": each.version}
            args |= {"value": each.value} if self.reader.shows_all else {"hidden": True}
            if explanation is not None:
                explanation.rules.append(Said("rule.answered", text, args=args))

    def went_on(self, event: StepEntered) -> None:
        """Its rules have answered: now it is known who is asked, and which branches run."""
        explanation = self.found[event.activation]
        explanation.conditions += tuple(
            each for each in self.pending if self.leads_to(each, event)
        )
        explanation.left_out = [self.left_out(each) for each in event.dropped]
        explanation.rules += [Said(rule, text) for rule, text in rules_at_entry(event)]
        self.sources[event.activation] = event.chosen
        self.pending = []

    def entered(self, event: StepEntered) -> None:
        if event.activation in self.found:
            self.went_on(event)
            return
        code = because_code(self, event)
        step, reader = self.step_of(event.activation), self.reader
        self.found[event.activation] = Explanation(
            activation=event.activation,
            step=event.step,
            name=reader.step(event.step),
            kind=START if step is None else step.kind,
            round=event.round,
            within=event.within,
            branch=event.branch,
            entered_at=self.at,
            because=code,
            because_text=because_sentence(self, event, code),
            conditions=tuple(each for each in self.pending if self.leads_to(each, event)),
            left_out=[self.left_out(each) for each in event.dropped],
            rules=[
                *(Said(rule, text) for rule, text in rules_at_entry(event)),
                *([self.edited[event.step]] if event.step in self.edited else []),
            ],
        )
        self.sources[event.activation] = event.chosen
        self.pending = []

    def leads_to(self, condition: Condition, event: StepEntered) -> bool:
        """Whether what was decided is about the lane of this step, or about this very block."""
        plan = self.reader.definition.plan
        if condition.code == "goto_taken" or condition.step == event.step:
            return True
        if condition.step not in plan.steps or (
            event.step != START and event.step not in plan.steps
        ):
            return False
        return lanes_of(plan, condition.step) == lanes_of(plan, event.step)

    def left_out(self, dropped: Dropped) -> Said:
        args = {"login": dropped.login} if dropped.login else {}
        text = dropped_text(dropped, self.reader)
        return Said(dropped.why, text, person=dropped.user, args=args)

    def held(self, event: InstanceHeld) -> None:
        explanation = self.found.get(event.activation)
        if explanation is None:
            return
        args: dict[str, Any] = {}
        if event.about:
            shown = self.reader.shows_field(event.about)
            args = {"about": event.about} if shown else {"hidden": True}
        explanation.incidents.append(Said(event.code, incident_text(event.code), args=args))

    def by_rule(self, event: TaskApproved) -> None:
        """A seat that no person decided: the self rule, or an approval that counts again."""
        explanation = self.found.get(self.homes.get(event.seat, 0))
        code, text = seat_rule_text(self, event)
        if explanation is not None and code:
            args = {"later": event.later} if event.later else {}
            person = self.holder(event.seat)
            seat = event.because or event.seat
            explanation.rules.append(Said(code, text, person=person, seat=seat, args=args))

    def step_ended(self, event: StepEnded) -> None:
        explanation = self.found.get(event.activation)
        if explanation is None:
            return
        deciding = [
            each.seat
            for each in self.events
            if isinstance(each, _DECISIONS)
            and self.homes.get(each.seat) == event.activation
            and getattr(each, "reason", Reason.HUMAN) is Reason.HUMAN
        ]
        explanation.ended = Ending(
            at=self.at,
            state=event.state.value,
            reason=event.reason.value,
            message=f"{step_state(event.state.value)}: {reason_text(event.reason.value)}",
            seat=deciding[-1] if deciding else 0,
        )

    def finished(self, event: InstanceFinished) -> None:
        by_hand = event.reason in {Reason.ADMIN, Reason.CANCELLED} and self.actor is not None
        self.ended = Ending(
            at=self.at,
            state=event.result.value,
            reason=event.reason.value,
            message=result_text(
                event.result, self.reader.person(self.actor or 0) if by_hand else ""
            ),
            conditions=tuple(self.pending),
        )

    # Once the walk is over: who sat where.

    def people_of(self, explanation: Explanation) -> None:
        """Fill in who was asked, with the state of each seat now, and the votes."""
        number = explanation.activation
        activation, step = self.seen.get(number), self.step_of(number)
        seats = [
            each for each in (activation.seats if activation else ()) if each.group != READERS
        ]
        explanation.people = [self.asked(seat, number) for seat in seats]
        explanation.people += list(self.unseated(seats, number))
        explanation.people += [self.copied(each) for each in self.copies.get(number, [])]
        counted = self.counted.get(number)
        if counted is not None and counted.seats and isinstance(step, HumanStep):
            explanation.votes = count_votes(counted, step)
            explanation.votes_text = votes_text(explanation.votes)

    def asked(self, seat: Seat, number: int) -> Asked:
        first = seat.chain[0] if seat.chain else seat.holder
        why = next((each for each in self.sources.get(number, ()) if each.user == first), None)
        if why is None or seat.origin not in {"designed", "substitute"}:
            code: str = seat.origin
            text = origin_text(first, seat.origin, seat.by, self.reader)
            args: dict[str, Any] = {}
        else:
            code, text, args = self.source(why, number)
        return Asked(
            code=code,
            message=text,
            person=seat.holder,
            other=seat.absent or (why.instead_of if why else 0),
            seat=seat.number,
            args=args,
            state=seat.state.value,
            state_text=task_state(seat.state.value),
            chain=seat.chain,
        )

    def unseated(self, seats: list[Seat], number: int) -> Iterator[Asked]:
        """Those whom a source gave and who have no seat (an older history, or a draft)."""
        seated = {seat.chain[0] if seat.chain else seat.holder for seat in seats}
        for why in self.sources.get(number, ()):
            if why.user not in seated:
                code, text, args = self.source(why, number)
                yield Asked(code, text, person=why.user, other=why.instead_of, args=args)

    def copied(self, event: CopySent) -> Asked:
        code, text, args = self.source(event.why, event.activation)
        return Asked(code, text, person=event.holder, seat=event.seat, args=args, state="done")

    def source(self, why: Chosen, number: int) -> tuple[str, str, dict[str, Any]]:
        step = self.step_of(number)
        text = chosen_text(why, step, self.reader)
        if is_unseen(why, step, self.reader):
            return why.by, text, {"hidden": True}
        return why.by, text, {"of": why.of} if why.of else {}


_EXPLAINERS: dict[type[Any], Callable[[_Explaining, Any], None]] = {
    BranchTaken: _Explaining.decided,
    BranchLeft: _Explaining.decided,
    GotoDecided: _Explaining.decided,
    BranchArrived: _Explaining.arrived,
    StepEntered: _Explaining.entered,
    RulesAnswered: _Explaining.rules_answered,
    CopySent: _Explaining.sent,
    InstanceHeld: _Explaining.held,
    TaskApproved: _Explaining.by_rule,
    StepReopened: _Explaining.reopened,
    StepEnded: _Explaining.step_ended,
    InstanceFinished: _Explaining.finished,
    Migrated: _Explaining.moved,
}
