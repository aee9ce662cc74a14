"""Callbacks in the fewest words: a process that posts, real receivers, and rounds at a moment."""

from __future__ import annotations

import json
from datetime import timedelta

from notifications.actions import callbacks, delivering
from notifications.models import Callback
from tests.acceptance.acting import approve, filed, human, reject
from tests.workflow.outside import answer, heard, listening
from workflow.models import Target

PAUSE = timedelta(seconds=10)

__all__ = [
    "PAUSE", "answer", "approve", "attempts", "claimed", "due_at", "everything", "fail_for_good",
    "failed", "filed", "go", "hang", "heard", "human", "later", "lead", "listening", "only",
    "reject", "said", "target",
]  # fmt: skip


def target(tenant, url, key="erp", **members):
    """A target of a tenant."""
    values = {"https_only": False, "changed_at": "2026-03-02T00:00:00Z"} | members
    return Target.objects.create(tenant=tenant, key=key, url=url, **values)


def lead(*events, post=None, people=("bao",), **members):
    """An approval that posts to the target `erp` (or this) when it is approved (or on these)."""
    on_event = [{"on": on, "post": post or {"target": "erp"}} for on in events or ("approved",)]
    return human("lead", *people, on_event=on_event, **members)


def hang(receiver, _opened):
    """The manners of a receiver that takes a connection and never says a word."""
    receiver.stopped.wait(5)


def failed(instance, **members):
    """The event of a request that failed for good; made once."""
    found = Callback.objects.filter(instance=instance).first()
    values = {
        "tenant": instance.tenant, "initiator": instance.initiator, "status": "FAILED",
        "target_url": "https://erp.example/", "host": "https://erp.example", "payload": "{}",
        "attempts": 5, "result": "HTTP_503", "event": "approved", "step": "lead",
        "event_id": f"evt_{instance.pk}", "created_at": instance.started_at,
        "updated_at": instance.started_at,
    }  # fmt: skip
    return found or Callback.objects.create(instance=instance, **values | members)


def claimed(pk, owner, now):
    """An attempt of this row, which must be there to be made."""
    attempt = callbacks.claim(pk, owner, now)
    assert attempt is not None
    return attempt


def only():
    """The one callback, as it is in the database."""
    return Callback.objects.get()


def go(now, owner="one"):
    """A round at this moment; how many attempts were made."""
    return delivering.go_round(lambda: now, PAUSE, owner)


def due_at(callback):
    """When the next attempt is due."""
    return Callback.objects.get(pk=callback.pk).next_attempt_at


def later(now, seconds=11):
    """A moment at which another round may begin."""
    return now + timedelta(seconds=seconds)


def fail_for_good(now):
    """Rounds until nothing is due any more; the moment of the last one."""
    while (row := Callback.objects.filter(status="PENDING").first()) is not None:
        now = max(row.next_attempt_at, later(now))
        go(now)
    return now


def attempts(callback):
    """The results of the attempts in the history; a retry by hand is `retry`."""
    rows = Callback.objects.get(pk=callback.pk).history
    return [each.get("status", each["kind"]) for each in rows]


def said(callback):
    """The content as an object."""
    return json.loads(callback.payload)


def everything():
    """Every value of every callback: what a denied action must leave as it is."""
    return list(Callback.objects.order_by("pk").values())
