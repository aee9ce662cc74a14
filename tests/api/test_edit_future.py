"""`instances/{id}/actions/edit-future` and `retry`: what comes next, for one request alone."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from flowadmin import doctor
from tests.api import situations
from tests.workflow import flows
from workflow import whatif
from workflow.actions import editing, publishing
from workflow.engine.editing import Wanted
from workflow.models import Event, Instance, Task, Version
from workflow.published import definition_of
from workflow.runtime import replay


@pytest.fixture
def found(people, now):
    """Chi has an open task after bao has approved; fay comes next."""
    return situations.chi_holds(people, now)


def address(instance, verb="edit-future"):
    return f"instances/{instance.pk}/actions/{verb}"


def look(after="lead", *who, **more):
    people = list(who) or ["gus"]
    return {"do": "insert_approve", "after": after, "name": "Second look", "who": people} | more


def body(*edits, reason="Just to be sure", **more):
    return {"edits": list(edits) or [look()], "reason": reason} | more


def decide(caller, path="tasks/"):
    """Approve the newest task of this person."""
    task = caller.read(path)["results"][0]
    answer = caller.post(f"tasks/{task['id']}/actions/approve", {"task_version": task["version"]})
    assert answer.status_code == 200, answer.content
    return task["step"]["name"]


def rows():
    return Version.with_private.count(), Event.objects.count()


def test_a_holder_adds_a_step_for_this_request_alone(api, people, found, now):
    chi, instance = api(people["chi"]), found.instance
    number = Version.objects.get(definition=instance.definition).number
    future = chi.read(f"instances/{instance.pk}/")["future"]
    assert {name: [each["id"] for each in steps] for name, steps in future.items()} == {
        "insert_after": ["lead", "last"],
        "set_people": ["last"],
        "remove": [],
    }
    sent = body(look("lead", "gus", "dan", decide="all"), {"do": "set_people", "step": "last",
                "who": ["bao"]})  # fmt: skip
    answer = chi.post(address(instance), sent, key="once")
    assert answer.status_code == 200, answer.content
    assert answer.json()["instance"]["version"] == number
    before = rows()
    assert chi.post(address(instance), sent, key="once").content == answer.content
    assert rows() == before
    assert [decide(api(people[who])) for who in ("chi", "gus", "dan", "bao")] == [
        "Lead", "Second look", "Second look", "Last",
    ]  # fmt: skip
    instance.refresh_from_db()
    assert instance.state == "approved"
    assert replay.differences(instance.pk) == []
    assert doctor.rows_are_of_one_tenant(now) == []
    # Nobody else's request, nor the list of versions, knows of it.
    assert chi.client.get("/api/v1/flows/acts/versions/").status_code == 403
    assert api(people["bao"]).read("flows/acts/versions/")["count"] == 1
    other = flows.start(people["ann"], "acts", now=now)
    assert other.version_id != instance.version_id


def test_the_history_and_the_explanation_tell_of_it(api, people, found):
    chi, instance = api(people["chi"]), found.instance
    assert chi.post(address(instance), body(look("lead", "gus"))).status_code == 200
    decide(chi)
    entries = chi.read(f"instances/{instance.pk}/")["timeline"]
    (told,) = [each for each in entries if each["kind"] == "migrated"]
    assert told["text"] == "Chi Wang changed what comes next"
    assert told["comment"] == "Just to be sure"
    assert told["why"] == [f"Added after “Lead”: “Second look”, which asks {people['gus'].name}"]
    (event,) = [
        each
        for each in chi.read(f"instances/{instance.pk}/history/?page_size=50")["results"]
        if each["kind"] == "migrated"
    ]
    (edit,) = event["data"]["edits"]
    assert (edit["do"], edit["people"][0]["login"]) == ("insert_approve", "gus")
    steps = chi.read(f"instances/{instance.pk}/explain/")["steps"]
    rules = [each["code"] for each in steps[-1]["rules"]]
    assert rules == ["edited.insert_approve"]
    ahead = chi.client.get(f"/requests/{instance.pk}/ahead/").content.decode()
    assert "Added for this request" in ahead


def test_a_manager_edits_again_and_takes_out_what_was_added(api, people, found):
    bao, instance = api(people["bao"]), found.instance
    assert bao.post(address(instance), body(look(), look("last"))).status_code == 200
    assert Version.with_private.filter(private_to=instance).count() == 1
    taken = body({"do": "remove", "step": "added_1"}, {"do": "set_people", "step": "added_2",
                 "who": ["dan"]})  # fmt: skip
    assert bao.post(address(instance), taken).status_code == 200
    future = bao.read(f"instances/{instance.pk}/")["future"]
    assert [each["id"] for each in future["remove"]] == ["added_2"]
    refused = body({"do": "remove", "step": "last"})
    problem = bao.refused(address(instance), 422, "edit.invalid", refused)
    assert problem["errors"][0]["code"] == "edit.designed"
    assert replay.differences(instance.pk) == []


@pytest.mark.parametrize(
    ("sent", "status", "code", "at"),
    [
        (body(look("first")), 422, "edit.invalid", "/edits/0/after"),
        (body(look("lead", "nobody")), 422, "edit.invalid", "/edits/0/who/0"),
        (body(look("lead", "eve")), 422, "edit.invalid", "/edits/0/who/0"),
        (body(look(), look("nowhere")), 422, "edit.invalid", "/edits/1/after"),
        (body(look(name="\u200b")), 422, "edit.invalid", "/edits/0/name"),
        (body(reason=" "), 422, "reason.required", "/reason"),
        (body(look(do="drop")), 400, "request.invalid", "/edits/0/do"),
        (body(look(who="gus")), 400, "request.invalid", "/edits/0/who"),
        (body(look(step="lead")), 400, "request.invalid", "/edits/0/step"),
        ({"edits": [], "reason": "x"}, 400, "request.invalid", "/edits"),
        (body(*[look()] * 21), 400, "request.invalid", "/edits"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(api, people, found, sent, status, code, at):
    problem = api(people["chi"]).refused(address(found.instance), status, code, sent)
    assert problem["errors"][0]["at"] == at
    assert Version.with_private.filter(private_to__isnull=False).count() == 0


def test_who_may_not_and_when_it_is_too_late(api, people, found, now):
    chi, instance = api(people["chi"]), found.instance
    chi.refused(address(instance), 412, "task.version_moved", body(task_version=7))
    api(people["ann"]).refused(address(instance), 403, "edit.not_yours", body())
    flows.approve(people["chi"], now=now)
    chi.refused(address(instance), 403, "edit.not_yours", body())
    bao = api(people["bao"])
    assert bao.post(address(instance, "suspend"), {"reason": "Wait"}).status_code == 200
    bao.refused(address(instance), 409, "instance.paused", body())
    assert bao.read(f"instances/{instance.pk}/")["future"] is None
    bao.post(address(instance, "cancel"), {"reason": "Moot"})
    bao.refused(address(instance), 409, "instance.not_running", body())


def test_a_step_that_does_not_let_its_holders(api, people, now):
    found = situations.chi_holds(people, now, kind=flows.approve_step)
    chi = api(people["chi"])
    chi.refused(address(found.instance), 403, "edit.not_yours", body())
    assert chi.read(f"instances/{found.instance.pk}/")["future"] is None


def test_what_was_undone_leaves_no_process_behind(people, found, now, monkeypatch):
    """The race: an edit is undone, and its number is given to another version."""
    arguments = {
        "instance": found.instance, "user": people["chi"], "reason": "x", "now": now,
        "edits": [Wanted("insert_approve", after="lead", name="Look",
                                 people=(people["gus"].pk,))],
    }  # fmt: skip

    def broken(*_arguments, **_more):
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr("workflow.runtime.execute.event_log.append", broken)
        with pytest.raises(RuntimeError):
            editing.edit_future(**arguments)
    assert not Version.with_private.filter(private_to__isnull=False).exists()
    other = flows.publish(people["bao"], flows.a_document(key="other"), now=now)
    instance = flows.start(people["ann"], "other", now=now)
    assert instance.version_id == other.pk
    assert Task.objects.get(instance=instance).step == "lead"
    assert editing.edit_future(**arguments).outcome is not None
    assert replay.differences(found.instance.pk) == []


def test_publishing_and_moving_leave_edited_requests_alone(api, people, found, now):
    """The digest of a request's own version counts for nothing; `flow_migrate` tells of it."""
    instance = found.instance
    assert api(people["chi"]).post(address(instance), body()).status_code == 200
    own = Instance.objects.get(pk=instance.pk).version
    document = json.loads(own.document)
    form = json.loads(own.form)
    published, is_new = publishing.publish(
        user=people["bao"], document=document, form=form, note="", now=now
    )
    assert is_new
    assert (published.number, published.digest) == (2, own.digest)
    out = StringIO()
    call_command(
        "flow_migrate", "acts", "--from", "1", "--to", "2", "--reason", "x", "--json", stdout=out
    )
    answer = json.loads(out.getvalue())
    assert (answer["edited"], answer["moved"], answer["failed"]) == (1, 0, 0)
    assert [each["code"] for each in answer["requests"]] == ["migrate.edited"]
    assert Instance.objects.get(pk=instance.pk).version_id == own.pk


