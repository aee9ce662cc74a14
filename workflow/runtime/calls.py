"""Calls of `http` steps: written once, sent at least once, answered once.

Theory of operation. When a worker takes up the step, the request is rendered and becomes a row
with a stable event id, in one transaction with the step's own row (`prepare`). Each attempt is
three steps (reliability.md 4.5): claim, which counts the attempt and notes STARTED; sending,
outside of any transaction; the result, fenced by the token. Who dies in between loses nothing:
the lease runs out and the attempt stays visible as STARTED. A known outcome makes the step's row
due, and whoever carries that out tells the request (`asking_outside`).

An answer that comes by itself (mode ``wait_callback``) may come at any time after the claim, also
before our own sending has returned: whichever transaction is second sees the other one's mark.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from flowadmin import outbound
from flowadmin.coordination.wake import wake
from flowadmin.sealing import Unreadable, derived, unseal
from workflow.engine import retrying
from workflow.engine.flowdoc.durations import seconds_of
from workflow.engine.flowdoc.steps import HttpStep
from workflow.engine.requesting import Reading, content_type, read_answer
from workflow.models import Call, Job, Secret
from workflow.published import definition_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from workflow.engine.requesting import Rendered
    from workflow.runtime.steps import Claimed

log = logging.getLogger(__name__)

# Seconds to wait after each failed attempt; the last one's failure is final.
SCHEDULES: Mapping[str, tuple[int, ...]] = {
    "default": retrying.SEED,
    "long": retrying.LONG,
    "none": (),
}
ROUND = 20
STARTED = "STARTED"
UNKNOWN = outbound.Result.UNKNOWN
FAILED = "http.failed"
NOT_ALLOWED = "http.not_allowed"
NO_SECRET = "http.secret_missing"  # noqa: S105 - a code
BAD_ANSWER = "http.bad_answer"
# No way of escaping changes these letters, so the place is found again when it is sent.
_REPLY_MARK = "flowadmin-reply-"
# The states of a call that still needs something, and those of a step's row that waits for it.
OPEN = (Call.State.PENDING, Call.State.LEASED, Call.State.WAITING)
WANTED = (Job.State.PENDING, Job.State.LEASED)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that is ours until its lease ends."""

    call: Call
    token: int


def objection_to(url: str, *, https_only: bool) -> str:
    """Why nothing may be sent to an address, as the code of an objection; empty: nothing known.

    For the moment when an address is written down; what its name leads to is judged again with
    each attempt (reliability.md 4.6).
    """
    policy = outbound.policy_of(settings.ENVIRONMENT)
    if https_only:
        policy = replace(policy, https_only=True)
    try:
        outbound.check(outbound.Outgoing("POST", url), policy)
    except outbound.NotAllowed as objection:
        return str(objection.code)
    return ""


def send_by_policy(request: outbound.Outgoing, seconds: float) -> outbound.Answer:
    """Send as this installation allows."""
    policy = outbound.policy_of(settings.ENVIRONMENT)
    return outbound.send(request, policy=policy, deadline_seconds=seconds)


# Preparing ------------------------------------------------------------------------------------


def reply_mark(job_id: int) -> str:
    """What stands in a rendered request where the address for the reply belongs."""
    return f"{_REPLY_MARK}{job_id}"


def write(claimed: Claimed, step: HttpStep, rendered: Rendered, now: datetime) -> None:
    """Write the call of a step, in the caller's transaction, beside the step's own row."""
    waits = step.mode == "wait_callback"
    salt = secrets.token_hex(16) if waits else ""
    Call.objects.create(
        tenant_id=claimed.tenant_id,
        instance_id=claimed.instance_id,
        job_id=claimed.id,
        step=step.id,
        event_id=secrets.token_hex(16),
        mode=step.mode,
        method=rendered.method,
        url=rendered.url,
        headers=_headers(step, rendered),
        body=rendered.body,
        timeout_seconds=seconds_of(step.timeout) or 1,
        retry=step.retry or "default",
        state=Call.State.PENDING,
        due_at=now,
        reply_salt=salt,
        reply_hash=token_hash(_reply_token(salt)) if waits else None,
        created_at=now,
    )
    wake("outside")


def _headers(step: HttpStep, rendered: Rendered) -> list[list[str]]:
    """Name, text and key of a secret (one of the two is empty)."""
    made = [
        [name, value, ""] if isinstance(value, str) else [name, "", value.secret]
        for name, value in rendered.headers
        if name.lower() not in _OURS
    ]
    if rendered.body and not any(name.lower() == "content-type" for name, *_ in made):
        made.append(["Content-Type", content_type(step), ""])
    return made


_OURS = frozenset({"idempotency-key", "x-flow-event-id", "x-flow-reply-url", "user-agent"})


def _reply_token(salt: str) -> str:
    """The token of a reply: only this installation can make it, and only of the row's salt."""
    return urlsafe_b64encode(derived(f"http-reply:{salt}")).decode().rstrip("=")


