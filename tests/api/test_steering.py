"""`instances/{id}/actions/{cancel|reassign}`: what managers do, always with a reason."""

from __future__ import annotations

import pytest

from tests.api.test_tasks import HELD
from tests.builders import a_role
from tests.workflow import flows
from workflow.actions import administration


@pytest.fixture
def task(request_of_ann):
    """Chi's open task."""
    return request_of_ann.tasks.get()


@pytest.fixture
def held(ann, now):
    """A request of ann whose only step is held: its role has nobody."""
    a_role(ann.tenant, "empty")
    step = flows.approve_step("top", who={"any_of": [{"by": "role", "ids": ["empty"]}]})
    flows.publish(ann, flows.a_document(step, key="held"), now=now)
    return flows.start(ann, "held", now=now)


def address(instance, verb):
    return f"instances/{instance.pk}/actions/{verb}"


def test_cancelling_ends_the_request_as_terminated(api, ann, bao, request_of_ann):
    answer = api(bao).post(address(request_of_ann, "cancel"), {"reason": "Filed twice"})
    assert answer.status_code == 200
    assert answer.json()["instance"]["state"] == "terminated"
    timeline = api(ann).read(f"instances/{request_of_ann.pk}/")["timeline"]
    assert (timeline[-1]["actor"], timeline[-1]["comment"]) == ("Bao Chen", "Filed twice")


def test_cancelling_is_refused_in_order(api, people, request_of_ann, now):
    path = address(request_of_ann, "cancel")
    for login in ("eve", "gus", "fay"):
        api(people[login]).refused(path, 404, "not_found", {"nonsense": 1}, key=None)
    for login in ("ann", "chi", "dan"):
        api(people[login]).refused(path, 403, "permission.denied", {"nonsense": 1}, key=None)
    bao = api(people["bao"])
    bao.refused(path, 400, "request.invalid", {"reason": 5})
    bao.refused(path, 400, "request.invalid", {"reason": "r" * 2001})
    bao.refused(path, 400, "idempotency.missing", {"reason": "x"}, key=None)
    problem = bao.refused(path, 422, "reason.required", {"reason": " "})
    assert problem["errors"][0]["at"] == "/reason"
    bao.refused(path, 422, "reason.required")
    flows.reject(people["chi"], now=now)
    bao.refused(path, 409, "instance.not_running", {"reason": ""})


def test_reassigning_moves_the_task(api, bao, chi, gus, request_of_ann, task):
    body = {"task": str(task.pk), "to": "gus", "reason": "Chi is away"}
    answer = api(bao).post(address(request_of_ann, "reassign"), body)
    assert answer.status_code == 200
    assert answer["ETag"] == '"2"'
    found = answer.json()
    assert (found["task"]["state"], found["task"]["actions"]) == ("open", ["comment"])
    assert api(chi).read("tasks/")["count"] == 0
    (row,) = api(gus).read("tasks/")["results"]
    assert (row["id"], row["version"]) == (str(task.pk), 2)
    assert api(chi).get(f"tasks/{task.pk}/").status_code == 404
    assert (
        api(gus).post(f"tasks/{task.pk}/actions/approve", {"task_version": 2}).status_code == 200
    )


def test_a_manager_may_give_a_task_to_himself(api, bao, request_of_ann, task):
    body = {"task": str(task.pk), "to": "bao", "reason": "Mine"}
    found = api(bao).post(address(request_of_ann, "reassign"), body).json()
    assert found["task"]["actions"] == HELD


def test_reassigning_is_refused_in_order(api, people, ann, published, request_of_ann, task, now):
    path = address(request_of_ann, "reassign")
    good = {"task": str(task.pk), "to": "gus", "reason": "Away"}
    for login in ("eve", "gus"):
        api(people[login]).refused(path, 404, "not_found", {"nonsense": 1}, key=None)
    api(ann).refused(path, 403, "permission.denied", {"nonsense": 1}, key=None)
    bao = api(people["bao"])
    for body in ({}, good | {"task": task.pk}, good | {"to": None}, good | {"task_version": 1}):
        bao.refused(path, 400, "request.invalid", body)
    other = flows.start(ann, now=now).tasks.get()
    for wrong in ("x", "0", str(task.pk + 9), str(other.pk), "-1", "9" * 19):
        bao.refused(path, 404, "not_found", good | {"task": wrong})
    bao.refused(path, 422, "reason.required", good | {"reason": ""})
    for nobody in ("eve", "nobody", "", "Gus", "gus "):
        problem = bao.refused(path, 422, "person.unknown", good | {"to": nobody})
        assert problem["errors"][0]["at"] == "/to"
    bao.refused(path, 422, "person.already_holds", good | {"to": "chi"})
    administration.terminate(instance=request_of_ann, user=people["bao"], reason="x", now=now)
    bao.refused(path, 409, "instance.not_running", good | {"to": "nobody", "reason": ""})


def test_a_disabled_person_gets_nothing(api, bao, gus, request_of_ann, task):
    gus.is_active = False
    gus.save()
    body = {"task": str(task.pk), "to": "gus", "reason": "Away"}
    api(bao).refused(address(request_of_ann, "reassign"), 422, "person.unknown", body)


def test_a_held_step_is_given_to_a_person_and_goes_on(api, bao, chi, gus, held):
    assert api(bao).read(f"instances/{held.pk}/")["actions"] == [
        "cancel", "reassign", "suspend", "jump", "edit-future",
    ]  # fmt: skip
    body = {"step": "top", "to": "chi", "reason": "Nobody has the role"}
    path = address(held, "reassign")
    answer = api(bao).post(path, body, key="held-once-1")
    assert (answer.status_code, answer["ETag"]) == (200, '"1"'), answer.content
    found = answer.json()
    assert (found["task"]["step"]["id"], found["task"]["state"]) == ("top", "open")
    assert found["instance"]["held"] is False
    (row,) = api(chi).read("tasks/")["results"]
    assert row["id"] == found["task"]["id"]
    # The same key is the same answer, although the step is not held any more.
    assert api(bao).post(path, body, key="held-once-1").json() == found
    api(bao).refused(path, 409, "step.not_held", body)
    assert (
        api(chi).post(f"tasks/{row['id']}/actions/approve", {"task_version": 1}).status_code == 200
    )
    api(bao).refused(path, 409, "instance.not_running", body)


def test_giving_a_held_step_is_refused_in_order(api, people, held, request_of_ann, task):
    path = address(held, "reassign")
    good = {"step": "top", "to": "chi", "reason": "Nobody"}
    for login in ("eve", "gus"):
        api(people[login]).refused(path, 404, "not_found", good)
    api(people["ann"]).refused(path, 403, "permission.denied", good)
    bao = api(people["bao"])
    both = bao.refused(path, 400, "request.invalid", good | {"task": str(task.pk)})
    assert [error["at"] for error in both["errors"]] == ["/step"]
    neither = bao.refused(path, 400, "request.invalid", {"to": "chi", "reason": "x"})
    assert [error["at"] for error in neither["errors"]] == ["/task"]
    for wrong in (None, 1, ["top"], "t" * 129):
        bao.refused(path, 400, "request.invalid", good | {"step": wrong})
    for wrong in ("", "lead", "Top"):
        bao.refused(path, 409, "step.not_held", good | {"step": wrong})
    bao.refused(address(request_of_ann, "reassign"), 409, "step.not_held", good | {"step": "lead"})
    bao.refused(path, 422, "reason.required", good | {"reason": ""})
    bao.refused(path, 422, "person.unknown", good | {"to": "nobody"})
