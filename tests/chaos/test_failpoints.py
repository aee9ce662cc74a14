"""Failpoints sleep in every process but a test's, and a commit without an answer is no loss."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection

from flowadmin import failpoints
from notifications.actions.reminding import send_due
from tests.acceptance.acting import ALL_ACTS, filed, human, task_of
from tests.api.caller import Caller
from tests.notifications import told
from tests.workflow import flows
from workflow.models import Event

pytestmark = pytest.mark.chaos


@pytest.fixture
def armed(settings):
    """`armed(name, act)` in a process that was started for a test."""
    settings.DEBUG = True
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, failpoints=True)
    yield failpoints.arm
    failpoints.disarm()


@pytest.mark.parametrize(("debug", "named"), [(False, True), (True, False), (False, False)])
def test_nobody_else_can_break_a_process(settings, debug, named):
    settings.DEBUG = debug
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, failpoints=named)
    with pytest.raises(failpoints.NotInATestRun):
        failpoints.arm("decision.after_commit", pytest.fail)
    failpoints.reached("decision.after_commit")


def test_a_name_that_is_no_point_is_refused(armed):
    with pytest.raises(ValueError, match="no point"):
        armed("decision.after_comit", pytest.fail)


class Broken(Exception):
    """What a test's failpoint raises."""


def raising():
    raise Broken


@pytest.fixture
def waiting(ann, now):
    """A request of ann's that waits for bao."""
    return filed(ann, human("lead", "bao", acts=ALL_ACTS), now=now)


@contextmanager
def the_answer_is_lost():
    """The next commit takes place, and its caller is told that the connection broke."""
    backend: Any = connection
    commit, left = backend._commit, [1]

    def then_raise():
        commit()
        if left:
            left.pop()
            raise OperationalError("the connection broke")

    backend._commit = then_raise
    try:
        yield
    finally:
        del backend._commit
    assert not left, "nothing was committed"


def approved(instance):
    return Event.objects.filter(instance=instance, kind="task_approved").count()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["raise", "commit"])
def test_a_decision_that_is_kept_and_not_answered_is_answered_the_next_time(
    waiting, bao, client_of, armed, how
):
    """reliability.md C4: committed, then raised; the same key gets the first answer."""
    client = client_of(bao)
    client.raise_request_exception = False
    caller, task = Caller(client), task_of(bao, waiting)
    ask = (f"tasks/{task.pk}/actions/approve", {"task_version": task.version})
    if how == "raise":
        armed("decision.after_commit", raising)
        lost = caller.post(*ask, key="the-key")
        failpoints.disarm()
    else:
        with the_answer_is_lost():
            lost = caller.post(*ask, key="the-key")
    assert lost.status_code == (500 if how == "raise" else 503), lost.content
    assert approved(waiting) == 1
    again = caller.post(*ask, key="the-key")
    assert (again.status_code, again["Idempotency-Replayed"]) == (200, "true")
    assert again.json()["task"]["state"] == "approved"
    assert approved(waiting) == 1


@pytest.mark.django_db(transaction=True)
def test_a_decision_that_broke_before_its_commit_never_was(waiting, bao, client_of, armed):
    client = client_of(bao)
    client.raise_request_exception = False
    caller, task = Caller(client), task_of(bao, waiting)
    ask = (f"tasks/{task.pk}/actions/approve", {"task_version": task.version})
    before = flows.rows(), flows.everything()
    armed("decision.before_commit", raising)
    assert caller.post(*ask, key="the-key").status_code == 500
    failpoints.disarm()
    assert (flows.rows(), flows.everything()) == before
    assert caller.post(*ask, key="the-key").status_code == 200


def test_a_reminder_that_becomes_due_while_a_round_goes_on_is_not_put_off(ann, bao, now, armed):
    """Seen with a clock that was an hour ahead: put off by it, the reminder was an hour late."""
    lead = human("lead", "bao", deadline={"after": 60})
    filed(ann, lead, now=now)
    due = now + timedelta(hours=1)
    armed("reminder.after_found", lambda: filed(ann, lead, key="second", now=now))
    assert send_due(due) == 1
    failpoints.disarm()
    [waiting] = told.reminders(status="PENDING")
    assert waiting.scheduled_at == due
    assert send_due(due) == 1
