"""P8: natural minutes, 0 or blank is off, at most 525600; one reminder to the holder."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.acceptance.acting import filed, human
from tests.api.caller import Caller, nothing_written
from tests.notifications.told import reminders
from tests.workflow import flows


@pytest.mark.parametrize("minutes", [0, "", None])
def test_off_is_valid_and_leaves_no_row(ann, now, minutes):
    filed(ann, human("lead", "bao", deadline={"after": minutes}), now=now)
    assert reminders() == []


@pytest.mark.parametrize("minutes", [1, 525600])
def test_on_is_one_row_that_waits(ann, bao, now, minutes):
    instance = filed(ann, human("lead", "bao", deadline={"after": minutes}), now=now)
    [row] = reminders()
    task = instance.tasks.get()
    assert (row.kind, row.status, row.receiver, row.sent_at) == ("timeout", "PENDING", None, None)
    assert (row.reminder_key, row.task_id) == (str(task.pk), task.pk)
    assert row.scheduled_at == task.created_at + timedelta(minutes=minutes) == task.due_at
    assert (row.recipients, row.later) == ("holder", None)


@pytest.mark.parametrize(
    ("minutes", "code"),
    [(525601, "deadline.too_long"), (-1, "deadline.bad_value"), ("1.5", "deadline.bad_value")],
)
def test_what_is_no_time_is_refused(bao, client_of, minutes, code):
    document = flows.a_document(human("lead", "bao", deadline={"after": minutes}))
    body = {"document": document, "form": flows.FORM, "note": ""}
    with nothing_written():
        answer = Caller(client_of(bao)).post("flows/expense/actions/publish", body)
    assert answer.status_code == 422
    assert [(each["code"], each["at"]) for each in answer.json()["errors"]] == [
        (code, "/document/steps/0/deadline/after")
    ]


def test_without_reminders_a_deadline_leaves_no_row(ann, now):
    deadline = {"after": 60, "remind": [], "then": "approve"}
    filed(ann, human("lead", "bao", deadline=deadline), now=now)
    assert reminders() == []
