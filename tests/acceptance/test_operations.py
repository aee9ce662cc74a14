"""Acceptance tests 45 to 56: handing on, adding people, cancelling, clicking twice."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from notifications.models import Callback
from tests.acceptance.acting import (
    ALL_ACTS,
    approve,
    block,
    filed,
    fresh,
    give,
    human,
    in_box,
    is_done_for,
    kinds,
    open_now,
    task_of,
)
from tests.builders import a_role
from tests.engine import builders
from tests.engine import test_blocks as blocks
from tests.engine.builders import drive, users
from tests.engine.test_blocks import one, open_steps
from tests.engine.test_going_back import holders
from tests.notifications import posted
from tests.workflow import flows, stories
from workflow.actions import administration
from workflow.engine.commands import AddSigners, Delegate, HandBack, Transfer
from workflow.models import Definition, Event, Task


def path(task: Task, verb: str) -> str:
    return f"tasks/{task.pk}/actions/{verb}"


def test_n45_cancelling_closes_everything_also_where_nobody_had_a_task(
    ann, bao, chi, admin, demo_tenant, later
) -> None:
    """Every to-do ends and the end stands in the history, even of a request held for nobody."""
    instance = filed(ann, block("p", [human("a", "bao")], [human("b", "chi")]), now=later())
    administration.terminate(instance=instance, user=admin, reason="moot", now=later())
    assert fresh(instance).state == "terminated"
    assert in_box(bao) == in_box(chi) == []
    assert set(Task.objects.filter(instance=instance).values_list("state", flat=True)) == {
        "closed"
    }
    a_role(demo_tenant, "empty")
    nobody = human("top", who={"any_of": [{"by": "role", "ids": ["empty"]}]})
    held = filed(ann, nobody, key="held", now=later())
    assert not Task.objects.filter(instance=held).exists()
    administration.terminate(instance=held, user=admin, reason="moot", now=later())
    assert fresh(held).state == "terminated"
    for each in (instance, held):
        assert kinds(each).count("instance_finished") == 1
        assert stories.told(each)[-1].comment == "moot"


def test_n46_after_two_transfers_the_whole_chain_is_kept(
    ann, bao, chi, dan, fay, api, later
) -> None:
    """Who had it first, and everybody between, stay readable with the task and its story."""
    instance = filed(ann, human("lead", "bao", acts=ALL_ACTS), now=later())
    task = task_of(bao, instance)
    give(task, bao, Transfer, to=chi.pk, comment="your field", now=later())
    give(task_of(chi, instance), chi, Transfer, to=fay.pk, comment="yours", now=later())
    detail = api(fay).read(f"tasks/{task.pk}/")
    assert [each["login"] for each in detail["chain"]] == ["bao", "chi"]
    approve(fay, instance, now=later())
    moves = [entry for entry in stories.told(instance) if entry.comment in {"your field", "yours"}]
    assert [(bao.name in moves[0].text, chi.name in moves[0].text)] == [(True, True)]
    assert [(chi.name in moves[1].text, fay.name in moves[1].text)] == [(True, True)]


def test_n47_a_delegate_finds_the_opinion_in_the_own_done_list(ann, bao, chi, later) -> None:
    """What the delegate did is done for the delegate, and still to do for who asked."""
    instance = filed(ann, human("lead", "bao", acts=ALL_ACTS), now=later())
    give(task_of(bao, instance), bao, Delegate, to=chi.pk, now=later())
    assert in_box(bao) == []
    given = give(task_of(chi, instance), chi, HandBack, comment="I would", now=later())
    assert given.state == "opinion_given"
    assert is_done_for(chi) == [(instance.pk, "opinion_given")]
    assert is_done_for(bao) == []
    assert in_box(bao) == [instance.pk]
    assert in_box(chi) == []


@pytest.mark.parametrize("place", ["before", "after", "with"])
def test_n48_who_added_somebody_removes_them_on_the_same_page(
    ann, bao, chi, dan, gus, api, later, place
) -> None:
    """The task says whom its holder may remove; without the last one it goes on as before."""
    instance = filed(ann, human("lead", "bao", "dan", mode="all", acts=ALL_ACTS), now=later())
    task = task_of(bao, instance)
    give(task, bao, AddSigners, people=(chi.pk, gus.pk), place=place, now=later())
    detail = api(bao).read(f"tasks/{task.pk}/")
    assert [each["holder"]["login"] for each in detail["removable"]] == ["chi", "gus"]
    assert "remove-signer" in detail["actions"]
    added = [{"task": each["task"]} for each in detail["removable"]]
    api(dan).refused(
        path(task_of(dan, instance), "remove-signer"), 403, "signer.not_yours", added[0]
    )
    for body in added:
        assert api(bao).post(path(task, "remove-signer"), body).status_code == 200
    assert open_now(instance) == {"bao": "lead", "dan": "lead"}
    assert api(bao).read(f"tasks/{task.pk}/")["removable"] == []
    approve(bao, instance, now=later())
    approve(dan, instance, now=later())
    assert fresh(instance).state == "approved"


def test_n49_transferred_and_then_added_before_the_receiver_keeps_it(
    ann, bao, chi, dan, later
) -> None:
    """When those added before have passed, the task is the receiver's, not the first holder's."""
    instance = filed(ann, human("lead", "bao", acts=ALL_ACTS), now=later())
    give(task_of(bao, instance), bao, Transfer, to=chi.pk, now=later())
    give(task_of(chi, instance), chi, AddSigners, people=(dan.pk,), place="before", now=later())
    assert open_now(instance) == {"dan": "lead"}
    approve(dan, instance, now=later())
    assert open_now(instance) == {"chi": "lead"}
    approve(chi, instance, now=later())
    assert fresh(instance).state == "approved"


def test_n50_people_added_after_decide_before_the_block_begins(org) -> None:
    """No branch of the parallel block runs until those who were added have decided."""
    lead = builders.approve("lead", users("bao"), acts={"add_after": True})
    request = drive(org, lead, blocks.block("p", [one("chi")], [one("pia")]))
    request.start()
    request.add("bao", "after", "tom")
    request.approve("bao")
    assert (open_steps(request), holders(request)) == (["lead"], ["tom"])
    request.approve("tom")
    assert open_steps(request) == ["by_chi", "by_pia"]


def test_n51_from_an_old_page_nobody_decides_what_is_not_theirs_any_more(
    ann, bao, chi, dan, gus, admin, api, later
) -> None:
    """Reassigned, closed by a colleague, claimed by another: refused, and nothing is written.

    Who may still read the request is told 403, who may not any more 404, as for nothing.
    """
    flows.publish(ann, flows.a_document(human("lead", "chi", "dan")), now=later())
    body = {"task_version": 1}
    gone = flows.start(ann, now=later())
    task = task_of(chi, gone)
    administration.reassign(task=task, to=gus, user=admin, reason="away", now=later())
    api(chi).refused(path(task, "approve"), 404, "not_found", body)
    auditor = task_of(dan, gone)
    administration.reassign(task=auditor, to=bao, user=admin, reason="away", now=later())
    api(dan).refused(path(auditor, "approve"), 403, "task.not_yours", body)
    closed = flows.start(ann, now=later())
    late = task_of(dan, closed)
    approve(chi, closed, now=later())
    problem = api(dan).refused(path(late, "approve"), 409, "task.not_open", body)
    assert (problem["handled_by"], problem["decision"]) == (chi.name, "approved")
    pool = filed(ann, human("lead", "chi", "dan", mode="claim"), key="pool", now=later())
    waiting = task_of(dan, pool)
    assert api(chi).post(path(task_of(chi, pool), "claim"), body).status_code == 200
    api(dan).refused(path(waiting, "approve"), 409, "task.claimed", body)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", ["a double click", "two approvers"])
def test_n52_two_at_once_are_one_decision(ann, bao, chi, api, now, who) -> None:
    """One gets 200, the other 409 "already decided"; one decision stands in the history."""
    posted.target(ann.tenant, "https://erp.example/")
    instance = filed(ann, posted.lead("approved", people=("bao", "chi")), now=now)
    second = bao if who == "a double click" else chi
    calls = [(api(person), path(task_of(person, instance), "approve")) for person in (bao, second)]
    gate = threading.Barrier(2)

    def post(call):
        caller, address = call
        gate.wait(60)
        try:
            answer = caller.post(address, {"task_version": 1})
            return answer.status_code, answer.json()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        answers = sorted(pool.map(post, calls), key=lambda each: each[0])
    assert [status for status, _body in answers] == [200, 409]
    assert answers[1][1]["code"] == "task.not_open"
    assert answers[1][1]["decision"] == "approved"
    assert kinds(instance).count("task_approved") == 1
    assert kinds(instance).count("instance_finished") == 1
    assert Callback.objects.count() == 1


def test_n53_together_only_the_chosen_rows_and_each_with_its_result(
    ann, bao, chi, api, later
) -> None:
    """Rows that were not chosen stay as they are; a row that fails keeps no other back."""
    made = [filed(ann, human("lead", "bao"), now=later()) for _each in range(4)]
    foreign = task_of(chi, filed(ann, human("lead", "chi"), key="other", now=later()))
    tasks = [task_of(bao, each) for each in made]
    approve(bao, made[1], now=later())
    chosen = [tasks[0], tasks[1], foreign]
    answer = api(bao).post(
        "tasks/bulk-actions",
        {
            "action": "approve",
            "comment": "all fine",
            "items": [{"task": str(each.pk), "task_version": 1} for each in chosen],
        },
    )
    assert answer.status_code == 200, answer.content
    results = answer.json()["results"]
    assert [(each["task"], each["ok"], each["status"]) for each in results] == [
        (str(tasks[0].pk), True, 200),
        (str(tasks[1].pk), False, 409),
        (str(foreign.pk), False, 403),
    ], "bao manages processes and may read the third"
    assert [fresh(each).state for each in made] == ["approved", "approved", "running", "running"]
    assert set(in_box(bao)) == {made[2].pk, made[3].pk}
    foreign.refresh_from_db()
    assert foreign.state == "open"


def test_n54_of_two_tasks_of_one_request_the_clicked_one_opens(
    ann, bao, api, client_of, later
) -> None:
    """Both tasks of the same request lead to their own step, on the page and through REST."""
    ways = (
        [human("left", "bao", note="The left one.")],
        [human("right", "bao", note="The right one.")],
    )
    instance = filed(ann, block("p", *ways), now=later())
    rows = api(bao).read("tasks/")["results"]
    assert {row["step"]["id"] for row in rows} == {"left", "right"}
    for row in rows:
        page = client_of(bao).get(f"/requests/{instance.pk}/?task={row['id']}").content.decode()
        step = row["step"]["id"]
        other = {"left": "right", "right": "left"}[step]
        assert f"The {step} one." in page
        assert f"The {other} one." not in page
        assert api(bao).read(f"tasks/{row['id']}/")["note"] == f"The {step} one."
    left = task_of(bao, instance, "left")
    assert api(bao).post(path(left, "approve"), {"task_version": 1}).status_code == 200
    assert open_now(instance) == {"bao": "right"}


def test_n55_a_process_that_is_no_longer_offered_leaves_its_requests_decidable(
    ann, bao, api, later
) -> None:
    """Nobody can file a new one, and those under way are decided to their end."""
    instance = filed(ann, human("lead", "bao"), now=later())
    Definition.objects.filter(key="expense").update(state="suspended")
    body = {"flow": "expense", "form": {"amount": "1"}}
    api(ann).refused("instances/", 409, "flow.suspended", body)
    [row] = api(bao).read("tasks/")["results"]
    answer = api(bao).post(f"tasks/{row['id']}/actions/approve", {"task_version": 1})
    assert answer.json()["instance"]["state"] == "approved"
    assert fresh(instance).state == "approved"


@pytest.mark.parametrize("by", ["manager", "initiator"])
def test_n56_calling_a_request_off_cancels_what_was_open_and_keeps_the_trail(
    ann, bao, chi, admin, api, later, by
) -> None:
    """The approvals end with the reason, the story stays, and the inbox counts less."""
    policy = {"initiator_cancel": "while_running"}
    instance = filed(ann, human("first", "chi"), human("lead", "bao"), policy=policy, now=later())
    approve(chi, instance, now=later())
    assert api(bao).read("me")["counters"]["todo"] == 1
    before = Event.objects.filter(instance=instance).count()
    caller, verb, body = {
        "manager": (api(admin), "cancel", {"reason": "the order was void"}),
        "initiator": (api(ann), "withdraw", {"comment": "the order was void"}),
    }[by]
    answer = caller.post(f"instances/{instance.pk}/actions/{verb}", body)
    state = {"manager": "terminated", "initiator": "cancelled"}[by]
    assert answer.json()["instance"]["state"] == state
    assert api(bao).read("me")["counters"]["todo"] == 0
    assert in_box(bao) == []
    assert Event.objects.filter(instance=instance).count() > before
    timeline = api(ann).read(f"instances/{instance.pk}/")["timeline"]
    assert timeline[-1]["comment"] == "the order was void"
    assert any(entry["actor"] == chi.name for entry in timeline), "what was decided stays"
