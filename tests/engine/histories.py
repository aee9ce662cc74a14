"""Random processes that this version runs, and random lives of a request, for property tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.engine.builders import (
    NOW,
    Organisation,
    a_field,
    approve,
    by,
    choice,
    define,
    demo,
    step,
    users,
)
from workflow.engine.commands import (
    Approve,
    AssignHeld,
    Comment,
    FinishWork,
    Reassign,
    Reject,
    Start,
    Terminate,
)
from workflow.engine.decide import decide
from workflow.engine.rejections import Rejection

if TYPE_CHECKING:
    from workflow.engine.commands import Command
    from workflow.engine.decision import Decision, Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.state import State

LOGINS = ("kim", "ann", "bao", "chi", "dan", "pia", "tom")
FORM = [a_field("amount", "amount"), a_field("note", "text"), a_field("flag", "bool")]
# Drawn from lists: whole trees of strategies cost more time than the engine itself.
_PEOPLE = st.sampled_from(
    [
        users("bao"),
        users("ann", "dan"),
        users("ghost"),
        users("tom", "ghost", "bao", "chi"),
        users("ann", "bao", "dan", without=[{"by": "initiator"}], cap=2, order="name"),
        users("chi", "ann", "kim", order="near_first"),
        by("role", ids=["hr"]),
        by("role", ids=["nobody"]),
        by("role", ids=["hr", "auditors"], within="same_branch"),
        by("department", ids=["finance"]),
        by("department", ids=["office"], deep=True),
        by("head"),
        by("head", level=1, missing="none"),
        by("initiator"),
    ]
)
_MUCH = {"field": "amount", "op": "gt", "value": "100"}
_NOTED = {"field": "note", "op": "ne", "value": "because"}
_CONDITIONS = st.sampled_from(
    [
        _MUCH,
        _NOTED,
        {"field": "amount", "op": "empty"},
        {"field": "flag", "op": "is", "value": True},
        {"initiator": "in_role", "ids": ["hr"]},
        {"initiator": "in_department", "ids": ["engineering"]},
        {"not": _MUCH},
        {"all": [_MUCH, {"not": _NOTED}]},
        {"any": [_MUCH, {"all": [_NOTED, {"initiator": "is", "ids": ["ann"]}]}]},
    ]
)
_LAST_WORDS = [{"do": word} for word in ("approve", "reject", "hold", "refuse_start", "managers")]
_EMPTY = st.sampled_from(
    [
        *_LAST_WORDS,
        {"do": "people", "who": users("ghost"), "then": {"do": "approve"}},
        {"do": "people", "who": users("ann", "dan"), "then": {"do": "reject"}},
        {"do": "people", "who": by("head"), "then": {"do": "managers"}},
    ]
)


@st.composite
def processes(draw: st.DrawFn) -> Definition:
    """A process with a form; everything in it is run by this version (`runnable`)."""
    numbers = iter(range(1, 1000))
    members: dict[str, Any] = {
        "policy": {
            "on_self": draw(st.sampled_from(["allow", "skip", "head", "forbid"])),
            "comment": draw(st.sampled_from(["never", "never", "on_reject", "always"])),
        }
    }
    if draw(st.booleans()):
        members["managers"] = users("kim")
    steps = _steps(draw, numbers, depth=0)
    return define(*steps, form=FORM, **members)


def _steps(draw: st.DrawFn, numbers: Any, depth: int) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(0 if depth else 1, 3 if depth < 2 else 1))):
        if steps and _always_ends(steps[-1]):
            return steps  # nothing may stand where nobody comes by (flow.unreachable)
        steps.append(_step(draw, f"s{next(numbers)}", numbers, depth))
    if depth and draw(st.integers(0, 5)) == 0 and not (steps and _always_ends(steps[-1])):
        result = draw(st.sampled_from(["approved", "rejected", "cancelled"]))
        steps.append(step(f"s{next(numbers)}", "finish", result=result))
    return steps


def _always_ends(each: dict[str, Any]) -> bool:
    ways = [branch["steps"] for branch in each.get("branches", ())]
    if ways:
        return all(way and _always_ends(way[-1]) for way in ways)
    return each["kind"] == "finish" or each.get("verdict") == "reject"


def _step(draw: st.DrawFn, name: str, numbers: Any, depth: int) -> dict[str, Any]:
    kinds = ["approve", "approve", "approve", "copy", "auto"] + ["choice"] * (depth < 2)
    match draw(st.sampled_from(kinds)):
        case "copy":
            return step(name, "copy", who=draw(_PEOPLE))
        case "auto":
            verdict = draw(st.sampled_from(["approve", "approve", "reject"]))
            return step(name, "auto", verdict=verdict)
        case "choice":
            ways: list[Any] = [
                (draw(_CONDITIONS), _steps(draw, numbers, depth + 1))
                for _ in range(draw(st.integers(1, 2)))
            ]
            return choice(name, *ways, (None, _steps(draw, numbers, depth + 1)), prefix=name)
        case _:
            return approve(
                name,
                draw(_PEOPLE),
                draw(st.sampled_from(["any", "all", "in_order"])),
                on_empty=draw(_EMPTY),
                fields={"default": draw(st.sampled_from(["hide", "read", "edit"]))},
                evidence={"comment": draw(st.sampled_from(["no", "may", "may", "must"]))},
            )


@st.composite
def organisations(draw: st.DrawFn) -> Organisation:
    """The demo organisation with some people disabled."""
    org = demo()
    org.disable(*draw(st.sets(st.sampled_from(LOGINS[2:]), max_size=3)))
    return org


_SMALL = st.integers(0, 7)
_WORDS = st.sampled_from(["", " ", "because", "because"])
_CHANGES = st.sampled_from(
    [{}, {}, {}, {"amount": "500"}, {"amount": None}, {"flag": True}, {"ghost": 1}, {"note": 7}]
)
# What is wished: a verb, two small numbers that pick from what is there, words and form values.
Wish = tuple[str, int, int, str, dict[str, object]]
WISHES: st.SearchStrategy[list[Wish]] = st.lists(
    st.tuples(
        st.sampled_from(
            ["approve"] * 6
            + ["reject", "work", "work", "comment", "reassign", "name", "terminate"]
        ),
        _SMALL,
        _SMALL,
        _WORDS,
        _CHANGES,
    ),
    min_size=1,
    max_size=14,
)


@dataclass
class Life:
    """A request and everything that was accepted, command by command."""

    definition: Definition
    org: Organisation
    state: State | None = None
    commands: list[tuple[State | None, Decision]] = field(default_factory=list)

    @property
    def events(self) -> list[AnyEvent]:
        return [event for _, run in self.commands for event in run.events]

    def give(self, command: Command) -> Decision | None:
        """What the command did; nothing when it was refused. Any other exception is a fault."""
        before = self.state
        try:
            run = decide(self.definition, before, command, self.org, NOW)
        except Rejection:
            assert self.state is before
            return None
        assert decide(self.definition, before, command, self.org, NOW).events == run.events
        self.state = run.state
        self.commands.append((before, run))
        return run


def starting(wish: Wish) -> Start:
    """The start that a wish stands for; now and then its values are wrong."""
    _verb, first, second, words, changes = wish
    good = {name: value for name, value in changes.items() if name in {"amount", "flag"}}
    values = changes if second == 1 else good
    return Start(first % len(LOGINS) + 1, "L-1", {"note": words, **values})


def command_of(state: State, wish: Wish) -> Command:
    """A command that often, and not always, is legal in this state."""
    verb, first, second, words, changes = wish
    activation = state.activations[0] if state.activations else None
    number = activation.number if activation else first
    seats = activation.seats if activation else ()
    seat = seats[first % len(seats)] if seats else None
    # Most wishes fit: the holder decides at his version; some are of strangers or of old pages.
    holder = seat.holder if seat and second != 0 else second + 1
    version = (seat.version if seat else 1) - (second == 1)
    chosen = seat.number if seat else first
    commands: dict[str, Command] = {
        "approve": Approve(chosen, holder, version, words, changes),
        "reject": Reject(chosen, holder, version, words, changes),
        "comment": Comment(second + 1, words),
        "reassign": Reassign(chosen, second + 1, 1, words),
        "name": AssignHeld(number, second + 1, 1, words),
        "terminate": Terminate(1, words),
        "work": FinishWork(number),
    }
    return commands[verb]


def live(definition: Definition, org: Organisation, wishes: list[Wish]) -> Life:
    """A request that gets one wish after the other; the first one starts it."""
    life = Life(definition, org)
    life.give(starting(wishes[0]))
    for wish in wishes[1:]:
        if life.state is not None:
            life.give(command_of(life.state, wish))
    return life