def test_what_if_counts_an_edited_request_among_those_that_would_go_elsewhere(
    api, people, found, now
):
    """The published process, asked again, would not have come to the step that was added."""
    assert api(people["chi"]).post(address(found.instance), body()).status_code == 200
    for who in ("chi", "gus", "fay"):
        decide(api(people[who]))
    published = definition_of(Version.objects.get(definition=found.instance.definition).pk)
    report = whatif.compare(
        tenant_id=found.instance.tenant_id, key="acts", candidate=published, last=5, now=now
    )
    assert report.looked_at == 1
    assert report.counts["other_path"] == 1


def test_one_number_of_a_process_is_published_once(found):
    """A plain unique index holds on every database (`flow_version_edition`)."""
    with connection.cursor() as cursor:
        names = connection.introspection.get_constraints(cursor, Version._meta.db_table)
    unique = [each["columns"] for each in names.values() if each["unique"]]
    assert ["definition_id", "number", "edition"] in unique
    assert ["definition_id", "number"] not in unique


def test_a_manager_tries_a_held_step_again(api, people, now):
    found = situations.make("retry", people, now)
    bao, path = api(people["bao"]), address(found.instance, "retry")
    assert "retry" in bao.read(f"instances/{found.instance.pk}/")["actions"]
    assert bao.read(f"instances/{found.instance.pk}/")["held"] is True
    bao.refused(path, 422, "reason.required", {"step": "call", "reason": ""})
    bao.refused(path, 409, "step.not_held", {"step": "lead", "reason": "x"})
    bao.refused(path, 400, "request.invalid", {"reason": "x"})
    answer = bao.post(path, {"step": "call", "reason": "Up again"}, key="k")
    assert answer.json()["instance"]["held"] is False
    assert bao.post(path, {"step": "call", "reason": "Up again"}, key="k").json() == answer.json()
    assert "retry" not in bao.read(f"instances/{found.instance.pk}/")["actions"]
