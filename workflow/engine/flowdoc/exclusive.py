"""Members of which a part must have exactly one, or at most one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from workflow.engine.flowdoc.people import BaseOf, Until
from workflow.engine.flowdoc.rules import EventPost, Need, Overdue, Remind, StepEvent
from workflow.engine.flowdoc.steps import Computed, DelayStep, ValueOf

if TYPE_CHECKING:
    from collections.abc import Mapping


class OneOf(NamedTuple):
    """Groups of members; between `low` and `high` groups may be given, each of them whole."""

    groups: tuple[tuple[str, ...], ...]
    low: int = 1
    high: int = 1

    @property
    def words(self) -> str:
        """The groups as they are shown: `num + den, count`."""
        return ", ".join(" + ".join(group) for group in self.groups)


ONE_OF: Mapping[type, OneOf] = {
    BaseOf: OneOf((("field",), ("decider_of",), ("department",))),
    Until: OneOf((("level",), ("top",), ("role",))),
    Need: OneOf((("num", "den"), ("count",))),
    Overdue: OneOf((("reassign",), ("escalate",), ("goto",))),
    Remind: OneOf((("before",), ("after",)), low=0),
    StepEvent: OneOf((("notice",), ("post",))),
    EventPost: OneOf((("target",), ("url",))),
    DelayStep: OneOf((("for",), ("until_field",), ("until",))),
    ValueOf: OneOf((("field",), ("var",))),
    Computed: OneOf((("copy",), ("now",), ("rule",))),
}


def how_many(rule: OneOf, raw: Mapping[object, object]) -> int:
    """How many groups are given; a group that is given in part counts as too many.

    `false` for a member that can only be true (`top`, `now`) is the same as leaving it out.
    """
    number = 0
    for group in rule.groups:
        given = [name for name in group if not (raw.get(name) is None or raw.get(name) is False)]
        if given and len(given) < len(group):
            return rule.high + 1
        number += bool(given)
    return number
