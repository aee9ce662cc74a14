"""What a new version would have done with the last requests of its process; it only reads.

Theory of operation. The recorded inputs of each request are driven through the candidate by the
engine itself (`engine.rehearsing`), with the organisation and the rules as they are today. No row
is written, no worker is woken and no other system is asked (decisions 9 and 22; approvals.md 5,
idea 3).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from workflow import queries
from workflow.engine.past_inputs import inputs_of
from workflow.engine.rehearsing import Rehearsal, rehearse
from workflow.models import Instance
from workflow.runtime.asking_outside import asked_now
from workflow.runtime.facts import Organisation
from workflow.wording.states import step_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.past_inputs import Inputs
    from workflow.engine.rehearsing import Comparison

MOST = 10_000
MOST_EXAMPLES = 20
_CHUNK = 50
OUTCOMES: tuple[Comparison, ...] = ("same", "other_path", "other_people", "cannot_decide")


@dataclass(frozen=True, slots=True)
class Example:
    """One request that would have gone otherwise: ``step`` is where the two part.

    ``code`` and ``about`` say why it cannot be decided, if it cannot.
    """

    id: int
    number: str
    title: str
    comparison: Comparison
    step: str
    step_name: str
    code: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class BranchCount:
    """How many requests went through a branch then, and how many would now."""

    step: str
    branch: str
    past: int
    candidate: int


@dataclass(frozen=True, slots=True)
class Report:
    """How many requests were looked at, what came of them, and some of those that differ.

    ``by_code`` counts why some could not be decided; ``branches`` leaves these out. ``examples``
    are the newest of each kind, at most `MOST_EXAMPLES` of one.
    """

    looked_at: int
    counts: Mapping[Comparison, int]
    branches: tuple[BranchCount, ...]
    examples: tuple[Example, ...]
    by_code: Mapping[str, int] = field(default_factory=dict)


def compare(
    *,
    tenant_id: int,
    key: str,
    candidate: Definition,
    last: int,
    now: datetime,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Replay the last requests of a process through another version of it.

    Args:
        tenant_id: whose requests.
        key: of the process.
        candidate: the other version, checked and compiled.
        last: how many requests, newest first; at most `MOST`.
        now: the database's clock, aware UTC.
        progress: told after each request how many are done, and of how many.

    Source: contract, `flow_whatif`; approvals.md 5, idea 3.
    """
    rows = Instance.objects.filter(tenant_id=tenant_id, definition__key=key).order_by("-id")
    found = list(rows.values_list("id", "number", "title")[: min(last, MOST)])
    facts = Organisation(tenant_id, now)
    counting = _Counting(candidate)
    for done, (row, history) in enumerate(_with_histories(found), start=1):
        past = _inputs(history)
        if past is None:
            outcome = Rehearsal("cannot_decide", code="unreadable")
        else:
            outcome = rehearse(candidate, past, facts, now, asked_now)
        counting.take(row, past, outcome)
        if progress is not None:
            progress(done, len(found))
    return counting.report()


Row = tuple[int, str, str]


def _with_histories(found: Sequence[Row]) -> Iterator[tuple[Row, list[AnyEvent]]]:
    """Each request with its history, a few at a time; one that cannot be read has none."""
    for start in range(0, len(found), _CHUNK):
        some = found[start : start + _CHUNK]
        try:
            histories = queries.histories_of([row[0] for row in some])
        except (msgspec.MsgspecError, KeyError):
            histories = {}
            for row in some:
                histories |= _alone(row[0])
        for row in some:
            yield row, histories.get(row[0], [])


def _alone(pk: int) -> dict[int, list[AnyEvent]]:
    try:
        return queries.histories_of([pk])
    except (msgspec.MsgspecError, KeyError):
        return {}


def _inputs(history: Sequence[AnyEvent]) -> Inputs | None:
    """What went in; nothing when the history is not one (`flow_replay` says what is wrong)."""
    try:
        return inputs_of(history)
    except (TypeError, ValueError, KeyError):
        return None


class _Counting:
    """Adds up what came of each request."""

    def __init__(self, candidate: Definition) -> None:
        self._candidate = candidate
        self._counts: Counter[Comparison] = Counter()
        self._codes: Counter[str] = Counter()
        self._past: Counter[str] = Counter()
        self._now: Counter[str] = Counter()
        self._examples: dict[Comparison, list[Example]] = {}

    def take(self, row: Row, past: Inputs | None, outcome: Rehearsal) -> None:
        kind = outcome.comparison
        self._counts[kind] += 1
        if kind == "cannot_decide":
            self._codes[outcome.code] += 1
        elif past is not None:
            self._past.update(dict.fromkeys(past.trace.branches, 1))
            self._now.update(dict.fromkeys(outcome.trace.branches, 1))
        examples = self._examples.setdefault(kind, [])
        if kind != "same" and len(examples) < MOST_EXAMPLES:
            name = step_name(self._candidate, outcome.step) if outcome.step else ""
            examples.append(Example(*row, kind, outcome.step, name, outcome.code, outcome.about))

    def report(self) -> Report:
        branches = tuple(
            BranchCount(step, branch, self._past[place], self._now[place])
            for place in sorted(self._past.keys() | self._now.keys())
            for step, _slash, branch in [place.partition("/")]
        )
        return Report(
            looked_at=self._counts.total(),
            counts={kind: self._counts[kind] for kind in OUTCOMES},
            branches=branches,
            examples=tuple(each for kind in OUTCOMES for each in self._examples.get(kind, ())),
            by_code=dict(self._codes.most_common()),
        )
