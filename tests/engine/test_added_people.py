"""People added before, after and beside a task, and removed again."""

from __future__ import annotations

import pytest

from tests.engine.builders import a_field, approve, drive, step, users
from workflow.engine.commands import Approve
from workflow.engine.events import (
    FormChanged,
    GroupAdded,
    PeopleAdded,
    StepEnded,
    TaskBlocked,
    TaskClosed,
    TaskOpened,
)
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen
from workflow.engine.state import InstanceState, Reason

ACTS = {
    "transfer": True,
    "delegate": True,
    "add_before": True,
    "add_after": True,
    "add_with": True,
    "remove_added": True,
}


def request_of(org, *logins, mode="all", then=(), **members):
    members.setdefault("acts", ACTS)
    request = drive(org, approve("lead", users(*logins), mode, **members), *then)
    request.start()
    return request


def test_people_before_block_the_task_until_they_have_passed(org):
    request = request_of(org, "bao")
    run = request.add("bao", "before", "chi", "dan", comment="first you")
    assert request.seats() == {"bao": "blocked", "chi": "open", "dan": "open"}
    assert [type(each).__name__ for each in run.events] == [
        "GroupAdded",
        "TaskAssigned",
        "TaskAssigned",
        "TaskBlocked",
    ]
    assert run.events[0].comment == "first you"
    assert {org.login(seat.by) for seat in request.activation().seats[1:]} == {"bao"}
    request.refused(request.act(Approve, "bao"), NotOpen, "task.not_open")
    request.approve("chi")
    assert request.seats()["bao"] == "blocked"
    run = request.approve("dan")
    assert isinstance(run.events[-1], TaskOpened)
    assert request.seats()["bao"] == "open"
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED


def test_people_after_decide_once_the_task_was_approved(org):
    request = request_of(org, "bao", then=[approve("top", users("kim"))])
    request.add("bao", "after", "chi")
    assert request.seats() == {"bao": "open", "chi": "blocked"}
    request.approve("bao")
    assert request.seats() == {"bao": "approved", "chi": "open"}
    request.approve("chi")
    assert request.at() == "top"


def test_after_a_step_that_leads_into_a_parallel_block_means_before_the_block(org):
    """Acceptance test 50."""
    ways = [
        {"id": name, "name": name, "steps": [approve(f"in_{name}", users(login))]}
        for name, login in (("left", "kim"), ("right", "tom"))
    ]
    block = step("both", "parallel", branches=ways, join="all")
    request = request_of(org, "bao", then=[block])
    request.add("bao", "after", "chi")
    request.approve("bao")
    assert request.at() == "lead"
    request.approve("chi")
    assert {each.step for each in request.state.activations} >= {"in_left", "in_right"}


@pytest.mark.parametrize("place", ["before", "after"])
def test_an_added_persons_rejection_works_and_says_whose_it_was(org, place):
    """Acceptance test 24."""
    request = request_of(org, "bao")
    request.add("bao", place, "chi")
    if place == "after":
        request.approve("bao")
    run = request.reject("chi", "not like this")
    assert request.state.status is InstanceState.REJECTED
    (ended,) = [each for each in run.events if isinstance(each, StepEnded)]
    assert (ended.outcome, ended.reason) == ("rejected", Reason.HUMAN)
    closed = [each for each in run.events if isinstance(each, TaskClosed)]
    assert [(each.seat, each.by_seat) for each in closed] == (
        [(1, 2)] if place == "before" else []
    )


def test_with_any_a_refusing_group_closes_only_its_own_task(org):
    reject = {"counts": "cannot_pass"}
    request = request_of(org, "bao", "dan", mode="any", reject=reject)
    request.add("bao", "before", "chi")
    request.reject("chi")
    assert request.seats() == {"bao": "closed", "dan": "open", "chi": "rejected"}
    request.reject("dan")
    assert request.state.status is InstanceState.REJECTED


def test_an_added_group_follows_its_own_rules(org):
    """Acceptance test 8."""
    request = request_of(org, "bao")
    request.add("bao", "before", "chi", "dan", decide="any", counts="cannot_pass")
    request.reject("chi")
    assert request.seats() == {"bao": "blocked", "chi": "rejected", "dan": "open"}
    request.approve("dan")
    assert request.seats()["bao"] == "open"
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED


