"""P16, decision 22: what happened before writes and sends nothing, however it is looked at."""

from __future__ import annotations

import json
import socket
from datetime import timedelta

import pytest
from django.core.management import call_command

from notifications.actions.reminding import send_due
from notifications.models import Notice
from tests.acceptance.acting import filed, human, task_of
from tests.notifications.told import all_rows, reminders, to
from tests.workflow import flows

HOUR = timedelta(hours=1)


@pytest.fixture
def no_socket(monkeypatch):
    def refuse(*_arguments):
        raise AssertionError("something was sent")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def before(ann, now):
    """A request from before notices were there: it runs, and no row speaks of it."""
    instance = filed(ann, human("lead", "bao", deadline={"after": 60}), now=now)
    Notice.objects.all().delete()
    return instance


def test_an_existing_task_gets_nothing_by_being_there(before, bao, now):
    assert send_due(now + 9 * HOUR) == 0
    assert all_rows() == []


def test_replaying_and_trying_out_write_nothing(before, no_socket, capsys, tmp_path):
    newer = flows.a_document(human("other", "dan", deadline={"after": 1}))
    file = tmp_path / "newer.json"
    file.write_text(json.dumps({"document": newer, "form": flows.FORM}))
    call_command("flow_replay", "--all")
    call_command(
        "flow_whatif",
        "expense",
        "--document",
        str(file),
        "--last",
        "5",
        "--tenant",
        "demo",
        "--json",
    )
    assert '"path": 1' in capsys.readouterr().out.replace("other_", "")
    assert all_rows() == []


def test_moving_a_running_request_tells_nobody_what_he_has(ann, bao, dan, now, no_socket):
    """The task stays where it is, with its reminder; who gets a new one by the move is told."""
    old = filed(ann, human("lead", "bao", deadline={"after": 60}), now=now)
    kept = all_rows()
    steps = human("lead", "bao", deadline={"after": 60}), human("next", "dan")
    flows.publish(ann, flows.a_document(*steps), now=now)
    call_command("flow_migrate", "expense", "--from", "1", "--to", "2", "--reason", "new")
    assert all_rows() == kept
    assert [row.status for row in reminders()] == ["PENDING"]
    assert to(dan) == []
    assert task_of(bao, old).step == "lead"
