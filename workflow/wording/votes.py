"""How a step stands or came out: who is for it, who against it, and how much it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext as _

from workflow.engine.tallying import OWN_GROUP, Rule, members, rule_of, say_of

if TYPE_CHECKING:
    from workflow.engine.flowdoc.steps import HumanStep
    from workflow.engine.state import Activation


class Votes(NamedTuple):
    """Weights of the step's own seats: for it, against it, not decided, and what is needed.

    Everybody weighs 1 but in a vote with weights.
    """

    for_it: int
    against: int
    open: int
    needed: int


def count_votes(activation: Activation, step: HumanStep | None) -> Votes:
    """The count of a step's own seats (approvals.md 2.2); people added to a seat speak for it."""
    sums = {"for": 0, "against": 0, "open": 0, "gone": 0}
    for seat in members(activation, OWN_GROUP):
        sums[say_of(activation, seat)] += seat.weight
    total = sums["for"] + sums["against"] + sums["open"]
    return Votes(sums["for"], sums["against"], sums["open"], _needed(rule_of(step), total))


def votes_text(votes: Votes) -> str:
    """The count as a sentence."""
    text = _(
        "Votes: %(for)d for it, %(against)d against it, %(open)d not cast; needed: %(needed)d"
    )
    return text % {
        "for": votes.for_it,
        "against": votes.against,
        "open": votes.open,
        "needed": votes.needed,
    }


def _needed(rule: Rule, total: int) -> int:
    """The least whole weight that is enough, without rounding it down."""
    need = rule.need
    if rule.kind == "all":
        return total
    if rule.kind == "any" or need is None:
        return 1
    if need.count is not None:
        return need.count
    return max(1, -(-(need.num or 1) * total // (need.den or 1)))
