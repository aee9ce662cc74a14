"""`flows/{key}/actions/undo-publish`, `suspend` and `resume`."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from tests.api.conftest import PLANTED, a_document, a_form
from tests.workflow import flows
from workflow.models import Definition, Publication

WHY = {"reason": "Too early"}
EDIT = {"default": "edit"}


@pytest.fixture
def second(published, bao, now):
    """A second version, current now."""
    return flows.publish(bao, a_document(title="Changed"), a_form(), now=now)


def test_a_publication_is_undone(api, ann, bao, request_of_ann, second):
    answer = api(bao).post("flows/expense/actions/undo-publish", WHY)
    assert (answer.status_code, answer.json()) == (200, {"key": "expense", "version": 1})
    row = Publication.objects.latest("pk")
    assert (row.kind, row.reason, row.by) == ("undone", "Too early", bao)
    assert (row.before.number, row.after.number) == (2, 1)
    assert api(ann).read("flows/expense/")["version"] == 1
    assert api(ann).read(f"instances/{request_of_ann.pk}/")["version"] == 1
    shown = api(bao).read("flows/expense/versions/")["results"]
    assert [(each["version"], each["current"]) for each in shown] == [(2, False), (1, True)]


def test_the_same_key_undoes_once(api, bao, second):
    flows.publish(bao, a_document(title="Third"), a_form(), now=second.published_at)
    for _ in range(2):
        answer = api(bao).post("flows/expense/actions/undo-publish", WHY, key="once")
        assert answer.json() == {"key": "expense", "version": 2}
    assert Definition.objects.get(key="expense", tenant=bao.tenant).current == second


def test_nothing_was_current_before(api, bao, published):
    api(bao).refused("flows/expense/actions/undo-publish", 409, "publication.nothing_before", WHY)


def test_suspended_no_new_request_begins_and_those_that_run_go_on(
    api, ann, bao, chi, request_of_ann
):
    answer = api(bao).post("flows/expense/actions/suspend", WHY)
    assert (answer.status_code, answer.json()) == (200, {"key": "expense", "state": "suspended"})
    body = {"flow": "expense", "form": {"amount": "1"}}
    api(ann).refused("instances/", 409, "flow.suspended", body)
    assert api(ann).read("flows/")["results"] == []
    task = request_of_ann.tasks.get()
    decided = api(chi).post(f"tasks/{task.pk}/actions/approve", {"task_version": 1})
    assert decided.status_code == 200
    api(bao).refused("flows/expense/actions/suspend", 409, "flow.suspended", WHY)
    again = api(bao).post("flows/expense/actions/resume", WHY)
    assert again.json() == {"key": "expense", "state": "active"}
    assert api(ann).post("instances/", body).status_code == 201
    api(bao).refused("flows/expense/actions/resume", 409, "flow.not_suspended", WHY)
    kinds = Publication.objects.order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["published", "suspended", "resumed"]


def test_a_moved_request_opens_for_everybody_who_had_a_part_in_it(
    api, client_of, ann, bao, chi, now
):
    """approvals.md 4, 82 and 92: a step that is gone hides nothing."""
    steps = [flows.approve_step("old", "chi"), flows.approve_step("last", "bao")]
    flows.publish(ann, flows.a_document(*steps), now=now)
    instance = flows.start(ann, now=now)
    flows.approve(chi, now=now)
    flows.publish(ann, flows.a_document(flows.approve_step("new", "dan"), steps[1]), now=now)
    call_command(
        "flow_migrate", "expense", "--from", "1", "--to", "2", "--reason", "Better",
        "--tenant", "demo", stdout=StringIO(),
    )  # fmt: skip
    for person in (ann, bao, chi):
        shown = api(person).read(f"instances/{instance.pk}/")
        assert shown["version"] == 2
        assert any("version 2" in each["text"] for each in shown["timeline"])
        told = api(person).read(f"instances/{instance.pk}/history/")["results"]
        (move,) = [each["data"] for each in told if each["kind"] == "migrated"]
        assert move == {"old_number": 1, "new_number": 2, "comment": "Better", "emptied": []}
        explained = api(person).read(f"instances/{instance.pk}/explain/")["steps"]
        assert explained[0]["step"] == {"id": "old", "name": "Old", "kind": "approve"}
        page = client_of(person).get(reverse("request", args=[instance.pk]))
        assert page.status_code == 200
    (done,) = api(chi).read("tasks/?box=done")["results"]
    assert done["step"] == {"id": "old", "name": "Old"}
    detail = api(chi).read(f"tasks/{done['id']}/")
    assert detail["step"] == {"id": "old", "name": "Old"}


def test_a_move_tells_nobody_what_a_hidden_field_held(api, ann, chi, bao, now):
    """The way back keeps every value in the history; no reader gets it from there."""
    rights = {"default": "read", "set": {"secret": "hide"}}
    document = flows.a_document(
        flows.approve_step("lead", "chi", fields=rights), start={"fields": rights | EDIT}
    )
    other = a_form()
    other["fields"][2] |= {"type": "integer", "default": None}
    flows.publish(ann, document, a_form(), now=now)
    instance = flows.start(ann, now=now)
    flows.publish(ann, document, other, now=now)
    told = ["flow_migrate", "expense", "--from", "1", "--to", "2", "--tenant", "demo"]
    for more in (["--reason", "Better"], ["--undo", "--reason", "Worse"]):
        call_command(*told, *more, stdout=StringIO())
    for person, knows in ((ann, False), (chi, False), (bao, True)):
        answers = [
            api(person).client.get(f"/api/v1/instances/{instance.pk}/{part}").content.decode()
            for part in ("", "history/", "explain/")
        ]
        assert [PLANTED in each for each in answers] == [knows, knows, False]
        assert ["Internal note" in each or '"secret"' in each for each in answers] == [
            knows, knows, False,
        ]  # fmt: skip
        history = api(person).read(f"instances/{instance.pk}/history/")["results"]
        back = next(each for each in history if each["kind"] == "migration_undone")
        assert back["data"] == {"old_number": 2, "new_number": 1, "comment": "Worse"}


@pytest.mark.parametrize("verb", ["undo-publish", "suspend"])
def test_who_may_not_and_what_is_missing(api, ann, bao, people, second, verb):
    path = f"flows/expense/actions/{verb}"
    api(people["eve"]).refused(path, 404, "flow.unknown", WHY)
    api(ann).refused(path, 403, "permission.denied", WHY)
    api(bao).refused(path, 422, "reason.required", {"reason": " "})
    api(bao).refused(path, 422, "reason.required", {})
    api(bao).refused(path, 400, "request.invalid", WHY | {"version": 1})
    api(bao).refused(path, 400, "request.invalid", {"reason": "x" * 2001})
    api(bao).refused(f"flows/nix/actions/{verb}", 404, "flow.unknown", WHY)
