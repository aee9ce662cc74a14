"""Returns, gotos and jumps: dominators only, joins count anew, and nobody is lost on the way."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.builders import Driven, a_field, approve, choice, drive, step, users
from tests.engine.test_blocks import block, ended, one, open_steps
from workflow.engine.commands import Jump, Pause, Resume, Return, Withdraw
from workflow.engine.events import StepEntered, TaskClosed, WentBack
from workflow.engine.going_back import targets
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen
from workflow.engine.state import InstanceState, Reason

ANYWHERE = {"return_to": "any"}


def free(login: str, **members: Any) -> dict[str, Any]:
    """An approval whose holder may send the request back anywhere."""
    return one(login, acts=ANYWHERE, **members)


def held(request: Driven) -> str | None:
    return request.state.held


def back_to(to: Any, resume: str = "forward") -> dict[str, Any]:
    return {"counts": "any_one", "then": {"do": "back", "to": to, "resume": resume}}


def holders(request: Driven) -> list[str]:
    return [
        request.org.login(seat.holder)
        for activation in request.state.activations
        for seat in activation.seats
        if seat.is_open
    ]


def test_back_to_the_initiator_and_on_again(org) -> None:
    """approvals.md 4, 17 and 21: no modelling needed, and somebody always holds it."""
    request = drive(org, one("bao"), free("chi"), form=[a_field("why")])
    request.start(why="holiday")
    request.approve("bao")
    request.send_back("chi", "start", comment="which dates?")
    assert holders(request) == ["ann"]
    assert request.at() == "start"
    request.complete("ann", why="from May on")
    assert open_steps(request) == ["by_bao"], "step by step once more"
    assert request.state.values == {"why": "from May on"}


def test_straight_back_to_whoever_returned_it(org) -> None:
    """approvals.md 4, 19."""
    request = drive(org, one("bao"), one("dan"), free("chi"))
    request.start()
    request.approve("bao")
    request.approve("dan")
    request.send_back("chi", "start", resume="here")
    request.complete("ann")
    assert holders(request) == ["chi"]


def test_a_return_reopens_a_step_of_several_for_all_of_them(org) -> None:
    """approvals.md 4, 13 and 22."""
    request = drive(org, approve("team", users("bao", "dan"), "all"), free("chi"))
    request.start()
    request.approve("bao")
    request.approve("dan")
    request.send_back("chi", "team")
    assert holders(request) == ["bao", "dan"]
    assert request.state.activations[0].round == 2


def test_a_return_out_of_a_countersign_closes_the_others(org) -> None:
    request = drive(org, one("bao"), approve("team", users("chi", "dan"), "all", acts=ANYWHERE))
    request.start()
    request.approve("bao")
    request.send_back("dan", "by_bao")
    assert holders(request) == ["bao"]
    (closed,) = request.of(TaskClosed)
    assert closed.reason in (Reason.RETURNED, Reason.SIBLING_DECIDED)
    assert ended(request, "team") == ["returned"]


def test_out_of_a_block_everything_inside_is_closed_and_the_join_counts_anew(org) -> None:
    """approvals.md 4, 15: nothing is skipped and nothing hangs."""
    request = drive(
        org, one("bao"), block("p", [one("chi"), free("dan")], [one("pia")]), one("kim")
    )
    request.start()
    request.approve("bao")
    request.approve("pia")
    request.approve("chi")
    request.send_back("dan", "by_bao")
    assert open_steps(request) == ["by_bao"]
    assert ended(request, "p") == ["closed"]
    request.approve("bao")
    assert open_steps(request) == ["by_chi", "by_pia"], "also the branch that had arrived"
    request.approve("chi")
    request.approve("dan")
    assert open_steps(request) == ["by_pia"]
    request.approve("pia")
    assert open_steps(request) == ["by_kim"]


def test_inside_a_branch_the_siblings_stay(org) -> None:
    request = drive(org, block("p", [one("chi"), free("dan")], [one("pia")]))
    request.start()
    request.approve("chi")
    request.send_back("dan", "by_chi")
    assert sorted(open_steps(request)) == ["by_chi", "by_pia"]


def test_only_visited_dominators_are_offered(org) -> None:
    """approvals.md 4, 14 and 18: siblings are refused by name."""
    nobody = approve(
        "ghost", {"any_of": [{"by": "role", "ids": ["nobody"]}]}, on_empty={"do": "approve"}
    )
    request = drive(org, one("bao"), nobody, block("p", [free("chi")], [one("dan")]))
    request.start()
    request.approve("bao")
    activation = next(each for each in request.state.activations if each.step == "by_chi")
    assert targets(request.definition.plan, request.state, activation) == ("start", "by_bao")
    for to in ("by_dan", "ghost", "p", "nowhere"):
        refusal = request.refused(request.act(Return, "chi", to=to), Invalid, "return.bad_target")
        assert refusal is not None


@pytest.mark.parametrize(("to", "at"), [("start", "start"), ("previous", "by_bao")])
def test_a_rejection_may_send_back(org, to: str, at: str) -> None:
    request = drive(org, one("bao"), one("chi", reject=back_to(to)))
    request.start()
    request.approve("bao")
    request.reject("chi", "no")
    assert request.state.status is InstanceState.RUNNING
    assert open_steps(request) == [at]


def test_a_rejection_back_to_a_named_step_and_straight_here_again(org) -> None:
    request = drive(
        org, one("bao"), one("dan"), one("chi", reject=back_to({"step": "by_bao"}, "here"))
    )
    request.start()
    request.approve("bao")
    request.approve("dan")
    request.reject("chi")
    assert open_steps(request) == ["by_bao"]
    request.approve("bao")
    assert open_steps(request) == ["by_chi"]


def test_here_inside_a_block_enters_the_block_again(org) -> None:
    request = drive(
        org, one("bao"), block("p", [one("chi", reject=back_to("start", "here"))], [one("dan")])
    )
    request.start()
    request.approve("bao")
    request.reject("chi")
    request.complete("ann")
    assert open_steps(request) == ["by_chi", "by_dan"]


# Loops.


def loop(most: int | None = None) -> dict[str, Any]:
    members = {} if most is None else {"max": most}
    return step(
        "again", "goto", to="by_bao", when={"field": "n", "op": "ge", "value": 1}, **members
    )


def test_a_goto_leads_back_as_long_as_it_holds(org) -> None:
    edit = {"default": "edit"}
    request = drive(
        org, one("bao", fields=edit), loop(5), one("chi"), form=[a_field("n", "integer")]
    )
    request.start(n=1)
    request.approve("bao")
    assert open_steps(request) == ["by_bao"]
    request.approve("bao", n=0)
    assert open_steps(request) == ["by_chi"]
    assert [each.round for each in request.of(StepEntered) if each.step == "by_bao"] == [1, 2]


def test_a_loop_ends_at_its_limit_with_an_incident(org) -> None:
    """approvals.md 4, 28."""
    request = drive(org, one("bao"), loop(2), one("chi"), form=[a_field("n", "integer")])
    request.start(n=1)
    for _ in range(3):
        request.approve("bao")
    assert held(request) == "goto.limit"
    request.give(Jump("by_chi", org.id("kim"), "go on"))
    assert held(request) is None
    assert holders(request) == ["chi"]


def test_a_loop_of_steps_that_pass_by_rule_is_held_and_does_not_run_for_ever(org) -> None:
    skipped = approve(
        "by_bao", {"any_of": [{"by": "role", "ids": ["nobody"]}]}, on_empty={"do": "approve"}
    )
    request = drive(org, skipped, loop(), form=[a_field("n", "integer")])
    request.start(n=1)
    assert request.state.held == "goto.limit"


def test_a_goto_out_of_a_block_closes_it(org) -> None:
    inside = step("again", "goto", to="by_bao", when={"field": "n", "op": "ge", "value": 1}, max=3)
    edit = {"default": "edit"}
    request = drive(
        org,
        one("bao", fields=edit),
        block("p", [one("chi"), inside], [one("dan")]),
        form=[a_field("n", "integer")],
    )
    request.start(n=1)
    request.approve("bao")
    request.approve("chi")
    assert open_steps(request) == ["by_bao"]
    request.approve("bao", n=0)
    request.approve("chi")
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED


# Jumps, pauses, withdrawals.


def test_a_manager_jumps_and_the_history_says_so(org) -> None:
    request = drive(org, one("bao"), one("chi"), one("dan"))
    request.start()
    request.give(Jump("by_dan", org.id("kim"), "urgent"))
    assert holders(request) == ["dan"]
    (went,) = request.of(WentBack)
    assert (went.reason, went.comment) == (Reason.ADMIN, "urgent")
    request.give(Jump("end", org.id("kim"), "enough"))
    assert request.state.status is InstanceState.APPROVED


@pytest.mark.parametrize(
    ("to", "code"), [("by_chi", "jump.into_branch"), ("moon", "jump.unknown_step")]
)
def test_a_jump_goes_to_no_branch_and_to_no_unknown_step(org, to: str, code: str) -> None:
    request = drive(org, one("bao"), block("p", [one("chi")], [one("dan")]))
    request.start()
    request.refused(Jump(to, org.id("kim"), "why not"), Invalid, code)
    request.refused(Jump("p", org.id("kim"), " "), Invalid, "reason.required")


def test_a_jump_into_a_choices_branch_is_possible(org) -> None:
    inner = choice("c", ({"field": "n", "op": "ge", "value": 9}, [one("chi")]), (None, []))
    request = drive(org, one("bao"), inner, form=[a_field("n", "integer")])
    request.start(n=1)
    request.give(Jump("by_chi", org.id("kim"), "he should look at it"))
    assert holders(request) == ["chi"]


def test_nothing_moves_while_a_request_is_paused(org) -> None:
    request = drive(org, one("bao"))
    request.start()
    request.refused(Pause(org.id("kim"), ""), Invalid, "reason.required")
    request.give(Pause(org.id("kim"), "audit"))
    request.refused(request.approving("bao"), NotOpen, "instance.paused")
    request.refused(Pause(org.id("kim"), "again"), NotOpen, "instance.paused")
    request.give(Resume(org.id("kim")))
    request.refused(Resume(org.id("kim")), NotOpen, "instance.not_paused")
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED


@pytest.mark.parametrize(
    ("policy", "decided", "refusal"),
    [
        ("before_first_decision", False, None),
        ("before_first_decision", True, "withdraw.decided"),
        ("while_running", True, None),
        ("never", False, "withdraw.never"),
    ],
)
def test_the_initiator_withdraws_as_the_policy_says(org, policy, decided, refusal) -> None:
    request = drive(org, one("bao"), one("chi"), policy={"initiator_cancel": policy})
    request.start()
    if decided:
        request.approve("bao")
    request.refused(Withdraw(org.id("bao")), NotAllowed, "withdraw.not_yours")
    command = Withdraw(org.id("ann"), "sorry")
    if refusal is None:
        request.give(command)
        assert request.state.status is InstanceState.CANCELLED
        assert request.state.activations == ()
    else:
        kind = NotAllowed if refusal == "withdraw.never" else NotOpen
        request.refused(command, kind, refusal)


def test_after_a_return_the_first_decision_has_been_taken(org) -> None:
    request = drive(org, free("bao"))
    request.start()
    request.send_back("bao", "start")
    request.refused(Withdraw(org.id("ann")), NotOpen, "withdraw.decided")