def token_hash(token: str) -> str:
    """What is kept of the token of a reply."""
    return hashlib.sha256(token.encode()).hexdigest()


def reply_url(token: str) -> str:
    """Where the other side replies to: the first origin that browsers may come from."""
    environment = settings.ENVIRONMENT
    origins = [each for each in environment.csrf_trusted_origins if "*" not in each]
    if origins:
        base = origins[0].rstrip("/")
    else:
        named = [each for each in environment.allowed_hosts if "*" not in each and each[0] != "."]
        host = named[0] if named else environment.host
        base = f"https://{host}" if environment.https else f"http://{host}:{environment.port}"
    return f"{base}/api/v1/http-replies/{token}/"


# Attempts -------------------------------------------------------------------------------------


def due(now: datetime, limit: int = ROUND) -> list[int]:
    """Ids of calls to send now, or whose sender's lease has run out, oldest first."""
    rows = Call.objects.filter(_claimable(now)).order_by("due_at", "id")
    return list(rows.values_list("id", flat=True)[:limit])


def claim(call_id: int, owner: str, now: datetime) -> Attempt | None:
    """Take one call for an attempt, which is counted and noted as STARTED.

    Nothing when another sender has it, when its step is over, or when it needs no attempt: one
    whose last sender died on the last attempt has failed, one that was answered meanwhile is done.
    """
    with transaction.atomic():
        known = Call.objects.values_list("timeout_seconds", "job_id").filter(pk=call_id).first()
        if known is None:
            return None
        seconds, job_id = known
        lock_job(job_id)
        taken = Call.objects.filter(_claimable(now), pk=call_id).update(
            state=Call.State.LEASED,
            lease_owner=owner,
            lease_until=now + timedelta(seconds=2 * seconds + 20),
            token=F("token") + 1,
        )
        if not taken:
            return None
        call = Call.objects.select_related("job", "instance").get(pk=call_id)
        attempt = Attempt(call, call.token)
        if call.mode != "fire" and call.job.state not in WANTED:
            _close(attempt, Call.State.CANCELLED)
            return None
        if call.answer_hash:
            _hand_over(attempt, call.answer, call.result, now)
            return None
        if call.attempts > len(_schedule(call)):
            _give_up(attempt, FAILED, UNKNOWN, now)
            return None
        call.attempts += 1
        call.history.append(
            {"id": str(call.token), "at": now.isoformat(), "attempt": call.attempts,
             "by": owner, "result": STARTED}
        )  # fmt: skip
        call.reply_hash = token_hash(_reply_token(call.reply_salt)) if call.reply_salt else None
        call.save(update_fields=["attempts", "history", "reply_hash"])
    return attempt


def lock_job(job_id: int) -> None:
    """First the step's row, then the call's: the order in which a decision ends them too."""
    Job.objects.filter(pk=job_id).update(kind=F("kind"))


def _claimable(now: datetime) -> Q:
    waiting = Q(state=Call.State.PENDING, due_at__lte=now)
    return waiting | Q(state=Call.State.LEASED, lease_until__lte=now)


def _schedule(call: Call) -> tuple[int, ...]:
    return SCHEDULES.get(call.retry, SCHEDULES["default"])


