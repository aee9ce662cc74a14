"""Approve, reject and comment: answers, the order of refusals, and keys."""

from __future__ import annotations

import json

import pytest

from flowadmin import clock
from flowadmin.directory.actions import issue_token
from flowadmin.rest.models import StoredRequest
from tests.api.caller import Caller, nothing_written
from tests.workflow import flows
from workflow.actions import administration
from workflow.models import Definition, Event, Instance, Task


@pytest.fixture
def task(request_of_ann):
    """Chi's open task."""
    return request_of_ann.tasks.get()


def address(task, verb="approve"):
    return f"tasks/{task.pk}/actions/{verb}"


# What they do ---------------------------------------------------------------------------------


def test_approving_answers_both_new_states(api, chi, task, request_of_ann):
    answer = api(chi).post(
        address(task), {"comment": "Fine.", "form": {"reason": "Bus"}, "task_version": 1}
    )
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert (found["task"]["state"], found["task"]["version"]) == ("approved", 2)
    assert found["task"]["actions"] == ["comment"]  # nothing is taken back in this process
    assert (found["instance"]["id"], found["instance"]["state"]) == (
        str(request_of_ann.pk),
        "running",
    )
    assert answer["ETag"] == '"2"'
    listed = api(chi).read("tasks/?box=done")["results"]
    assert listed == [found["task"]]
    row = api(chi).read("instances/?box=involved")["results"]
    assert row == [found["instance"]]
    request_of_ann.refresh_from_db()
    assert request_of_ann.snapshot["values"]["reason"] == "Bus"


def test_the_last_approval_ends_the_request(api, chi, fay, ann, task):
    api(chi).post(address(task), if_match='"1"')
    last = flows.open_task(fay)
    found = api(fay).post(address(last), {"task_version": 1}).json()
    assert found["instance"]["state"] == "approved"
    assert found["instance"]["ended_at"] is not None
    assert found["task"]["actions"] == []
    assert api(ann).read("instances/?state=approved")["count"] == 1


def test_rejecting_ends_the_request(api, chi, task):
    found = api(chi).post(address(task, "reject"), {"comment": "No.", "task_version": 1}).json()
    assert (found["task"]["state"], found["instance"]["state"]) == ("rejected", "rejected")


def test_whoever_may_read_may_comment(api, ann, bao, task, request_of_ann):
    for person in (ann, bao):
        answer = api(person).post(address(task, "comment"), {"comment": f"From {person.login}"})
        assert answer.status_code == 200
        assert answer.json()["task"]["version"] == 1
    texts = [
        entry["comment"] for entry in api(ann).read(f"instances/{request_of_ann.pk}/")["timeline"]
    ]
    assert texts[-2:] == ["From ann", "From bao"]


def test_a_comment_on_a_decided_task_tells_its_state(api, chi, task, now):
    flows.approve(chi, now=now)
    found = api(chi).post(address(task, "comment"), {"comment": "By the way"}).json()
    assert (found["task"]["state"], found["task"]["version"]) == ("approved", 2)


# The order of refusals ------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_unknown_and_foreign_come_first(api, verb, eve, gus, fay, task):
    """Even with a bad key, no version, unknown members and on a closed task."""
    for person in (eve, gus, fay):
        for body in ({"task_version": 1}, {"nonsense": 1}):
            api(person).refused(address(task, verb), 404, "not_found", body, key=None)
    missing = type(task)(pk=task.pk + 5)
    api(eve).refused(address(missing, verb), 404, "not_found", {"task_version": 1})


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_then_who_may_not(api, verb, ann, bao, admin, task, chi, now):
    for person in (ann, bao, admin):
        api(person).refused(address(task, verb), 403, "task.not_yours", {"nonsense": 1}, key=None)
    flows.approve(chi, now=now)
    api(ann).refused(address(task, verb), 403, "task.not_yours", {"task_version": 1})


def test_then_version_members_and_key(api, chi, task, now):
    flows.approve(chi, now=now)  # closed: the state is told only to whoever names a version
    path = address(task)
    caller = api(chi)
    caller.refused(path, 428, "precondition.missing")
    caller.refused(path, 400, "precondition.malformed", {"task_version": "1"})
    caller.refused(path, 400, "precondition.malformed", {"task_version": True})
    caller.refused(path, 400, "precondition.malformed", if_match="1")
    caller.refused(path, 400, "precondition.disagree", {"task_version": 1}, if_match='"2"')
    caller.refused(path, 400, "request.invalid", {"task_version": 1, "reason": "x"})
    caller.refused(path, 400, "request.invalid", {"task_version": 1, "comment": "c" * 2001})
    caller.refused(path, 400, "request.invalid", {"task_version": 1, "attachments": [7]})
    caller.refused(path, 400, "request.invalid", {"task_version": 1, "signature": ["7"]})
    caller.refused(path, 400, "idempotency.missing", {"task_version": 1}, key=None)
    caller.refused(path, 400, "idempotency.bad", {"task_version": 1}, key="ké")


def test_then_closed_with_who_and_when(api, chi, fay, task, now):
    flows.approve(chi, now=now)
    for version in (1, 2, 77):
        problem = api(chi).refused(
            address(task), 409, "task.not_open", {"task_version": version, "form": {"zzz": 1}}
        )
        assert problem["handled_by"] == "Chi Wang"
        assert problem["handled_at"] == now.isoformat().replace("+00:00", "Z")
        assert problem["decision"] == "approved"