def test_an_added_group_one_by_one(org):
    request = request_of(org, "bao")
    request.add("bao", "before", "chi", "dan", decide="in_order")
    assert request.seats() == {"bao": "blocked", "chi": "open", "dan": "blocked"}
    request.approve("chi")
    assert request.seats()["dan"] == "open"
    request.approve("dan")
    assert request.seats()["bao"] == "open"


def test_one_of_an_any_group_is_enough_and_the_rest_is_closed(org):
    request = request_of(org, "bao")
    request.add("bao", "before", "chi", "dan", decide="any")
    run = request.approve("chi")
    assert request.seats() == {"bao": "open", "chi": "approved", "dan": "closed"}
    (closed,) = [each for each in run.events if isinstance(each, TaskClosed)]
    assert (closed.reason, closed.by_seat) == (Reason.SIBLING_DECIDED, 2)


def test_people_beside_have_the_same_say(org):
    request = request_of(org, "bao", "dan")
    run = request.add("bao", "with", "chi")
    assert run.events[0] == PeopleAdded(seat=1)
    assert request.seats() == {"bao": "open", "dan": "open", "chi": "open"}
    for login in ("bao", "dan"):
        request.approve(login)
    assert request.at() == "lead"
    request.approve("chi")
    assert request.state.status is InstanceState.APPROVED


def test_beside_in_a_row_comes_last(org):
    request = request_of(org, "bao", "dan", mode="in_order")
    request.add("bao", "with", "chi")
    assert request.seats() == {"bao": "open", "dan": "blocked", "chi": "blocked"}
    request.approve("bao")
    request.approve("dan")
    assert request.seats()["chi"] == "open"


def test_in_a_row_a_group_before_keeps_the_turn(org):
    request = request_of(org, "bao", "dan", mode="in_order")
    request.add("bao", "before", "chi")
    assert request.seats() == {"bao": "blocked", "dan": "blocked", "chi": "open"}
    request.approve("chi")
    assert request.seats() == {"bao": "open", "dan": "blocked", "chi": "approved"}
    request.add("bao", "after", "kim")
    request.approve("bao")
    assert request.seats()["dan"] == "blocked"
    request.approve("kim")
    assert request.seats()["dan"] == "open"


def test_transfer_then_add_before_leaves_it_with_the_receiver(org):
    """Acceptance test 49."""
    request = request_of(org, "bao")
    request.transfer("bao", "chi")
    request.add("chi", "before", "dan")
    request.approve("dan")
    assert request.seats() == {"chi": "open", "dan": "approved"}


def test_before_and_after_on_one_task(org):
    request = request_of(org, "bao")
    request.add("bao", "after", "chi")
    request.add("bao", "before", "dan")
    request.approve("dan")
    request.approve("bao")
    request.approve("chi")
    assert request.state.status is InstanceState.APPROVED
    assert [org.login(user) for user in request.state.deciders["lead"]] == ["dan", "bao", "chi"]


def test_whoever_added_removes_and_the_task_is_open_again(org):
    """Acceptance test 48."""
    request = request_of(org, "bao")
    request.add("bao", "before", "chi", "dan")
    request.remove("dan", "bao", comment="no need")
    assert request.seats() == {"bao": "blocked", "chi": "open", "dan": "closed"}
    run = request.remove("chi", "bao")
    assert request.seats() == {"bao": "open", "chi": "closed", "dan": "closed"}
    closed = [each for each in request.events if isinstance(each, TaskClosed)]
    assert [(each.removed, each.comment) for each in closed] == [(True, "no need"), (True, "")]
    assert isinstance(run.events[-1], TaskOpened)


def test_who_may_not_remove(org):
    request = request_of(org, "bao", "kim")
    request.add("bao", "before", "chi")
    request.refused(request.removing("chi", "kim"), NotAllowed, "signer.not_yours")
    request.refused(request.removing("chi", "chi"), NotAllowed, "signer.not_yours")
    request.refused(request.removing("kim", "bao"), NotAllowed, "signer.not_added")
    removing = request.removing("chi", "bao")
    request.approve("chi")
    request.refused(removing, NotOpen, "task.not_open")


