"""`tasks/`: the boxes, and one task with its form."""

from __future__ import annotations

import pytest

from tests.api.conftest import PLANTED
from tests.api.test_flows import body_of
from tests.workflow import flows
from workflow.jobs import run_due_steps

# What the holder of a task may do where the process switches nothing on.
HELD = ["approve", "reject", "comment", "snooze", "ask-substitute"]


def test_a_row_is_exactly_the_contracts(api, chi, request_of_ann, now):
    page = api(chi).read("tasks/")
    (task,) = request_of_ann.tasks.all()
    assert page == {
        "count": 1,
        "next": None,
        "previous": None,
        "results": [
            {
                "id": str(task.pk),
                "version": 1,
                "instance": {"id": str(request_of_ann.pk), "title": "Ann Lee Expense"},
                "flow": "expense",
                "step": {"id": "lead", "name": "Lead"},
                "state": "open",
                "due_at": None,
                "created_at": now.isoformat().replace("+00:00", "Z"),
                "actions": HELD,
            }
        ],
    }


def test_twenty_a_page_newest_first(api, ann, chi, published, now):
    made = [flows.start(ann, now=now).pk for _ in range(21)]
    page = api(chi).read("tasks/")
    assert (page["count"], len(page["results"])) == (21, 20)
    assert page["results"][0]["instance"]["id"] == str(made[-1])
    second = api(chi).read("tasks/?page=2")
    assert [row["instance"]["id"] for row in second["results"]] == [str(made[0])]


def test_boxes(api, ann, chi, fay, request_of_ann, now):
    flows.approve(chi, now=now)
    assert api(chi).read("tasks/")["results"] == []
    (done,) = api(chi).read("tasks/?box=done")["results"]
    assert (done["state"], done["actions"]) == ("approved", ["comment"])
    flows.reject(fay, now=now)
    (done,) = api(chi).read("tasks/?box=done")["results"]
    assert done["actions"] == []
    assert api(chi).read("tasks/?box=copied")["results"] == []


def test_a_copy_lies_in_its_own_box(api, ann, chi, bao, now):
    copy = {"id": "cc", "kind": "copy", "name": "Copy"} | {
        "who": {"any_of": [{"by": "user", "ids": ["chi"]}]}
    }
    flows.publish(ann, flows.a_document(copy, flows.approve_step("lead", "bao")), now=now)
    flows.start(ann, now=now)
    assert run_due_steps() == 1
    (row,) = api(chi).read("tasks/?box=copied")["results"]
    assert (row["state"], row["actions"]) == ("done", ["comment"])
    detail = api(chi).read(f"tasks/{row['id']}/")
    assert (detail["kind"], detail["comment"]) == ("copy", "no")
    assert api(chi).read("tasks/?box=done")["results"] == []


@pytest.mark.parametrize("query", ["?box=other", "?holder=bao", "?page=-1", "?ordering=id"])
def test_what_a_list_does_not_know_is_refused(api, chi, query):
    assert api(chi).get(f"tasks/{query}").status_code == 400


def test_every_offered_action_is_accepted_and_no_other(api, ann, chi, gus, request_of_ann):
    """The list of verbs and the addresses agree, for the holder and for another reader."""
    (task,) = request_of_ann.tasks.all()
    for person in (ann, chi):
        offered = api(person).read(f"tasks/{task.pk}/")["actions"]
        for verb in ("comment", "reject", "approve"):
            answer = api(person).post(
                f"tasks/{task.pk}/actions/{verb}",
                {"comment": "x", "task_version": 99 if verb != "comment" else 1},
            )
            # 412 comes only after the person and the state were accepted.
            accepted = answer.status_code in {200, 412}
            assert accepted is (verb in offered), (person.login, verb, answer.content)


def test_a_task_with_its_form(api, chi, request_of_ann):
    (task,) = request_of_ann.tasks.all()
    answer = api(chi).get(f"tasks/{task.pk}/")
    assert answer["ETag"] == '"1"'
    found = answer.json()
    assert {field["id"]: field["right"] for field in found["form"]["fields"]} == {
        "amount": "read",
        "reason": "edit",
    }
    assert found["values"] == {"amount": "12000.00", "reason": "Train to Kyoto"}
    assert found["note"] == "Look at the receipt."
    assert (found["comment"], found["labels"]) == (
        "may",
        {"approve": "Approve", "reject": "Reject", "return": "Return"},
    )
    assert found["holder"] == {"login": "chi", "name": "Chi Wang"}
    assert PLANTED not in answer.content.decode()


def test_another_reader_reads_only(api, ann, bao, request_of_ann):
    (task,) = request_of_ann.tasks.all()
    for person in (ann, bao):
        found = api(person).read(f"tasks/{task.pk}/")
        assert {field["right"] for field in found["form"]["fields"]} == {"read"}
        assert found["note"] == ""
        assert found["actions"] == ["comment"]


def test_a_decided_task_reads_only(api, chi, request_of_ann, now):
    (task,) = request_of_ann.tasks.all()
    flows.approve(chi, now=now)
    answer = api(chi).get(f"tasks/{task.pk}/")
    assert answer["ETag"] == '"2"'
    assert answer.json()["state"] == "approved"
    assert {field["right"] for field in answer.json()["form"]["fields"]} == {"read"}


def test_strangers_and_missing_tasks_answer_alike(api, gus, eve, fay, request_of_ann):
    (task,) = request_of_ann.tasks.all()
    for person in (gus, eve, fay):
        foreign = api(person).get(f"tasks/{task.pk}/")
        missing = api(person).get(f"tasks/{task.pk + 1}/")
        assert foreign.status_code == missing.status_code == 404
        assert body_of(foreign) == body_of(missing)


def test_me_counts_what_waits(api, ann, chi, request_of_ann):
    assert api(chi).read("me")["counters"]["todo"] == 1
    assert api(ann).read("me")["counters"] == {
        "todo": 0,
        "overdue": 0,
        "notices": 0,
        "mine_running": 1,
        "drafts": 0,
    }


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("flow=expense&initiator=ann&step=Lead", 1),
        ("search=ann%20LEE", 1),
        ("received_since=2026-03-02&received_until=2026-03-02", 1),
        ("initiator=chi", 0),
        ("received_until=2026-03-01", 0),
        ("due=overdue", 0),
        ("box=done&flow=expense", 0),
        ("box=snoozed&search=x", 0),
    ],
)
def test_a_box_is_narrowed(api, chi, request_of_ann, query, count):
    page = api(chi).read(f"tasks/?{query}")
    assert (page["count"], len(page["results"])) == (count, count)


def test_a_process_that_is_not_there_narrows_nothing_in_silence(api, chi, request_of_ann):
    answer = api(chi).get("tasks/?flow=other")
    assert (answer.status_code, body_of(answer)["code"]) == (404, "flow.unknown")


@pytest.mark.parametrize(
    "query",
    ["due=late", "flow=", "flow=a&flow=b", "search=%00", "received_since=2026-13-01", "from=ann"],
)
def test_a_filter_that_cannot_be_read_is_refused(api, chi, request_of_ann, query):
    answer = api(chi).get(f"tasks/?{query}")
    assert (answer.status_code, body_of(answer)["status"]) == (400, 400)
