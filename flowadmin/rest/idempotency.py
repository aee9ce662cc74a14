"""A repeated command gets its first answer: receipts, stored answers, and their cleaning.

How it works: the answer is a row (person, route, key) written in the command's own
transaction, so it exists exactly when the command took effect; a refusal rolls back and
leaves nothing. Two calls with one key meet at the unique index: ``answer_once`` inserts the
row first, the second insert waits until the first transaction ends (on SQLite already BEGIN
IMMEDIATE waits) and then either finds the stored answer or, after a rollback, runs itself.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.utils.translation import gettext as _

from flowadmin.rest.models import StoredRequest
from flowadmin.rest.problems import Problem, json_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest
    from rest_framework.request import Request

KEPT_FOR = timedelta(hours=24)
SWEEP_BATCH = 500
FORM_FIELD: Final = "idempotency_key"
_KEY = re.compile(r"[\x21-\x7e]{1,128}")
_RESERVED = 0


@dataclass(frozen=True, slots=True)
class Receipt:
    """Who asked for what under which key; ``body_hash`` tells a repetition from another call."""

    user_id: int
    tenant_id: int
    route: str
    key: str
    body_hash: str


@dataclass(frozen=True, slots=True)
class Stored:
    """The first answer: HTTP status and the JSON text of the body."""

    status: int
    body: str


def receipt_of(request: HttpRequest | Request, route: str) -> Receipt:
    """The receipt of a REST command.

    Args:
        request: of a signed-in person.
        route: name of the command, at most 120 characters, such as ``tasks.approve``.

    Raises:
        Problem: 400 ``idempotency.missing`` without the header, 400 ``idempotency.bad`` when
            it is not 1 to 128 visible ASCII characters.

    The hash is over method, path, If-Match and the raw body: one key sent to two tasks is
    another request, not a repetition.

    Source: contract, Idempotency-Key; interface.md section 9.
    """
    key = request.headers.get("Idempotency-Key")
    if not key:
        raise Problem(
            400, "idempotency.missing", _("This command needs an Idempotency-Key header.")
        )
    return _receipt(request, route, key, request.headers.get("If-Match", ""), request.body)


def receipt_of_form(request: HttpRequest, route: str) -> Receipt:
    """The receipt of a page's form, whose hidden field ``idempotency_key`` holds the key.

    The CSRF token is masked anew for each page and therefore no part of the hash.

    Raises:
        Problem: 400 ``idempotency.missing`` or ``idempotency.bad``.
    """
    key = request.POST.get(FORM_FIELD, "")
    if not key:
        raise Problem(400, "idempotency.missing", _("The form was sent without its key."))
    fields = [
        [name, request.POST.getlist(name)]
        for name in sorted(request.POST)
        if name not in {FORM_FIELD, "csrfmiddlewaretoken"}
    ]
    return _receipt(request, route, key, "", json_bytes(fields))


def _receipt(
    request: HttpRequest | Request, route: str, key: str, version: str, body: bytes
) -> Receipt:
    if not _KEY.fullmatch(key):
        raise Problem(
            400,
            "idempotency.bad",
            _("An idempotency key is 1 to 128 visible ASCII characters."),
        )
    digest = hashlib.sha256()
    for part in (request.method or "", request.path, version):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\n")
    digest.update(body)
    user: Any = request.user
    return Receipt(user.pk, user.tenant_id, route, key, digest.hexdigest())


def recall(receipt: Receipt, now: datetime) -> Stored | None:
    """The first answer to this receipt, or None when there is none younger than 24 hours.

    An expired row is deleted on the way, since it would stand in the way of the new one.

    Raises:
        Problem: 422 ``idempotency.other_body`` when the key was used for another request.
    """
    rows = _rows(receipt)
    row = rows.values("id", "body_hash", "status", "body", "created_at").first()
    if row is None:
        return None
    if row["created_at"] <= now - KEPT_FOR:
        # With its time, so that a row which another call has just renewed stays.
        rows.filter(id=row["id"], created_at=row["created_at"]).delete()
        return None
    if row["body_hash"] != receipt.body_hash:
        raise Problem(
            422,
            "idempotency.other_body",
            _("This Idempotency-Key was used for another request."),
        )
    return Stored(row["status"], row["body"])


def remember(receipt: Receipt, status: int, body: bytes, now: datetime) -> None:
    """Keep the answer, in the caller's transaction: one INSERT.

    Raises:
        IntegrityError: another call with this key has committed; roll back and recall.
    """
    StoredRequest.objects.create(
        tenant_id=receipt.tenant_id,
        user_id=receipt.user_id,
        route=receipt.route,
        key=receipt.key,
        body_hash=receipt.body_hash,
        status=status,
        body=body.decode(),
        created_at=now,
    )


def answer_once(
    receipt: Receipt, now: datetime, act: Callable[[], tuple[int, Any]]
) -> HttpResponse:
    """Run a command at most once for its key and answer it; for commands off the hot path.

    Args:
        receipt: from :func:`receipt_of` or :func:`receipt_of_form`.
        now: the database's clock.
        act: does the work inside our transaction and returns the status and the JSON value
            of the answer. A Problem that it raises rolls all back and frees the key.

    Raises:
        Problem: 422 ``idempotency.other_body``; 409 ``idempotency.busy``; those of ``act``.

    Source: contract, Idempotency-Key (the same key while running waits for the first).
    """
    for _attempt in range(2):
        stored = recall(receipt, now)
        if stored is not None:
            return replayed(stored)
        try:
            with transaction.atomic():
                # The race: two calls with one key. The insert lets one through; the other
                # waits here for its commit and is then turned away by the unique index.
                _reserve(receipt, now)
                status, value = act()
                body = json_bytes(value)
                _rows(receipt).update(status=status, body=body.decode())
        except _Taken:
            continue
        return HttpResponse(body, status=status, content_type="application/json")
    stored = recall(receipt, now)
    if stored is not None:
        return replayed(stored)
    raise Problem(409, "idempotency.busy", _("The first request with this key has not ended yet."))


class _Taken(Exception):
    """The unique index holds this key already."""


def _reserve(receipt: Receipt, now: datetime) -> None:
    try:
        remember(receipt, _RESERVED, b"", now)
    except IntegrityError as error:
        raise _Taken from error


def _rows(receipt: Receipt) -> QuerySet[StoredRequest]:
    return StoredRequest.objects.filter(
        tenant_id=receipt.tenant_id, user_id=receipt.user_id, route=receipt.route, key=receipt.key
    )


def replayed(stored: Stored) -> HttpResponse:
    """The first answer again, marked with ``Idempotency-Replayed: true``."""
    return HttpResponse(
        stored.body,
        status=stored.status,
        content_type="application/json",
        headers={"Idempotency-Replayed": "true"},
    )


def sweep(now: datetime) -> int:
    """Delete the answers older than 24 hours and return how many there were.

    In batches of 500, each its own short transaction, so that no command waits long.
    """
    expired = StoredRequest.objects.filter(created_at__lte=now - KEPT_FOR).order_by("created_at")
    total = 0
    while ids := list(expired.values_list("id", flat=True)[:SWEEP_BATCH]):
        total += StoredRequest.objects.filter(id__in=ids).delete()[0]
    return total
