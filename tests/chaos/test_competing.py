"""Workers and schedulers that reach for the same rows: each row is taken once (C5, K5)."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from django.db import connections

from notifications.actions import delivering, reminding
from notifications.models import Callback, Notice
from tests.acceptance.acting import filed, human, task_of
from tests.chaos.__main__ import chosen_tier
from tests.chaos.ledger import Ledger
from tests.notifications import posted
from tests.workflow import flows
from tests.workflow.outside import reaching
from workflow.models import Task

pytestmark = [pytest.mark.chaos, pytest.mark.django_db(transaction=True)]
RELEASE = chosen_tier() == "release"
CALLBACKS, REMINDERS, SCHEDULERS = 600, 1000, 8
# Each with its own connection, from the same moment on.
WORKERS = (2, 8) if RELEASE else (8,)
ROUNDS = 100 if RELEASE else 2


def together(number, work):
    """`work()` by so many threads from one moment on; what each of them returned."""
    gate, done = threading.Barrier(number), []

    def whole():
        try:
            gate.wait()
            done.append(work())
        finally:
            connections.close_all()

    threads = [threading.Thread(target=whole) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == number, "a thread broke down"
    return done


def copies(row, times, /, **of_each):
    """So many rows like this one; ``of_each`` has a function of the place for each column."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    del values["id"]
    return [
        type(row)(**values | {name: made(place) for name, made in of_each.items()})
        for place in range(times)
    ]


@pytest.mark.parametrize("workers", WORKERS)
def test_no_callback_is_sent_twice(ann, now, workers):
    """Each worker reaches for every row, without the turns that would keep them apart."""
    ledger = Ledger()
    ledger.heal()
    with ledger.listening() as receiver, reaching(receiver):
        flows.publish(ann, flows.a_document(), now=now)
        first = posted.failed(
            flows.start(ann, now=now),
            status="PENDING", attempts=0, next_attempt_at=now, target_url=receiver.url,
        )  # fmt: skip
        made = copies(first, CALLBACKS - 1, event_id=lambda place: f"evt_c{place}")
        Callback.objects.bulk_create(made)
        rows = list(Callback.objects.order_by("pk").values_list("pk", flat=True))

        def work():
            return sum(delivering.attempt(pk, "one", lambda: now) is not None for pk in rows)

        assert sum(together(workers, work)) == CALLBACKS
    heard = Counter(one.event for one in ledger.heard)
    assert (len(heard), set(heard.values())) == (CALLBACKS, {1})
    states = set(Callback.objects.values_list("status", "attempts", "token"))
    assert states == {("SUCCEEDED", 1, 1)}


def test_no_reminder_goes_out_twice(ann, bao, now):
    deadline = {"after": 60}
    task = task_of(bao, filed(ann, human("lead", "bao", deadline=deadline), now=now))
    row, due = Notice.objects.get(task=task, kind="timeout"), posted.later(now, 3600)
    tasks = copies(task, REMINDERS - 1, number=lambda place: 2 + place)
    for place, each in enumerate(tasks):
        each.pk = task.pk + 1 + place
    Task.objects.bulk_create(tasks)
    Notice.objects.bulk_create(
        copies(
            row, REMINDERS - 1,
            task_id=lambda place: tasks[place].pk,
            reminder_key=lambda place: str(tasks[place].pk),
        )
    )  # fmt: skip
    reminders = Notice.objects.filter(kind="timeout")

    def scan():
        found = 0
        while sent := reminding.send_due(due):
            found += sent
        return found

    for _ in range(ROUNDS):
        assert sum(together(SCHEDULERS, scan)) == REMINDERS
        assert set(reminders.values_list("status", "receiver")) == {("SENT", bao.pk)}
        assert reminders.count() == REMINDERS
        reminders.update(status="PENDING", receiver=None, sent_at=None)
