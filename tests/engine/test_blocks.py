"""Parallel and inclusive blocks: lanes, joins, rounds, and rejections inside them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.builders import Driven, a_field, approve, drive, step, users
from workflow.engine.commands import FinishWork
from workflow.engine.events import BranchLeft, BranchTaken, StepEnded, TaskClosed
from workflow.engine.state import InstanceState, Reason


def block(
    step_id: str, *ways: list[dict[str, Any]], kind: str = "parallel", **members: Any
) -> dict[str, Any]:
    """A block of branches ``p_0``, ``p_1`` …"""
    branches = [
        {"id": f"{step_id}_{number}", "name": f"Way {number}", "steps": steps}
        for number, steps in enumerate(ways)
    ]
    return step(step_id, kind, branches=branches, **({"join": "all"} | members))


def one(login: str, **members: Any) -> dict[str, Any]:
    """An approval by one person, named after him."""
    return approve(f"by_{login}", users(login), **members)


def open_steps(request: Driven) -> list[str]:
    return [each.step for each in request.state.activations if not each.branches]


def ended(request: Driven, step_id: str) -> list[str]:
    """How each round of a step ended."""
    numbers = [
        event.activation
        for event in request.events
        if type(event).__name__ == "StepEntered" and event.step == step_id
    ]
    return [event.state.value for event in request.of(StepEnded) if event.activation in numbers]


def test_all_branches_run_and_the_join_waits_for_all(org) -> None:
    request = drive(org, block("p", [one("bao")], [one("chi")], [one("dan")]), one("kim"))
    request.start()
    assert open_steps(request) == ["by_bao", "by_chi", "by_dan"]
    request.approve("chi")
    request.approve("bao")
    assert open_steps(request) == ["by_dan"]
    request.approve("dan")
    assert open_steps(request) == ["by_kim"]
    request.approve("kim")
    assert request.state.status is InstanceState.APPROVED


def test_a_parallel_of_three_ends_once(org) -> None:
    """approvals.md 4, 90: three branches behind which nothing follows end the request once."""
    request = drive(org, block("p", [one("bao")], [one("chi")], [one("dan")]))
    request.start()
    for login in ("bao", "chi", "dan"):
        request.approve(login)
    finished = [each for each in request.events if type(each).__name__ == "InstanceFinished"]
    assert len(finished) == 1
    assert request.state.activations == ()


def test_first_closes_the_others_with_a_reason(org) -> None:
    request = drive(org, block("p", [one("bao")], [one("chi")], join="first"), one("kim"))
    request.start()
    request.approve("chi")
    assert open_steps(request) == ["by_kim"]
    (closed,) = request.of(TaskClosed)
    assert closed.reason is Reason.SIBLING_DECIDED
    assert ended(request, "by_bao") == ["closed"]


def test_at_least_waits_for_so_many(org) -> None:
    ways = [[one("bao")], [one("chi")], [one("dan")]]
    request = drive(org, block("p", *ways, join={"at_least": 2}), one("kim"))
    request.start()
    request.approve("bao")
    assert open_steps(request) == ["by_chi", "by_dan"]
    request.approve("dan")
    assert open_steps(request) == ["by_kim"]


def test_an_empty_branch_arrives_at_once(org) -> None:
    request = drive(org, block("p", [], [one("chi")]), one("kim"))
    request.start()
    assert open_steps(request) == ["by_chi"]
    request.approve("chi")
    assert open_steps(request) == ["by_kim"]


def test_an_empty_branch_ends_a_block_that_waits_for_the_first(org) -> None:
    request = drive(org, block("p", [], [one("chi")], join="first"), one("kim"))
    request.start()
    assert open_steps(request) == ["by_kim"]
    assert not request.of(TaskClosed), "the second branch never began"


def test_blocks_in_blocks_and_in_choices(org) -> None:
    inner = block("q", [one("chi")], [one("dan")])
    request = drive(org, block("p", [inner, one("pia")], [one("bao")]), one("kim"))
    request.start()
    assert open_steps(request) == ["by_chi", "by_dan", "by_bao"]
    for login in ("chi", "dan"):
        request.approve(login)
    assert open_steps(request) == ["by_bao", "by_pia"]
    request.approve("pia")
    request.approve("bao")
    assert open_steps(request) == ["by_kim"]


WHEN_LONG = {"field": "days", "op": "ge", "value": 3}
WHEN_FAR = {"field": "days", "op": "ge", "value": 10}
DAYS = [a_field("days", "integer", required=True)]


def inclusive(**members: Any) -> dict[str, Any]:
    branches: list[dict[str, Any]] = [
        {"id": "long", "name": "Long", "when": WHEN_LONG, "steps": [one("bao")]},
        {"id": "far", "name": "Far", "when": WHEN_FAR, "steps": [one("chi")]},
    ]
    if members.pop("otherwise", False):
        branches.append({"id": "else", "name": "Else", "otherwise": True, "steps": [one("dan")]})
    return step("i", "inclusive", branches=branches, **({"join": "all"} | members))


@pytest.mark.parametrize(
    ("days", "open_now"),
    [(12, ["by_bao", "by_chi"]), (5, ["by_bao"]), (1, ["by_dan"])],
)
def test_inclusive_runs_all_that_hold(org, days: int, open_now: list[str]) -> None:
    request = drive(org, inclusive(otherwise=True), one("kim"), form=DAYS)
    request.start(days=days)
    assert open_steps(request) == open_now
    told = {each.branch: bool(each.leaves) for each in request.of(BranchTaken, BranchLeft)}
    assert {"long": True, "far": True}.items() <= told.items(), "each question is remembered"


def test_inclusive_without_any_branch_is_passed_over(org) -> None:
    request = drive(org, inclusive(), one("kim"), form=DAYS)
    request.start(days=1)
    assert open_steps(request) == ["by_kim"]
    assert request.state.outcomes["i"] == "skipped"


def test_at_least_asks_for_no_more_than_run(org) -> None:
    request = drive(org, inclusive(join={"at_least": 2}), one("kim"), form=DAYS)
    request.start(days=5)
    request.approve("bao")
    assert open_steps(request) == ["by_kim"]


# Rejections.


def test_a_rejection_ends_the_whole_request_by_default(org) -> None:
    """approvals.md 4, 16: with whole_flow the other branches end with a reason."""
    request = drive(org, block("p", [one("bao")], [one("chi")]), one("kim"))
    request.start()
    request.reject("chi")
    assert request.state.status is InstanceState.REJECTED
    assert ended(request, "by_bao") == ["closed"]


def test_branch_only_lets_the_join_decide(org) -> None:
    ways = [[one("bao"), one("pia")], [one("chi")], [one("dan")]]
    request = drive(
        org, block("p", *ways, join={"at_least": 2}, branch_reject="branch_only"), one("kim")
    )
    request.start()
    request.reject("bao")
    assert open_steps(request) == ["by_chi", "by_dan"]
    request.approve("chi")
    request.approve("dan")
    assert open_steps(request) == ["by_kim"]


def test_a_join_that_has_become_impossible_refuses_the_block(org) -> None:
    request = drive(
        org, block("p", [one("bao")], [one("chi")], branch_reject="branch_only"), one("kim")
    )
    request.start()
    request.reject("bao")
    assert request.state.status is InstanceState.REJECTED
    assert ended(request, "p") == ["refused"]
    assert ended(request, "by_chi") == ["closed"]


def test_a_refused_block_inside_a_branch_ends_only_that_branch(org) -> None:
    inner = block("q", [one("chi")], [one("dan")], branch_reject="branch_only")
    outer = block("p", [inner], [one("bao")], join="first", branch_reject="branch_only")
    request = drive(org, outer, one("kim"))
    request.start()
    request.reject("dan")
    assert open_steps(request) == ["by_bao"]
    request.approve("bao")
    assert open_steps(request) == ["by_kim"]


def test_finish_branch_is_a_rule_of_the_step(org) -> None:
    rule = {"counts": "any_one", "then": {"do": "finish_branch"}}
    request = drive(org, block("p", [one("bao", reject=rule)], [one("chi")], join="first"))
    request.start()
    request.reject("bao")
    assert open_steps(request) == ["by_chi"]
    request.approve("chi")
    assert request.state.status is InstanceState.APPROVED


def test_an_automatic_rejection_follows_the_block_too(org) -> None:
    auto = step("no", "auto", verdict="reject", reason="closed in summer")
    request = drive(
        org, block("p", [auto], [one("chi")], join="first", branch_reject="branch_only")
    )
    request.start()
    (work,) = [each for each in request.state.work if each.kind == "auto"]
    request.give(FinishWork(work.activation))
    assert open_steps(request) == ["by_chi"]


def test_finish_inside_a_branch_ends_the_whole_request(org) -> None:
    request = drive(
        org, block("p", [one("bao"), step("stop", "finish", result="approved")], [one("chi")])
    )
    request.start()
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED
    assert ended(request, "by_chi") == ["closed"]
