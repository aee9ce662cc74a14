"""S6: the list of held requests filters on a generated column, and the database uses its index."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from flowadmin.ops import lists
from tests.workflow import flows
from workflow.models import Instance, Job
from workflow.runtime import steps

NOBODY = {
    "any_of": [{"by": "role", "ids": ["auditors"]}],
    "without": [{"by": "user", "ids": ["dan"]}],
}


@pytest.fixture
def held(ann, now):
    """A request that nobody can decide, beside one that somebody can."""
    flows.publish(
        ann, flows.a_document(flows.approve_step("lead", who=NOBODY), key="stuck"), now=now
    )
    flows.publish(ann, flows.a_document(), now=now)
    flows.start(ann, now=now)
    return flows.start(ann, "stuck", now=now)


def test_the_column_is_read_from_the_snapshot(held):
    assert Instance.objects.get(held__isnull=False) == held
    held.refresh_from_db()
    assert held.held == "people.nobody"
    assert held.snapshot["held"] == held.held


def test_the_list_of_held_requests_uses_the_index(held):
    if connection.vendor != "sqlite":
        pytest.skip("a plan over a handful of rows says nothing on a server database")
    rows = Instance.objects.filter(tenant=held.tenant, held__isnull=False)
    assert "USING INDEX flow_instance_held" in rows.explain()


def test_the_column_is_virtual_on_sqlite(held):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL 15 can only store generated columns")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT hidden FROM pragma_table_xinfo('flow_instance') WHERE name = 'held'"
        )
        assert cursor.fetchone() == (2,)  # 2 is virtual, 3 stored


def test_jobs_that_went_wrong_often_are_found_by_a_virtual_column_with_an_index(ann, bao, now):
    """S6: the seed's own example, ``retry_count > 3``, as the operators' list asks it."""
    copy = {"id": "tell", "kind": "copy", "name": "Tell", "who": NOBODY | {"without": []}}
    flows.publish(ann, flows.a_document(flows.approve_step(), copy), now=now)
    flows.start(ann, now=now)
    flows.approve(bao, now=now)
    job, at = Job.objects.get(), now
    assert job.retry_count is None
    for _time in range(4):
        at += timedelta(hours=1)
        claimed = steps.claim(job.pk, "one", at)
        assert claimed is not None
        steps.put_back(claimed, "ValueError", at)

    often = lists.jobs_of(ann, "retried", at, more_than=3)
    assert [(each.pk, each.retry_count) for each in often] == [(job.pk, 4)]
    assert not lists.jobs_of(ann, "retried", at, more_than=4).exists()
    if connection.vendor == "sqlite":
        plan = often.explain()
        assert "flow_job USING INDEX flow_job_retried" in plan
        assert "TEMP B-TREE" not in plan
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT hidden FROM pragma_table_xinfo('flow_job') WHERE name = 'retry_count'"
            )
            assert cursor.fetchone() == (2,)
