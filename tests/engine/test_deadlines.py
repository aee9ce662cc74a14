"""Deadlines: when a seat is due, what follows, and that nothing moves the moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.builders import NOW, Driven, a_field, approve, document, step, users
from workflow.engine.commands import (
    AddSigners,
    Claim,
    Delegate,
    FinishWork,
    Pause,
    Resume,
    TimeOut,
    Transfer,
)
from workflow.engine.decide import decide
from workflow.engine.decision import Definition
from workflow.engine.events import (
    InstanceHeld,
    StepEnded,
    TaskApproved,
    TaskAssigned,
    TaskClosed,
    TaskReassigned,
    TaskRejected,
    TimedOut,
    WentBack,
    WorkAsked,
    WorkEnded,
    WorkPutOff,
)
from workflow.engine.evolve import fold
from workflow.engine.parsing import decode
from workflow.engine.plan import compile_plan
from workflow.engine.rejections import NotOpen
from workflow.forms.reading import decode_form

HOUR = timedelta(hours=1)
FRIDAY = datetime(2026, 3, 6, 16, 0, tzinfo=UTC)


class Office:
    """A calendar of eight hours a day from nine, Monday to Friday."""

    def add(self, start: datetime, seconds: int, /) -> datetime:
        left, at = timedelta(seconds=seconds), start
        while left:
            opens = at.replace(hour=9, minute=0, second=0, microsecond=0)
            at, closes = max(at, opens), opens + 8 * HOUR
            here = min(left, closes - at) if at.weekday() < 5 else timedelta()
            left, at = (left - here, at + here) if here > timedelta() else (left, at)
            if left:
                at = opens + 24 * HOUR
        return at


class Closed:
    """A calendar without hours."""

    def add(self, start: datetime, seconds: int, /) -> datetime:
        raise ValueError(seconds)


@dataclass
class Timed(Driven):
    """A request with a clock."""

    now: datetime = NOW

    def give(self, command):
        run = decide(self.definition, self.folded, command, self.org, self.now)
        assert decide(self.definition, self.folded, command, self.org, self.now).events == (
            run.events
        )
        self.events += run.events
        self.folded = run.state
        assert fold(self.events) == run.state
        return run

    def refuses(self, command, code):
        before = self.folded
        with pytest.raises(NotOpen) as caught:
            decide(self.definition, self.folded, command, self.org, self.now)
        assert caught.value.code == code
        assert self.folded == before == fold(self.events)

    def job(self, login):
        """The number of the deadline that watches this person's seat."""
        (work,) = [each for each in self.state.work if each.seat == self.seat(login).number]
        return work.number

    def time_out(self, login):
        return self.give(TimeOut(self.job(login)))

    def pause(self):
        return self.give(Pause(self.org.id("kim"), "stocktaking"))

    def resume(self):
        return self.give(Resume(self.org.id("kim")))


def a_request(org, *steps: dict[str, Any], form: list[Any] | None = None, **members: Any) -> Timed:
    """A request of these steps, not yet started."""
    calendars = {"office": Office(), "closed": Closed()}
    org.working_time = calendars.get
    if form is not None:
        members["form"] = {"key": "leave", "version": 1}
    decoded = decode(document(*steps, **members))
    assert decoded.doc is not None, decoded.findings
    form_doc = None
    if form is not None:
        form_doc, findings = decode_form({"formdoc": 1, "fields": form})
        assert form_doc is not None, findings
    return Timed(Definition(compile_plan(decoded.doc), form_doc), org)


def deadline(then: Any = "none", after: Any = 60, **members: Any) -> dict[str, Any]:
    return {"deadline": {"after": after, "then": then, **members}}


def by_bao(then: Any = "none", after: Any = 60, **members: Any) -> dict[str, Any]:
    """A step that bao decides until the deadline."""
    return approve("check", users("bao"), **deadline(then, after, **members))


def due_of(request, login):
    return request.seat(login).due


# When a seat is due ------------------------------------------------------------------------------


