"""P29: a notice or reminder that cannot be written undoes the decision that it follows from."""

from __future__ import annotations

import pytest
from django.db import DatabaseError

from notifications.actions import recording
from tests.acceptance.acting import approve, filed, human
from tests.notifications.told import all_rows
from tests.workflow import flows


def broken(*_arguments, **_more):
    raise DatabaseError("the row of a notice could not be written")


@pytest.mark.parametrize("what", ["write", "cancel"])
def test_task_history_and_form_are_as_before(ann, bao, now, monkeypatch, what):
    steps = human("lead", "bao", deadline={"after": 60}), human("next", "dan")
    instance = filed(ann, *steps, now=now)
    before = flows.rows(), flows.everything(), all_rows()
    monkeypatch.setattr(recording, what, broken)
    with pytest.raises(DatabaseError):
        approve(bao, instance, now=now)
    assert (flows.rows(), flows.everything(), all_rows()) == before
    monkeypatch.undo()
    approve(bao, instance, now=now)


def test_nothing_is_filed_without_its_notice(ann, now, monkeypatch):
    flows.publish(ann, flows.a_document(human("lead", "bao")), now=now)
    before = flows.rows(), flows.everything()
    monkeypatch.setattr(recording, "write", broken)
    with pytest.raises(DatabaseError):
        flows.start(ann, now=now)
    assert (flows.rows(), flows.everything()) == before
