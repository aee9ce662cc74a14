"""What a person is offered to do with a task: exactly what would be accepted, with the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, get_args

from workflow.engine.guarding import (
    ADD_PLACES,
    Stand,
    Verb,
    removable_by,
    return_targets,
    too_deep,
    why_no_place,
    why_not,
)

if TYPE_CHECKING:
    from workflow.engine.decision import Definition
    from workflow.engine.rejections import Rejection
    from workflow.engine.state import Activation, Seat, State

VERBS: tuple[Verb, ...] = get_args(Verb)
# Verbs that add people to a seat, which goes only so deep.
_DEEPENING: frozenset[Verb] = frozenset({"delegate", "add-signer"})
STILL_OPEN = "take_back.not_decided"


class Offer(NamedTuple):
    """One verb: whether it would be accepted now, and if not, the code of the refusal.

    ``choices`` are what the person may choose from: steps to return to, places to add people at
    (before, after, with), numbers of the seats that may be removed.
    """

    verb: Verb
    allowed: bool
    code: str = ""
    choices: tuple[str, ...] = ()


def offers(
    definition: Definition,
    state: State,
    activation: Activation,
    seat: Seat,
    user: int,
    *,
    take_back: Rejection | str | None = STILL_OPEN,
) -> tuple[Offer, ...]:
    """All verbs for this person and this seat of an open step, in the contract's order.

    Whether a decision may be taken back is read from the history: ``take_back`` is the answer of
    `taking_back.why_not` (None: it may), and by default that nothing was decided yet.
    """
    stand = Stand(definition, state, activation, seat, user)
    return tuple(
        _taking_back(take_back) if verb == "take-back" else _offer(verb, stand) for verb in VERBS
    )


def offered(found: tuple[Offer, ...]) -> tuple[Verb, ...]:
    """The verbs that would be accepted."""
    return tuple(offer.verb for offer in found if offer.allowed)


def _offer(verb: Verb, stand: Stand) -> Offer:
    refusal = why_not(verb, stand)
    if refusal is not None:
        return Offer(verb, allowed=False, code=refusal.code)
    choices = _choices(verb, stand)
    if verb in _DEEPENING and too_deep(stand) and not choices:
        return Offer(verb, allowed=False, code="people.too_deep")
    return Offer(verb, allowed=True, choices=choices)


def _choices(verb: Verb, stand: Stand) -> tuple[str, ...]:
    match verb:
        case "return":
            return return_targets(stand)
        case "add-signer":
            deep = too_deep(stand)
            return tuple(
                place
                for place in ADD_PLACES
                if why_no_place(place, stand) is None and not (deep and place != "with")
            )
        case "remove-signer":
            return tuple(str(number) for number in removable_by(stand))
        case _:
            return ()


def _taking_back(refusal: Rejection | str | None) -> Offer:
    code = refusal if refusal is None or isinstance(refusal, str) else refusal.code
    return Offer("take-back", allowed=code is None, code=code or "")
