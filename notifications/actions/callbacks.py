"""Attempts to deliver callbacks: claimed one by one, fenced, noted in the same transaction.

Theory of operation (reliability.md 4.5). Each attempt is three steps: the claim, which counts the
attempt and notes STARTED; sending, outside of any transaction; the result, which takes the place
of STARTED if the lease is still ours. Who dies in between loses nothing: after sixty seconds the
row is claimed again, and the attempt without a result stays visible. A row is claimed when a
thread takes it and never with others, so that no lease runs out while a row waits (P36).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext as _

from flowadmin import failpoints
from flowadmin.coordination.wake import wake
from flowadmin.rest.problems import Problem
from notifications import backoff
from notifications.actions import callback_statements
from notifications.actions.callback_rows import TOPIC
from notifications.delivery import UNKNOWN, Outcome
from notifications.models import Callback

if TYPE_CHECKING:
    from datetime import datetime

    from flowadmin.directory.models import User

Status = Callback.Status

# Seed 001 P41: longer than two attempts of ten seconds with their look-ups would take.
LEASE = timedelta(seconds=60)
STARTED = "STARTED"
ATTEMPT, RETRY = "attempt", "retry"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A callback that is ours until its lease ends."""

    callback: Callback
    token: int


def claimable(now: datetime) -> Q:
    """What may be attempted: due, or left by whoever had it when its lease ran out."""
    waiting = Q(status=Status.PENDING, next_attempt_at__lte=now)
    # Rows of before an upgrade may have been leased without an end.
    left = Q(lease_until__lte=now) | Q(lease_until__isnull=True)
    return waiting | Q(left, status=Status.LEASED)


def claim(pk: int, owner: str, now: datetime) -> Attempt | None:
    """Take one callback for an attempt, which is counted and noted as STARTED.

    Nothing when somebody else has it, or when its round is over: whoever made the last attempt
    has died, nobody knows with what result, and so it has failed (P41).
    """
    with transaction.atomic():
        callback = callback_statements.lock_claimable(pk, now)
        if callback is None:
            return None
        callback.token += 1
        taken = {"token": callback.token, "lease_owner": owner[:80], "updated_at": now}
        if callback.attempts >= callback.max_attempts:
            over = {"result": UNKNOWN, "lease_until": None, "next_attempt_at": None}
            callback_statements.change(pk, {"status": Status.FAILED.value} | over | taken)
            return None
        callback.attempts += 1
        callback.history.append(
            {
                "id": f"a{callback.token}",
                "kind": ATTEMPT,
                "attempt": callback.attempts,
                "at": now.isoformat(),
                "by": owner[:80],
                "status": STARTED,
            }
        )
        leased = {"status": Status.LEASED.value, "lease_until": now + LEASE}
        counted = {"attempts": callback.attempts, "history": callback.history}
        callback_statements.change(pk, leased | counted | taken)
        failpoints.reached("callback.after_claim")
    return Attempt(callback, callback.token)


def settle(attempt: Attempt, outcome: Outcome, now: datetime) -> bool:
    """Write what came of an attempt, if it is still ours; else it is only noted as late.

    ``now`` is read after sending: the next attempt is counted from the failure (P40).
    """
    callback = attempt.callback
    with transaction.atomic():
        # Locks the row whoever's it is, so that no entry of another attempt is overwritten.
        held = callback_statements.lock(callback.pk)
        if held is None:
            return False
        entry = _entry(held.history, attempt)
        if held.token != attempt.token or held.status != Status.LEASED:
            # The lease was lost: the result is kept in its attempt's entry and changes nothing.
            entry["late"] = outcome.result
            callback_statements.change(callback.pk, {"history": held.history})
            return False
        entry.update(status=outcome.result, ms=outcome.milliseconds, **_note(outcome))
        came = {"history": held.history, "result": outcome.result, "lease_until": None}
        came |= {"updated_at": now} | _next(callback, outcome, now)
        callback_statements.change(callback.pk, came)
        failpoints.reached("callback.before_result_commit")
    return True


def _next(callback: Callback, outcome: Outcome, now: datetime) -> dict[str, Any]:
    if outcome.ok:
        return {"status": Status.SUCCEEDED.value, "next_attempt_at": None}
    wait = backoff.after_failure(callback.profile, callback.attempts, callback.max_attempts)
    if wait is None:
        return {"status": Status.FAILED.value, "next_attempt_at": None}
    return {"status": Status.PENDING.value, "next_attempt_at": now + wait}


def _note(outcome: Outcome) -> dict[str, str]:
    return {"note": outcome.note} if outcome.note else {}


def _history(pk: int) -> list[dict[str, Any]]:
    """As it is behind the lock."""
    return list(Callback.objects.values_list("history", flat=True).get(pk=pk))


def _entry(history: list[dict[str, Any]], attempt: Attempt) -> dict[str, Any]:
    name = f"a{attempt.token}"
    return next((each for each in history if each["id"] == name), {})


# By hand --------------------------------------------------------------------------------------


def retry_manually(*, callback: Callback, user: User, now: datetime) -> None:
    """Give a failed callback another round: the same identity, address and content (P43).

    ``callback`` comes from `access`, which gives it to the initiator alone. The count goes on,
    and there is no limit to such retries (P44). Raises Problem 409 callback.not_failed.
    """
    with transaction.atomic():
        mine = Callback.objects.filter(
            pk=callback.pk, tenant=user.tenant_id, initiator=user.pk, status=Status.FAILED
        )
        # The race: two windows; one of them finds the row FAILED.
        if not mine.update(
            status=Status.PENDING,
            next_attempt_at=now,
            max_attempts=F("attempts") + backoff.round_length(callback.profile),
            updated_at=now,
        ):
            raise Problem(409, "callback.not_failed", _("This event has not failed any more."))
        history = _history(callback.pk)
        number = sum(1 for each in history if each.get("kind") == RETRY) + 1
        history.append(
            {"id": f"m{number}", "kind": RETRY, "at": now.isoformat(), "by": str(user.pk)}
        )
        Callback.objects.filter(pk=callback.pk).update(history=history)
        wake(TOPIC)
