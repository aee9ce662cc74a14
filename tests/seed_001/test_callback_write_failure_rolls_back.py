"""P29: a callback that cannot be written undoes the decision that it follows from."""

from __future__ import annotations

import pytest
from django.db import DatabaseError

from notifications.models import Callback
from tests.notifications import posted
from tests.notifications.told import all_rows
from tests.workflow import flows


def broken(*_arguments, **_more):
    raise DatabaseError("the row of a callback could not be written")


def test_task_history_form_and_notices_are_as_before(ann, bao, now, monkeypatch):
    posted.target(ann.tenant, "https://erp.example/")
    last = posted.human("last", "dan", deadline={"after": 60})
    request = posted.filed(ann, posted.lead(), last, now=now)
    before = flows.rows(), flows.everything(), all_rows()
    monkeypatch.setattr(Callback.objects, "bulk_create", broken)
    with pytest.raises(DatabaseError):
        posted.approve(bao, request, now=now)
    assert (flows.rows(), flows.everything(), all_rows()) == before
    monkeypatch.undo()
    posted.approve(bao, request, now=now)
    assert posted.only().status == "PENDING"
