"""Withdraw, suspend, resume and jump through REST."""

from __future__ import annotations

import pytest
from django.db import transaction

from tests.api import situations
from tests.workflow import flows
from workflow.engine import commands
from workflow.models import Event, Task


@pytest.fixture
def found(people, now):
    """Chi has an open task; bao has approved, fay comes next."""
    return situations.chi_holds(people, now)


def address(instance, verb):
    return f"instances/{instance.pk}/actions/{verb}"


def states(instance):
    return list(
        Task.objects.filter(instance=instance).order_by("pk").values_list("state", flat=True)
    )


# Withdraw -------------------------------------------------------------------------------------


def test_withdrawing_closes_every_todo(api, people, found):
    """Test 45."""
    ann = api(people["ann"])
    assert ann.read(f"instances/{found.instance.pk}/")["actions"] == ["withdraw", "urge"]
    answer = ann.post(address(found.instance, "withdraw"), {"comment": "Moot"}, key="once")
    assert (answer.status_code, answer.json()["instance"]["state"]) == (200, "cancelled")
    assert states(found.instance) == ["approved", "closed"]
    assert api(people["chi"]).read("tasks/")["count"] == 0
    again = ann.post(address(found.instance, "withdraw"), {"comment": "Moot"}, key="once")
    assert again.content == answer.content
    ann.refused(address(found.instance, "withdraw"), 409, "instance.not_running", {})
    assert ann.read(f"instances/{found.instance.pk}/")["actions"] == []


def test_withdrawing_is_for_the_initiator_while_it_is_early(api, people, found, now):
    path = address(found.instance, "withdraw")
    api(people["eve"]).refused(path, 404, "not_found", {"nonsense": 1}, key=None)
    for login in ("chi", "bao", "admin"):
        api(people[login]).refused(path, 403, "withdraw.not_yours", {"nonsense": 1}, key=None)
    api(people["ann"]).refused(path, 400, "request.invalid", {"reason": "x"})
    for policy, status, code in (
        ("before_first_decision", 409, "decided"),
        ("never", 403, "never"),
    ):
        key = policy.replace("_", "")
        situations.publish(
            people["bao"], key, flows.approve_step("lead", "bao"),
            flows.approve_step("next", "chi"), now=now, policy={"initiator_cancel": policy},
        )  # fmt: skip
        instance = flows.start(people["ann"], key, now=now)
        flows.approve(people["bao"], now=now)
        api(people["ann"]).refused(address(instance, "withdraw"), status, f"withdraw.{code}", {})
        assert api(people["ann"]).read(f"instances/{instance.pk}/")["actions"] == ["urge"]


# Suspend and resume ---------------------------------------------------------------------------


def test_nothing_moves_while_a_request_is_suspended(api, people, found):
    bao, chi = api(people["bao"]), api(people["chi"])
    answer = bao.post(address(found.instance, "suspend"), {"reason": "Audit"})
    assert answer.json()["instance"]["paused"] is True
    assert bao.read("instances/?box=all")["results"][0]["paused"] is True
    detail = bao.read(f"instances/{found.instance.pk}/")
    assert (detail["paused"], detail["actions"]) == (True, ["cancel", "reassign", "resume"])
    own = chi.read(f"tasks/{found.task.pk}/")
    assert own["actions"] == ["comment", "snooze", "ask-substitute"]
    for verb, more in (("approve", {}), ("transfer", {"to": "gus"}), ("return", {"to": "start"})):
        path = f"tasks/{found.task.pk}/actions/{verb}"
        chi.refused(path, 409, "instance.paused", {"task_version": 1} | more)
    bao.refused(address(found.instance, "suspend"), 409, "instance.paused", {"reason": "x"})
    bao.refused(
        address(found.instance, "jump"), 409, "instance.paused", {"to": "last", "reason": "x"}
    )
    answer = bao.post(address(found.instance, "resume"), {})
    assert answer.json()["instance"]["paused"] is False
    bao.refused(address(found.instance, "resume"), 409, "instance.not_paused", {})
    assert (
        chi.post(f"tasks/{found.task.pk}/actions/approve", {"task_version": 1}).status_code == 200
    )


