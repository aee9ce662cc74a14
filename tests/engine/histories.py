"""Random lives of a request, for property tests: most commands fit, some are odd on purpose.

A wish is a few numbers that choose from what the request offers at this moment, so that a life
goes deep; one in ten is *odd* instead: any command, of a stranger, of an old page, out of turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from tests.engine.builders import NOW
from tests.engine.drawn import Choices
from tests.engine.random_processes import LOGINS, organisations, processes
from workflow.engine.commands import (
    AddSigners,
    Answered,
    Approve,
    AskSubstitute,
    AssignHeld,
    ChildBegun,
    ChildOver,
    ChildRefused,
    Claim,
    Comment,
    Complete,
    Delegate,
    EndChild,
    FinishWork,
    HandBack,
    Jump,
    Pause,
    Reassign,
    Reject,
    Release,
    RemoveSigner,
    Resume,
    Retry,
    Return,
    SendCopy,
    Snooze,
    Start,
    TakeBack,
    Terminate,
    TimeOut,
    Transfer,
    Withdraw,
)
from workflow.engine.decide import decide
from workflow.engine.events import TaskApproved, TaskAssigned, TaskCompleted, TaskRejected
from workflow.engine.evidence import comment_rule, evidence_of
from workflow.engine.offers import VERBS, offers
from workflow.engine.picking import picks_asked
from workflow.engine.rejections import Rejection
from workflow.engine.state import InstanceState

if TYPE_CHECKING:
    from tests.engine.builders import Organisation
    from workflow.engine.commands import Command
    from workflow.engine.decision import Decision, Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.offers import Offer
    from workflow.engine.state import Activation, Seat, State, Work

__all__ = ["WISHES", "Life", "live", "organisations", "processes"]

MOST_WISHES = 60
_BYTES = 8
# So many commands are still tried on a request that has ended: all of them must be refused.
_AFTER_THE_END = 2


class Wish(NamedTuple):
    """What is wished for, as numbers that only the state at that moment gives a meaning."""

    drawn: bytes

    @property
    def choices(self) -> Choices:
        return Choices(self.drawn)


def _wishes(drawn: bytes) -> list[Wish]:
    """The first byte says how many; in every third life as many as there may be."""
    most = min(MOST_WISHES, 1 + drawn[0] % (MOST_WISHES * 3 // 2))
    places = range(1, 1 + most * _BYTES, _BYTES)
    return [Wish(drawn[place : place + _BYTES]) for place in places]


_ALL = 1 + MOST_WISHES * _BYTES
WISHES: st.SearchStrategy[list[Wish]] = st.binary(min_size=_ALL, max_size=_ALL).map(_wishes)


@dataclass
class Life:
    """A request and everything that was accepted, command by command."""

    definition: Definition
    org: Organisation
    state: State | None = None
    commands: list[tuple[State | None, Decision]] = field(default_factory=list)
    # How many commands were given, the refused ones included.
    tried: int = 0

    @property
    def events(self) -> list[AnyEvent]:
        return [event for _, run in self.commands for event in run.events]

    def give(self, command: Command) -> Decision | None:
        """What the command did; nothing when it was refused. Any other exception is a fault."""
        before = self.state
        # The clock moves, so that what is due at different moments differs.
        now = NOW + timedelta(minutes=self.tried)
        self.tried += 1
        try:
            run = decide(self.definition, before, command, self.org, now)
        except Rejection:
            assert self.state is before
            return None
        assert decide(self.definition, before, command, self.org, now).events == run.events
        self.state = run.state
        self.commands.append((before, run))
        return run


def live(definition: Definition, org: Organisation, wishes: list[Wish]) -> Life:
    """A request that gets one wish after the other; the first one starts it."""
    life = Life(definition, org)
    life.give(starting(life, wishes[0]))
    ended = 0
    for wish in wishes[1:]:
        if life.state is None or ended > _AFTER_THE_END:
            break
        ended += life.state.status is not InstanceState.RUNNING
        life.give(command_of(life, wish))
    return life


def starting(life: Life, wish: Wish) -> Start:
    """The start that a wish stands for; now and then its values are wrong."""
    pick = wish.choices
    people = life.org.people
    able = [login for login in LOGINS if people[login].active]
    initiator = pick.one(("ann", *able))
    values: dict[str, object] = {
        "note": pick.one(["because", "because", ""]),
        "amount": pick.one(["500", "50", None]),
        "boss": pick.one(able),
        "flag": pick.one([True, False]),
        "crew": pick.some(able, 3),
        "unit": pick.one(["engineering", "platform", None]),
        "day": "2026-03-04",
    }
    if wish.drawn[-1] % 20 == 19:
        initiator, values = LOGINS[wish.drawn[-2] % len(LOGINS)], {**values, "ghost": 1}
    picked = _picked(life, "start")
    return Start(people[initiator].id, "L-1", values, picked)


def _picked(life: Life, at: str) -> dict[str, list[int]]:
    """Able people for everything that is to be picked here."""
    able = [each.id for each in life.org.people.values() if each.active]
    asked = picks_asked(life.definition.plan, at)
    return {each.step: able[-each.most :] for each in asked}


def command_of(life: Life, wish: Wish) -> Command:
    """A command that most often, and not always, is legal in this state."""
    pick = wish.choices
    if life.state is None or pick.now_and_then(10):
        return _odd(life, pick)
    ways = _ways(life, life.state)
    command: Command = pick.one(ways)(life, pick)
    return command


def _ways(life: Life, state: State) -> list[Any]:
    """What could be done now; what comes more often in this list is done more often."""
    if state.status is not InstanceState.RUNNING:
        return [_odd]
    if state.paused:
        return [_resume, _resume, _by_a_manager, _work]
    ways: list[Any] = []
    if any(seat.waits for each in state.activations for seat in each.seats):
        ways += [_decides] * 9 + [_acts] * 9
    if any(not each.seat for each in state.work):
        ways += [_work] * 10
    if any(each.seat for each in state.work):
        ways += [_time_out] * 2
    if state.incidents:
        ways += [_helps] * 6
    may = life.definition.plan.doc.policy.take_back.on
    if may and any(isinstance(each, _DECIDED) for each in life.events[-12:]):
        ways += [_takes_back] * 2
    return [*ways, _by_a_manager]


# What fits ---------------------------------------------------------------------------------------


def _waiting(state: State, *, blocked: bool) -> list[tuple[Activation, Seat]]:
    """Seats at which something can be done; ``blocked`` ones only where that is said."""
    found = [(each, seat) for each in state.activations for seat in each.seats if seat.waits]
    opened = [each for each in found if each[1].is_open]
    return found if blocked else opened or found


_DECISIONS = ("approve", "complete", "hand-back", "reject")
_OTHER_ACTS = tuple(verb for verb in VERBS if verb not in _DECISIONS)


def _decides(life: Life, pick: Choices) -> Command:
    """The holder of a seat decides, mostly for it."""
    return _on_a_seat(life, pick, _DECISIONS)


def _acts(life: Life, pick: Choices) -> Command:
    """The holder of a seat does anything else that he is offered."""
    return _on_a_seat(life, pick, _OTHER_ACTS)


def _on_a_seat(life: Life, pick: Choices, verbs: tuple[str, ...]) -> Command:
    state = life.state
    assert state is not None
    waiting = _waiting(state, blocked=pick.now_and_then(4))
    if not waiting:
        return _by_a_manager(life, pick)
    activation, seat = pick.one(waiting)
    offered = offers(life.definition, state, activation, seat, seat.holder)
    allowed = [each for each in offered if each.allowed]
    wanted = [each for each in allowed if each.verb in verbs] or allowed
    # Whoever could say no, too, mostly says yes.
    for_it = [each for each in wanted if each.verb != "reject"]
    if for_it and not pick.now_and_then(5):
        wanted = for_it
    if not wanted:
        return _odd(life, pick)
    return _act(life, pick, activation, seat, pick.one(wanted))


def _act(life: Life, pick: Choices, activation: Activation, seat: Seat, offer: Offer) -> Command:
    mine: dict[str, Any] = {
        "seat": seat.number,
        "by": seat.holder,
        "version": seat.version,
        "comment": _words(life, activation, offer.verb, pick),
        "changes": _changes(life, activation, pick),
    }
    made = _deciding(life, pick, activation, offer, mine)
    return _passing_on(life, pick, offer, mine) if made is None else made


def _words(life: Life, activation: Activation, verb: str, pick: Choices) -> str:
    """A comment wherever one is possible, and where it has to be."""
    rule = comment_rule(life.definition, activation.step)
    evidence = evidence_of(life.definition, activation.step)
    wanted = rule == "must" or (rule == "to_reject" and verb in {"reject", "return"})
    if not wanted and evidence is not None and evidence.comment == "no":
        return ""
    return "" if pick.now_and_then(20) else "because"


def _changes(life: Life, activation: Activation, pick: Choices) -> dict[str, object]:
    rights = life.definition.rights_at(activation.step)
    if rights.get("amount") != "edit":
        return {}
    return pick.one([{}, {}, {}, {"amount": "500"}, {"amount": None}, {"flag": True}])


def _deciding(
    life: Life, pick: Choices, activation: Activation, offer: Offer, mine: dict[str, Any]
) -> Command | None:
    picked = _picked(life, activation.step)
    back = _targets(life, activation, offer)
    made: dict[str, Any] = {
        "approve": lambda: Approve(**mine, picked=picked),
        "complete": lambda: Complete(**mine, picked=picked),
        "reject": lambda: Reject(**mine, to=pick.one(back)),
        "return": lambda: Return(**mine, to=pick.one(back), resume=pick.one(["forward", "here"])),
        "hand-back": lambda: HandBack(**mine),
        "claim": lambda: Claim(**mine),
        "release": lambda: Release(**mine),
        "snooze": lambda: Snooze(**mine, until=None),
        "ask-substitute": lambda: AskSubstitute(**mine),
        "comment": lambda: Comment(mine["by"], "because", activation.step),
    }
    command: Command | None = made[offer.verb]() if offer.verb in made else None
    return command


def _targets(life: Life, activation: Activation, offer: Offer) -> tuple[str, ...]:
    """Steps to go back to; a rejection names one only where the step asks for it."""
    if offer.verb == "return":
        return offer.choices or ("start",)
    planned = life.definition.plan.steps.get(activation.step)
    then = getattr(getattr(planned.step, "reject", None), "then", None) if planned else None
    return ("start",) if getattr(then, "to", "") == "ask" else ("",)


def _able(life: Life, number: int) -> list[int]:
    """People who could get a seat in this step; now and then the last of them could not."""
    found = life.state.seat(number) if life.state is not None else None
    seats = found[0].seats if found is not None else ()
    taken = {person for seat in seats for person in (seat.holder, *seat.chain)}
    active = [each.id for each in life.org.people.values() if each.active]
    return [*(each for each in active if each not in taken), 1]


def _passing_on(life: Life, pick: Choices, offer: Offer, mine: dict[str, Any]) -> Command:
    person = pick.one(_able(life, mine["seat"]))
    people = tuple(dict.fromkeys((person, pick.one(_able(life, mine["seat"])))))
    match offer.verb:
        case "transfer":
            return Transfer(**mine, to=person)
        case "delegate":
            return Delegate(**mine, to=person)
        case "add-signer":
            place: Any = pick.one(offer.choices)
            decide_by: Any = pick.one(["all", "any", "in_order"])
            counts: Any = pick.one(["any_one", "cannot_pass"])
            return AddSigners(**mine, people=people, place=place, decide=decide_by, counts=counts)
        case "remove-signer":
            return RemoveSigner(seat=int(pick.one(offer.choices)), by=mine["by"])
        case "copy":
            return SendCopy(**mine, to=people)
        case _:
            return _odd(life, pick)


_DECIDED = (TaskApproved, TaskCompleted, TaskRejected)


def _takes_back(life: Life, pick: Choices) -> TakeBack:
    """The last decision of a person, or one before it."""
    decided = [each.seat for each in life.events if isinstance(each, _DECIDED)]
    seat = decided[-1 - pick.one([0, 0, 0, 1]) % len(decided)] if decided else 1
    holders = {each.seat: each.holder for each in life.events if isinstance(each, TaskAssigned)}
    found = life.state.seat(seat) if life.state is not None else None
    return TakeBack(
        seat=seat,
        by=found[1].holder if found else holders.get(seat, 1),
        comment="because",
        history=life.events,
        decided_at=NOW,
    )


def _resume(_life: Life, _pick: Choices) -> Command:
    return Resume(1, "on")


def _time_out(life: Life, pick: Choices) -> Command:
    assert life.state is not None
    jobs = [each.number for each in life.state.work if each.seat]
    return TimeOut(pick.one(jobs)) if jobs else _work(life, pick)


def _work(life: Life, pick: Choices) -> Command:
    """A worker does what waits to be done."""
    assert life.state is not None
    waiting = [each for each in life.state.work if not each.seat]
    return _report(life, pick, pick.one(waiting)) if waiting else _odd(life, pick)


def _report(life: Life, pick: Choices, work: Work) -> Command:
    assert life.state is not None
    asking = life.state.activation(work.activation)
    if asking is not None and asking.is_asking:
        return rules_said(asking, pick)
    if work.kind in {"http", "rule"}:
        code = pick.one(["", "", "", "http.status", "http.timeout"])
        values = pick.one([{}, {"note": "seen"}, {"amount": "no number"}])
        return Answered(work.activation, not code, {} if code else values, code=code)
    if work.kind != "child":
        return FinishWork(work.activation)
    parent = life.state.activation(work.activation)
    child = parent.child(work.child) if parent is not None else None
    instance = 1000 + work.number
    if child is not None and not child.instance and not pick.now_and_then(3):
        refused = pick.now_and_then(4)
        if refused:
            return ChildRefused(work.number, "form.invalid", "amount")
        return ChildBegun(work.number, instance, f"P-{work.number}")
    result = pick.one([InstanceState.APPROVED, InstanceState.APPROVED, InstanceState.REJECTED])
    return ChildOver(work.number, instance, f"P-{work.number}", result, {"amount": 7})


_SAID: dict[str, list[Any]] = {
    "shop/clerks": [["bao"], ["tom", "ghost", "ann"], [], ["chi", "dan", "chi"], "bao"],
    "shop/is_dear": [True, False, True, False, "yes"],
    "shop/size": ["small", "big", "small", "big", 1.5],
    "shop/price": ["9.50", "12.00", 7, "9.50", "dear"],
}


def rules_said(asking: Activation, pick: Choices) -> Answered:
    """What the rules of a step say: mostly what fits, now and then nothing, or nonsense."""
    if pick.now_and_then(8):
        return Answered(asking.number, ok=False, code="rule.failed", about=asking.asks[0].rule)
    said = {
        (each.rule, each.pinned): pick.one(_SAID[each.rule][: 4 + pick.now_and_then(8)])
        for each in asking.asks
    }
    return Answered(asking.number, ok=True, rules=said)


def _helps(life: Life, pick: Choices) -> Command:
    """A manager does something about a step that is held."""
    assert life.state is not None
    number = pick.one(list(life.state.incidents))
    held = life.state.activation(number)
    planned = life.definition.plan.steps.get(held.step) if held is not None else None
    if held is None or held.seats or planned is None:
        return _by_a_manager(life, pick)
    retries = planned.step.kind in {"http", "rule", "subflow"} or held.is_asking
    if retries and not pick.now_and_then(4):
        return Retry(number, 1, "again")
    if planned.step.kind in {"approve", "work"}:
        return AssignHeld(number, pick.number(1, len(LOGINS)), 1, "you know it")
    return Jump(planned.after.id if planned.after.kind == "step" else "start", 1, "over it")


def _by_a_manager(life: Life, pick: Choices) -> Command:
    """What others do to the request as a whole; what ends it is the rarest."""
    state = life.state
    assert state is not None
    places = [each.id for each in life.definition.plan.steps.values() if not each.lanes] or [
        "start"
    ]
    seats = [seat.number for each in state.activations for seat in each.seats if seat.waits]
    commands: list[Command] = [
        Comment(1, "because"),
        Pause(1, "because"),
        Jump(pick.one(places), 1, "because"),
        Reassign(pick.one(seats or [1]), pick.number(1, len(LOGINS)), 1, "because"),
        Jump("start", 1, "because"),
        Comment(2, "because"),
        Pause(1, "because"),
    ]
    last: list[Command] = [
        Withdraw(state.initiator, "because"),
        Terminate(1, "because"),
        EndChild(),
        Jump("end", 1, "because"),
    ]
    return pick.one(last) if pick.now_and_then(6) else pick.one(commands)


# What is odd -------------------------------------------------------------------------------------


def _odd(life: Life, pick: Choices) -> Command:
    """Any command with any members: of strangers, of old pages, out of turn, with bad values."""
    small = [pick.number(0, 7) for _ in range(3)]
    words = pick.one(["", " ", "because"])
    changes = pick.one(_ODD_CHANGES)
    seats = [
        seat for each in (life.state.activations if life.state else ()) for seat in each.seats
    ]
    seat = pick.one(seats) if seats and small[2] else None
    number = seat.number if seat is not None else small[0]
    mine: dict[str, Any] = {
        "seat": number,
        "by": seat.holder if seat is not None and small[1] > 2 else small[1],
        "version": seat.version if seat is not None and small[1] != 4 else small[2],
        "comment": words,
        "changes": changes,
    }
    steps = ["start", *life.definition.plan.steps, "end", "ghost"]
    to = steps[(small[0] + small[1]) % len(steps)]
    commands: list[Any] = [
        lambda: Approve(**mine),
        lambda: Complete(**mine),
        lambda: Reject(**mine, to=to),
        lambda: Return(**mine, to=to),
        lambda: Transfer(**mine, to=small[1]),
        lambda: Delegate(**mine, to=small[1]),
        lambda: HandBack(**mine),
        lambda: AddSigners(**mine, people=tuple(small[:2]), place="before"),
        lambda: RemoveSigner(seat=number, by=small[1], manager=small[2] > 4),
        lambda: SendCopy(**mine, to=tuple(small[:2])),
        lambda: Claim(**mine),
        lambda: Release(**mine),
        lambda: Snooze(**mine, until=None),
        lambda: AskSubstitute(**mine),
        lambda: TakeBack(
            seat=number, by=small[1], comment=words, history=life.events, decided_at=NOW
        ),
        lambda: Comment(small[1], words, to),
        lambda: Withdraw(small[1], words),
        lambda: Reassign(number, small[1], 1, words),
        lambda: AssignHeld(small[0], small[1], 1, words),
        lambda: Pause(1, words),
        lambda: Resume(1, words),
        lambda: Jump(to, 1, words),
        lambda: Retry(small[0], 1, words),
        lambda: FinishWork(small[0]),
        lambda: TimeOut(small[0]),
        lambda: Answered(small[0], bool(small[1]), {"amount": "x"} if small[2] else {}),
        lambda: ChildBegun(small[0], 1, "P-1"),
        lambda: ChildOver(small[0], 1, "P-1", InstanceState.REJECTED, {}),
        lambda: ChildRefused(small[0], "form.invalid"),
    ]
    command: Command = pick.one(commands)()
    return command


_ODD_CHANGES: list[dict[str, object]] = [{}, {"ghost": 1}, {"note": 7}, {"amount": "500"}]
