"""The preview on the real organisation: what it says happens, and it leaves no trace."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from flowadmin.directory.models import Role, RoleMember
from flowadmin.rest.problems import Problem
from tests.outbound.receivers import network_calls
from tests.workflow import flows
from tests.workflow.test_whatif import every_row
from workflow import access
from workflow.models import Task
from workflow.preview import preview_ahead, preview_start
from workflow.reading import reading_of


@pytest.fixture
def published(ann, now):
    return flows.publish(ann, flows.big_and_small(), now=now)


def looked(user, now, picked=None, **form):
    """The preview; acceptance test 77: no row anywhere changes, and no socket is opened."""
    flow = access.definition(user, "expense")
    before = every_row()
    with network_calls() as calls:
        found = preview_start(user=user, flow=flow, form=form, picked=picked or {}, now=now)
    assert calls == []
    assert every_row() == before
    return found


def way(found):
    """The steps that ask people and are sure, with whom."""
    for each in found:
        if each.people and each.sure:
            yield each.step, [said.person for said in each.people]
        for branch in each.branches:
            yield from way(branch.steps)


@pytest.mark.parametrize("amount", ["12", "12000"])
def test_it_is_what_then_happens(published, ann, bao, dan, now, amount):
    foreseen = list(way(looked(ann, now, amount=amount).steps))
    instance = flows.start(ann, now=now, amount=amount)
    flows.approve(bao, now=now)
    if amount == "12000":
        flows.approve(dan, now=now)
    tasks = Task.objects.filter(instance=instance).order_by("pk")
    assert [(task.step, [task.holder_id]) for task in tasks] == foreseen
    instance.refresh_from_db()
    assert instance.state == "approved"


def test_names_of_codes_and_whoever_passes_by_itself(ann, bao, chi, now):
    role = Role.objects.create(tenant=ann.tenant, code="checkers", name="Checkers")
    RoleMember.objects.create(role=role, user=bao)
    RoleMember.objects.create(role=role, user=ann)
    document = flows.a_document(
        flows.approve_step("lead", "bao"),
        flows.approve_step(
            "check",
            who={"any_of": [{"by": "role", "ids": ["checkers"]}]},
            decide={"mode": "all"},
        ),
        policy={"dedupe": "keep_first", "on_self": "skip"},
    )
    flows.publish(ann, document, now=now)
    _lead, check = looked(ann, now, amount="1").steps
    assert [said.message for said in check.people] == [
        f"{person.name}: role Checkers" for person in (ann, bao)
    ]
    assert check.who == f"{ann.name}, {bao.name} (all of 2)"
    assert {said.message for said in check.passes} == {
        f"Passes by itself for {ann.name}, who files the request",
        f"Passes by itself for {bao.name}, who decides in “Lead” already, unless the form changes",
    }


def test_people_who_are_picked(ann, bao, now):
    who = {"any_of": [{"by": "picked_at_start", "max": 2}]}
    flows.publish(ann, flows.a_document(flows.approve_step("lead", who=who)), now=now)
    (lead,) = looked(ann, now).steps
    assert [said.message for said in lead.unknown] == [
        "People are chosen when the request is filed"
    ]
    (lead,) = looked(ann, now, picked={"lead": [bao.pk]}).steps
    assert [said.person for said in lead.people] == [bao.pk]
    assert lead.unknown == ()
    found = looked(ann, now, picked={"lead": [bao.pk, 1, 2, 3, 4]})
    assert [each.code for each in found.findings] == ["picked.too_many"]


def test_nobody_and_who_may_not(ann, bao, eve, now):
    nobody = {"any_of": [{"by": "user", "ids": ["ann"]}], "without": [{"by": "initiator"}]}
    empty = {"do": "refuse_start"}
    step = flows.approve_step("lead", who=nobody, on_empty=empty)
    only_ann = {"who": {"any_of": [{"by": "user", "ids": ["ann"]}]}}
    flows.publish(ann, flows.a_document(step, start=only_ann), now=now)
    (lead,) = looked(ann, now).steps
    assert lead.ends.message == "Nobody is found for this step, so the request cannot be filed"
    with pytest.raises(Problem) as refused:
        looked(bao, now)
    assert refused.value.status == 403


def test_what_a_running_request_still_has_before_it(published, ann, bao, dan, now):
    instance = flows.start(ann, now=now)
    before = every_row()
    reading = reading_of(ann, access.instance(ann, instance.pk))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        lead, size = preview_ahead(reading, now).steps
    assert len(queries) < 10
    assert every_row() == before
    assert (lead.step, lead.now) == ("lead", True)
    assert list(way(size.branches[0].steps)) == [("finance", [dan.pk])]
    flows.reject(bao, now=now)
    reading = reading_of(ann, access.instance(ann, instance.pk))
    assert preview_ahead(reading, now).steps == ()
