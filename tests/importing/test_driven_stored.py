"""Three of the given files through the whole product: imported, published, filed and decided."""

from __future__ import annotations

import pytest

from flowadmin.directory.models import User
from tests.importing import flow_files
from workflow.actions import approvals, importing, requests
from workflow.importing.detecting import convert
from workflow.jobs import run_due_steps
from workflow.models import Instance, Task
from workflow.runtime import replay

pytestmark = pytest.mark.django_db

# People in order, branches side by side, and a form whose values choose the way.
DRIVEN = {
    "flowlong/sortSign.json": ({}, "approved"),
    "flowlong/ccTaskParallel.json": ({}, "approved"),
    "flowlong/simpleProcess.json": ({"day": "5", "age": "20"}, "approved"),
}


@pytest.mark.parametrize("name", DRIVEN)
def test_flow_files_are_published_and_driven_to_their_end(name, admin, ann, now):
    if not flow_files.IS_GIVEN or name not in flow_files.files():
        pytest.skip("other files")
    carried = convert(flow_files.raw(name), people=flow_files.said(name))
    missing = importing.unknown_people(admin.tenant, carried.people)
    judged, published = importing.take_in(
        user=admin, carried=carried, missing=missing, note="", now=now
    )
    assert published is not None, judged.findings
    values, ends = DRIVEN[name]
    key = published[0].definition.key
    requests.start_request(user=ann, flow=key, values=values, now=now)
    instance = Instance.objects.get()
    for _ in range(30):
        if instance.state != "running":
            break
        if run_due_steps() == 0:
            _decide_one(now)
        instance.refresh_from_db()
    assert instance.state == ends
    assert not Task.objects.filter(state__in=["open", "blocked"]).exists()
    assert replay.differences(instance.pk) == []


def _decide_one(now):
    task = Task.objects.filter(state="open").order_by("pk").first()
    assert task is not None, "it waits for nobody"
    holder = User.objects.get(pk=task.holder_id)
    approvals.approve(task=task, user=holder, version=task.version, now=now)
