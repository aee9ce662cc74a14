"""`tasks/{id}/actions/take-back`: while nothing has come of a decision (approvals.md 2.6)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.api import situations
from tests.workflow import flows
from workflow.models import Task


@pytest.fixture
def found(people, now):
    """Chi has approved; fay has not decided yet."""
    return situations.make("take-back", people, now)


def address(task, verb="take-back"):
    return f"tasks/{task.pk}/actions/{verb}"


def test_a_decision_is_taken_back_and_made_again(api, people, found):
    """Test 41."""
    chi = api(people["chi"])
    (row,) = chi.read("tasks/?box=done")["results"]
    assert row["actions"] == ["comment", "take-back"]
    answer = chi.post(address(found.task), {"comment": "Wrong button"}, key="once")
    assert (answer.status_code, answer["ETag"]) == (200, '"3"'), answer.content
    assert answer.json()["task"]["state"] == "taken_back"
    assert answer.json()["task"]["actions"] == ["comment"]
    again = chi.post(address(found.task), {"comment": "Wrong button"}, key="once")
    assert again.content == answer.content
    assert chi.read("tasks/?box=done")["count"] == 0
    assert api(people["fay"]).read("tasks/")["count"] == 0
    (new,) = chi.read("tasks/")["results"]
    assert new["id"] != str(found.task.pk)
    chi.refused(address(found.task), 409, "take_back.not_decided", {})
    decided = chi.post(f"tasks/{new['id']}/actions/reject", {"task_version": new["version"]})
    assert decided.json()["instance"]["state"] == "rejected"


def test_not_after_the_next_has_decided(api, people, found, now):
    fay = people["fay"]
    situations.publish(
        people["bao"], "long", situations.step("a", "chi"), situations.step("b", "fay"),
        situations.step("c", "gus"), now=now,
    )  # fmt: skip
    instance = flows.start(people["ann"], "long", now=now)
    flows.approve(people["chi"], now=now)
    first = situations.task_of(people["chi"], instance)
    flows.approve(fay, now=now)
    chi = api(people["chi"])
    chi.refused(address(first), 409, "take_back.decided", {"comment": "Too late"})
    assert "take-back" not in chi.read(f"tasks/{first.pk}/")["actions"]


def test_in_a_countersign_only_ones_own_seat_opens_again(api, people, now):
    """Test 42."""
    who = {"any_of": [{"by": "user", "ids": ["chi", "fay", "gus"]}]}
    found = situations.chi_holds(people, now, key="all", who=who, decide={"mode": "all"})
    flows.approve(people["gus"], now=now)
    flows.approve(people["chi"], now=now)
    # Only the last decision of the step can be undone (2.6, a).
    earlier = situations.task_of(people["gus"], found.instance)
    api(people["gus"]).refused(address(earlier), 409, "take_back.decided", {})
    chi_task = situations.task_of(people["chi"], found.instance)
    assert api(people["chi"]).post(address(chi_task), {}).status_code == 200
    states = dict(
        Task.objects.filter(instance=found.instance, step="lead").values_list(
            "holder__login", "state"
        )
    )
    assert states == {"chi": "open", "fay": "open", "gus": "approved"}


def test_who_may_and_until_when(api, people, found, now):
    path = address(found.task)
    api(people["eve"]).refused(path, 404, "not_found", {"nonsense": 1}, key=None)
    for login in ("ann", "bao", "fay"):
        api(people[login]).refused(path, 403, "task.not_yours", {"nonsense": 1}, key=None)
    chi = api(people["chi"])
    chi.refused(path, 400, "request.invalid", {"reason": "x"})
    chi.refused(path, 400, "precondition.malformed", {"task_version": "1"})
    chi.refused(path, 400, "idempotency.missing", {}, key=None)
    late = {"take_back": {"on": True, "within": "PT1H"}}
    situations.publish(
        people["bao"], "late", situations.step("a", "chi"), situations.step("b", "gus"), now=now,
        policy=late,
    )  # fmt: skip
    instance = flows.start(people["ann"], "late", now=now)
    flows.approve(people["chi"], now=now - timedelta(days=365))
    task = situations.task_of(people["chi"], instance)
    chi.refused(address(task), 409, "take_back.too_late", {})
    offer = {each["verb"]: each for each in chi.read(f"tasks/{task.pk}/")["offers"]}["take-back"]
    assert (offer["allowed"], offer["code"]) == (False, "take_back.too_late")


def test_only_where_the_process_lets_one(api, people, request_of_ann, now):
    task = request_of_ann.tasks.get()
    flows.approve(people["chi"], now=now)
    chi = api(people["chi"])
    chi.refused(address(task), 403, "act.switched_off", {})
    open_task = situations.chi_holds(people, now).task
    chi.refused(address(open_task), 409, "take_back.not_decided", {})
