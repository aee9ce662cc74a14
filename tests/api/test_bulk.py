"""`tasks/bulk-actions`: each row by itself, only the rows given, each with its own reason."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from flowadmin.rest.models import StoredRequest
from tests.api import situations
from tests.api.caller import nothing_written
from tests.workflow import flows
from workflow.actions import bulk
from workflow.models import Event, Task

PATH = "tasks/bulk-actions"


@pytest.fixture
def waiting(people, now):
    """Three requests that wait for chi."""
    situations.publish(people["bao"], "plain", flows.approve_step("lead", "chi"), now=now)
    made = [flows.start(people["ann"], "plain", now=now) for _ in range(3)]
    return [instance.tasks.get() for instance in made]


def items(*tasks, version=1):
    return [{"task": str(task.pk), "task_version": version} for task in tasks]


def results(answer):
    assert answer.status_code == 200, answer.content
    return [
        (each["task"], each["ok"], each["status"], each["code"])
        for each in answer.json()["results"]
    ]


def test_only_the_rows_given_are_decided(api, people, waiting):
    """Test 53."""
    first, second, third = waiting
    body = {"action": "approve", "comment": "Fine", "items": items(first, third)}
    answer = api(people["chi"]).post(PATH, body)
    assert results(answer) == [(str(first.pk), True, 200, ""), (str(third.pk), True, 200, "")]
    states = dict(Task.objects.values_list("pk", "state"))
    assert states == {first.pk: "approved", second.pk: "open", third.pk: "approved"}
    last = Event.objects.get(instance=first.instance_id, kind="task_approved")
    assert "Fine" in str(last.payload)


def test_each_row_has_its_own_comment_if_it_wants(api, people, waiting):
    rows = items(*waiting)
    rows[0]["comment"] = "This one is late"
    api(people["chi"]).post(PATH, {"action": "reject", "comment": "No", "items": rows})
    said = [
        api(people["ann"]).read(f"instances/{task.instance_id}/")["timeline"][-2]["comment"]
        for task in waiting
    ]
    assert said == ["This one is late", "No", "No"]


def test_what_cannot_be_decided_says_why_and_keeps_nothing_back(api, people, waiting, now):
    chi, bao = people["chi"], people["bao"]
    flows.approve(chi, now=now)  # the newest of the three
    must = {"default": "read", "set": {"reason": "must"}}
    evidence = {"comment": "may", "signature": "must", "files": "no"}
    picking = situations.step("next", who={"any_of": [{"by": "picked_by", "step": "lead"}]})
    extra = {
        "form": [flows.approve_step("lead", "chi", fields=must)],
        "paper": [flows.approve_step("lead", "chi", evidence=evidence)],
        "picks": [flows.approve_step("lead", "chi"), picking],
        "said": [flows.approve_step("lead", "chi", evidence={"comment": "must"})],
        "work": [situations.work("lead", "chi")],
        "other": [flows.approve_step("lead", "gus")],
    }
    found = {}
    for key, steps in extra.items():
        situations.publish(bao, key, *steps, now=now)
        found[key] = flows.start(people["ann"], key, now=now, reason="Train").tasks.get()
    before = {task.pk: task.state for task in Task.objects.all()}
    rows = items(*waiting, *found.values())
    rows[1]["task_version"] = 5
    rows += [{"task": "999", "task_version": 1}, {"task": "x", "task_version": 1}]
    answer = api(chi).post(PATH, {"action": "approve", "items": rows})
    assert [each[1:] for each in results(answer)] == [
        (True, 200, ""),
        (False, 412, "task.version_moved"),
        (False, 409, "task.not_open"),
        (False, 422, "bulk.form_needed"),
        (False, 422, "bulk.evidence_needed"),
        (False, 422, "bulk.people_needed"),
        (False, 422, "comment.required"),
        (False, 403, "act.not_here"),
        (False, 404, "not_found"),
        (False, 404, "not_found"),
        (False, 404, "not_found"),
    ]
    told = answer.json()["results"][2]
    assert told["message"]
    assert (told["problem"]["handled_by"], told["problem"]["status"]) == ("Chi Wang", 409)
    after = {task.pk: task.state for task in Task.objects.all()}
    assert {pk for pk in after if after[pk] != before.get(pk)} == {waiting[0].pk}
    details = {key: api(chi).read(f"tasks/{found[key].pk}/") for key in ("form", "picks", "work")}
    assert {key: each["bulk_actions"] for key, each in details.items()} == {
        "form": ["reject"],
        "picks": ["reject"],
        "work": ["complete"],
    }
    done = api(chi).post(PATH, {"action": "complete", "items": items(found["work"])})
    assert results(done)[0][1] is True


def test_a_repeated_key_gives_the_same_list(api, people, waiting):
    chi = api(people["chi"])
    body = {"action": "approve", "items": [*items(*waiting[:2]), {"task": "7", "task_version": 1}]}
    first = chi.post(PATH, body, key="once")
    with nothing_written():
        again = chi.post(PATH, body, key="once")
    assert (again.content, again["Idempotency-Replayed"]) == (first.content, "true")
    changed = {"action": "reject", "items": items(*waiting)}
    chi.refused(PATH, 422, "idempotency.other_body", changed, key="once")
    late = chi.post(PATH, body, key="twice")
    assert {each[3] for each in results(late)} == {"task.not_open", "not_found"}


def test_a_call_that_was_broken_off_is_finished_by_its_repetition(
    api, people, waiting, monkeypatch
):
    """Killed after the second row: the third is done, and the first two answer as they did."""
    chi = api(people["chi"])
    body = {"action": "approve", "items": items(*waiting)}
    decide = bulk._decide
    calls: list[bulk.Result] = []

    class Killed(BaseException):
        pass

    def dies(*args):
        if len(calls) == 2:
            raise Killed
        calls.append(decide(*args))
        return calls[-1]

    with monkeypatch.context() as patched:
        patched.setattr(bulk, "_decide", dies)
        with pytest.raises(Killed):
            chi.post(PATH, body, key="once")
    assert StoredRequest.objects.count() == 2
    answer = chi.post(PATH, body, key="once")
    assert [each[1] for each in results(answer)] == [True, True, True]
    assert Event.objects.filter(kind="task_approved").count() == 3
    assert chi.post(PATH, body, key="once").content == answer.content


def test_bodies_are_refused_as_a_whole(api, people, waiting):
    chi, row = api(people["chi"]), items(waiting[0])[0]
    for body, at in (
        ({"items": [row]}, "/action"),
        ({"action": "transfer", "items": [row]}, "/action"),
        ({"action": "approve"}, "/items"),
        ({"action": "approve", "items": []}, "/items"),
        ({"action": "approve", "items": {}}, "/items"),
        ({"action": "approve", "items": [row] * 101}, "/items"),
        ({"action": "approve", "items": [row, dict(row)]}, "/items/1/task"),
        (
            {"action": "approve", "items": [row, {"task": "0" + row["task"], "task_version": 1}]},
            "/items/1/task",
        ),
        ({"action": "approve", "items": [5]}, "/items/0"),
        ({"action": "approve", "items": [{"task": row["task"]}]}, "/items/0/task_version"),
        ({"action": "approve", "items": [row | {"task_version": True}]}, "/items/0/task_version"),
        ({"action": "approve", "items": [row | {"task": 5}]}, "/items/0/task"),
        ({"action": "approve", "items": [row | {"form": {}}]}, "/items/0/form"),
        ({"action": "approve", "items": [row], "form": {}}, "/form"),
        ({"action": "approve", "items": [row], "comment": 5}, "/comment"),
    ):
        problem = chi.refused(PATH, 400, "request.invalid", body)
        assert at in [each["at"] for each in problem["errors"]], body
    chi.refused(PATH, 400, "idempotency.missing", {"action": "approve", "items": [row]}, key=None)


def test_others_tasks_are_not_decided(api, people, waiting):
    for login, code in (("eve", "not_found"), ("gus", "not_found"), ("ann", "task.not_yours")):
        with nothing_written_to_requests():
            answer = api(people[login]).post(PATH, {"action": "approve", "items": items(*waiting)})
        assert {each[3] for each in results(answer)} == {code}


@contextmanager
def nothing_written_to_requests():
    """The list of refusals is kept under its key; of the requests nothing changes."""
    before = flows.everything(), Event.objects.count()
    yield
    assert (flows.everything(), Event.objects.count()) == before
