"""Random lives of a step: whatever people do with its seats, it ends or somebody can go on."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.engine.builders import NOW, Driven, approve, by, define, demo, step
from tests.engine.test_offers import EVERYTHING, answer_to, command_for, offered_to
from workflow.engine.commands import AddSigners, Delegate, Transfer
from workflow.engine.decide import decide
from workflow.engine.events import TaskAssigned, TaskClosed
from workflow.engine.rejections import Rejection
from workflow.engine.state import InstanceState, SeatState
from workflow.engine.tallying import READERS, depth_of

LOGINS = ("kim", "bao", "chi", "dan", "pia", "tom")
MODES: list[dict[str, Any]] = [
    {"mode": "any"},
    {"mode": "all"},
    {"mode": "in_order"},
    {"mode": "claim"},
    {"mode": "draw"},
    {"mode": "vote", "need": {"num": 2, "den": 3}},
    {
        "mode": "vote",
        "need": {"num": 1, "den": 2},
        "early": False,
        "weights": {"bao": 3, "chi": 0},
    },
    {"mode": "vote", "need": {"count": 4}},
]
BOARDS = st.lists(st.sampled_from(LOGINS), min_size=1, max_size=4, unique=True)
WISH = st.tuples(st.integers(0, 15), st.integers(0, 7), st.integers(0, 5), st.integers(0, 5))


@st.composite
def steps(draw: st.DrawFn) -> dict[str, Any]:
    who = by("group", ids=["board"])
    decide_by = draw(st.sampled_from(MODES))
    counts = draw(st.sampled_from(["any_one", "cannot_pass"]))
    acts = EVERYTHING | {"return_to": "none"}
    if draw(st.integers(0, 3)) == 0:
        return step("lead", "work", who=who, decide=decide_by, acts=acts)
    lead = approve("lead", who, acts=acts, reject={"counts": counts})
    return lead | {"decide": decide_by}


def wished(request: Driven, wish: tuple[int, int, int, int]) -> Any:
    """A command of some verb by the holder of some waiting seat, at the version that he sees."""
    verb, seat, person, how = wish
    waiting = [each for each in request.activation().seats if each.waits]
    login = request.org.login(waiting[seat % len(waiting)].holder)
    found = offered_to(request, login)
    allowed = [each for each in found if each.allowed and each.verb != "comment"]
    # Mostly what is offered, now and then what is not.
    choose = allowed if allowed and how else [each for each in found if each.verb != "take-back"]
    offer = choose[verb % len(choose)]
    if offer.verb == "comment":
        return None
    command = command_for(offer, request, login)
    other = request.org.id(LOGINS[person])
    if isinstance(command, Transfer | Delegate):
        return type(command)(seat=command.seat, by=command.by, version=command.version, to=other)
    if isinstance(command, AddSigners):
        return AddSigners(
            seat=command.seat,
            by=command.by,
            version=command.version,
            people=(other, request.org.id(LOGINS[how])),
            place=command.place if not offer.choices else offer.choices[how % len(offer.choices)],
            decide=("any", "all", "in_order")[person % 3],
            counts=("any_one", "cannot_pass")[how % 2],
        )
    return command


@settings(max_examples=300, deadline=None)
@given(steps(), BOARDS, st.lists(WISH, min_size=1, max_size=25))
def test_somebody_can_go_on_or_the_step_has_ended(
    lead: dict[str, Any], board: list[str], wishes: list[Any]
) -> None:
    org = demo()
    org.groups = {"board": board}
    request = Driven(define(lead), org)
    request.start()
    for wish in wishes:
        check_seats(request)
        if request.state.status is not InstanceState.RUNNING:
            break
        command = wished(request, wish)
        if command is None:
            continue
        try:
            decide(request.definition, request.state, command, request.org, NOW)
        except Rejection as refusal:
            event(refusal.code)
        else:
            event(type(command).__name__)
            request.give(command)
    check_seats(request)


def check_seats(request: Driven) -> None:
    assigned = {each.seat for each in request.of(TaskAssigned)}
    ended = [each.seat for each in request.of(TaskClosed)]
    assert len(ended) == len(set(ended)), "each seat is closed once"
    assert assigned.issuperset(ended)
    if request.state.status is not InstanceState.RUNNING:
        assert request.state.activations == ()
        return
    activation = request.activation()
    waiting = [seat for seat in activation.seats if seat.waits]
    opened = [seat for seat in waiting if seat.is_open]
    assert opened, "a step that has not ended waits for nobody"
    holders = [seat.holder for seat in waiting]
    assert len(holders) == len(set(holders)), "one person waits once"
    for seat in activation.seats:
        assert depth_of(activation, seat) <= 3
        assert (seat.state is SeatState.HANDED_ON) is any(
            group.seat == seat.number and group.place == "delegate" and seat.waits
            and any(each.group == group.number and each.waits for each in activation.seats)
            for group in activation.groups
        )  # fmt: skip
        assert seat.group >= READERS
    # Everybody whose task is open is offered a decision, and it would be accepted.
    for seat in opened:
        login = request.org.login(seat.holder)
        found = offered_to(request, login)
        deciding = [
            each
            for each in found
            if each.allowed and each.verb in {"approve", "complete", "hand-back"}
        ]
        assert len(deciding) == 1
        assert answer_to(request, command_for(deciding[0], request, login)) == ""
