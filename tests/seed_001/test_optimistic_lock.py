"""P2, I11: a second window never overwrites; each accepted save is one version more."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connections

from flowadmin.rest.problems import Problem
from tests.workflow import flows
from workflow import access
from workflow.actions import application_drafts
from workflow.models import Draft

WINDOWS = 8


@pytest.mark.parametrize("box", ["design-drafts", "application-drafts"])
def test_the_second_window_is_told(api, ann, bao, request, write, box):
    owner, draft = (
        (bao, request.getfixturevalue("design"))
        if box == "design-drafts"
        else (ann, request.getfixturevalue("application"))
    )
    caller = api(owner)
    assert write(caller, "patch", box, draft, {"name": "First"}).json()["version"] == 2
    before = list(Draft.objects.values())
    for method in ("patch", "put", "delete"):
        body = {"name": "Second"} | ({"document": {"flowdoc": 1}} if owner == bao else {})
        answer = write(caller, method, box, draft, None if method == "delete" else body)
        told = answer.json()
        assert (answer.status_code, told["code"]) == (412, "draft.version_moved")
        assert (told["current_version"], told["changed_by"]) == (2, owner.name)
        assert told["changed_at"]
    assert list(Draft.objects.values()) == before
    without = caller.client.put(f"/api/v1/{box}/{draft['id']}/", data={}, content_type="x/y")
    assert without.status_code in {415, 428}
    assert write(caller, "patch", box, draft, {"name": "Third"}, 2).json()["version"] == 3


@pytest.mark.django_db(transaction=True)
def test_of_many_windows_at_once_one_saves(demo_tenant, ann, bao, now):
    flows.publish(bao, flows.a_document(), now=now)
    draft = application_drafts.create(
        user=ann,
        definition=access.definition(ann, "expense"),
        values={"reason": "0"},
        picked={},
        now=now,
    )
    gate, saved, refused = threading.Barrier(WINDOWS), [], []

    def window(number):
        mine = access.application_draft(ann, draft.pk)
        gate.wait(60)
        try:
            application_drafts.save_draft(
                draft=mine,
                version=1,
                values={"reason": str(number)},
                now=now + timedelta(minutes=1),
            )
            saved.append(number)
        except Problem as problem:
            refused.append(problem.status)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=window, args=(number,)) for number in range(WINDOWS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(saved), refused) == (1, [412] * (WINDOWS - 1))
    row = Draft.objects.get()
    assert (row.version, row.parts()["values"]) == (2, {"reason": str(saved[0])})
