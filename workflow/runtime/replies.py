"""Answers that come by themselves to the calls of `http` steps: each is kept once."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from django.db import transaction

from workflow.engine.requesting import read_answer
from workflow.models import Call
from workflow.runtime import calls

if TYPE_CHECKING:
    from datetime import datetime


class NoSuchReply(Exception):
    """Nobody waits, or ever waited, under this token."""


class ReplyOver(Exception):
    """It was answered already with something else, or its step is over."""


class ReplyRefused(Exception):
    """The answer is not what the step asks for; ``at`` is the pointer of what is wrong."""

    def __init__(self, at: str) -> None:
        super().__init__(at)
        self.at = at


def reply(token: str, body: bytes, now: datetime) -> None:
    """Keep the answer to a call, once; the same bytes again change nothing and are fine.

    Raises NoSuchReply, ReplyOver, ReplyRefused; then nothing is kept. Source: contract, REST
    (`http-replies/{token}/`).
    """
    digest = hashlib.sha256(body).hexdigest()
    with transaction.atomic():
        rows = Call.objects.filter(reply_hash=calls.token_hash(token), mode="wait_callback")
        job_id = rows.values_list("job_id", flat=True).first()
        if job_id is None:
            raise NoSuchReply
        calls.lock_job(job_id)
        call = rows.get()
        if call.answer_hash == digest:
            return
        if call.answer_hash or call.state not in calls.OPEN or call.job.state not in calls.WANTED:
            raise ReplyOver
        step = calls.step_of(call)
        if step is None:
            raise ReplyOver
        reading = read_answer(step, body)
        if reading.refused is not None:
            raise ReplyRefused(reading.refused)
        # Whoever sends at this moment (LEASED) finds the answer when his sending has returned.
        state = Call.State.LEASED if call.state == Call.State.LEASED else Call.State.ANSWERED
        kept = Call.objects.filter(pk=call.pk, state=call.state, answer_hash="").update(
            answer=calls.outcome_of(reading), answer_hash=digest, state=state
        )
        if not kept:
            raise ReplyOver
        if state is Call.State.ANSWERED:
            calls.make_due(call.job_id, now)
