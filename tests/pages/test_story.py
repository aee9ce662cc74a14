"""The timeline on the page of a request: what happened stands open, why is folded under it."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from tests.pages.reading import Page
from tests.workflow.flows import (
    a_document,
    approve,
    approve_step,
    big_and_small,
    open_task,
    publish,
    start,
)
from workflow.actions import approvals
from workflow.engine.commands import Return
from workflow.models import SPAN
from workflow.pages.reading import MARKS
from workflow.wording.telling import StateWord

pytestmark = pytest.mark.django_db

FOLDED = re.compile(r'<details class="story-reasons">(.*?)</details>', re.DOTALL)


def page_of(client_of, person, filed):
    return Page(client_of(person).get(f"/requests/{filed.pk}/"))


def test_why_is_folded_under_each_step(client_of, ann, bao, dan, now):
    publish(bao, big_and_small(), now=now)
    filed = start(ann, now=now)
    approve(bao, now=now, comment="fine <b>")
    text = page_of(client_of, bao, filed).text
    folded = FOLDED.findall(text)
    assert len(folded) == 3
    assert "Bao Chen: named in the process" in folded[0]
    assert "Amount &gt; 10,000.00: true (the value was 12,000.00)" in folded[1]
    assert "Dan Liu: named in the process" in folded[2]
    for each in folded:
        assert "<summary>Why" in each
        assert "open" not in each.partition("</summary>")[0]
    assert "fine &lt;b&gt;" in text
    # The strict content security policy allows neither a script nor a style here.
    assert not re.search(r"<details[^>]*(style=|on[a-z]+=)", text)


def test_what_a_decision_did_stands_open(client_of, ann, bao, chi, now):
    publish(bao, a_document(approve_step("lead", "bao", "chi")), now=now)
    filed = start(ann, now=now)
    approve(bao, now=now)
    text = FOLDED.sub("", page_of(client_of, bao, filed).text)
    assert f"No longer needed: {chi.name}" in text


def test_a_request_that_is_back_with_its_initiator(client_of, ann, bao, now):
    step = approve_step("lead", "bao", acts={"return_to": "any"})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)
    task = open_task(bao)
    command = Return(seat=task.pk % SPAN, by=bao.pk, version=1, to="start", comment="which day?")
    approvals.on_task(task=task, user=bao, command=command, now=now)
    page_of(client_of, ann, filed)  # whose task it is now
    text = page_of(client_of, bao, filed).text
    assert "sent the request back from “Lead” to “Initiator”" in text
    assert "which day?" in text
    assert f"Initiator → {ann.name}" in text


def test_every_kind_of_fact_has_a_mark():
    assert MARKS.keys() == set(get_args(StateWord))