def send(attempt: Attempt, by: Callable[[outbound.Outgoing, float], outbound.Answer]) -> Sent:
    """Send once, outside of any transaction; raises nothing for what happens outside."""
    try:
        request = _outgoing(attempt.call)
    except _NoSecret as missing:
        return Sent(None, str(missing))
    return Sent(by(request, float(attempt.call.timeout_seconds)))


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of sending; without an answer nothing was sent, for want of this secret."""

    answer: outbound.Answer | None
    secret: str = ""


class _NoSecret(Exception):
    """The tenant has no such secret, or it cannot be read any more."""


def _outgoing(call: Call) -> outbound.Outgoing:
    url = reply_url(_reply_token(call.reply_salt)) if call.reply_salt else ""
    mark, escaped = reply_mark(call.job_id), quote(url, safe="")
    headers = [
        (name, _secret(call.tenant_id, key) if key else text.replace(mark, url))
        for name, text, key in call.headers
    ]
    kind = next((text for name, text, _ in call.headers if name.lower() == "content-type"), "")
    is_form = kind.startswith("application/x-www-form-urlencoded")
    headers += [
        ("Idempotency-Key", call.event_id),
        ("X-Flow-Event-Id", call.event_id),
        ("User-Agent", "FlowAdmin/1"),
    ]
    if url:
        headers.append(("X-Flow-Reply-URL", url))
    return outbound.Outgoing(
        call.method,
        call.url.replace(mark, escaped),
        tuple(headers),
        call.body.replace(mark, escaped if is_form else url).encode(),
    )


def secret_purpose(tenant_id: int, key: str) -> str:
    """What a sealed secret is bound to, so that nobody puts it under another key or tenant."""
    return f"secret:{tenant_id}:{key}"


def _secret(tenant_id: int, key: str) -> str:
    sealed = Secret.objects.filter(tenant=tenant_id, key=key).values_list("sealed", flat=True)
    for text in sealed:
        try:
            return unseal(text, secret_purpose(tenant_id, key))
        except Unreadable:
            log.warning("the secret %s of tenant %s cannot be read", key, tenant_id)
    raise _NoSecret(key)


def settle(attempt: Attempt, sent: Sent, now: datetime) -> None:
    """Write what came of an attempt, if it is still ours; a late result is only noted as late."""
    with transaction.atomic():
        lock_job(attempt.call.job_id)
        if not Call.objects.filter(
            pk=attempt.call.pk, token=attempt.token, state=Call.State.LEASED
        ).update(lease_until=now):
            _note_late(attempt, sent)
            return
        # Locked by the update: what a reply wrote until now is seen, a later one waits.
        answered = Call.objects.values_list("answer", "answer_hash").get(pk=attempt.call.pk)
        if answered[1]:
            _hand_over(attempt, answered[0], _result(sent), now)
        elif sent.answer is None:
            _give_up(attempt, NO_SECRET, outbound.Result.NOT_ALLOWED, now, about=sent.secret)
        elif sent.answer.ok:
            _succeed(attempt, sent.answer, now)
        else:
            _fail(attempt, sent.answer, now)


def _result(sent: Sent) -> str:
    return outbound.Result.NOT_ALLOWED if sent.answer is None else sent.answer.result


def _succeed(attempt: Attempt, answer: outbound.Answer, now: datetime) -> None:
    call = attempt.call
    if call.mode == "fire":
        _close(attempt, Call.State.DONE, answer.result)
    elif call.mode == "wait_callback":
        _close(attempt, Call.State.WAITING, answer.result)
    else:
        step = step_of(call)
        whole = answer.note == outbound.Note.WHOLE
        reading = read_answer(step, answer.body, whole=whole) if step else Reading(refused="")
        _hand_over(attempt, outcome_of(reading), answer.result, now)


def _fail(attempt: Attempt, answer: outbound.Answer, now: datetime) -> None:
    call, schedule = attempt.call, _schedule(attempt.call)
    if answer.result == outbound.Result.NOT_ALLOWED:
        # Trying again changes neither the address nor what may be reached.
        _give_up(attempt, NOT_ALLOWED, answer.result, now)
    elif call.attempts > len(schedule):
        _give_up(attempt, FAILED, answer.result, now)
    else:
        wait = timedelta(seconds=schedule[call.attempts - 1])
        _close(attempt, Call.State.PENDING, answer.result, due_at=now + wait)


def _give_up(attempt: Attempt, code: str, result: str, now: datetime, about: str = "") -> None:
    if attempt.call.mode == "fire":
        _close(attempt, Call.State.FAILED, result)
    else:
        _hand_over(attempt, {"ok": False, "code": code, "about": about or result}, result, now)


def outcome_of(reading: Reading) -> dict[str, Any]:
    """What is kept of an answer that was read: the members of the command `Answered`."""
    if reading.refused is not None:
        return {"ok": False, "code": BAD_ANSWER, "about": reading.refused}
    return {"ok": True, "values": reading.values, "variables": reading.variables}


def _hand_over(attempt: Attempt, answer: Any, result: str, now: datetime) -> None:
    """The outcome is known: the step's own row is due."""
    _close(attempt, Call.State.ANSWERED, result, answer=answer)
    make_due(attempt.call.job_id, now)


def make_due(job_id: int, now: datetime) -> None:
    """The outcome is there: whoever carries out the step's row may give it to the request."""
    Job.objects.filter(pk=job_id, state=Job.State.PENDING).update(due_at=now)
    wake("outside")


def _close(attempt: Attempt, state: Call.State, result: str = "", **changes: Any) -> None:
    history = attempt.call.history
    if history and history[-1]["id"] == str(attempt.token):
        history[-1]["result"] = result
    Call.objects.filter(pk=attempt.call.pk, token=attempt.token).update(
        state=state, lease_until=None, result=result, history=history, **changes
    )


def _note_late(attempt: Attempt, sent: Sent) -> None:
    row = Call.objects.filter(pk=attempt.call.pk).first()
    if row is None:
        return
    for entry in row.history:
        if entry["id"] == str(attempt.token):
            entry["late"] = _result(sent)
    row.save(update_fields=["history"])


def step_of(call: Call) -> HttpStep | None:
    """The step of a call in the version that its request runs now; nothing when it is gone."""
    planned = definition_of(call.instance.version_id).plan.steps.get(call.step)
    step = planned.step if planned is not None else None
    return step if isinstance(step, HttpStep) else None


def cancel_of(jobs: list[int]) -> None:
    """The steps of these jobs are over: nothing more is sent and no answer is waited for."""
    rows = Call.objects.filter(job__in=jobs, state__in=(*OPEN, Call.State.ANSWERED))
    rows.exclude(mode="fire").update(state=Call.State.CANCELLED)
