"""What all REST entrances of workflow answer with: JSON, and the end of a command."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from flowadmin import clock
from flowadmin.directory.models import User
from flowadmin.rest.idempotency import answer_once, recall, receipt_of, replayed
from flowadmin.rest.preconditions import etag_of
from flowadmin.rest.problems import Problem, json_bytes
from workflow.runtime.execute import Once

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from rest_framework.request import Request

    from flowadmin.rest.idempotency import Stored
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
        return _again(settled.stored)
    status, value = kept.given
    return _with_headers(json_answer(value, status), value)


def first_answer(request: Request, route: str, refusal: Problem) -> HttpResponse:
    """The stored answer to a repeated command that the caller may not even ask for any more.

    Whoever has handed a task on does not know of it when he repeats the call whose answer was
    lost. What he gets is what he himself was answered under this key, and nothing newer.
    Raises the refusal when there is no such answer.
    """
    try:
        stored = recall(receipt_of(request, route), clock.now())
    except Problem:
        stored = None
    if stored is None:
        raise refusal
    return _again(stored)


def made_once(
    request: Request, route: str, name: str, make: Callable[[], HttpResponse]
) -> HttpResponse:
    """Create something of one's own, at most once when the caller sent an Idempotency-Key.

    Args:
        request: its key is optional here.
        route: name of the operation, such as ``design-drafts.create``.
        name: of the address of what is made, for `Location` when the answer is repeated.
        make: makes it and answers 201 with its ``id`` and ``version``.

    Raises Problem: 400 idempotency.bad, 422 idempotency.other_body; those of ``make``.

    Source: interface.md section 9 (Idempotency-Key: optional where it is not required).
    """
    if "Idempotency-Key" not in request.headers:
        return make()
    made: list[HttpResponse] = []

    def act() -> Words:
        made.append(make())
        return made[-1].status_code, json.loads(made[-1].content)

    answered = answer_once(receipt_of(request, route), clock.now(), act)
    if "Idempotency-Replayed" not in answered.headers:
        return made[-1]
    value = json.loads(answered.content)
    answered["Location"] = reverse(name, args=[value["id"]])
    answered["ETag"] = etag_of(value["version"])
    answered["Cache-Control"] = "private, no-cache"
    return answered


def _again(stored: Stored) -> HttpResponse:
    return _with_headers(replayed(stored), json.loads(stored.body))


def _with_headers(response: HttpResponse, value: Mapping[str, Any]) -> HttpResponse:
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
def placed(values: str, renamed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Say where in the body the caller wrote what the engine refuses.

    The engine speaks of form values by their field, and they stand below the member ``values``;
    ``renamed`` are pointers into a command with their pointers into the body.

    Raises the Problem again with each position where the caller wrote it.
    """
    try:
        yield
    except Problem as problem:
        for error in problem.errors or ():
            if problem.code == "form.invalid":
                error["at"] = f"/{values}{error['at']}"
            else:
                error["at"] = _renamed(error["at"], renamed or {})
        raise


def _renamed(at: str, renamed: Mapping[str, str]) -> str:
    for ours, theirs in renamed.items():
        if at == ours or at.startswith(f"{ours}/"):
            return theirs + at.removeprefix(ours)
    return at


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
