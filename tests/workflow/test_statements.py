"""The hand-written statements speak of the tables and columns that the models have."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from flowadmin.rest.models import StoredRequest
from tests.workflow import flows
from workflow import statements
from workflow.models import Event, Instance, Job, Step, Task

WRITTEN = [
    (Event, statements.EVENT_COLUMNS, ()),
    (Step, statements.STEP_COLUMNS, ()),
    (Task, statements.TASK_COLUMNS, ()),
    (Job, statements.JOB_COLUMNS, ("lease_until", "retry_count")),
    (Instance, statements.INSTANCE_COLUMNS, ("id", "held")),
    (StoredRequest, statements.REQUEST_COLUMNS, ("id",)),
]


@pytest.mark.parametrize(("model", "columns", "left_out"), WRITTEN)
def test_every_column_is_written(model, columns, left_out):
    assert set(columns) | set(left_out) == statements.columns_of(model)
    assert len(set(columns)) == len(columns)


@pytest.mark.parametrize(
    ("changes", "columns"),
    [
        (statements.STEP_CHANGES, statements.STEP_COLUMNS),
        (statements.TASK_CHANGES, statements.TASK_COLUMNS),
    ],
)
def test_what_changes_is_among_the_columns(changes, columns):
    assert set(changes) < set(columns)


@pytest.fixture
def sent(ann, bao, dan, now):
    """Every statement of a whole life, through Django's cursor (the debug switch)."""
    flows.publish(ann, flows.big_and_small(), now=now)
    with CaptureQueriesContext(connection) as captured:
        flows.start(ann, now=now)
        flows.approve(bao, now=now)
        flows.approve(dan, now=now)
    return [each["sql"] for each in captured.captured_queries]


def test_the_debug_switch_shows_every_statement(sent):
    assert any(sql.startswith("INSERT INTO flow_event") for sql in sent)
    assert any(sql.startswith("UPDATE flow_instance") for sql in sent)


def test_selects_name_known_columns(sent):
    """Aliased columns of our own SELECTs exist in the table that the alias stands for."""
    aliases = {"i": Instance, "t": Task}
    checked = 0
    for sql in sent:
        for alias, column in re.findall(r"\b([it])\.\"?(\w+)", sql):
            if f" {aliases[alias]._meta.db_table} {alias}" in sql:
                assert column in statements.columns_of(aliases[alias]), sql
                checked += 1
    assert checked > 20


def test_moments_are_stored_as_django_stores_them(ann, now):
    flows.publish(ann, flows.big_and_small(), now=now)
    instance = flows.start(ann, now=now)
    assert instance.started_at == now
    assert Instance.objects.filter(started_at=now).exists()
    assert Task.objects.filter(created_at__lte=now, instance=instance).count() == 1