def test_then_a_moved_version_with_who_and_when(api, bao, chi, gus, task, now):
    for to in (gus, chi):
        administration.reassign(task=task, to=to, user=bao, reason="Away", now=now)
    problem = api(chi).refused(
        address(task), 412, "task.version_moved", {"task_version": 1, "form": {"zzz": 1}}
    )
    assert problem["current_version"] == 3
    assert problem["changed_by"] == "Bao Chen"
    assert problem["changed_at"] == now.isoformat().replace("+00:00", "Z")
    assert api(chi).post(address(task), {"task_version": 3}).status_code == 200


def test_last_the_rules_of_the_process(api, chi, task):
    problem = api(chi).refused(
        address(task),
        422,
        "form.invalid",
        {"task_version": 1, "form": {"amount": "1", "reason": 5, "secret": "x", "zzz": 1}},
    )
    assert {error["at"]: error["code"] for error in problem["errors"]} == {
        "/form/amount": "form.not_editable",
        "/form/reason": "form.type_mismatch",
        "/form/secret": "form.unknown_field",
        "/form/zzz": "form.unknown_field",
    }


def test_a_comment_may_be_needed(api, ann, chi, now):
    step = flows.approve_step("lead", "chi", evidence={"comment": "must"})
    flows.publish(ann, flows.a_document(step), now=now)
    task = flows.start(ann, now=now).tasks.get()
    problem = api(chi).refused(address(task), 422, "comment.required", {"task_version": 1})
    assert problem["errors"][0]["at"] == "/comment"
    assert api(chi).read(f"tasks/{task.pk}/")["comment"] == "must"


def test_comments_that_are_refused(api, ann, chi, eve, task, now):
    path = address(task, "comment")
    api(eve).refused(path, 404, "not_found", {"comment": "x"})
    api(ann).refused(path, 422, "comment.required", {"comment": " \n"})
    api(ann).refused(path, 422, "comment.required")
    api(ann).refused(path, 400, "request.invalid", {"comment": 5})
    api(ann).refused(path, 400, "request.invalid", {"comment": "x", "form": {}})
    api(ann).refused(path, 400, "precondition.malformed", {"comment": "x", "task_version": "1"})
    flows.reject(chi, now=now)
    api(ann).refused(path, 409, "instance.not_running", {"comment": "x"})


# Keys -----------------------------------------------------------------------------------------


def commands(task):
    """Each command that the holder of a task, the initiator or a designer can repeat."""
    return {
        "start": ("ann", "instances/", {"flow": "expense", "form": {"amount": "1"}}),
        "approve": ("chi", address(task), {"task_version": 1}),
        "reject": ("chi", address(task, "reject"), {"task_version": 1}),
        "comment": ("chi", address(task, "comment"), {"comment": "Hm."}),
        "publish": (
            "bao",
            "flows/other/actions/publish",
            {"document": flows.a_document(key="other"), "form": flows.FORM},
        ),
        "cancel": ("bao", f"instances/{task.instance_id}/actions/cancel", {"reason": "Moot"}),
        "reassign": (
            "bao",
            f"instances/{task.instance_id}/actions/reassign",
            {"task": str(task.pk), "to": "gus", "reason": "Away"},
        ),
    }


NAMES = ["start", "approve", "reject", "comment", "publish", "cancel", "reassign"]


@pytest.mark.parametrize("name", NAMES)
def test_a_repeated_command_gets_its_first_answer(api, people, task, name):
    login, path, body = commands(task)[name]
    caller = api(people[login])
    first = caller.post(path, body, key="once")
    assert first.status_code in {200, 201}
    with nothing_written():
        again = caller.post(path, body, key="once")
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first
    for header in ("ETag", "Location"):
        assert again.get(header) == first.get(header)
    assert StoredRequest.objects.count() == 1


@pytest.mark.parametrize("name", NAMES)
def test_one_key_is_one_request(api, people, task, name):
    login, path, body = commands(task)[name]
    caller = api(people[login])
    assert caller.post(path, body, key="once").status_code in {200, 201}
    raw = b" " + json.dumps(body).encode()
    caller.refused(path, 422, "idempotency.other_body", raw=raw, key="once")


def test_a_repetition_is_answered_whatever_has_happened_since(api, people, task):
    """The process was suspended meanwhile: the first answer stays the answer."""
    login, path, body = commands(task)["start"]
    caller = api(people[login])
    first = caller.post(path, body, key="once")
    Definition.objects.update(state="suspended")
    again = caller.post(path, body, key="once")
    assert (again.status_code, again.content) == (201, first.content)
    caller.refused(path, 409, "flow.suspended", body, key="another")


def test_a_refused_command_frees_its_key(api, chi, task):
    body = {"task_version": 1}
    api(chi).refused(address(task), 422, "form.invalid", body | {"form": {"zzz": 1}}, key="k")
    assert api(chi).post(address(task), body, key="k").status_code == 200


def test_a_machine_decides_with_its_token(client, chi, task):
    caller = Caller(client)
    token = f"Token {issue_token(chi, now=clock.now())}"
    answer = caller.post(address(task), {"task_version": 1}, authorization=token)
    assert answer.status_code == 200
    wrong = caller.post(address(task), {"task_version": 1}, authorization="Token wrong")
    assert (wrong.status_code, wrong.json()["code"]) == (401, "auth.failed")


def test_a_browser_needs_the_csrf_token(client_of, chi, task):
    caller = Caller(client_of(chi, enforce_csrf_checks=True))
    caller.refused(address(task), 403, "csrf.failed", {"task_version": 1})


def test_one_decision_stands_in_the_history(api, chi, task):
    api(chi).post(address(task), {"task_version": 1})
    api(chi).post(address(task), {"task_version": 1})
    assert Event.objects.filter(kind="task_approved").count() == 1
    assert Task.objects.get(pk=task.pk).version == 2
    assert Instance.objects.get().state == "running"
