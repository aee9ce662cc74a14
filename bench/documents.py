"""`script/bench documents`: a process of 300 steps, 8 deep, beside one of 10: validate and start.

Both are measured in turns, so that both see the same machine; a figure is the median of the
rounds, and the verdict is in milliseconds with the ratio beside it. Everything is pure and waits
for nothing, so the processor's own clock is read, which other programs do not move. Starting is
the whole first decision, with the form checked and people found.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from workflow.engine.commands import Start
from workflow.engine.decide import decide
from workflow.engine.decision import Definition
from workflow.engine.plan import compile_plan
from workflow.engine.validation import check_document
from workflow.forms.reading import decode_form

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from workflow.engine.facts import DepartmentFact

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
STEPS, DEEP, SMALL = 300, 8, 10
# The targets of issue "The whole engine", in milliseconds.
VALIDATE_MS, START_MS = 50, 100
FORM = {
    "formdoc": 1,
    "fields": [
        {"id": "amount", "type": "amount", "label": "Amount", "required": True},
        {"id": "reason", "type": "text", "label": "Reason"},
    ],
}
VALUES = {"amount": "500.00", "reason": "because"}


class Somebody(NamedTuple):
    """The one person who is asked everywhere."""

    id: int = 1
    login: str = "ann"
    name: str = "Ann"
    active: bool = True


ANN = Somebody()


class One:
    """An organisation of one person, so that the engine's own time is measured."""

    today = date(2026, 3, 2)

    def people_by_login(self, logins: Sequence[str]) -> list[Somebody]:
        return [ANN for login in logins if login == ANN.login]

    def people_by_id(self, ids: Sequence[int]) -> list[Somebody]:
        return [ANN for each in ids if each == ANN.id]

    def _nobody(self, *_asked: object, **_more: object) -> list[Somebody]:
        return []

    role_members = group_members = post_holders = department_members = _nobody
    managers_above = _nobody

    def line_of_user(self, _user: int) -> list[DepartmentFact]:
        return []

    def line_of_department(self, _code: str) -> list[DepartmentFact]:
        return []

    def departments_of(self, _users: Sequence[int]) -> Mapping[int, str]:
        return {}

    def substitutes_of(self, _users: Sequence[int], _process: str) -> Mapping[int, int]:
        return {}

    def flow_version(self, _key: str) -> int:
        return 0

    def rule_version(self, _key: str) -> int:
        return 0

    def working_time(self, _calendar: str) -> None:
        return None


class Writer:
    """Writes a process of exactly so many steps, with blocks in blocks as deep as asked."""

    def __init__(self, steps: int) -> None:
        self._left = steps
        self._number = 0

    def sequence(self, most: int, deep: int) -> list[dict[str, Any]]:
        """Up to ``most`` steps; the first one holds the deeper ones."""
        steps: list[dict[str, Any]] = []
        while self._left and len(steps) < most:
            steps.append(
                self._block(deep) if deep and not steps and self._left > 4 else self._one()
            )
        return steps

    def _name(self) -> str:
        self._left -= 1
        self._number += 1
        return f"s{self._number}"

    def _one(self) -> dict[str, Any]:
        name = self._name()
        return {
            "id": name,
            "kind": "approve",
            "name": f"Step {name}",
            "who": {"any_of": [{"by": "user", "ids": ["ann", "ben"]}]},
            "decide": {"mode": "all"},
            "fields": {"default": "read", "set": {"reason": "edit"}},
            "deadline": {"after": 1440, "then": "none"},
        }

    def _block(self, deep: int) -> dict[str, Any]:
        name = self._name()
        block: dict[str, Any] = {"id": name, "name": f"Step {name}"}
        branches: list[dict[str, Any]] = [
            {
                "id": f"{name}_{number}",
                "name": f"Way {number}",
                "steps": self.sequence(5, deep - 1),
            }
            for number in range(2)
        ]
        if deep % 2:
            return block | {"kind": "parallel", "join": "all", "branches": branches}
        low: dict[str, Any] = {"field": "amount", "op": "gt", "value": str(10 * deep)}
        branches[0]["when"] = low
        branches[1]["otherwise"] = True
        return block | {"kind": "choice", "branches": branches}


def document(steps: int, deep: int) -> dict[str, Any]:
    """A process with this many steps of which the deepest lies in ``deep`` blocks."""
    writer = Writer(steps)
    return {
        "flowdoc": 1,
        "key": "bench",
        "name": "Bench",
        "form": {"key": "bench"},
        # The whole rest stands behind the deep block, so that the number of steps is exact.
        "steps": [*writer.sequence(1, deep), *writer.sequence(steps, 0)],
    }


def main() -> int:
    """Measure, print and store the figures; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", help="also write the figures to this file")
    options = parser.parse_args()
    figures = _measure(options.rounds)
    _print(figures)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0 if figures["validate"]["met"] and figures["start"]["met"] else 1


def _measure(rounds: int) -> dict[str, Any]:
    form = decode_form(FORM)[0]
    big, small = document(STEPS, DEEP), document(SMALL, 1)
    definitions = []
    for each in (big, small):
        checked = check_document(each, form)
        if checked.doc is None or not checked.ok:
            message = f"The bench's own process has problems: {checked.findings[:3]}"
            raise ValueError(message)
        definitions.append(Definition(compile_plan(checked.doc), form))
    regions = [len(step.region) for step in definitions[0].plan.steps.values()]
    start = Start(ANN.id, "1", VALUES)
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "steps": len(definitions[0].plan.steps),
        "deep": max(regions),
        "steps_of_the_small_one": len(definitions[1].plan.steps),
        "validate": _both(
            lambda: check_document(big, form),
            lambda: check_document(small, form),
            rounds,
            VALIDATE_MS,
        ),
        "start": _both(
            lambda: decide(definitions[0], None, start, One(), NOW),
            lambda: decide(definitions[1], None, start, One(), NOW),
            rounds,
            START_MS,
        ),
    }


def _both(
    big: Callable[[], Any], small: Callable[[], Any], rounds: int, target: int
) -> dict[str, Any]:
    for work in (big, small):
        work()
    taken = [(_seconds(big), _seconds(small)) for _ in range(rounds)]
    median = statistics.median(each[0] for each in taken) * 1000
    return {
        "ms": round(median, 2),
        "target_ms": target,
        "met": median < target,
        "small_ms": round(statistics.median(each[1] for each in taken) * 1000, 2),
        "ratio": round(statistics.median(each[0] / each[1] for each in taken), 1),
    }


def _seconds(work: Callable[[], Any]) -> float:
    gc.collect()
    began = process_time()
    work()
    return process_time() - began


def _print(figures: dict[str, Any]) -> None:
    print(
        f"{figures['steps']} steps, {figures['deep']} deep, beside one of "
        f"{figures['steps_of_the_small_one']} steps; pure, one thread"
    )
    for name in ("validate", "start"):
        each = figures[name]
        verdict = "met" if each["met"] else "MISSED"
        print(
            f"  {name:<10} {each['ms']:>8} ms   small {each['small_ms']:>7} ms"
            f"   {each['ratio']:>5} times   target {each['target_ms']} ms: {verdict}"
        )


if __name__ == "__main__":
    sys.exit(main())
