"""Acceptance tests 57 to 67: deadlines, calendars, delays, snoozing."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import translation

from notifications.jobs import scan_callbacks
from notifications.models import Callback
from tests.acceptance.acting import (
    ALL_ACTS,
    approve,
    block,
    filed,
    fresh,
    give,
    human,
    in_box,
    is_done_for,
    open_now,
    task_of,
    waiting_jobs,
    work,
)
from tests.builders import a_person
from tests.directory.rows import a_calendar
from tests.notifications import posted
from tests.notifications.told import reminders, to
from tests.workflow import outside, stories
from workflow import queries
from workflow.engine.commands import Complete, Return, Snooze
from workflow.jobs import ask_outside
from workflow.models import Event, Job, Task

if TYPE_CHECKING:
    from flowadmin.directory.models import Tenant, User

HOUR = timedelta(hours=1)


def timed(step_id: str, *logins: str, minutes: int = 60, **members: Any) -> dict[str, Any]:
    """An approval with a deadline; what follows it, and its clock, as keywords."""
    then = members.pop("then", "approve")
    rule = {"after": minutes, "then": then, **members.pop("deadline", {})}
    return human(step_id, *logins, deadline=rule, **members)


def test_n57_entered_again_a_step_has_a_new_timer(ann, bao, later, now) -> None:
    """After a return the deadline counts anew; the old one is over and never fires."""
    instance = filed(ann, timed("lead", "bao", acts=ALL_ACTS), now=now)
    [first] = waiting_jobs(instance)
    assert first.due_at == now + HOUR
    give(task_of(bao, instance), bao, Return, to="start", now=now + HOUR / 2)
    first.refresh_from_db()
    assert first.state == "cancelled"
    assert waiting_jobs(instance) == []
    again = now + HOUR * 3 / 4
    give(task_of(ann, instance), ann, Complete, now=again)
    [second] = waiting_jobs(instance)
    assert (second.due_at, second.seat != first.seat) == (again + HOUR, True)
    assert work(first.due_at) == 0
    assert open_now(instance) == {"bao": "lead"}
    assert work(second.due_at) == 1
    assert fresh(instance).state == "approved"


def test_n58_a_timer_that_fires_keeps_tenant_language_and_actor(
    ann, bao, chi, eve, later, now
) -> None:
    """One worker, two tenants in turn: each row is of its own tenant, and nobody acted."""
    a_person(eve.tenant, "fin", name="Fin Other")
    ours = filed(ann, timed("lead", "bao"), human("next", "chi"), now=now)
    theirs = filed(eve, timed("lead", "fin"), now=now)
    with translation.override("zh-hans"):
        assert work(now + HOUR) == 2
        assert translation.get_language() == "zh-hans"
    assert open_now(ours) == {"chi": "next"}
    for instance in (ours, theirs):
        for model in (Event, Task, Job):
            rows = model._default_manager.filter(instance=instance)
            assert set(rows.values_list("tenant_id", flat=True)) == {instance.tenant_id}
        timer = Event.objects.get(instance=instance, kind="timed_out")
        assert timer.actor_id is None
    decided = Task.objects.get(instance=ours, holder=bao)
    assert (decided.state, decided.reason, decided.decided_by) == ("approved", "timeout", None)


@pytest.mark.parametrize("waits", [True, False])
def test_n59_a_delay_does_not_change_who_approves_next(ann, bao, chi, later, now, waits) -> None:
    """The approvers behind a delay are those whom the step names, as without the delay."""
    delay = {"id": "wait", "kind": "delay", "name": "Wait", "for": "PT2H"}
    after = human("next", who={"any_of": [{"by": "head", "of": {"decider_of": "lead"}}]})
    steps = [human("lead", "chi"), *([delay] if waits else []), after]
    instance = filed(ann, *steps, now=now)
    approve(chi, instance, now=now)
    if waits:
        assert open_now(instance) == {}
        assert work(now + 2 * HOUR - timedelta(seconds=1)) == 0
        assert work(now + 2 * HOUR) == 1
    assert open_now(instance) == {"dan": "next"}, "the head of chi's department"


def office(tenant: Tenant, *days: tuple[date, bool, Any]) -> None:
    hours = {day: [["09:00", "17:00"]] for day in ("mon", "tue", "wed", "thu", "fri")}
    a_calendar(tenant, "shop", zone="UTC", hours=hours, days=days)


FRIDAY = datetime(2026, 3, 6, 16, 0, tzinfo=UTC)


def due_of(user: User, moment: datetime, minutes: int = 120) -> datetime | None:
    step = timed("lead", "bao", minutes=minutes, deadline={"clock": "shop"})
    return Task.objects.get(instance=filed(user, step, now=moment)).due_at


def test_n60_a_deadline_does_not_run_at_the_weekend(ann, demo_tenant) -> None:
    """Two working hours from Friday 16:00 end on Monday at 10:00, and nothing fires before.

    Reminders follow the same clock (tests/notifications/test_reminders.py has repeated ones).
    """
    office(demo_tenant)
    monday = datetime(2026, 3, 9, 10, 0, tzinfo=UTC)
    assert due_of(ann, FRIDAY) == monday
    assert work(monday - timedelta(seconds=1)) == 0
    assert work(monday) == 1
    assert [row.scheduled_at for row in reminders()] == [monday]
    wall = filed(ann, timed("lead", "bao", minutes=120), key="wall", now=FRIDAY)
    assert Task.objects.get(instance=wall).due_at == FRIDAY + 2 * HOUR


def test_n61_holidays_and_make_up_days_count(ann, demo_tenant) -> None:
    """A holiday on Monday moves the end to Tuesday; a worked Saturday brings it forward."""
    office(demo_tenant, (date(2026, 3, 9), False, None))
    assert due_of(ann, FRIDAY) == datetime(2026, 3, 10, 10, 0, tzinfo=UTC)
    office_days = demo_tenant.calendars.get(key="shop").days
    office_days.create(date=date(2026, 3, 7), working=True, hours=[["09:00", "17:00"]])
    assert due_of(ann, FRIDAY) == datetime(2026, 3, 7, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("then", "state"), [("approve", "approved"), ("reject", "rejected"), ("none", "running")]
)
def test_n62_what_a_timeout_did_is_told_as_such(ann, bao, now, then, state) -> None:
    """The story says that the deadline passed; the task's reason is the timeout, by nobody."""
    instance = filed(ann, timed("lead", "bao", then=then), now=now)
    done = work(now + HOUR)
    assert fresh(instance).state == state
    task = Task.objects.get(instance=instance)
    if then == "none":
        assert (done, task.state, task.reason) == (0, "open", "")
        return
    assert (task.state, task.reason, task.decided_by) == (state, "timeout", None)
    assert is_done_for(bao) == [], "it is nothing that the person did"
    told = next(entry for entry in stories.told(instance) if entry.state == "timed_out")
    assert told.actor is None
    assert "deadline" in told.text.lower()
    assert bao.name in told.text


