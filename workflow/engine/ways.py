"""A way that a request may go: what would be known on it, and what several ways have in common.

Theory of operation. A preview supposes that everybody asked approves and changes nothing. A way
carries the state that this would lead to, without open steps; what can turn out otherwise is kept
beside it: fields whose value is not known, and people who perhaps have approved. Where ways part
each gets a copy, and where they meet again only what all of them say stays certain.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from workflow.engine.branching import RunningView
from workflow.engine.decision import Decision
from workflow.forms.evaluation import UNKNOWN
from workflow.forms.formdoc import fields_by_id
from workflow.forms.rights import fillable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from workflow.engine.decision import Definition
    from workflow.engine.foreseen import Foreseen
    from workflow.engine.state import State
    from workflow.forms.evaluation import Unknown
    from workflow.forms.scalars import Value

Each = TypeVar("Each")
# Why a lane is walked no further: only its branch is over, or the request is (or goes back).
Ended = Literal["", "branch", "request"]


@dataclass(slots=True)
class Way:
    """The steps so far, and what would be known behind them.

    ``open`` are fields that may still be filled in: unknown as long as they have no value.
    ``unsettled`` are fields that will have another value by then, which nobody knows, and
    ``beside`` those that may be changed by other branches while this one runs.
    ``acts`` are steps in which somebody does something that is not known: picks people, say.
    ``perhaps`` are people by step who may have approved there, and ``last_is_open`` says that of
    the last approval on the way not everything is certain. ``starting``: nothing has waited yet.
    ``base``: the way is surely taken; ``sure``: nothing on it so far may stop a request or turn it
    elsewhere.
    """

    state: State
    open: frozenset[str] = frozenset()
    unsettled: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    acts: frozenset[str] = frozenset()
    perhaps: dict[str, frozenset[int]] = field(default_factory=dict)
    last_is_open: bool = False
    starting: bool = False
    base: bool = True
    sure: bool = True
    ended: Ended = ""
    found: list[Foreseen] = field(default_factory=list)

    def steps(self) -> tuple[Foreseen, ...]:
        return tuple(self.found)

    @property
    def is_certain(self) -> bool:
        """Whether a request surely comes to where this way has come to."""
        return self.base and self.sure

    def fork(self, *, sure: bool = True) -> Way:
        """A way that goes on from here by itself; ``sure``: it is surely taken."""
        return replace(
            self,
            perhaps=dict(self.perhaps),
            base=self.is_certain and sure,
            sure=True,
            ended="",
            found=[],
        )

    def decision(self, run: Decision) -> Decision:
        """A decision in which something can be supposed without touching this way."""
        return Decision(run.definition, run.facts, run.now, self.state, starting=self.starting)

    def keep(self, state: State) -> None:
        """Go on with a state that was supposed; what is open in it counts as done."""
        self.state = settled(state)

    def lacks_values(self) -> bool:
        """Whether any field may still get a value, or another one."""
        return bool(self.unsettled or self.beside) or any(
            self.state.values.get(name) is None for name in self.open
        )

    def somebody_acts(self, definition: Definition, step: str) -> None:
        """Somebody acts in this step: empty fields that he may fill in are unknown behind it."""
        self.acts |= {step}
        form = definition.form
        if form is None:
            return
        rights = definition.rights_at(step)
        self.open |= {
            each.id
            for each in form.fields
            if fillable(each, rights) and self.state.values.get(each.id) is None
        }

    def meet(self, ways: Sequence[Way]) -> None:
        """Only one of these is taken; go on with what they have in common."""
        alive = [each for each in ways if not each.ended]
        if not alive:
            ends = {each.ended for each in ways}
            self.ended = ends.pop() if len(ends) == 1 else "branch"
            return
        self.sure = self.sure and len(alive) == len(ways) and all(each.sure for each in alive)
        first = alive[0].state
        values, differing = _common_values([each.state for each in alive])
        approvals = tuple(
            each
            for each in first.approvals
            if all(each in other.state.approvals for other in alive[1:])
        )
        self._unite(alive)
        self.unsettled |= differing
        for way in alive:
            for each in way.state.approvals:
                if each not in approvals:
                    self._note_perhaps(each.step, {each.user})
                    self.last_is_open = True
        self.state = msgspec.structs.replace(
            first,
            values=values,
            approvals=approvals,
            deciders=_common(each.state.deciders for each in alive),
            outcomes=_common(each.state.outcomes for each in alive),
            last_seat=max(each.state.last_seat for each in alive),
            last_activation=max(each.state.last_activation for each in alive),
            last_job=max(each.state.last_job for each in alive),
        )

    def join(self, lanes: Sequence[Way], *, cut: bool = False) -> None:
        """All of these run side by side; go on with what all of them together lead to.

        ``cut``: the join may be complete before some of them come to their end, so that nothing
        that happens in them is certain.
        """
        if cut:
            lanes = [self._as_possible(lane) for lane in lanes]
        before = self.state
        values = dict(before.values)
        touched: set[str] = set()
        approvals = before.approvals
        deciders, outcomes, rounds = {**before.deciders}, {**before.outcomes}, {**before.rounds}
        for lane in lanes:
            changed = _changed(before.values, lane.state.values)
            self.unsettled |= touched & changed.keys()
            touched |= changed.keys()
            values |= changed
            approvals += lane.state.approvals[len(before.approvals) :]
            deciders |= lane.state.deciders
            outcomes |= lane.state.outcomes
            rounds |= lane.state.rounds
        self._unite(lanes)
        # Who is the last to approve in several lanes is a matter of time.
        self.last_is_open = self.last_is_open or len(lanes) > 1
        last = lanes[-1].state if lanes else before
        self.state = msgspec.structs.replace(
            last,
            values={name: value for name, value in values.items() if value is not None},
            approvals=approvals,
            deciders=deciders,
            outcomes=outcomes,
            rounds=rounds,
        )

    def _as_possible(self, lane: Way) -> Way:
        """A lane that may be cut off: what it would have led to is only possible."""
        before = self.state
        possible = lane.fork()
        for each in lane.state.approvals[len(before.approvals) :]:
            possible.note_perhaps(each.step, {each.user})
        possible.unsettled |= _changed(before.values, lane.state.values).keys()
        possible.state = msgspec.structs.replace(
            lane.state,
            values=before.values,
            approvals=before.approvals,
            deciders=before.deciders,
            outcomes=before.outcomes,
        )
        return possible

    def follow(self, other: Way) -> None:
        """Go on where a way ends that was surely taken."""
        self._unite([other])
        self.state = other.state
        self.sure = self.sure and other.sure
        self.ended = other.ended

    def numbered_from(self, other: Way) -> None:
        """Count on from another lane, so that no two supposed seats have one number."""
        self.state = msgspec.structs.replace(
            self.state,
            last_seat=other.state.last_seat,
            last_activation=other.state.last_activation,
            last_job=other.state.last_job,
        )

    def note_perhaps(self, step: str, users: Iterable[int]) -> None:
        """These people may approve in this step; nobody knows who will."""
        self._note_perhaps(step, users)
        self.last_is_open = True

    def _note_perhaps(self, step: str, users: Iterable[int]) -> None:
        self.perhaps[step] = self.perhaps.get(step, frozenset()) | frozenset(users)

    def _unite(self, ways: Sequence[Way]) -> None:
        for way in ways:
            for step, users in way.perhaps.items():
                self._note_perhaps(step, users)
        self.open = frozenset().union(*(way.open for way in ways))
        self.acts |= frozenset().union(*(way.acts for way in ways))
        self.unsettled |= frozenset().union(*(way.unsettled for way in ways))
        self.last_is_open = any(way.last_is_open for way in ways)
        self.starting = all(way.starting for way in ways)


class PartialView(RunningView):
    """What a condition sees on a way while not everything is known.

    ``outcomes`` are those of steps that have really ended.
    """

    def __init__(self, run: Decision, way: Way, outcomes: Mapping[str, str]) -> None:
        form = run.definition.form
        super().__init__(way.decision(run), fields_by_id(form) if form is not None else {})
        self.way = way
        self.outcomes = outcomes

    def value(self, field_id: str, /) -> Value | Unknown:
        way = self.way
        if field_id in way.unsettled or field_id in way.beside:
            return UNKNOWN
        described = self.fields.get(field_id)
        if described is not None and described.sum_of:
            parts = {name.partition(".")[0] for name in described.sum_of}
            if any(self.value(part) is UNKNOWN for part in parts):
                return UNKNOWN
            return way.state.values.get(field_id)
        value = way.state.values.get(field_id)
        return UNKNOWN if value is None and field_id in way.open else value

    def rule_says(self, rule: str, pinned: int, /) -> Value | Unknown:
        """What a rule will say when its step is reached nobody knows (decision 9)."""
        return UNKNOWN

    def outcome(self, step_id: str, /) -> str | Unknown | None:
        """How a step ends is known once it has ended."""
        return self.outcomes.get(step_id, UNKNOWN)


def settled(state: State) -> State:
    """A state in which nothing is open, held or waited for."""
    return msgspec.structs.replace(state, activations=(), incidents={}, held=None, work=())


def _changed(before: Mapping[str, Value], after: Mapping[str, Value]) -> dict[str, Value]:
    names = before.keys() | after.keys()
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}


def _common_values(states: Sequence[State]) -> tuple[dict[str, Value], set[str]]:
    names = {name for state in states for name in state.values}
    first = states[0].values
    differing = {
        name
        for name in names
        if any(state.values.get(name) != first.get(name) for state in states[1:])
    }
    return {name: value for name, value in first.items() if name not in differing}, differing


def _common(maps: Iterable[Mapping[str, Each]]) -> dict[str, Each]:
    first, *others = maps
    return {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in others)
    }