def test_a_deadline_counts_from_the_task_in_whole_seconds_and_never_too_early(org):
    request = a_request(org, by_bao("approve"))
    request.now = NOW + timedelta(microseconds=1)
    request.start()
    assert due_of(request, "bao") == "2026-03-02T10:00:01Z"
    (asked,) = request.of(WorkAsked)
    assert (asked.kind, asked.seat, asked.due) == ("deadline", 1, "2026-03-02T10:00:01Z")


def test_a_deadline_without_a_consequence_is_a_moment_and_no_work(org):
    request = a_request(org, by_bao())
    request.start()
    assert due_of(request, "bao") == "2026-03-02T10:00:00Z"
    assert request.of(WorkAsked) == []


@pytest.mark.parametrize("off", [0, ""])
def test_no_minutes_mean_no_deadline(org, off):
    request = a_request(org, by_bao("approve", off))
    request.start()
    assert due_of(request, "bao") == ""
    assert request.of(WorkAsked) == []


@pytest.mark.parametrize(
    ("kind", "value", "due"),
    [
        ("integer", 1, "2026-03-02T09:01:00Z"),
        ("integer", 525600, "2027-03-02T09:00:00Z"),
        ("integer", 0, ""),
        ("integer", None, ""),
        ("timestamp", "2026-03-04T10:00:00+08:00", "2026-03-04T02:00:00Z"),
        ("date", "2026-03-04", "2026-03-04T23:59:59Z"),
        ("date", "2026-03-01", "2026-03-01T23:59:59Z"),
    ],
)
def test_a_field_says_how_long_or_until_when(org, kind, value, due):
    form = [a_field("limit", kind)]
    request = a_request(org, by_bao("approve", {"field": "limit"}), form=form)
    request.start(limit=value)
    assert due_of(request, "bao") == due
    assert [each.due for each in request.of(WorkAsked)] == ([due] if due else [])
    assert request.of(InstanceHeld) == []


@pytest.mark.parametrize(
    ("kind", "value"),
    [("integer", -1), ("integer", 525601), ("number", "1.5"), ("text", "soon"), ("bool", True)],
)
def test_a_field_that_says_neither_is_a_named_incident_and_the_step_goes_on(org, kind, value):
    form = [a_field("limit", kind)]
    request = a_request(org, by_bao("approve", {"field": "limit"}), form=form)
    request.start(limit=value)
    assert due_of(request, "bao") == ""
    assert request.of(WorkAsked) == []
    assert list(request.state.incidents.values()) == ["deadline.bad_value"]
    request.approve("bao")
    assert request.state.status == "approved"
    assert request.state.held is None


def test_the_weekend_is_not_counted_with_a_working_calendar(org):
    """Acceptance tests 60 and 61, with the calendar's own tests."""
    request = a_request(org, by_bao(after=240, clock="office"))
    request.now = FRIDAY
    request.start()
    assert due_of(request, "bao") == "2026-03-09T12:00:00Z"


@pytest.mark.parametrize(
    ("calendar", "code"), [("gone", "calendar.unknown"), ("closed", "calendar.no_hours")]
)
def test_a_calendar_that_cannot_count_is_an_incident_and_the_wall_clock_counts(
    org, calendar, code
):
    who = users("bao", "chi")
    together = approve("check", who, "all", **deadline("approve", clock=calendar))
    request = a_request(org, together)
    request.start()
    assert {due_of(request, "bao"), due_of(request, "chi")} == {"2026-03-02T10:00:00Z"}
    assert [each.code for each in request.of(InstanceHeld)] == [code]


@pytest.mark.parametrize(
    ("count_from", "due"),
    [("task", "2026-03-02T11:00:00Z"), ("entry", "2026-03-02T10:00:00Z")],
)
def test_one_by_one_the_second_seat_counts_from_its_turn_or_from_the_entry(org, count_from, due):
    one_by_one = approve(
        "check", users("bao", "chi"), "in_order", **deadline("approve", count_from=count_from)
    )
    request = a_request(org, one_by_one)
    request.start()
    assert (due_of(request, "bao"), due_of(request, "chi")) == ("2026-03-02T10:00:00Z", "")
    request.now += HOUR
    request.approve("bao")
    assert due_of(request, "chi") == due
    assert [each.due for each in request.of(WorkAsked)] == ["2026-03-02T10:00:00Z", due]


