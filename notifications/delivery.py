"""One attempt to deliver a callback: headers, signature, the fixed bytes, and what came of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.conf import settings

from flowadmin import outbound
from flowadmin.sealing import Unreadable, unseal
from notifications.signatures import BadSecret, signature

if TYPE_CHECKING:
    from datetime import datetime

    from notifications.models import Callback
    from workflow.models import Target

log = logging.getLogger(__name__)

AGENT = "FlowAdmin/1"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one attempt. ``result`` is the class that may be shown, ``note`` of the body.

    ``milliseconds`` is how long it took, the look-up of the name included.
    """

    ok: bool
    result: str
    note: str = ""
    milliseconds: int = 0

    @property
    def hung(self) -> bool:
        """Whether it took all the time that there was, so that others had to wait for it."""
        return self.result == outbound.Result.TIMEOUT


UNKNOWN = outbound.Result.UNKNOWN.value


def post(callback: Callback, now: datetime) -> Outcome:
    """Send once, outside of any transaction; raises nothing for what happens outside.

    ``callback`` has its ``target`` at hand; ``now`` is the database's clock, for the signature.
    Source: contract, Callback request; seed 001 P38 (ten seconds, only 2xx, nobody's session).
    """
    policy = outbound.policy_of(settings.ENVIRONMENT)
    target = callback.target
    if target is not None and target.https_only:
        policy = replace(policy, https_only=True)
    try:
        secrets = _secrets(target, now) if target is not None else []
        request = _request(callback, secrets, int(now.timestamp()))
    except (Unreadable, BadSecret):
        # The receiver relies on the signature: rather nothing, and it is seen, than unsigned.
        log.warning("the secret of the target of callback %s cannot be read", callback.pk)
        return Outcome(ok=False, result=outbound.Result.NOT_ALLOWED.value)
    answer = outbound.send(request, policy=policy)
    return Outcome(answer.ok, answer.result, answer.note.value, round(answer.seconds * 1000))


def _request(callback: Callback, secrets: list[str], timestamp: int) -> outbound.Outgoing:
    body = callback.payload.encode()
    headers = [
        ("Content-Type", "application/json"),
        ("User-Agent", AGENT),
        ("X-Flow-Event-Id", callback.event_id),
        ("Idempotency-Key", callback.event_id),
        ("X-Flow-Attempt", str(callback.attempts)),
    ]
    if secrets:
        headers += [
            ("webhook-id", callback.event_id),
            ("webhook-timestamp", str(timestamp)),
            ("webhook-signature", signature(secrets, callback.event_id, timestamp, body)),
        ]
    return outbound.Outgoing("POST", callback.target_url, tuple(headers), body)


def _secrets(target: Target, now: datetime) -> list[str]:
    """The secrets that sign now, the present one first. Raises Unreadable."""
    sealed = [target.sealed] if target.sealed else []
    if target.previous_sealed and target.previous_until and target.previous_until > now:
        sealed.append(target.previous_sealed)
    return [unseal(each, target.purpose) for each in sealed]
