"""Random processes that this version runs, and random organisations, for property tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.engine.builders import (
    Organisation,
    a_field,
    by,
    choice,
    define,
    demo,
    step,
    users,
)
from tests.engine.drawn import Choices

if TYPE_CHECKING:
    from workflow.engine.decision import Definition

LOGINS = ("kim", "ann", "bao", "chi", "dan", "pia", "tom")
FORM = [
    a_field("amount", "amount"),
    a_field("note", "text"),
    a_field("flag", "bool"),
    a_field("boss", "user"),
    a_field("day", "date"),
    a_field("unit", "department"),
    a_field("crew", "user", limits={"max_count": 4}),
]
_PEOPLE = [
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
    by("group", ids=["board"]),
    by("post", ids=["cashier"], within="any"),
    by("manager", level=1),
    by("head_chain", until={"top": True}),
    by("form_users", field="boss"),
    by("picked_at_start", max=2),
    by("form_department_head", field="unit"),
    by("rule", key="shop/clerks", version="latest_at_entry"),
    {
        "any_of": [{"by": "rule", "key": "shop/clerks", "version": 1}, {"by": "head"}],
        "without": [{"by": "initiator"}],
    },
    {
        "any_of": [{"by": "head"}, {"by": "role", "ids": ["auditors"]}],
        "without": [{"by": "user", "ids": ["kim"]}],
    },
]
_MUCH = {"field": "amount", "op": "gt", "value": "100"}
_NOTED = {"field": "note", "op": "ne", "value": "because"}
_CONDITIONS: list[dict[str, Any]] = [
    _MUCH,
    _NOTED,
    {"field": "amount", "op": "empty"},
    {"field": "flag", "op": "is", "value": True},
    {"initiator": "in_role", "ids": ["hr"]},
    {"initiator": "in_department", "ids": ["engineering"]},
    {"not": _MUCH},
    {"all": [_MUCH, {"not": _NOTED}]},
    {"any": [_MUCH, {"all": [_NOTED, {"initiator": "is", "ids": ["ann"]}]}]},
    {"rule": "shop/is_dear", "version": "latest_at_entry", "is": True},
    {"any": [{"not": {"rule": "shop/size", "version": 1, "is": "small"}}, _MUCH]},
]
_LAST_WORDS = [{"do": word} for word in ("approve", "reject", "hold", "refuse_start", "managers")]
_EMPTY: list[dict[str, Any]] = [
    *_LAST_WORDS,
    {"do": "people", "who": users("ghost"), "then": {"do": "approve"}},
    {"do": "people", "who": users("ann", "dan"), "then": {"do": "reject"}},
    {"do": "people", "who": by("head"), "then": {"do": "managers"}},
    {
        "do": "people",
        "who": by("rule", key="shop/clerks", version="latest_at_entry"),
        "then": {"do": "reject"},
    },
]


_REJECTS = [
    *[{"do": "end"}] * 4,
    {"do": "finish_branch"},
    {"do": "back", "to": "start", "resume": "forward"},
    {"do": "back", "to": "previous", "resume": "here"},
    {"do": "back", "to": "ask", "resume": "forward"},
]
_DECIDES = [
    {"mode": "any"},
    {"mode": "all"},
    {"mode": "in_order"},
    {"mode": "claim"},
    {"mode": "draw"},
    {"mode": "vote", "need": {"num": 1, "den": 2}},
    {"mode": "vote", "need": {"num": 2, "den": 3}, "early": False},
    {"mode": "vote", "need": {"count": 1}},
    {"mode": "vote", "need": {"num": 2, "den": 3}, "weights": {"bao": 5, "chi": 0}},
]
_ACTS = {
    "transfer": True,
    "delegate": True,
    "add_before": True,
    "add_after": True,
    "add_with": True,
    "remove_added": True,
    "send_copy": True,
    "give_back": True,
    "return_to": "any",
    "comment": True,
}
_DEADLINES = [
    *[None] * 4,
    {"after": 60, "then": "approve"},
    {"after": 60, "then": "reject"},
    {"after": 5, "then": {"escalate": 1}, "count_from": "assignment"},
    {"after": 60, "then": {"reassign": users("kim", "tom")}, "count_from": "entry"},
    {"after": 30, "then": "goto"},
]
_JOINS = ["all", "all", "first", {"at_least": 1}, {"at_least": 2}]
_BRANCH_REJECT = [None, None, "whole_flow", "branch_only"]


_CHANGES: list[dict[str, Any]] = [
    {"field": "amount", "to": "7.50"},
    {"field": "flag", "to": None},
    {"field": "day", "to": {"now": True}},
    {"field": "note", "to": {"copy": "note"}},
    {"field": "note", "to": {"rule": "shop/size"}},
    {"field": "amount", "to": {"rule": "shop/price"}},
]
_FILLED = {"amount": {"field": "amount"}}
_KINDS = [
    *["approve"] * 8,
    *["copy", "auto", "work", "work", "set", "delay", "http", "rule", "subflow"],
]
_NESTING = ["choice", "choice", "parallel", "parallel", "inclusive"]
# So deep blocks stand in each other; deeper ones are not other ones, only longer lives.
_DEEPEST = 3
PROCESS_BYTES = 220


def processes() -> st.SearchStrategy[Definition]:
    """Processes with a form; everything in them is run by this version (`runnable`)."""
    return st.binary(min_size=PROCESS_BYTES, max_size=PROCESS_BYTES).map(process_of)


def process_of(drawn: bytes) -> Definition:
    """The process that these bytes choose."""
    return _Writer(Choices(drawn)).process()


class _Writer:
    """Writes one valid document, choice by choice."""

    def __init__(self, choices: Choices) -> None:
        self._pick = choices
        self._numbers = iter(range(1, 1000))

    def process(self) -> Definition:
        pick = self._pick
        members: dict[str, Any] = {
            "policy": {
                "on_self": pick.one(["allow", "skip", "head", "forbid"]),
                "comment": pick.one(["never", "never", "on_reject", "always"]),
                "dedupe": pick.one(["off", "adjacent", "keep_first", "keep_last"]),
                "take_back": {"on": pick.one([True, True, False])},
                "initiator_cancel": pick.one(["never", "while_running", "before_first_decision"]),
                "branch_reject": pick.one(["whole_flow", "branch_only"]),
            }
        }
        if pick.one([True, False]):
            members["managers"] = users("kim")
        return define(*self._steps(0, (), in_block=False), form=FORM, **members)

    def _steps(
        self, depth: int, before: tuple[str, ...], *, in_block: bool
    ) -> list[dict[str, Any]]:
        pick = self._pick
        steps: list[dict[str, Any]] = []
        for _ in range(pick.number(2, 6) if not depth else pick.number(0, 2)):
            if steps and _always_ends(steps[-1]):
                return steps  # nothing may stand where nobody comes by (flow.unreachable)
            people = (*before, *(each["id"] for each in steps if each["kind"] == "approve"))
            if people and pick.now_and_then(8):
                steps.append(self._goto(people))
            else:
                steps.append(self._step(depth, people, in_block=in_block))
        if depth and pick.now_and_then(10) and not (steps and _always_ends(steps[-1])):
            result = pick.one(["approved", "rejected", "cancelled"])
            steps.append(step(self._name(), "finish", result=result))
        return steps

    def _name(self) -> str:
        return f"s{next(self._numbers)}"

    def _goto(self, people: tuple[str, ...]) -> dict[str, Any]:
        pick = self._pick
        to, when = pick.one(people), pick.one(_CONDITIONS)
        return step(self._name(), "goto", to=to, when=when, max=pick.number(1, 3))

    def _step(self, depth: int, people: tuple[str, ...], *, in_block: bool) -> dict[str, Any]:
        name = self._name()
        match self._pick.one(_KINDS + _NESTING * (depth < _DEEPEST)):
            case "choice":
                return self._choice(name, depth, people, in_block=in_block)
            case "parallel" | "inclusive" as kind:
                return self._block(name, kind, depth, people)
            case "approve" | "work" as kind:
                return self._human(name, kind, people, in_block=in_block)
            case kind:
                return self._automatic(name, kind, people)

    def _automatic(self, name: str, kind: str, people: tuple[str, ...]) -> dict[str, Any]:
        pick = self._pick
        match kind:
            case "copy":
                members: dict[str, Any] = {"who": pick.one(_PEOPLE)}
            case "auto":
                members = {"verdict": pick.one(["approve", "approve", "approve", "reject"])}
            case "set":
                members = {"changes": [pick.one(_CHANGES)]}
            case "delay":
                members = pick.one([{"for": "PT2H"}, {"until_field": "day"}])
            case "rule":
                members = {
                    "rule": {"key": "shop/vat", "version": "latest_at_entry"},
                    "input": _FILLED,
                }
                members["save"] = {"note": "text"}
            case "subflow":
                members = self._subflow()
            case _:
                members = {"method": "POST", "url": "https://example.com/hook"}
                members["mode"] = pick.one(["need_2xx", "fire", "wait_callback"])
                fails: list[Any] = ["hold", "continue"]
                if people:
                    fails.append({"goto": people[-1]})
                members["on_fail"] = pick.one(fails)
        return step(name, kind, **members)

    def _subflow(self) -> dict[str, Any]:
        pick = self._pick
        members: dict[str, Any] = {
            "flow": "purchase",
            "version": "latest_at_entry",
            "wait": pick.one([True, True, False]),
            "starter": pick.one(["initiator", {"field": "boss"}]),
            "input": _FILLED,
            "output": {"amount": "amount"},
            "on_child_reject": pick.one(["reject", "continue", "hold"]),
        }
        if pick.now_and_then(3):
            mode = pick.one(["all", "one_by_one"])
            members["each"] = {"field": "crew", "mode": mode, "join": pick.one(_JOINS)}
        return members

    def _choice(
        self, name: str, depth: int, people: tuple[str, ...], *, in_block: bool
    ) -> dict[str, Any]:
        ways: list[Any] = []
        for _ in range(self._pick.number(1, 2)):
            when = self._pick.one(_CONDITIONS)
            ways.append((when, self._steps(depth + 1, people, in_block=in_block)))
        last = self._steps(depth + 1, people, in_block=in_block)
        if not last and not any(way for _, way in ways):
            last = [step(self._name(), "auto", verdict="approve")]  # branch.empty_all
        return choice(name, *ways, (None, last), prefix=name)

    def _block(self, name: str, kind: str, depth: int, people: tuple[str, ...]) -> dict[str, Any]:
        pick = self._pick
        branches: list[dict[str, Any]] = []
        for number in range(pick.number(2, 3)):
            branch: dict[str, Any] = {"id": f"{name}_{number}", "name": f"Way {number}"}
            branch["steps"] = self._steps(depth + 1, people, in_block=True)
            if kind == "inclusive":
                branch["when"] = pick.one(_CONDITIONS)
            branches.append(branch)
        if kind == "inclusive" and pick.one([True, False]):
            branches[-1].pop("when")
            branches[-1]["otherwise"] = True
        rule = pick.one(_BRANCH_REJECT)
        members = {} if rule is None else {"branch_reject": rule}
        return step(name, kind, branches=branches, join=pick.one(_JOINS), **members)

    def _human(
        self, name: str, kind: str, people: tuple[str, ...], *, in_block: bool
    ) -> dict[str, Any]:
        pick = self._pick
        members: dict[str, Any] = {
            "decide": pick.one(_DECIDES),
            "on_empty": pick.one(_EMPTY),
            "fields": {"default": pick.one(["edit", "read", "hide"])},
            "evidence": {"comment": pick.one(["may", "may", "no", "must"])},
            "acts": _ACTS,
        }
        self._add_deadline(members, kind, people)
        if kind == "approve":
            counts = pick.one(["any_one", "cannot_pass"])
            then = pick.one(_REJECTS if in_block else _REJECTS[:4] + _REJECTS[5:])
            members["reject"] = {"counts": counts, "then": then}
        # Weights name people, so these people have to be asked.
        weighed = "weights" in members["decide"]
        who = users("ann", "bao", "chi") if weighed else self._people(people)
        return step(name, kind, who=who, **members)

    def _people(self, people: tuple[str, ...]) -> dict[str, Any]:
        """Now and then people who come out of an earlier step."""
        pick = self._pick
        if people and pick.now_and_then(5):
            earlier = pick.one(people)
            return pick.one(
                [
                    by("deciders_of", step=earlier),
                    by("head", of={"decider_of": earlier}),
                    by("picked_by", step=earlier, max=2),
                ]
            )
        return pick.one(_PEOPLE)

    def _add_deadline(self, members: dict[str, Any], kind: str, people: tuple[str, ...]) -> None:
        deadline = self._pick.one(_DEADLINES)
        if deadline is None or (kind == "work" and deadline["then"] == "reject"):
            return
        if deadline["then"] != "goto":
            members["deadline"] = deadline
        elif people:
            members["deadline"] = {**deadline, "then": {"goto": people[-1]}}


def _always_ends(each: dict[str, Any]) -> bool:
    ways = [branch["steps"] for branch in each.get("branches", ())]
    if ways:
        some = all if each["kind"] == "choice" else any
        return some(way and _always_ends(way[-1]) for way in ways)
    return each["kind"] == "finish" or each.get("verdict") == "reject"


ORGANISATION_BYTES = 8


def organisations() -> st.SearchStrategy[Organisation]:
    """The demo organisation with some people disabled, and some away."""
    return st.binary(min_size=ORGANISATION_BYTES, max_size=ORGANISATION_BYTES).map(organisation_of)


def organisation_of(drawn: bytes) -> Organisation:
    """The organisation that these bytes choose; never the same one twice, for tests change it."""
    pick = Choices(drawn)
    org = demo()
    org.groups = {"board": ["kim", "dan"]}
    org.posts = {"cashier": ["chi"]}
    org.superiors = {"ann": "bao", "bao": "kim", "chi": "dan", "dan": "kim"}
    org.flows = {"purchase": 3}
    org.rules = {"shop/vat": 2, "shop/clerks": 1, "shop/is_dear": 4, "shop/price": 1}
    org.disable(*pick.some(LOGINS[2:], 2))
    away = pick.some(LOGINS[2:], 2)
    org.absent = {login: pick.one(["", *LOGINS]) for login in sorted(away)}
    return org