def test_what_counts_from_the_entry_stays_off_when_it_was_off_then(org):
    one_by_one = approve(
        "check",
        users("bao", "chi"),
        "in_order",
        **deadline("approve", {"field": "limit"}, count_from="entry"),
        fields={"default": "edit"},
    )
    request = a_request(org, one_by_one, form=[a_field("limit", "integer")])
    request.start()
    request.approve("bao", limit=5)
    assert due_of(request, "chi") == ""
    assert request.of(WorkAsked) == []


def test_a_manager_who_hands_a_task_over_does_not_restart_it(org):
    request = a_request(org, by_bao("approve"))
    request.start()
    request.now += HOUR / 2
    request.reassign("bao", "chi")
    assert due_of(request, "chi") == "2026-03-02T10:00:00Z"
    assert len(request.of(WorkAsked)) == 1


def test_the_first_steps_of_parallel_branches_count_from_their_own_entry(org):
    """Acceptance test 65."""
    ways = {
        "id": "both",
        "kind": "parallel",
        "name": "Both",
        "join": "all",
        "branches": [
            {"id": "one", "name": "One", "steps": [by_bao("approve")]},
            {
                "id": "two",
                "name": "Two",
                "steps": [approve("look", users("chi"), **deadline("approve", 120))],
            },
        ],
    }
    request = a_request(org, approve("first", users("dan")), ways)
    request.start()
    request.now += HOUR
    request.approve("dan")
    dues = [each.due for each in request.of(TaskAssigned)]
    assert dues == ["", "2026-03-02T11:00:00Z", "2026-03-02T12:00:00Z"]


# What follows ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("then", "kind", "end"),
    [("approve", TaskApproved, "approved"), ("reject", TaskRejected, "rejected")],
)
def test_the_seat_decides_itself_and_the_history_says_why(org, then, kind, end):
    """Acceptance test 62."""
    request = a_request(org, by_bao(then))
    request.start()
    request.now += HOUR
    request.time_out("bao")
    (out,) = request.of(TimedOut)
    (decided,) = request.of(kind)
    assert (out.seat, out.then) == (1, then)
    assert (decided.seat, decided.reason) == (1, "timeout")
    assert request.state.status == end
    assert request.state.deciders.get("check", []) == []


def test_a_seat_that_was_decided_has_no_deadline(org):
    request = a_request(org, approve("check", users("bao", "chi"), "all", **deadline("approve")))
    request.start()
    job = request.job("bao")
    request.approve("bao")
    request.refuses(TimeOut(job), "work.not_open")
    request.refuses(TimeOut(99), "work.not_open")
    assert [each.seat for each in request.state.work] == [2]
    request.time_out("chi")
    assert request.state.status == "approved"


def test_work_that_nobody_did_is_done_by_its_deadline_but_never_rejected(org):
    work = step("do", "work", who=users("bao"), **deadline("approve"))
    request = a_request(org, work)
    request.start()
    request.time_out("bao")
    assert request.state.status == "approved"
    refused = a_request(org, {**work, **deadline("reject")})
    refused.start()
    refused.time_out("bao")
    assert list(refused.state.incidents.values()) == ["deadline.no_rejection"]
    assert refused.seat("bao").is_open


def test_the_task_goes_to_the_first_person_who_has_none_in_this_step(org):
    org.disable("pia")
    together = approve(
        "check",
        users("bao", "chi"),
        "all",
        **deadline({"reassign": users("bao", "chi", "pia", "dan", "kim")}),
    )
    request = a_request(org, together)
    request.start()
    request.now += HOUR
    request.time_out("bao")
    (moved,) = request.of(TaskReassigned)
    assert (org.login(moved.before), org.login(moved.holder)) == ("bao", "dan")
    assert moved.reason == "timeout"
    # The deadline has passed and does not begin again: once.
    assert due_of(request, "dan") == "2026-03-02T10:00:00Z"
    assert [each.seat for each in request.state.work] == [2]
    request.time_out("chi")
    assert request.seats() == {"dan": "open", "kim": "open"}


