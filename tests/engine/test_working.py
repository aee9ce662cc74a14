"""Automatic steps as a worker carries them out: values that are set, delays, copies, verdicts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.engine.builders import NOW, a_field, approve, by, step, users
from tests.engine.test_deadlines import FRIDAY, a_request
from workflow.engine.commands import FinishWork
from workflow.engine.events import (
    CopySent,
    FormChanged,
    InstanceHeld,
    NoticeSent,
    StepEnded,
    WorkAsked,
    WorkEnded,
    WorkPutOff,
)


def setting(*changes: tuple[str, Any]) -> dict[str, Any]:
    return step("fill", "set", changes=[{"field": name, "to": to} for name, to in changes])


def delay(**members: Any) -> dict[str, Any]:
    return step("pause", "delay", **members)


OPTIONS = [{"id": each, "label": each.title()} for each in ("red", "green", "blue")]


# Values that are set -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "to", "value"),
    [
        ("text", "done", "done"),
        ("integer", 7, 7),
        ("amount", "12.5", "12.50"),
        ("bool", False, False),
        ("date", {"now": True}, "2026-03-02"),
        ("time", {"now": True}, "09:00"),
        ("timestamp", {"now": True}, "2026-03-02T09:00:00Z"),
        ("text", {"now": True}, "2026-03-02T09:00:00Z"),
        ("user", "bao", "bao"),
        ("department", "finance", "finance"),
    ],
)
def test_a_field_gets_a_value(org, kind, to, value):
    form = [a_field("target", kind)]
    request = a_request(org, setting(("target", to)), form=form)
    request.start()
    assert request.of(FormChanged) == []
    request.work()
    assert request.state.values == {"target": value}
    assert [each.reason for each in request.of(StepEnded)] == ["auto_step"]
    assert request.state.status == "approved"


def test_several_choices_are_kept_in_the_order_of_the_options(org):
    form = [a_field("target", "multi_choice", options=OPTIONS)]
    request = a_request(org, setting(("target", ["blue", "red"])), form=form)
    request.start()
    request.work()
    assert request.state.values == {"target": ("red", "blue")}


def test_all_changes_see_the_values_from_before_so_two_fields_can_change_places(org):
    form = [a_field("one"), a_field("two"), a_field("three")]
    swap = setting(("one", {"copy": "two"}), ("two", {"copy": "one"}), ("three", None))
    request = a_request(org, swap, form=form)
    request.start(one="a", two="b", three="c")
    request.work()
    assert request.state.values == {"one": "b", "two": "a"}
    (changed,) = request.of(FormChanged)
    assert changed.changes == {"one": "b", "two": "a", "three": None}


def test_a_copy_of_nothing_empties_the_field(org):
    form = [a_field("one"), a_field("two")]
    request = a_request(org, setting(("two", {"copy": "one"})), form=form)
    request.start(two="b")
    request.work()
    assert request.state.values == {}


def test_a_sum_follows_and_what_is_the_same_already_is_no_change(org):
    form = [
        a_field("one", "amount"),
        a_field("two", "amount"),
        a_field("both", "amount", sum_of=["one", "two"]),
    ]
    request = a_request(org, setting(("one", "1"), ("two", "2")), form=form)
    request.start(one="1", two="1")
    request.work()
    assert request.of(FormChanged)[0].changes == {"two": "2.00", "both": "3.00"}


def test_a_column_is_set_in_every_row_and_may_be_copied_from_its_own_row(org):
    columns = [a_field("name"), a_field("label"), a_field("state")]
    form = [a_field("lines", "table", columns=columns)]
    fill = setting(("lines.state", "ok"), ("lines.label", {"copy": "lines.name"}))
    request = a_request(org, fill, form=form)
    request.start(lines=[{"name": "a"}, {"name": "b", "label": "x"}])
    before: Any = request.state.values["lines"]
    request.work()
    lines: Any = request.state.values["lines"]
    rows = [{name: value for name, value in row.items() if name != "_id"} for row in lines]
    assert rows == [
        {"name": "a", "label": "a", "state": "ok"},
        {"name": "b", "label": "b", "state": "ok"},
    ]
    assert [row["_id"] for row in before] == [row["_id"] for row in lines]


@pytest.mark.parametrize(
    ("field", "to"),
    [
        (a_field("target", "integer"), "many"),
        (a_field("target", "integer", limits={"max": "5"}), 6),
        (a_field("target", "text", limits={"max_length": 3}), {"copy": "source"}),
        (a_field("target", "integer"), {"copy": "source"}),
        (a_field("target", "choice", options=OPTIONS), "pink"),
        (a_field("target", "bool"), {"now": True}),
        (a_field("target", "user"), "nobody"),
        (a_field("target", "department"), "nowhere"),
        (a_field("target", "file"), ["unknown"]),
        (a_field("target", "text", required=True), None),
        (a_field("target", "note"), "x"),
    ],
)
def test_a_value_that_does_not_fit_is_an_incident_and_changes_nothing(org, field, to):
    form = [a_field("source"), field]
    request = a_request(org, setting(("target", to)), form=form)
    begin = {"target": "old"} if field.get("required") else {}
    request.start(source="longer", **begin)
    request.work()
    assert request.state.values == {"source": "longer", **begin}
    (held,) = request.of(InstanceHeld)
    assert (held.code, held.about) == ("set.bad_value", "target")
    assert request.of(FormChanged) == []
    assert request.state.status == "running"
    assert request.state.work == ()
    request.refuses(FinishWork(1), "work.not_open")


def test_a_field_that_the_form_has_not_is_an_incident(org):
    request = a_request(org, setting(("gone", "x")), form=[a_field("one")])
    request.start()
    request.work()
    assert [each.about for each in request.of(InstanceHeld)] == ["gone"]


# Delays ------------------------------------------------------------------------------------------


def test_a_delay_is_work_that_is_due_later(org):
    request = a_request(org, delay(**{"for": "P1DT1H"}))
    request.start()
    (asked,) = request.of(WorkAsked)
    assert (asked.kind, asked.due) == ("delay", "2026-03-03T10:00:00Z")
    request.now += timedelta(hours=25)
    request.work()
    assert request.state.status == "approved"


@pytest.mark.parametrize(
    ("policy", "members"), [({"clock": "office"}, {}), ({}, {"clock": "office"})]
)
def test_a_delay_may_count_working_hours(org, policy, members):
    request = a_request(org, delay(**{"for": "PT4H"}, **members), policy=policy)
    request.now = FRIDAY
    request.start()
    assert request.of(WorkAsked)[0].due == "2026-03-09T12:00:00Z"


def test_a_calendar_that_is_not_there_is_an_incident_and_the_delay_ends_all_the_same(org):
    request = a_request(org, delay(**{"for": "PT4H"}, clock="gone"))
    request.start()
    assert request.of(WorkAsked)[0].due == "2026-03-02T13:00:00Z"
    assert list(request.state.incidents.values()) == ["calendar.unknown"]
    request.work()
    assert request.state.status == "approved"
    assert request.state.held is None


@pytest.mark.parametrize(
    ("kind", "value", "due"),
    [
        ("date", "2026-03-05", "2026-03-05T00:00:00Z"),
        ("timestamp", "2026-03-05T08:00:00+08:00", "2026-03-05T00:00:00Z"),
        ("date", "2026-03-02", ""),
        ("timestamp", "2026-03-02T09:00:00Z", ""),
    ],
)
def test_a_delay_until_a_moment_in_the_form_or_at_once_when_it_has_passed(org, kind, value, due):
    request = a_request(org, delay(until_field="day"), form=[a_field("day", kind)])
    request.start(day=value)
    assert request.of(WorkAsked)[0].due == due
    request.work()
    assert request.state.status == "approved"


def test_a_delay_until_a_fixed_moment(org):
    request = a_request(org, delay(until="2026-03-02T18:00:00+08:00"))
    request.start()
    assert request.of(WorkAsked)[0].due == "2026-03-02T10:00:00Z"
    late = a_request(org, delay(until="2026-03-02T18:00:00+08:00"))
    late.now = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
    late.start()
    assert late.of(WorkAsked)[0].due == ""


def test_a_delay_until_a_field_without_a_value_is_an_incident(org):
    request = a_request(org, delay(until_field="day"), form=[a_field("day", "date")])
    request.start()
    assert request.of(WorkAsked)[0].due == ""
    request.work()
    (held,) = request.of(InstanceHeld)
    assert (held.code, held.about) == ("delay.no_value", "day")
    assert [each.done for each in request.of(WorkEnded)] == [True]
    assert request.at() == "pause"
    request.refuses(FinishWork(1), "work.not_open")


def test_a_delay_does_not_change_who_approves_next(org):
    """Acceptance test 59."""
    head = approve("head", by("head"))
    at_once = a_request(org, head)
    at_once.start()
    later = a_request(org, delay(**{"for": "P1D"}), head)
    later.start()
    later.now = NOW + timedelta(days=1)
    later.work()
    assert later.seats() == at_once.seats() == {"bao": "open"}


# Copies and verdicts -----------------------------------------------------------------------------


@pytest.mark.parametrize("found", [["dan", "kim"], []])
def test_a_copy_is_sent_to_whoever_is_found_and_never_holds_a_request_up(org, found):
    role = "auditors" if found else "nobody"
    request = a_request(org, step("tell", "copy", who=by("role", ids=[role])))
    request.start()
    request.work()
    assert sorted(org.login(each.holder) for each in request.of(CopySent)) == found
    assert request.state.status == "approved"


@pytest.mark.parametrize("found", [["dan", "kim"], []])
def test_a_notice_says_what_its_values_are_and_never_holds_a_request_up(org, found):
    role = "auditors" if found else "nobody"
    words = {"title": "{number} of {initiator.name}", "text": "Is {form.amount} right?\n"}
    ways = {"channel": ["inbox", "email"]}
    say = step("say", "notice", who=by("role", ids=[role]), **words, **ways)
    request = a_request(org, say, form=[a_field("amount", "amount")])
    request.start(amount="50.00")
    request.work()
    sent = request.of(NoticeSent)
    assert [sorted(org.login(each.user) for each in one.chosen) for one in sent] == (
        [found] if found else []
    )
    for one in sent:
        assert (one.title, one.text) == ("L-1 of Ann", "Is 50.00 right?")
        assert one.channels == ("inbox", "email")
    assert request.state.status == "approved"


def test_an_automatic_rejection_in_a_branch_ends_what_the_block_says(org):
    no = step("no", "auto", verdict="reject", reason="budget")
    block = {
        "id": "both",
        "kind": "parallel",
        "name": "Both",
        "join": "first",
        "branch_reject": "branch_only",
        "branches": [
            {"id": "one", "name": "One", "steps": [no]},
            {"id": "two", "name": "Two", "steps": [approve("look", users("chi"))]},
        ],
    }
    request = a_request(org, block)
    request.start()
    (work,) = request.state.work
    request.give(FinishWork(work.activation))
    assert request.state.status == "running"
    request.approve("chi")
    assert request.state.status == "approved"
    whole = a_request(org, {**block, "branch_reject": "whole_flow"})
    whole.start()
    whole.give(FinishWork(whole.state.work[0].activation))
    assert whole.state.status == "rejected"


@pytest.mark.parametrize(
    "automatic",
    [
        step("tell", "copy", who=users("dan")),
        step("yes", "auto", verdict="approve"),
        setting(("one", "x")),
        delay(**{"for": "PT1H"}),
    ],
    ids=lambda each: each["kind"],
)
def test_work_that_falls_due_during_a_pause_is_put_off_and_done_afterwards(org, automatic):
    request = a_request(org, automatic, form=[a_field("one")])
    request.start()
    request.pause()
    request.work()
    assert [each.job for each in request.of(WorkPutOff)] == [1]
    assert request.of(StepEnded) == []
    assert request.state.values == {}
    request.resume()
    assert [(each.number, each.put_off) for each in request.state.work] == [(2, False)]
    request.work()
    assert request.state.status == "approved"
    request.refuses(FinishWork(1), "work.not_open")
