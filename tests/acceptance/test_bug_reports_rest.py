"""Bug reports of other systems, as far as REST, the pages and the administration answer them."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from django.urls import reverse

from tests.acceptance.acting import approve, filed, fresh, human, in_box, kinds, task_of
from tests.api.caller import BASE, Caller, nothing_written
from tests.builders import a_person, a_role
from tests.workflow import flows


@pytest.mark.django_db(transaction=True)
def test_br17_many_connections_approve_one_task_once(ann, bao, chi, client_of, now) -> None:
    """Two hundred calls over forty connections: one 200, the rest 409, one event and next task."""
    instance = filed(ann, human("lead", "chi"), human("next", "bao"), now=now)
    address = f"tasks/{task_of(chi, instance).pk}/actions/approve"
    callers = [Caller(client_of(chi)) for _each in range(40)]
    gate = threading.Barrier(40)

    def five(caller: Caller) -> list[int]:
        gate.wait(60)
        try:
            return [caller.post(address, {"task_version": 1}).status_code for _each in range(5)]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(40) as pool:
        answers = [status for each in pool.map(five, callers) for status in each]
    assert sorted(answers) == [200] + [409] * 199
    assert kinds(instance).count("task_approved") == 1
    assert in_box(bao) == [instance.pk]


@pytest.mark.parametrize(
    ("login", "status", "code"),
    [
        ("ann", 200, ""), ("chi", 403, "withdraw.not_yours"), ("admin", 403, "withdraw.not_yours"),
        ("dan", 403, "withdraw.not_yours"), ("gus", 404, "not_found"), ("eve", 404, "not_found"),
    ],
)  # fmt: skip
def test_br35_only_the_initiator_withdraws(
    request, ann, chi, api, later, login, status, code
) -> None:
    """The approver, a manager, an auditor, a colleague and a stranger are all refused."""
    person = request.getfixturevalue(login)
    instance = filed(ann, human("lead", "chi"), now=later())
    address = f"instances/{instance.pk}/actions/withdraw"
    if status == 200:
        answer = api(person).post(address, {"comment": "moot"})
        assert (answer.status_code, fresh(instance).state) == (200, "cancelled")
    else:
        api(person).refused(address, status, code, {"comment": "moot"})


def test_br69_taken_work_is_gone_for_the_others(
    ann, chi, fay, gus, demo_tenant, api, later
) -> None:
    """Somebody with two of the roles takes it: it leaves all other inboxes, refused there."""
    a_role(demo_tenant, "first", members=[chi, fay])
    a_role(demo_tenant, "second", members=[chi, gus])
    who = {"any_of": [{"by": "role", "ids": ["first", "second"]}]}
    instance = filed(ann, human("lead", mode="claim", who=who), now=later())
    tasks = {person: task_of(person, instance) for person in (chi, fay, gus)}
    assert all(in_box(person) == [instance.pk] for person in tasks)
    version = {"task_version": 1}
    assert api(chi).post(f"tasks/{tasks[chi].pk}/actions/claim", version).status_code == 200
    for person in (fay, gus):
        assert in_box(person) == []
        for verb in ("approve", "claim", "reject"):
            address = f"tasks/{tasks[person].pk}/actions/{verb}"
            api(person).refused(address, 409, "task.claimed", version)
    assert in_box(chi) == [instance.pk]
    approve(chi, instance, now=later())
    assert fresh(instance).state == "approved"


def test_br73_no_request_is_ever_deleted(ann, bao, admin, client_of, later) -> None:
    """Running or finished: neither REST nor the administration deletes one, also when repeated."""
    running = filed(ann, human("lead", "bao"), now=later())
    finished = flows.start(ann, now=later())
    approve(bao, finished, now=later())
    boss = client_of(admin)
    before = flows.rows(), flows.everything()
    for instance in (running, finished, running):
        answer = boss.delete(f"{BASE}instances/{instance.pk}/", headers={"Idempotency-Key": "k"})
        assert answer.status_code == 405
        page = reverse("admin:workflow_instance_delete", args=[instance.pk])
        assert boss.post(page, {"post": "yes"}).status_code == 403
        listed = reverse("admin:workflow_instance_changelist")
        boss.post(
            listed,
            {"action": "delete_selected", "_selected_action": [instance.pk], "post": "yes"},
        )
    assert (flows.rows(), flows.everything()) == before
    unknown = boss.delete(f"{BASE}instances/{running.pk + 99}/", headers={"Idempotency-Key": "k"})
    assert unknown.status_code in {404, 405}


def test_br83_numbers_count_what_the_lists_show(ann, bao, chi, api, client_of, later) -> None:
    """The counters of each person are the lengths of that person's lists."""
    flows.publish(ann, flows.a_document(human("lead", "bao", "chi")), now=later())
    filed(chi, human("lead", "bao"), key="other", now=later())
    made = [flows.start(ann, now=later()) for _each in range(4)]
    approve(chi, made[0], now=later())
    for person in (ann, bao, chi):
        caller = api(person)
        counters = caller.read("me")["counters"]
        assert counters["todo"] == caller.read("tasks/")["count"] == len(in_box(person))
        running = caller.read("instances/?box=mine&state=running")
        assert counters["mine_running"] == running["count"] == len(running["results"])
    assert api(bao).read("me")["counters"]["todo"] == 4
    assert api(ann).read("instances/?box=all")["count"] == 4, "nothing of chi's"