def test_n63_entered_again_a_step_is_a_new_task_with_its_own_notices(ann, bao, later) -> None:
    """What a notice hangs on is the task: each entry makes a new one, never the old one again."""
    instance = filed(ann, human("lead", "bao", acts=ALL_ACTS), now=later())
    first = task_of(bao, instance)
    give(first, bao, Return, to="start", now=later())
    give(task_of(ann, instance), ann, Complete, now=later())
    second = task_of(bao, instance)
    assert second.pk != first.pk
    assert second.created_at > first.created_at
    assigned = Event.objects.filter(instance=instance, kind="task_assigned")
    assert assigned.count() == 3, "bao, ann, bao"
    assert to(bao, "assigned") == [first.pk, second.pk]
    assert len(to(ann, "assigned")) == 1


def test_n64_notices_have_a_link_and_a_number_that_goes_down_when_read_anywhere(
    ann, bao, api, client_of, later
) -> None:
    """Read through REST, on the list or by the link: the number is the same everywhere."""
    instances = [filed(ann, human("lead", "bao"), now=later()) for _each in range(3)]
    browser, caller = client_of(bao), api(bao)

    def unread() -> int:
        count = caller.read("me")["counters"]["notices"]
        page = browser.get("/mine/").content.decode()
        in_navigation = re.search(r'<span>Notices</span>(?: <span class="nav-count">(\d+))?', page)
        assert in_navigation is not None
        assert int(in_navigation[1] or 0) == count
        return int(count)

    assert unread() == 3
    newest, middle, oldest = caller.read("notices/")["results"]
    caller.post(f"notices/{oldest['id']}/actions/read", key=None)
    assert unread() == 2
    browser.post(f"/notices/{middle['id']}/read/")
    assert unread() == 1
    opened = browser.get(f"/notices/{newest['id']}/")
    task = task_of(bao, instances[-1])
    assert opened.headers["Location"] == f"/requests/{instances[-1].pk}/?task={task.pk}"
    assert unread() == 0