def test_from_the_assignment_each_new_holder_has_the_whole_time_until_nobody_is_left(org):
    request = a_request(
        org, by_bao({"reassign": users("bao", "chi", "dan")}, count_from="assignment")
    )
    request.start()
    for holder, due in (("chi", "2026-03-02T11:00:00Z"), ("dan", "2026-03-02T12:00:00Z")):
        request.now += HOUR
        request.time_out(next(iter(request.seats())))
        assert due_of(request, holder) == due
    request.time_out("dan")
    assert list(request.state.incidents.values()) == ["deadline.nobody"]
    assert request.seats() == {"dan": "open"}
    assert request.state.work == ()
    request.approve("dan")
    assert request.state.status == "approved"


def test_a_task_climbs_to_the_head_above_who_is_able(org):
    """Engineering's head is bao himself, so the next one up is the head of the office."""
    request = a_request(org, by_bao({"escalate": 1}))
    request.start()
    request.time_out("bao")
    assert request.seats() == {"kim": "open"}


def test_a_task_that_cannot_climb_so_far_is_an_incident(org):
    request = a_request(org, by_bao({"escalate": 2}))
    request.start()
    request.time_out("bao")
    assert request.seats() == {"bao": "open"}
    assert list(request.state.incidents.values()) == ["deadline.nobody"]


def test_the_request_goes_back_and_the_step_has_a_new_deadline_when_it_is_entered_again(org):
    """Acceptance test 57."""
    request = a_request(org, approve("first", users("chi")), by_bao({"goto": "first"}))
    request.start()
    request.approve("chi")
    request.now += HOUR
    request.time_out("bao")
    (back,) = request.of(WentBack)
    assert (back.to, back.reason) == ("first", "timeout")
    assert [each.reason for each in request.of(StepEnded)][-1] == "timeout"
    assert request.at() == "first"
    assert request.state.work == ()
    request.approve("chi")
    assert due_of(request, "bao") == "2026-03-02T11:00:00Z"
    assert len(request.state.work) == 1


# With added people, delegates and pools ----------------------------------------------------------


def acts_of(request, login):
    """What every act on a task says first: which, by whom, as seen."""
    seat = request.seat(login)
    return {"seat": seat.number, "by": seat.holder, "version": seat.version}


@pytest.mark.parametrize("place", ["before", "after"])
def test_whoever_was_added_to_the_seat_has_nothing_to_say_any_more(org, place):
    step_with = {**by_bao("approve"), "acts": {f"add_{place}": True}}
    request = a_request(org, step_with)
    request.start()
    people = (org.id("chi"), org.id("dan"))
    request.give(AddSigners(people=people, place=place, **acts_of(request, "bao")))
    request.time_out("bao")
    closed = [each for each in request.of(TaskClosed) if each.reason == "timeout"]
    assert [(each.seat, each.by_seat) for each in closed] == [(2, 1), (3, 1)]
    assert [each.seat for each in request.of(TaskApproved)] == [1]
    assert request.state.status == "approved"


def test_a_delegated_task_keeps_the_deadline_of_whoever_asked(org):
    request = a_request(org, {**by_bao("reject"), "acts": {"delegate": True}})
    request.start()
    request.now += HOUR / 2
    request.give(Delegate(to=org.id("chi"), **acts_of(request, "bao")))
    assert [(each.seat, each.kind) for each in request.state.work] == [(1, "deadline")]
    (work,) = request.state.work
    request.now += HOUR / 2
    request.give(TimeOut(work.number))
    assert [each.seat for each in request.of(TaskRejected)] == [1]
    assert request.state.status == "rejected"


def test_in_a_pool_the_deadline_of_whoever_took_the_work_decides(org):
    pool = approve("check", users("bao", "chi"), "claim", **deadline({"reassign": users("dan")}))
    request = a_request(org, pool)
    request.start()
    jobs = {login: request.job(login) for login in ("bao", "chi")}
    request.give(Claim(**acts_of(request, "bao")))
    request.give(TimeOut(jobs["chi"]))
    assert request.of(TimedOut) == []
    request.give(TimeOut(jobs["bao"]))
    assert [each.seat for each in request.of(TimedOut)] == [1]
    assert request.seats() == {"dan": "open", "chi": "blocked"}
    assert request.state.work == ()


