"""Subflows: requests that a step starts exactly once, waits for, counts, and ends with itself."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from flowadmin.rest.problems import Problem
from tests.workflow import flows
from tests.workflow.outside import close_after
from workflow.actions import administration
from workflow.engine.commands import Pause, Resume, Retry, Return, Withdraw
from workflow.jobs import ask_outside
from workflow.models import ChildRequest, Definition, Event, Instance, Job, Task
from workflow.runtime import family, replay, steps
from workflow.runtime.execute import execute

CHILD_FORM = {
    "formdoc": 1,
    "fields": [
        {"id": "sum", "type": "amount", "label": "Sum", "required": True},
        {"id": "who", "type": "text", "label": "Who"},
        {"id": "verdict", "type": "text", "label": "Verdict"},
    ],
}
# As in the form of the other tests.
FIELDS: Any = flows.FORM["fields"]
PARENT_FORM = {
    "formdoc": 1,
    "fields": [
        *FIELDS,
        {"id": "people", "type": "user", "label": "People", "limits": {"max_count": 5}},
        {
            "id": "items", "type": "table", "label": "Items",
            "columns": [
                {"id": "cost", "type": "amount", "label": "Cost"},
                {"id": "said", "type": "text", "label": "Said"},
            ],
        },
    ],
}  # fmt: skip


def subflow(**members):
    step = {
        "id": "ask", "kind": "subflow", "name": "Ask", "flow": "check",
        "version": "latest_at_entry", "input": {"sum": {"field": "amount"}, "who": "me"},
    }  # fmt: skip
    return step | members


def edit(*fields):
    return {"default": "read", "set": dict.fromkeys(fields, "edit")}


def publish_child(user, *more, now):
    step = flows.approve_step("decide", "chi", fields=edit("verdict"))
    document = flows.a_document(step, *more, key="check")
    return flows.publish(user, document, CHILD_FORM, now=now)


def publish_parent(user, step, *after, now, form=None):
    return flows.publish(user, flows.a_document(step, *after), form or PARENT_FORM, now=now)


@pytest.fixture
def child_flow(ann, now):
    return publish_child(ann, now=now)


@pytest.fixture
def parent(child_flow, ann, now):
    publish_parent(ann, subflow(output={"reason": "verdict"}), flows.approve_step(), now=now)
    return flows.start(ann, now=now)


def work():
    while ask_outside():
        pass


def children(parent):
    return [link.child for link in ChildRequest.objects.filter(parent=parent).order_by("number")]


def state(instance):
    instance.refresh_from_db()
    return instance.state


def act(instance, command, now):
    return execute(
        tenant_id=instance.tenant_id,
        instance_id=instance.pk,
        command=command,
        actor_id=getattr(command, "by", None),
        now=now,
    )


def sound():
    """Every request follows from its history."""
    return [each for pk in replay.instance_ids() for each in replay.differences(pk)]


def test_a_child_is_filed_once_and_its_approval_leads_on(parent, ann, chi, now):
    work()
    (child,) = children(parent)
    assert (child.initiator_id, child.definition.key) == (ann.pk, "check")
    assert child.snapshot["values"] == {"sum": "12000.00", "who": "me"}
    assert child.snapshot["parent"] == parent.pk
    assert Job.objects.get(instance=parent).due_at == steps.UNTIL_TOLD
    assert ask_outside() == 0
    assert (state(parent), Instance.objects.count()) == ("running", 2)
    flows.approve(chi, now=now, form={"verdict": "fine"})
    assert state(parent) == "running"
    work()
    parent.refresh_from_db()
    assert parent.snapshot["values"]["reason"] == "fine"
    assert parent.snapshot["outcomes"]["ask"] == "approved"
    assert Task.objects.get(state="open").instance_id == parent.pk
    assert sound() == []
    kinds = list(Event.objects.filter(instance=parent).values_list("kind", flat=True))
    assert [kind for kind in kinds if kind.startswith("child")] == [
        "children_planned", "child_started", "child_ended",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("reject", ("rejected", None)), ("continue", ("approved", None)),
     ("hold", ("running", "subflow.rejected"))],
)  # fmt: skip
def test_what_a_rejected_child_means(child_flow, ann, chi, now, rule, expected):
    publish_parent(ann, subflow(on_child_reject=rule), now=now)
    parent = flows.start(ann, now=now)
    work()
    flows.reject(chi, now=now, comment="no")
    work()
    assert (state(parent), parent.held) == expected
    assert sound() == []


def test_a_held_step_starts_another_child_when_a_manager_says_so(child_flow, ann, chi, admin, now):
    publish_parent(ann, subflow(on_child_reject="hold"), now=now)
    parent = flows.start(ann, now=now)
    work()
    flows.reject(chi, now=now, comment="no")
    work()
    act(parent, Retry(1, admin.pk, "once more"), now)
    work()
    assert [state(each) for each in children(parent)] == ["rejected", "running"]
    flows.approve(chi, now=now)
    work()
    assert state(parent) == "approved"
    assert sound() == []


def test_a_parent_that_ends_ends_its_children(parent, admin, chi, now):
    work()
    (child,) = children(parent)
    administration.terminate(instance=parent, user=admin, reason="moot", now=now)
    assert state(child) == "running"
    work()
    assert state(child) == "terminated"
    assert not Task.objects.filter(state="open").exists()
    assert ChildRequest.objects.get().state == "ended"
    assert sound() == []


def test_a_return_ends_the_children_and_the_next_round_starts_its_own(
    child_flow, ann, bao, dan, now
):
    block = {
        "id": "both", "kind": "parallel", "name": "Both", "join": "all",
        "branches": [
            {"id": "a", "name": "A", "steps": [subflow()]},
            {"id": "b", "name": "B", "steps": [
                flows.approve_step("check", "dan", acts={"return_to": "any"})]},
        ],
    }  # fmt: skip
    publish_parent(ann, flows.approve_step("lead", "bao"), block, now=now)
    parent = flows.start(ann, now=now)
    flows.approve(bao, now=now)
    work()
    task = flows.open_task(dan)
    act(parent, Return(seat=task.number, by=dan.pk, version=1, to="lead"), now)
    work()
    assert [state(each) for each in children(parent)] == ["terminated"]
    flows.approve(bao, now=now)
    work()
    assert [state(each) for each in children(parent)] == ["terminated", "running"]
    assert sound() == []


def test_a_withdrawn_child_counts_as_not_approved(parent, ann, now):
    work()
    (child,) = children(parent)
    act(child, Withdraw(ann.pk), now)
    work()
    assert (state(child), state(parent)) == ("cancelled", "rejected")


def test_who_does_not_wait_passes_when_the_child_has_begun(child_flow, ann, admin, now):
    publish_parent(ann, subflow(wait=False), now=now)
    parent = flows.start(ann, now=now)
    work()
    assert state(parent) == "approved"
    (child,) = children(parent)
    assert state(child) == "running"
    work()
    assert state(child) == "running"
    assert sound() == []


def test_a_version_can_be_pinned_and_latest_is_that_of_the_entry(child_flow, ann, now):
    publish_parent(ann, subflow(version=1), now=now)
    pinned = flows.start(ann, now=now)
    publish_parent(ann, subflow(), now=now)
    latest = flows.start(ann, now=now)
    publish_child(ann, flows.approve_step("more", "dan"), now=now)
    work()
    later = flows.start(ann, now=now)
    work()
    found = [children(each)[0].version.number for each in (pinned, latest, later)]
    assert found == [1, 1, 2]


# Several children.


def test_one_child_for_each_person(child_flow, ann, bao, chi, dan, now):
    step = subflow(
        each={"field": "people", "join": {"at_least": 2}},
        starter={"field": "people"},
        input={"sum": "1", "who": {"field": "people"}},
        on_child_reject="reject",
    )
    publish_parent(ann, step, now=now)
    parent = flows.start(ann, now=now, people=["bao", "dan", "ann"])
    work()
    found = children(parent)
    assert [(each.initiator.login, each.snapshot["values"]["who"]) for each in found] == [
        ("bao", "bao"), ("dan", "dan"), ("ann", "ann"),
    ]  # fmt: skip
    flows.approve(chi, now=now)
    work()
    assert state(parent) == "running"
    flows.reject(chi, now=now, comment="no")
    work()
    assert state(parent) == "running"
    flows.approve(chi, now=now)
    work()
    assert state(parent) == "approved"
    assert sound() == []


def test_the_join_ends_those_that_it_does_not_need(child_flow, ann, chi, now):
    step = subflow(each={"field": "people", "join": "first"})
    publish_parent(ann, step, now=now)
    parent = flows.start(ann, now=now, people=["bao", "dan", "ann"])
    work()
    flows.approve(chi, now=now)
    work()
    assert state(parent) == "approved"
    assert sorted(state(each) for each in children(parent)) == [
        "approved", "terminated", "terminated",
    ]  # fmt: skip
    assert sound() == []


def test_a_join_that_cannot_be_reached_any_more_rejects_at_once(child_flow, ann, chi, now):
    publish_parent(ann, subflow(each={"field": "people", "join": "all"}), now=now)
    parent = flows.start(ann, now=now, people=["bao", "dan"])
    work()
    flows.reject(chi, now=now, comment="no")
    work()
    assert state(parent) == "rejected"
    assert sorted(state(each) for each in children(parent)) == ["rejected", "terminated"]
    assert sound() == []


def test_one_by_one_over_the_rows_of_a_table(child_flow, ann, chi, now):
    step = subflow(
        each={"field": "items", "mode": "one_by_one"},
        input={"sum": {"field": "items.cost"}},
        output={"items.said": "verdict"},
    )
    publish_parent(ann, step, now=now)
    parent = flows.start(ann, now=now, items=[{"cost": "1"}, {"cost": "2"}])
    work()
    assert [each.snapshot["values"]["sum"] for each in children(parent)] == ["1.00"]
    flows.approve(chi, now=now, form={"verdict": "one"})
    work()
    assert [each.snapshot["values"]["sum"] for each in children(parent)] == ["1.00", "2.00"]
    flows.approve(chi, now=now, form={"verdict": "two"})
    work()
    assert state(parent) == "approved"
    rows = parent.snapshot["values"]["items"]
    assert [(row["cost"], row["said"]) for row in rows] == [("1.00", "one"), ("2.00", "two")]
    assert sound() == []


def test_nothing_to_start_is_skipped(child_flow, ann, now):
    publish_parent(ann, subflow(each={"field": "people"}), now=now)
    parent = flows.start(ann, now=now)
    assert state(parent) == "approved"
    assert parent.snapshot["outcomes"]["ask"] == "skipped"


# What cannot be started.


def test_a_child_that_may_not_be_filed_is_an_incident_that_can_be_tried_again(parent, admin, now):
    definition = Instance.objects.get().version.tenant_id
    Definition.objects.filter(key="check", tenant=definition).update(state="suspended")
    work()
    parent.refresh_from_db()
    assert (parent.held, Instance.objects.count()) == ("subflow.unknown", 1)
    Definition.objects.filter(key="check").update(state="active")
    act(parent, Retry(1, admin.pk, "it is back"), now)
    work()
    assert len(children(parent)) == 1
    assert sound() == []


def test_values_that_the_child_refuses_are_an_incident(child_flow, ann, now):
    step = subflow(input={"sum": {"field": "amount"}, "who": {"var": "nobody"}})
    publish_parent(ann, step, now=now)
    # The pinned form asks for an amount that is not in the parent any more.
    parent = flows.start(ann, now=now)
    Instance.objects.update(snapshot={**parent.snapshot, "values": {"amount": None}})
    work()
    parent.refresh_from_db()
    assert parent.held == "subflow.bad_input"
    assert not ChildRequest.objects.exists()


def test_a_starter_who_is_gone_is_an_incident(child_flow, ann, dan, now):
    publish_parent(ann, subflow(starter={"field": "people"}), now=now)
    parent = flows.start(ann, now=now)
    assert parent.held == "subflow.nobody"


def test_more_than_eight_deep_is_an_incident(ann, now, monkeypatch):
    publish_child(ann, now=now)
    publish_parent(ann, subflow(), now=now)
    parent = flows.start(ann, now=now)
    monkeypatch.setattr(family, "_depth", lambda _parent: 8)
    work()
    parent.refresh_from_db()
    assert parent.held == "subflow.too_deep"
    assert Instance.objects.count() == 1


def test_a_process_that_comes_to_start_itself_is_not_published(child_flow, ann, now):
    publish_parent(ann, subflow(), now=now)
    again = {
        "id": "again", "kind": "subflow", "name": "Again", "flow": "expense",
        "version": "latest_at_entry", "input": {"amount": "1"},
    }  # fmt: skip
    with pytest.raises(Problem) as refused:
        publish_child(ann, again, now=now)
    errors = [(each["code"], each["at"]) for each in refused.value.errors]
    assert ("subflow.recursive", "/document/steps/1/flow") in errors
    assert flows.rows()["flow_version"] == 2


@pytest.mark.parametrize(
    ("members", "code", "at"),
    [
        ({"flow": "nope"}, "subflow.unknown", "flow"),
        ({"version": 7}, "subflow.unknown", "version"),
        ({"flow": "expense"}, "subflow.recursive", "flow"),
        ({"input": {}}, "subflow.not_startable", "input"),
        ({"input": {"sum": "x"}}, "subflow.input_type", "input/sum"),
        ({"input": {"sum": {"field": "reason"}}}, "subflow.input_type", "input/sum"),
        ({"input": {"sum": "1", "nope": "1"}}, "subflow.input_type", "input/nope"),
        ({"output": {"reason": "nope"}}, "subflow.input_type", "output/reason"),
        ({"input": {"sum": {"field": "items.cost"}}}, "form.unknown_field", "input/sum/field"),
    ],
)
def test_what_a_subflow_names_has_to_fit(child_flow, ann, now, members, code, at):
    with pytest.raises(Problem) as refused:
        publish_parent(ann, subflow(**members), now=now)
    errors = [(each["code"], each["at"]) for each in refused.value.errors]
    assert (code, f"/document/steps/0/{at}") in errors
    assert flows.rows()["flow_version"] == 1


def test_a_process_of_another_tenant_is_unknown(ann, eve, now):
    step = flows.approve_step("decide", "eve")
    flows.publish(eve, flows.a_document(step, key="check"), CHILD_FORM, now=now)
    with pytest.raises(Problem) as refused:
        publish_parent(ann, subflow(), now=now)
    assert "subflow.unknown" in {each["code"] for each in refused.value.errors}


# Killed and raced.


def die(*_arguments, **_members):
    raise SystemExit


def test_killed_between_filing_and_reporting_nothing_is_filed_twice(parent, chi, now, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(family, "_report", die)
        with pytest.raises(SystemExit):
            ask_outside()
    assert len(children(parent)) == 1
    Job.objects.filter(instance=parent).update(lease_until=now)
    work()
    assert len(children(parent)) == 1
    flows.approve(chi, now=now)
    work()
    parent.refresh_from_db()
    assert parent.snapshot["outcomes"]["ask"] == "approved"
    assert sound() == []


def test_a_child_that_ended_before_it_was_reported_is_reported_whole(
    parent, chi, now, monkeypatch
):
    with monkeypatch.context() as patched:
        patched.setattr(family, "_report", die)
        with pytest.raises(SystemExit):
            ask_outside()
    flows.approve(chi, now=now)
    Job.objects.filter(instance=parent).update(lease_until=now)
    work()
    kinds = Event.objects.filter(instance=parent, kind__startswith="child").order_by("id")
    assert list(kinds.values_list("kind", flat=True)) == [
        "children_planned", "child_started", "child_ended",
    ]  # fmt: skip
    assert sound() == []


def test_killed_while_filing_nothing_is_there(parent, now, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(steps, "hold", die)
        with pytest.raises(SystemExit):
            ask_outside()
    assert Instance.objects.count() == 1
    assert not ChildRequest.objects.exists()
    Job.objects.update(lease_until=now)
    work()
    assert len(children(parent)) == 1
    assert children(parent)[0].number == "000001"


def test_a_parent_that_ended_first_starts_no_child(parent, admin, now):
    claimed = steps.claim(Job.objects.get().pk, "slow", now.replace(year=2030), outside=True)
    assert claimed is not None
    before = family._start

    def ends_meanwhile(*arguments):
        administration.terminate(instance=parent, user=admin, reason="moot", now=now)
        return before(*arguments)

    family._start = ends_meanwhile
    try:
        with pytest.raises(steps.LeaseLost):
            family.carry_out(claimed, now)
    finally:
        family._start = before
    assert Instance.objects.count() == 1
    assert not ChildRequest.objects.exists()
    assert sound() == []


def test_the_end_of_a_child_during_a_pause_is_kept(parent, chi, admin, now):
    work()
    act(parent, Pause(admin.pk, "stocktaking"), now)
    flows.approve(chi, now=now)
    work()
    assert state(parent) == "running"
    act(parent, Resume(admin.pk), now)
    work()
    assert Task.objects.get(state="open").instance_id == parent.pk
    assert sound() == []


@pytest.mark.django_db(transaction=True)
def test_several_workers_file_each_child_once(child_flow, ann, now):
    publish_parent(ann, subflow(), now=now)
    parents = [flows.start(ann, now=now) for _ in range(4)]
    workers = [threading.Thread(target=close_after(work)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    work()
    assert [len(children(each)) for each in parents] == [1, 1, 1, 1]
    assert Instance.objects.count() == 8
    assert sound() == []
