"""A scenario made of what is filled in: clicks, pauses, answers; it is green when played."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.engine.builders import a_field, approve, define, step, users
from tests.engine.test_scenarios import outcome, process
from workflow.engine.recording import Filed, record
from workflow.engine.rejections import Rejection

NOW = datetime(2026, 3, 2, 9, 0, 0, 123456, tzinfo=UTC)


def recorded(org, definition, **form):
    return record(definition, Filed("much", "ann", form), NOW, lambda _moment: org)


def test_everybody_agrees_and_time_passes_until_it_goes_on(org):
    made = recorded(org, process(), amount="500")
    assert made["at"] == "2026-03-02T09:00:00Z"
    assert [(each.get("as"), each["do"]) for each in made["clicks"]] == [
        ("bao", "approve"),
        ("dan", "approve"),
        (None, "wait"),
        ("kim", "approve"),
    ]
    assert made["expect"] == {"path": ["lead", "finance", "pause", "last"], "ends": "approved"}
    assert outcome(org, made).green


def test_work_of_a_pool_is_claimed_and_others_answer_yes(org):
    definition = define(
        step("call", "http", url="https://partner.example/", method="POST", mode="need_2xx"),
        approve("pool", users("dan", "kim"), decide={"mode": "claim"}),
        form=[a_field("note", "text")],
    )
    made = recorded(org, definition)
    assert made["answers"] == {"call": {}}
    assert made["expect"]["ends"] == "approved"
    assert outcome(org, made, definition).green


def test_where_nobody_can_go_on_the_path_ends(org):
    definition = define(
        approve("lead", users("dan"), evidence={"signature": "must"}),
        approve("last", users("kim")),
    )
    made = recorded(org, definition)
    assert made["expect"] == {"path": ["lead"], "ends": "running"}
    assert outcome(org, made, definition).green


def test_what_cannot_be_filed_is_refused(org):
    with pytest.raises(Rejection):
        recorded(org, process(), amount="a lot")