@pytest.mark.parametrize(
    ("count_from", "due"),
    [("task", "2026-03-02T10:00:00Z"), ("assignment", "2026-03-02T10:30:00Z")],
)
def test_a_transfer_keeps_the_moment_unless_it_counts_from_the_assignment(org, count_from, due):
    """Seed requirements, P9."""
    step_with = {**by_bao("approve", count_from=count_from), "acts": {"transfer": True}}
    request = a_request(org, step_with)
    request.start()
    request.now += HOUR / 2
    request.give(Transfer(to=org.id("chi"), **acts_of(request, "bao")))
    assert due_of(request, "chi") == due
    assert [each.seat for each in request.state.work] == [1]
    assert [each.due for each in request.of(WorkAsked)][-1] == due


# While the request is paused ---------------------------------------------------------------------


def test_a_deadline_that_passes_during_a_pause_is_put_off_and_asked_for_once_afterwards(org):
    request = a_request(org, by_bao("approve"))
    request.start()
    request.pause()
    request.now += HOUR
    request.time_out("bao")
    assert [each.job for each in request.of(WorkPutOff)] == [1]
    assert request.of(TimedOut) == []
    assert due_of(request, "bao") == "2026-03-02T10:00:00Z"
    request.resume()
    assert request.job("bao") == 2
    request.refuses(TimeOut(1), "work.not_open")
    request.time_out("bao")
    assert request.state.status == "approved"


def test_a_pause_that_ends_in_time_changes_nothing(org):
    request = a_request(org, by_bao("approve"))
    request.start()
    request.pause()
    request.now += HOUR / 2
    request.resume()
    assert request.of(WorkEnded) == []
    assert (request.job("bao"), due_of(request, "bao")) == (1, "2026-03-02T10:00:00Z")


SEATS = ("bao", "chi", "dan")
WISHES = st.lists(
    st.sampled_from(["pause", "resume", "wait", *SEATS, "work"]), min_size=1, max_size=25
)


@settings(max_examples=150, deadline=None)
@given(WISHES)
def test_whatever_the_order_a_due_moment_stays_and_each_deadline_has_its_effect_once(wishes):
    from tests.engine.builders import demo  # noqa: PLC0415 - a fixture would be shared by examples

    org = demo()
    together = approve(
        "check", users(*SEATS), "all", **deadline({"reassign": users("pia", "tom", "kim")})
    )
    request = a_request(org, together)
    request.start()
    dues = {seat.number: seat.due for seat in request.activation().seats}
    for wish in wishes:
        _carry_out(request, wish)
        assert {seat.number: seat.due for seat in request.activation().seats} == dues
        # Each deadline that has had no effect yet is watched by exactly one row.
        effects = [each.seat for each in request.of(TimedOut)]
        watched = [each.seat for each in request.state.work]
        assert sorted([*effects, *watched]) == [1, 2, 3]
        assert request.state.paused or not any(each.put_off for each in request.state.work)
    if request.state.paused:
        request.resume()
    for work in request.state.work:
        request.give(TimeOut(work.number))
    assert sorted(each.seat for each in request.of(TimedOut)) == [1, 2, 3]


def _carry_out(request, wish):
    paused = request.state.paused
    if wish in {"pause", "resume"}:
        if paused == (wish == "resume"):
            before = [each for each in request.state.work if each.put_off]
            asked = len(request.of(WorkAsked))
            request.resume() if paused else request.pause()
            # Exactly once for each that was put off, and for nothing else.
            assert len(request.of(WorkAsked)) - asked == (len(before) if paused else 0)
    elif wish == "wait":
        request.now += HOUR
    elif wish == "work":
        request.refuses(FinishWork(1), "work.not_open")
    else:
        number = SEATS.index(wish) + 1
        for work in request.state.work:
            # A row that was put off is never found again by a worker.
            if work.seat == number and not work.put_off:
                request.give(TimeOut(work.number))
