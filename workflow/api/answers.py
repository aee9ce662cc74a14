"""What all REST entrances of workflow answer with: JSON, and the end of a command."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from flowadmin.directory.models import User
from flowadmin.rest.idempotency import receipt_of, replayed
from flowadmin.rest.preconditions import etag_of
from flowadmin.rest.problems import Problem, json_bytes
from workflow.runtime.execute import Once

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from rest_framework.request import Request

    from workflow.runtime.execute import Outcome, Settled

Words = tuple[int, dict[str, Any]]


def reader(request: Request) -> User:
    """Who is calling; every view stands behind IsAuthenticated."""
    user = request.user
    if not isinstance(user, User):
        message = "A view that shows rows was reached without signing in."
        raise TypeError(message)
    return user


def json_answer(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """The value as JSON; no cache may give it to another person, or without asking."""
    response = HttpResponse(
        json_bytes(value), status=status, content_type="application/json", headers=headers
    )
    response["Cache-Control"] = "private, no-cache"
    return response


def command(
    request: Request,
    route: str,
    *,
    act: Callable[[Once], Settled],
    word: Callable[[Outcome], Words],
) -> HttpResponse:
    """Carry out one action once for its Idempotency-Key and answer it.

    Args:
        request: its key, path, If-Match and body make the receipt.
        route: name of the command, such as ``tasks.approve``.
        act: calls the one action with what it is given as ``once``.
        word: status and body of the answer; it runs inside the action's transaction.

    Raises Problem: 400 idempotency.missing or .bad, 422 idempotency.other_body; those of ``act``.

    Source: contract, Idempotency-Key.
    """
    kept = _Kept(word)
    settled = act(Once(receipt_of(request, route), kept))
    if settled.stored is not None:
        response, value = replayed(settled.stored), json.loads(settled.stored.body)
    else:
        status, value = kept.given
        response = json_answer(value, status)
    if "task" in value:
        response["ETag"] = etag_of(value["task"]["version"])
    if response.status_code == 201:
        response["Location"] = reverse("api-instance", args=[value["id"]])
    return response


class _Kept:
    """Words the answer inside the transaction, and has it still when that has been committed."""

    def __init__(self, word: Callable[[Outcome], Words]) -> None:
        self._word = word
        self.given: Words = (500, {})

    def __call__(self, outcome: Outcome) -> Words:
        self.given = self._word(outcome)
        return self.given


@contextmanager
def values_at(member: str) -> Iterator[None]:
    """The engine speaks of values by their field; in a body they stand below ``member``.

    Raises the Problem again with each position where the caller wrote it.
    """
    try:
        yield
    except Problem as problem:
        if problem.code == "form.invalid" and problem.errors is not None:
            for error in problem.errors:
                error["at"] = f"/{member}{error['at']}"
        raise


def one_of(request: Request, name: str, allowed: Collection[str], default: str) -> str:
    """The word that a parameter of the address holds. Raises Problem 400 for any other."""
    given = request.GET.getlist(name)
    if not given:
        return default
    if len(given) > 1 or given[0] not in allowed:
        raise malformed(name)
    return given[0]


def malformed(name: str) -> Problem:
    """The refusal of a parameter's value."""
    detail = _("The parameter “%(name)s” cannot be read.") % {"name": name}
    code = "query.malformed"
    return Problem(
        400, code, detail, errors=[{"code": code, "args": {"parameter": name}, "message": detail}]
    )
