"""Bug reports of other systems that are about reminders and notices (tests/acceptance)."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.utils.html import escape

from notifications.actions import reminding
from notifications.actions.reminding import send_due
from notifications.models import Notice
from tests.acceptance.acting import filed, human
from tests.builders import a_person
from tests.notifications.told import reminders, to
from tests.workflow import flows
from workflow.models import Task

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def timed(minutes, *logins):
    return human("lead", *logins, deadline={"after": minutes})


@pytest.mark.django_db(transaction=True)
def test_br01_eight_scanners_at_once_send_each_reminder_once(ann, bao, now):
    """Without the pause between rounds, so that all of them really send at the same moment."""
    filed(ann, timed(1, "bao"), now=now)
    for _each in range(29):
        flows.start(ann, now=now)
    gate, sent = threading.Barrier(8), []

    def scan():
        try:
            gate.wait()
            sent.append(send_due(now + HOUR))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=scan) for _each in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(sent) == 30
    assert len(to(bao, "timeout")) == len(set(to(bao, "timeout"))) == 30


def test_br03_after_an_outage_the_oldest_first_and_no_more_than_a_round(ann, now, monkeypatch):
    monkeypatch.setattr(reminding, "ROUND", 4)
    filed(ann, timed(1, "bao"), now=now)
    for number in range(9):
        flows.start(ann, now=now + number * MINUTE)
    late = now + timedelta(days=3)
    assert [send_due(late + n * MINUTE) for n in range(4)] == [4, 4, 2, 0]
    order = Notice.objects.filter(kind="timeout").order_by("sent_at", "id")
    assert list(order.values_list("id", flat=True)) == sorted(row.pk for row in reminders())


def test_br41_and_br43_each_request_keeps_the_time_of_its_version(ann, bao, now):
    first = filed(ann, timed(60, "bao"), now=now)
    second = filed(ann, timed(180, "bao"), now=now)
    filed(ann, timed(0, "bao"), now=now)
    last = filed(ann, timed(5, "bao"), now=now)
    due = {row.instance_id: row.scheduled_at for row in reminders()}
    assert due == {
        first.pk: now + HOUR,
        second.pk: now + 3 * HOUR,
        last.pk: now + 5 * MINUTE,
    }
    assert [send_due(now + minutes * MINUTE) for minutes in (5, 60, 180, 999)] == [1, 1, 1, 0]
    assert {row.status for row in reminders()} == {"SENT"}


def test_br81_one_round_two_tenants(ann, bao, eve, now):
    a_person(eve.tenant, "fin")
    ours, theirs = filed(ann, timed(60, "bao"), now=now), filed(eve, timed(60, "fin"), now=now)
    assert send_due(now + HOUR) == 2
    for instance in (ours, theirs):
        rows = Notice.objects.filter(instance=instance)
        holder = Task.objects.get(instance=instance).holder
        assert {row.tenant_id for row in rows} == {instance.tenant_id}
        assert {row.receiver for row in rows} == {holder}


def test_br93_markup_is_shown_as_typed(ann, bao, client_of, now):
    words = "<img src=x onerror=alert(1)>{{ 7*7 }}"
    message = {"on": "assigned", "notice": {"to": ["holder"], "text": words}}
    lead = human("lead", "bao", on_event=[message], name=words[:48])
    filed(ann, lead, title="{form.reason}", values={"reason": words}, now=now)
    page = client_of(bao).get("/notices/").content.decode()
    assert words not in page
    assert page.count(escape(words)) >= 3