def test_br85_forged_ids_change_nothing(
    ann, bao, chi, eve, api, client_of, demo_tenant, later
) -> None:
    """Rows of others and of other tenants, in bulk or in the administration, stay as they are."""
    fin = a_person(eve.tenant, "fin", name="Fin Other")
    own = filed(ann, human("lead", "chi"), now=later())
    colleague = filed(ann, human("lead", "bao"), key="other", now=later())
    foreign = filed(eve, human("lead", "fin"), now=later())
    ids = [
        str(task_of(chi, own).pk), str(task_of(bao, colleague).pk), str(task_of(fin, foreign).pk),
        "999999999", "x",
    ]  # fmt: skip
    items = [{"task": each, "task_version": 1} for each in ids]
    answer = api(chi).post("tasks/bulk-actions", {"action": "approve", "items": items})
    assert [each["status"] for each in answer.json()["results"]] == [200, 404, 404, 404, 404]
    assert [fresh(each).state for each in (own, colleague, foreign)] == [
        "approved", "running", "running",
    ]  # fmt: skip
    keeper = a_person(demo_tenant, "keeper", is_staff=True)
    a_role(demo_tenant, "managers", members=[keeper], grants=["flow.manage"])
    client = client_of(keeper)
    with nothing_written():
        listed = reverse("admin:workflow_instance_changelist")
        shown = client.get(listed).content.decode()
        assert foreign.title not in shown
        answer = client.post(
            listed, {"action": "cancel_requests", "_selected_action": [foreign.pk], "reason": "x"}
        )
        assert answer.status_code < 500
    assert fresh(foreign).state == "running"


def test_br89_ids_are_texts_and_numbers_keep_their_digits(ann, bao, api, later) -> None:
    """2^53 + 1, 2^63 - 1 and thirty digits come back as sent; more than fits is refused."""
    form: dict[str, Any] = {
        "formdoc": 1,
        "fields": [
            {"id": "n", "type": "number", "label": "N"},
            {"id": "sum", "type": "amount", "label": "Sum"},
            {"id": "text", "type": "text", "label": "Text"},
        ],
    }
    flows.publish(ann, flows.a_document(human("lead", "bao")), form, now=later())
    for n in ("9007199254740993", "9223372036854775807", "0.3"):
        sent = {"n": n, "sum": "0.30", "text": "1" * 30}
        answer = api(ann).post("instances/", {"flow": "expense", "form": sent})
        assert answer.status_code == 201, answer.content
        pk = answer.json()["id"]
        assert isinstance(pk, str)
        read = api(ann).read(f"instances/{pk}/")
        assert read["values"] == sent
        assert read["id"] == pk
        assert all(isinstance(task["id"], str) for task in read["tasks"])
    finer = {"flow": "expense", "form": {"n": "0.30000000000000004"}}
    problem = api(ann).refused("instances/", 422, "form.invalid", finer)
    assert [each["at"] for each in problem["errors"]] == ["/form/n"], "not rounded"
    [row] = api(bao).read("tasks/?page_size=1")["results"]
    assert isinstance(row["id"], str)
    assert isinstance(row["instance"]["id"], str)


MARKUP = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>",
    "'-alert(1)-'", "javascript:alert(1)", "{{constructor}}", "<b>bold</b>", "</title><script>",
    "<a href=javascript:alert(1)>", "&lt;script&gt;", "<iframe srcdoc='x'>", "${alert(1)}",
]  # fmt: skip


@pytest.mark.parametrize("markup", MARKUP)
def test_br93_markup_is_shown_as_typed(ann, chi, admin, client_of, later, markup) -> None:
    """In the names of a process, a step and a person, in a value and a comment: never as markup.

    That no page of a browser runs any of it is shown with the policy on, by tests.browser.
    """
    chi.name = markup
    chi.save()
    step = human("lead", "chi", name=markup[:48], note=markup)
    ended = human("last", "chi")
    instance = filed(ann, step, ended, now=later(), name=markup[:60], values={"reason": markup})
    approve(chi, instance, now=later(), comment=markup)
    pages = [
        (ann, f"/requests/{instance.pk}/"), (ann, "/mine/"), (ann, "/start/"),
        (ann, "/start/expense/"), (chi, f"/requests/{instance.pk}/"), (chi, "/inbox/"),
        (chi, "/inbox/?box=done"), (admin, reverse("admin:workflow_instance_changelist")),
        (admin, reverse("admin:workflow_instance_change", args=[instance.pk])),
    ]  # fmt: skip
    for person, address in pages:
        answer = client_of(person).get(address)
        assert answer.status_code == 200, address
        text = answer.content.decode()
        if "<" in markup:
            assert markup not in text, address
        assert (
            "unsafe-inline"
            not in answer.headers.get("Content-Security-Policy", "").split("style-src")[0]
        )
    stored = json.dumps(fresh(instance).snapshot["values"])
    assert json.dumps(markup) in stored, "kept as it was typed"
