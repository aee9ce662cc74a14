"""With whom a request is now: the open steps, whose turn it is and since when."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.builders import a_role
from tests.workflow import flows
from workflow import access, queries
from workflow.actions import administration
from workflow.models import Instance
from workflow.published import definition_of
from workflow.wording import timeline

NOBODY = {"any_of": [{"by": "role", "ids": ["empty"]}]}


@pytest.fixture
def later(now):
    """Each call is a minute later."""
    moments = (now + timedelta(minutes=minute) for minute in range(1000))
    return lambda: next(moments)


def waiting_of(instance):
    from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up

    instance = Instance.objects.get(pk=instance.pk)
    names = dict(User.objects.values_list("pk", "name"))
    entered = {row.number: row.entered_at for row in instance.steps.all()}
    return timeline.current(
        queries.state_of(instance),
        definition_of(instance.version_id),
        names,
        entered=entered,
    )


def test_with_whom_it_is_now(ann, bao, chi, dan, admin, later):
    a_role(ann.tenant, "empty")
    asked = (
        flows.approve_step("lead", "bao", "chi", decide={"mode": "all"}),
        flows.approve_step("turns", "bao", "dan", decide={"mode": "in_order"}),
        flows.approve_step("top", who=NOBODY),
    )
    flows.publish(ann, flows.a_document(*asked), now=later())
    began = later()
    instance = flows.start(ann, now=began)
    assert waiting_of(instance) == [
        timeline.Waiting("Lead", (bao.name, chi.name), "all", began, 0, 2)
    ]
    flows.approve(bao, now=later())
    assert waiting_of(instance) == [timeline.Waiting("Lead", (chi.name,), "all", began, 1, 2)]
    moved = later()
    flows.approve(chi, now=moved)
    assert waiting_of(instance) == [
        timeline.Waiting("Turns", (bao.name,), "in_order", moved, 0, 2)
    ]
    flows.approve(bao, now=later())
    held = later()
    flows.approve(dan, now=held)
    assert waiting_of(instance) == [timeline.Waiting("Top", (), "held", held)]
    instance = access.managed_instance(admin, instance.pk)
    administration.terminate(instance=instance, user=admin, reason="over", now=later())
    assert waiting_of(instance) == []


def test_a_step_that_waits_for_a_worker_is_with_nobody(ann, later):
    inform = {"id": "cc", "kind": "copy", "name": "Inform", "who": NOBODY}
    a_role(ann.tenant, "empty")
    flows.publish(ann, flows.a_document(inform), now=later())
    began = later()
    instance = flows.start(ann, now=began)
    assert waiting_of(instance) == [timeline.Waiting("Inform", (), "automatic", began)]