def test_a_reason_is_needed(api, people, found):
    bao = api(people["bao"])
    for verb, body in (("suspend", {}), ("jump", {"to": "last"})):
        problem = bao.refused(address(found.instance, verb), 422, "reason.required", body)
        assert problem["errors"][0]["at"] == "/reason"
        bao.refused(address(found.instance, verb), 400, "request.invalid", body | {"reason": 5})
        api(people["ann"]).refused(
            address(found.instance, verb), 403, "permission.denied", {"nonsense": 1}, key=None
        )


# Jump -----------------------------------------------------------------------------------------


def test_a_manager_jumps_to_another_step(api, people, found):
    bao = api(people["bao"])
    targets = bao.read(f"instances/{found.instance.pk}/")["jump_targets"]
    assert [each["id"] for each in targets] == ["start", "first", "lead", "last", "end"]
    path = address(found.instance, "jump")
    bao.refused(path, 400, "request.invalid", {"reason": "x"})
    for wrong in ("nowhere", ""):
        problem = bao.refused(path, 422, "jump.unknown_step", {"to": wrong, "reason": "x"})
        assert problem["errors"][0]["at"] == "/to"
    body = {"to": "last", "reason": "Chi is ill"}
    answer = bao.post(path, body, key="once")
    assert answer.status_code == 200
    assert bao.post(path, body, key="once").content == answer.content
    assert states(found.instance) == ["approved", "closed", "open"]
    assert Event.objects.filter(instance=found.instance, kind="went_back").count() == 1
    assert api(people["fay"]).read("tasks/")["count"] == 1


def test_a_request_that_was_moved_to_the_end_is_over(api, people, found):
    """Test 43: nobody takes anything back after that."""
    bao = api(people["bao"])
    first = situations.task_of(people["bao"], found.instance)
    answer = bao.post(address(found.instance, "jump"), {"to": "end", "reason": "Settled by phone"})
    assert answer.json()["instance"]["state"] == "approved"
    bao.refused(f"tasks/{first.pk}/actions/take-back", 409, "instance.not_running", {})
    assert bao.read(f"tasks/{first.pk}/")["actions"] == []


def test_a_branch_cannot_be_jumped_into(api, people, now):
    block = {
        "id": "both",
        "kind": "parallel",
        "name": "Both",
        "join": "all",
        "branches": [
            {"id": "left", "name": "Left", "steps": [situations.step("l", "chi")]},
            {"id": "right", "name": "Right", "steps": [situations.step("r", "fay")]},
        ],
    }
    situations.publish(people["bao"], "wide", situations.step("lead", "gus"), block, now=now)
    instance = flows.start(people["ann"], "wide", now=now)
    bao = api(people["bao"])
    path = address(instance, "jump")
    problem = bao.refused(path, 422, "jump.into_branch", {"to": "l", "reason": "x"})
    assert problem["errors"][0]["at"] == "/to"
    offered = [each["id"] for each in bao.read(f"instances/{instance.pk}/")["jump_targets"]]
    assert offered == ["start", "lead", "both", "end"]
    assert bao.post(path, {"to": "both", "reason": "x"}).status_code == 200
    assert states(instance) == ["closed", "open", "open"]


def test_every_offered_act_on_a_request_is_accepted(api, people, found, now):
    """For the initiator and a manager: running, suspended, returned and ended."""
    bodies = {
        "withdraw": {}, "cancel": {"reason": "x"}, "suspend": {"reason": "x"}, "resume": {},
        "jump": {"to": "last", "reason": "x"}, "resubmit": {"task_version": 1},
    }  # fmt: skip

    def compare():
        for login in ("ann", "bao", "chi"):
            caller = api(people[login])
            offered = set(caller.read(f"instances/{found.instance.pk}/")["actions"])
            for verb, body in bodies.items():
                with transaction.atomic():
                    answer = caller.post(address(found.instance, verb), body)
                    transaction.set_rollback(True)
                accepted = answer.status_code == 200
                assert accepted is (verb in offered), (login, verb, answer.content)

    compare()
    api(people["bao"]).post(address(found.instance, "suspend"), {"reason": "x"})
    compare()
    api(people["bao"]).post(address(found.instance, "resume"), {})
    situations.act(commands.Return, found.task, people["chi"], now=now, to="start")
    compare()
    api(people["ann"]).post(address(found.instance, "withdraw"), {})
    compare()