def test_n65_first_steps_of_branches_count_from_when_they_begin(ann, bao, chi, dan, now) -> None:
    """The deadline of each branch's first step begins when the step before the block ended."""
    ways = [timed("left", "chi", minutes=60)], [timed("right", "dan", minutes=30)]
    steps = timed("lead", "bao"), block("p", *ways)
    for count_from in ("task", "entry", "assignment"):
        for way in ways:
            way[0]["deadline"]["count_from"] = count_from
        instance = filed(ann, *steps, key=f"by_{count_from}", now=now)
        decided = now + timedelta(minutes=45)
        approve(bao, instance, now=decided)
        dues = dict(
            Task.objects.filter(instance=instance, state="open").values_list("step", "due_at")
        )
        assert dues == {"left": decided + HOUR, "right": decided + HOUR / 2}, count_from


@pytest.mark.parametrize("run", ["by the product's own loop", "by Celery"])
def test_n66_a_failed_call_is_seen_by_the_initiator(ann, bao, api, client_of, now, run) -> None:
    """With and without Celery: the request says that it is held and why, and is not lost."""
    with outside.listening(outside.answer(500)) as receiver:
        call = outside.http_step(receiver.url)
        instance = filed(ann, human("lead", "bao"), call, now=now)
        approve(bao, instance, now=now)
        assert api(ann).read(f"instances/{instance.pk}/")["held"] is False
        if run == "by Celery":
            ask_outside.apply().get()
        else:
            ask_outside()
        for _attempt in range(5):
            assert outside.send(at=outside.later()) == 1
        outside.take_up(outside.later())
    read = api(ann).read(f"instances/{instance.pk}/")
    assert (read["state"], read["held"]) == ("running", True)
    assert fresh(instance).held == "http.failed"
    page = client_of(ann).get(f"/requests/{instance.pk}/").content.decode()
    assert "Call" in page
    [held] = [entry for entry in stories.told(instance) if entry.state == "held"]
    assert "Call" in held.text
    assert held.why


@pytest.mark.parametrize("run", ["by the product's own loop", "by Celery"])
def test_n66_a_failed_hook_is_seen_and_sent_again_by_the_initiator(
    ann, bao, api, now, run
) -> None:
    """The hook of a step event, with and without Celery; nobody else may send it again."""
    with posted.listening(*[posted.answer(500)] * 5, posted.answer(200)) as receiver:
        posted.target(ann.tenant, receiver.url)
        instance = filed(ann, posted.lead(), now=now)
        approve(bao, instance, now=now)
        if run == "by Celery":
            scan_callbacks.apply().get()
        end = posted.fail_for_good(posted.later(now))
        [row] = api(ann).read("callbacks/")["results"]
        assert (row["state"], row["attempts"], row["may_retry"]) == ("failed", 5, True)
        api(bao).refused(f"callbacks/{row['id']}/actions/retry", 404, "callback.unknown", {})
        assert api(ann).post(f"callbacks/{row['id']}/actions/retry").status_code == 200
        Callback.objects.update(next_attempt_at=end)
        posted.go(posted.later(end))
    assert api(ann).read("callbacks/")["results"][0]["state"] == "delivered"


def test_n67_a_task_is_put_off_until_a_moment(ann, bao, later, now) -> None:
    """Out of the inbox until then, in a box of its own, and back; the deadline does not move."""
    instance = filed(ann, timed("lead", "bao", minutes=600, then="none"), now=now)
    due = Task.objects.get(instance=instance).due_at
    until = now + 4 * HOUR
    give(task_of(bao, instance), bao, Snooze, until=until, now=now)
    assert in_box(bao, now=now + HOUR) == []
    assert [row.pk for row in queries.snoozed_tasks(bao, now + HOUR)] == [
        task_of(bao, instance).pk
    ]
    assert in_box(bao, now=until) == [instance.pk]
    assert list(queries.snoozed_tasks(bao, until)) == []
    assert task_of(bao, instance).due_at == due
    approve(bao, instance, now=now + HOUR)
    assert fresh(instance).state == "approved", "who put it off may still decide before"