def test_a_manager_removes_whoever_was_added(org):
    acts = ACTS | {"remove_added": False}
    request = request_of(org, "bao", acts=acts)
    request.add("bao", "before", "chi")
    request.refused(request.removing("chi", "bao"), NotAllowed, "act.switched_off")
    run = request.remove("chi", "kim", manager=True, comment="on leave")
    assert run.events[0].reason is Reason.ADMIN
    assert request.seats()["bao"] == "open"


@pytest.mark.parametrize("place", ["with", "after"])
def test_removing_the_last_open_one_completes_the_step(org, place):
    """approvals.md 2.2: re-evaluated after every change of seats."""
    request = request_of(org, "bao", "dan", then=[approve("top", users("kim"))])
    request.add("bao", place, "chi")
    for login in ("bao", "dan"):
        request.approve(login)
    assert request.at() == "lead"
    request.remove("chi", "bao")
    assert request.at() == "top"


def test_nested_to_three_and_closed_together(org):
    request = request_of(org, "bao")
    request.add("bao", "before", "chi")
    request.add("chi", "before", "dan")
    request.add("dan", "before", "kim")
    refusal = request.refused(request.adding("kim", "after", "pia"), Invalid, "people.too_deep")
    assert refusal.about["most"] == 3
    request.add("kim", "with", "pia")
    request.remove("chi", "bao")
    assert request.seats() == {
        "bao": "open",
        "chi": "closed",
        "dan": "closed",
        "kim": "closed",
        "pia": "closed",
    }


def test_who_cannot_be_added(org):
    org.disable("tom")
    request = request_of(org, "bao", "chi", "dan")
    request.approve("dan")
    for people, code, at in (
        ((), "people.required", "/people"),
        (("kim", "tom"), "person.unknown", "/people/1"),
        (("bao",), "person.in_chain", "/people/0"),
        (("chi",), "person.already_holds", "/people/0"),
        (("dan",), "person.already_decided", "/people/0"),
    ):
        for place in ("before", "after", "with"):
            refusal = request.refused(request.adding("bao", place, *people), Invalid, code)
            assert [each.at for each in refusal.findings] == [at]


def test_each_place_has_its_own_switch(org):
    request = request_of(org, "bao", acts={"add_after": True})
    for place in ("before", "with"):
        refusal = request.refused(
            request.adding("bao", place, "chi"), NotAllowed, "act.switched_off"
        )
        assert refusal.about["act"] == f"add_{place}"
    request.add("bao", "after", "chi")
    stranger = request.adding("chi", "before", "dan")
    request.refused(stranger, NotAllowed, "act.switched_off")


def test_what_comes_with_it_is_kept(org):
    request = drive(
        org,
        approve(
            "lead",
            users("bao"),
            acts=ACTS,
            fields={"default": "edit"},
            evidence={"files": "may", "signature": "may"},
        ),
        form=[a_field("days", "integer")],
    )
    request.start(days=1)
    brought = {"files": ("f1",), "signature": "s1"}
    request.add("bao", "before", "chi", changes={"days": 3}, **brought)
    group = request.of(GroupAdded)[0]
    assert (group.files, group.signature) == (("f1",), "s1")
    request.add("chi", "with", "dan", changes={"days": 4}, **brought)
    beside = request.of(PeopleAdded)[0]
    assert (beside.files, beside.signature) == (("f1",), "s1")
    assert [each.changes for each in request.of(FormChanged)] == [{"days": 3}, {"days": 4}]


def test_a_form_that_is_wrong_adds_nobody(org):
    request = drive(
        org, approve("lead", users("bao"), acts=ACTS), form=[a_field("days", "integer")]
    )
    request.start(days=1)
    request.refused(
        request.adding("bao", "before", "chi", changes={"days": 3}), Invalid, "form.invalid"
    )
    assert not request.of(GroupAdded, TaskBlocked)
