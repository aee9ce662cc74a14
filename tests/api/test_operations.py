"""What a person does with a task: answers, refusals, and that exactly this is offered."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flowadmin import clock
from tests.api import situations
from tests.files import uploads
from tests.workflow import flows
from workflow.engine import commands
from workflow.models import Event, Task


@pytest.fixture
def found(people, now):
    """Chi has an open task in which everything is switched on."""
    return situations.chi_holds(people, now)


def address(task, verb):
    return f"tasks/{task.pk}/actions/{verb}"


def kinds(instance):
    return list(
        Event.objects.filter(instance=instance).order_by("position").values_list("kind", flat=True)
    )


# What they do ---------------------------------------------------------------------------------


def test_a_task_goes_to_another_person_for_good(api, people, found):
    chi, gus, fay = people["chi"], people["gus"], people["fay"]
    body = {"to": "gus", "comment": "Yours", "task_version": 1, "form": {"reason": "Bus"}}
    answer = api(chi).post(address(found.task, "transfer"), body, key="once")
    assert (answer.status_code, answer["ETag"]) == (200, '"2"'), answer.content
    # He reads on what he gave away, and may say something about it; he decides nothing.
    assert answer.json()["task"]["actions"] == ["comment"]
    assert api(gus).read("tasks/")["results"][0]["id"] == str(found.task.pk)
    found.instance.refresh_from_db()
    assert found.instance.snapshot["values"]["reason"] == "Bus"
    # He still reads on; the same key still gets the answer that may have been lost.
    assert api(chi).get(f"tasks/{found.task.pk}/").status_code == 200
    again = api(chi).post(address(found.task, "transfer"), body, key="once")
    assert (again.content, again["Idempotency-Replayed"]) == (answer.content, "true")
    api(chi).refused(address(found.task, "transfer"), 403, "task.not_yours", body, key="new")
    second = {"to": "fay", "task_version": 2}
    assert api(gus).post(address(found.task, "transfer"), second).status_code == 200
    chain = api(fay).read(f"tasks/{found.task.pk}/")["chain"]
    assert [each["login"] for each in chain] == ["chi", "gus"]
    back = api(fay).refused(
        address(found.task, "transfer"), 422, "person.in_chain", {"to": "chi", "task_version": 3}
    )
    assert back["errors"][0]["at"] == "/to"


def test_an_opinion_comes_back(api, people, found):
    chi, gus = people["chi"], people["gus"]
    asked = api(chi).post(address(found.task, "delegate"), {"to": "gus", "task_version": 1})
    assert asked.json()["task"]["state"] == "handed_on"
    assert api(chi).read("tasks/")["count"] == 0
    (row,) = api(gus).read("tasks/")["results"]
    assert "hand-back" in row["actions"]
    assert "approve" not in row["actions"]
    detail = api(gus).read(f"tasks/{row['id']}/")
    assert detail["added_by"] == {"login": "chi", "name": "Chi Wang"}
    own = f"tasks/{row['id']}/actions/"
    api(gus).refused(own + "approve", 403, "act.not_here", {"task_version": 1})
    given = api(gus).post(own + "hand-back", {"comment": "I would.", "task_version": 1})
    assert given.json()["task"]["state"] == "opinion_given"
    (done,) = api(gus).read("tasks/?box=done")["results"]
    assert done["state"] == "opinion_given"
    (mine,) = api(chi).read("tasks/")["results"]
    assert (mine["id"], mine["state"], mine["version"]) == (str(found.task.pk), "open", 3)


@pytest.mark.parametrize("place", ["before", "after", "with"])
def test_people_are_added_and_removed(api, people, found, place):
    chi, gus = people["chi"], people["gus"]
    body = {"people": ["gus"], "place": place, "task_version": 1}
    assert api(chi).post(address(found.task, "add-signer"), body).status_code == 200
    added = situations.task_of(gus, found.instance)
    assert added.state == {"before": "open", "after": "blocked", "with": "open"}[place]
    own = api(chi).read(f"tasks/{found.task.pk}/")
    assert own["removable"] == [
        {"task": str(added.pk), "holder": {"login": "gus", "name": "Gus Hill"}}
    ]
    offer = {each["verb"]: each for each in own["offers"]}["remove-signer"]
    assert (offer["allowed"], offer["choices"]) == (True, [str(added.pk)])
    path = address(found.task, "remove-signer")
    api(people["fay"]).refused(path, 404, "not_found", {"task": str(added.pk)})
    api(people["ann"]).refused(path, 403, "signer.not_yours", {"task": str(added.pk)})
    api(chi).refused(path, 403, "signer.not_added", {"task": str(found.task.pk)})
    answer = api(chi).post(path, {"task": str(added.pk), "comment": "Not needed"})
    assert answer.json()["task"]["state"] == "open"
    added.refresh_from_db()
    assert added.state == "closed"
    api(chi).refused(path, 409, "task.not_open", {"task": str(added.pk)})


def test_a_manager_removes_whoever_was_added(api, people, now):
    found = situations.make("remove-signer", people, now)
    detail = api(people["bao"]).read(f"tasks/{found.task.pk}/")
    assert "remove-signer" in detail["actions"]
    path = address(found.task, "remove-signer")
    assert api(people["bao"]).post(path, {"task": str(found.other.pk)}).status_code == 200
    other = situations.chi_holds(people, now, key="other").task
    api(people["bao"]).refused(path, 404, "not_found", {"task": str(other.pk)})


def test_added_people_may_be_named_once(api, people, found):
    path, base = address(found.task, "add-signer"), {"task_version": 1, "place": "before"}
    chi = api(people["chi"])
    for logins, code, at in (
        ([], "people.required", "/people"),
        (["gus", "nobody"], "person.unknown", "/people/1"),
        (["eve"], "person.unknown", "/people/0"),
        (["chi"], "person.in_chain", "/people/0"),
        (["gus"] + [f"x{n}" for n in range(101)], "people.too_many", "/people"),
    ):
        problem = chi.refused(path, 422, code, base | {"people": logins})
        assert problem["errors"][0]["at"] == at, logins
    chi.refused(path, 400, "request.invalid", {"task_version": 1, "people": ["gus"]})
    chi.refused(path, 400, "request.invalid", base | {"people": ["gus"], "place": "beside"})
    chi.refused(path, 400, "request.invalid", base | {"people": "gus"})


def test_copies_are_for_reading(api, people, found):
    chi, gus = people["chi"], people["gus"]
    path = address(found.task, "copy")
    assert api(chi).post(path, {"people": ["gus", "fay"], "task_version": 1}).status_code == 200
    (row,) = api(gus).read("tasks/?box=copied")["results"]
    assert row["actions"] == ["comment"]
    problem = api(chi).refused(
        path, 422, "person.unknown", {"people": ["fay", "eve"], "task_version": 1}
    )
    assert problem["errors"][0]["at"] == "/people/1"
    problem = api(chi).refused(
        path, 422, "person.already_reads", {"people": ["gus"], "task_version": 1}
    )
    assert problem["errors"][0]["at"] == "/people"
    api(gus).refused(
        f"tasks/{row['id']}/actions/approve", 403, "act.not_here", {"task_version": row["version"]}
    )


def test_the_request_goes_back_and_on_again(api, people, found):
    chi, ann = people["chi"], people["ann"]
    detail = api(chi).read(f"tasks/{found.task.pk}/")
    assert [each["id"] for each in detail["return_targets"]] == ["start", "first"]
    path = address(found.task, "return")
    for wrong in ("last", "lead", "", "nowhere"):
        problem = api(chi).refused(
            path, 422, "return.bad_target", {"to": wrong, "task_version": 1}
        )
        assert problem["errors"][0]["at"] == "/to"
    body = {"to": "start", "resume": "here", "comment": "Which train?", "task_version": 1}
    assert api(chi).post(path, body).json()["task"]["state"] == "done"
    (row,) = api(ann).read("tasks/")["results"]
    assert row["step"] == {"id": "start", "name": "Initiator"}
    assert row["actions"] == ["complete", "comment", "snooze"]
    resubmit = f"instances/{found.instance.pk}/actions/resubmit"
    assert "resubmit" in api(ann).read(f"instances/{found.instance.pk}/")["actions"]
    api(ann).refused(resubmit, 428, "precondition.missing", {"form": {"reason": "Night train"}})
    api(ann).refused(resubmit, 412, "task.version_moved", {"task_version": 7})
    problem = api(ann).refused(
        resubmit, 422, "form.invalid", {"task_version": 1, "form": {"amount": "x"}}
    )
    assert problem["errors"][0]["at"] == "/form/amount"
    sent = {"form": {"reason": "Night train"}, "task_version": 1}
    answer = api(ann).post(resubmit, sent, key="on")
    assert (answer.status_code, answer.json()["task"]["state"]) == (200, "done"), answer.content
    again = api(ann).post(resubmit, sent, key="on")
    assert (again.content, again["ETag"]) == (answer.content, answer["ETag"])
    api(ann).refused(resubmit, 409, "resubmit.not_returned", sent)
    # Straight back to whoever returned it.
    (mine,) = api(chi).read("tasks/")["results"]
    assert mine["step"]["id"] == "lead"


def test_work_is_taken_out_of_the_pool_and_given_back(api, people, now):
    chi, gus = people["chi"], people["gus"]
    situations.publish(
        people["bao"],
        "pool",
        situations.work("lead", "chi", "gus", decide={"mode": "claim"}),
        now=now,
    )
    instance = flows.start(people["ann"], "pool", now=now)
    own, others = situations.task_of(chi, instance), situations.task_of(gus, instance)
    assert "claim" in api(gus).read("tasks/")["results"][0]["actions"]
    claimed = api(chi).post(address(own, "claim"), {"task_version": 1})
    assert claimed.json()["task"]["actions"][:1] == ["complete"]
    assert "release" in claimed.json()["task"]["actions"]
    assert api(gus).read("tasks/")["count"] == 0
    late = api(gus).refused(address(others, "claim"), 409, "task.claimed", {"task_version": 2})
    assert late["status"] == 409
    assert api(gus).read(f"tasks/{others.pk}/")["claimed_by"] == {
        "login": "chi",
        "name": "Chi Wang",
    }
    assert api(chi).post(address(own, "release"), {"task_version": 2}).status_code == 200
    assert api(gus).read("tasks/")["count"] == 1
    others.refresh_from_db()
    done = api(gus).post(address(others, "complete"), {"task_version": others.version})
    assert (done.json()["task"]["state"], done.json()["instance"]["state"]) == ("done", "approved")


def test_a_snoozed_task_is_no_to_do_until_then(api, people, found):
    chi = api(people["chi"])
    path = address(found.task, "snooze")
    later = clock.now() + timedelta(days=2)
    for wrong in ("tomorrow", "2026-03-02", "2026-03-02T09:00:00", 5, True):
        chi.refused(path, 400, "request.invalid", {"until": wrong, "task_version": 1})
    chi.refused(path, 400, "request.invalid", {"task_version": 1})
    for wrong in (
        "2020-01-01T00:00:00Z",
        "9999-12-31T23:59:59-14:00",
        "0001-01-01T00:00:00+14:00",
    ):
        problem = chi.refused(path, 422, "snooze.bad_moment", {"until": wrong, "task_version": 1})
        assert problem["errors"][0]["at"] == "/until"
    answer = chi.post(path, {"until": later.isoformat(), "task_version": 1})
    assert (answer.status_code, answer.json()["task"]["version"]) == (200, 1)
    assert chi.read("tasks/")["results"] == []
    assert chi.read("me")["counters"]["todo"] == 0
    (row,) = chi.read("tasks/?box=snoozed")["results"]
    assert "approve" in row["actions"]
    seen = chi.read(f"tasks/{found.task.pk}/")["snoozed_until"]
    assert seen[:16] == later.isoformat()[:16]
    Task.objects.filter(pk=found.task.pk).update(snoozed_until=clock.now() - timedelta(minutes=1))
    assert (chi.read("tasks/")["count"], chi.read("tasks/?box=snoozed")["count"]) == (1, 0)
    assert chi.read("me")["counters"]["todo"] == 1


def test_overdue_counts_what_is_snoozed_too(api, people, found):
    chi, now = api(people["chi"]), clock.now()
    rows = Task.objects.filter(pk=found.task.pk)
    rows.update(due_at=now - timedelta(minutes=1), snoozed_until=now + timedelta(days=1))
    counters = chi.read("me")["counters"]
    assert (counters["todo"], counters["overdue"]) == (0, 1)
    rows.update(due_at=now + timedelta(minutes=5))
    assert chi.read("me")["counters"]["overdue"] == 0


def test_a_substitute_is_asked_for_with_a_reason(api, people, found):
    path = address(found.task, "ask-substitute")
    chi = api(people["chi"])
    problem = chi.refused(path, 422, "comment.required", {"task_version": 1})
    assert problem["errors"][0]["at"] == "/comment"
    assert chi.post(path, {"comment": "On leave", "task_version": 1}).status_code == 200
    assert kinds(found.instance)[-1] == "substitute_asked"


def test_files_and_a_signature_come_with_a_decision(api, people, now):
    evidence = {"comment": "may", "signature": "must", "files": "may"}
    found = situations.chi_holds(people, now, evidence=evidence)
    chi, fay = people["chi"], people["fay"]
    path = address(found.task, "approve")
    file = uploads.a_file(chi, now=now)
    ink = uploads.a_file(chi, now=now, name="ink.png", content=uploads.PNG)
    stranger = uploads.a_file(people["gus"], now=now)
    detail = api(chi).read(f"tasks/{found.task.pk}/")
    assert (detail["signature"], detail["attachments"]) == ("must", "may")
    problem = api(chi).refused(path, 422, "signature.required", {"task_version": 1})
    assert problem["errors"][0]["at"] == "/signature"
    body = {"task_version": 1, "signature": ink.id, "attachments": [file.id, stranger.id]}
    problem = api(chi).refused(path, 422, "file.unknown", body)
    assert problem["errors"][0]["at"] == "/attachments"
    file.refresh_from_db()
    assert file.bound_to == ""
    typed = body | {"signature": file.id, "attachments": []}
    problem = api(chi).refused(path, 422, "signature.no_picture", typed)
    assert problem["errors"][0]["at"] == "/signature"
    file.refresh_from_db()
    assert file.bound_to == ""
    answer = api(chi).post(path, body | {"attachments": [file.id]})
    assert answer.status_code == 200, answer.content
    file.refresh_from_db()
    assert file.bound_to == f"instance:{found.instance.pk}:task:{found.task.pk}"
    for person, status in (
        (fay, 200),
        (people["ann"], 200),
        (people["gus"], 404),
        (people["eve"], 404),
    ):
        read = api(person).get(f"files/{file.id}/")
        read.getvalue()  # to its end, as a download has to be
        assert read.status_code == status, person.login
    last = situations.task_of(fay, found.instance)
    problem = api(fay).refused(
        address(last, "approve"), 422, "files.not_taken", {"task_version": 1, "attachments": ["x"]}
    )
    assert problem["errors"][0]["at"] == "/attachments"
    problem = api(fay).refused(
        address(last, "comment"), 422, "files.not_taken", {"comment": "x", "attachments": ["x"]}
    )
    assert problem["errors"][0]["at"] == "/attachments"


def test_people_are_picked_by_login(api, people, now):
    picking = situations.step(
        "last", who={"any_of": [{"by": "picked_by", "step": "lead", "max": 2}]}
    )
    situations.publish(people["bao"], "acts", situations.step("lead", "chi"), picking, now=now)
    instance = flows.start(people["ann"], "acts", now=now)
    chi, task = people["chi"], situations.task_of(people["chi"], instance)
    detail = api(chi).read(f"tasks/{task.pk}/")
    assert detail["picks"] == [
        {"step": "last", "name": "Last", "min": 1, "max": 2, "required": True}
    ]
    assert detail["bulk_actions"] == ["reject"]
    path = address(task, "approve")
    for picked, code, at in (
        ({}, "picked.missing", "/picked/last"),
        ({"last": ["gus", "fay", "ann"]}, "picked.too_many", "/picked/last"),
        ({"last": ["eve"]}, "picked.unknown", "/picked/last"),
        ({"lead": ["gus"]}, "picked.not_asked", "/picked/lead"),
    ):
        problem = api(chi).refused(
            path, 422, "picked.invalid", {"task_version": 1, "picked": picked}
        )
        assert (at, code) in [(each["at"], each["code"]) for each in problem["errors"]]
    body = {"task_version": 1, "picked": {"last": ["gus"]}}
    assert api(chi).post(path, body).status_code == 200
    assert api(people["gus"]).read("tasks/")["count"] == 1


def test_people_are_picked_when_filing(api, people, now):
    who = {"any_of": [{"by": "picked_at_start", "min": 1, "max": 1}]}
    situations.publish(people["bao"], "acts", situations.step("lead", who=who), now=now)
    body = {"flow": "acts", "form": {"amount": "1"}}
    ann = api(people["ann"])
    problem = ann.refused("instances/", 422, "picked.invalid", body)
    assert [each["code"] for each in problem["errors"]] == ["picked.missing"]
    ann.refused("instances/", 422, "picked.invalid", body | {"picked": {"lead": ["eve"]}})
    assert ann.post("instances/", body | {"picked": {"lead": ["chi"]}}).status_code == 201
    assert api(people["chi"]).read("tasks/")["count"] == 1


def test_votes_are_counted(api, people, now):
    vote = {"mode": "vote", "need": {"num": 2, "den": 3}, "early": True}
    found = situations.chi_holds(people, now, key="votes", decide=vote, who={
        "any_of": [{"by": "user", "ids": ["chi", "fay", "gus"]}]
    })  # fmt: skip
    flows.approve(people["chi"], now=now)
    other = situations.task_of(people["fay"], found.instance)
    votes = api(people["fay"]).read(f"tasks/{other.pk}/")["votes"]
    assert votes == {"for": 1, "against": 0, "open": 2, "needed": 2}


def test_what_the_process_does_not_switch_on_is_refused(api, people, request_of_ann):
    """Test 72: a button that is switched off is refused by the API too."""
    task = request_of_ann.tasks.get()
    chi = api(people["chi"])
    offers = {each["verb"]: each for each in chi.read(f"tasks/{task.pk}/")["offers"]}
    bodies: dict[str, dict[str, object]] = {
        "transfer": {"to": "gus"},
        "delegate": {"to": "gus"},
        "add-signer": {"people": ["gus"], "place": "with"},
        "copy": {"people": ["gus"]},
        "return": {"to": "start"},
    }
    for verb, body in bodies.items():
        chi.refused(address(task, verb), 403, "act.switched_off", {**body, "task_version": 1})
        assert (offers[verb]["allowed"], offers[verb]["code"]) == (False, "act.switched_off")
        assert offers[verb]["message"]


def test_acts_on_a_task_follow_the_contracts_order(api, people, found, now):
    """404, 403, 428 and 400, 409, 412, 422: for the acts as for the decisions."""
    path = address(found.task, "transfer")
    api(people["eve"]).refused(path, 404, "not_found", {"nonsense": 1}, key=None)
    api(people["ann"]).refused(path, 403, "task.not_yours", {"nonsense": 1}, key=None)
    chi = api(people["chi"])
    chi.refused(path, 428, "precondition.missing", {"to": "gus"})
    chi.refused(path, 400, "request.invalid", {"task_version": 1})
    chi.refused(path, 400, "idempotency.missing", {"task_version": 1, "to": "gus"}, key=None)
    chi.refused(path, 412, "task.version_moved", {"task_version": 2, "to": "nobody"})
    chi.refused(path, 422, "person.unknown", {"task_version": 1, "to": "nobody"})
    situations.act(commands.Approve, found.task, people["chi"], now=now)
    problem = chi.refused(path, 409, "task.not_open", {"task_version": 1, "to": "nobody"})
    assert (problem["handled_by"], problem["decision"]) == ("Chi Wang", "approved")
