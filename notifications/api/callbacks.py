"""Callbacks through REST: what became of the events of one's own requests, and sending again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.rest.idempotency import answer_once, receipt_of
from flowadmin.rest.pagination import page_answer, read_page, unknown_parameters
from flowadmin.rest.problems import Problem
from notifications import access, queries
from notifications.actions.callbacks import retry_manually
from notifications.models import Callback
from workflow.access import row_id
from workflow.api import described
from workflow.api.answers import json_answer, malformed, one_of, reader
from workflow.api.bodies import Body

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

Status = Callback.Status
# Contract, Callback request: what the states are called outside.
STATES: dict[str, str] = {
    Status.PENDING.value: "pending",
    Status.LEASED.value: "sending",
    Status.SUCCEEDED.value: "delivered",
    Status.FAILED.value: "failed",
}
_STORED = {word: status for status, word in STATES.items()}

_ROW: dict[str, Any] = {
    "id": serializers.CharField(),
    "event_id": serializers.CharField(help_text="The same with every attempt."),
    "event": serializers.CharField(help_text="Of the step: approved, rejected, returned, closed."),
    "instance": serializers.CharField(allow_null=True),
    "step": serializers.CharField(),
    "state": described.Word("CallbackState", _STORED),
    "attempts": serializers.IntegerField(help_text="All of them, those after a retry included."),
    "result": serializers.CharField(
        help_text="Of the latest attempt: HTTP_<code>, TIMEOUT, CONNECTION, TLS, PROTOCOL, "
        "NOT_ALLOWED, UNKNOWN; empty before the first."
    ),
    "updated_at": serializers.DateTimeField(),
    "may_retry": serializers.BooleanField(),
}
_CALLBACK: Any = inline_serializer("Callback", _ROW)
_PAGE: Any = inline_serializer(
    "CallbackPage",
    {
        "count": serializers.IntegerField(),
        "next": serializers.CharField(allow_null=True),
        "previous": serializers.CharField(allow_null=True),
        "results": inline_serializer("Callback", _ROW, many=True),
    },
)


class Callbacks(APIView):
    """`callbacks/`."""

    @extend_schema(
        operation_id="callbacks_list",
        parameters=[
            *described.PAGE,
            OpenApiParameter("instance", description="Only events of this request."),
            OpenApiParameter("state", enum=list(_STORED), description="Only those in this state."),
        ],
        responses=_PAGE,
    )
    def get(self, request: Request) -> HttpResponse:
        """The events of requests that the caller filed, newest first; nobody else's."""
        unknown_parameters(request, {"page", "page_size", "instance", "state"})
        page = read_page(request)
        rows = queries.callbacks_of(reader(request))
        if "instance" in request.GET:
            rows = rows.filter(instance=_number(request))
        if "state" in request.GET:
            rows = rows.filter(status=_STORED[one_of(request, "state", _STORED, "")])
        shown = [shape(row) for row in rows[page.start : page.stop]]
        return json_answer(page_answer(request, rows.count(), shown))


class Retry(APIView):
    """`callbacks/{id}/actions/retry`."""

    needs_key = True

    @extend_schema(operation_id="callbacks_retry", request=None, responses=_CALLBACK)
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Send a failed event of one's own request again: the same event, another round.

        409 callback.not_failed for one that is under way or delivered.
        """
        Body(request).finish()
        user, now = reader(request), clock.now()
        callback = access.callback(user, pk)

        def act() -> tuple[int, Any]:
            retry_manually(callback=callback, user=user, now=now)
            return 200, shape(access.callback(user, pk))

        answer = answer_once(receipt_of(request, "callbacks.retry"), now, act)
        answer["Cache-Control"] = "private, no-cache"
        return answer


def _number(request: Request) -> int:
    """The request that is asked for. Raises Problem 400 for what can be none."""
    try:
        return row_id(request.GET["instance"])
    except Problem:
        raise malformed("instance") from None


def shape(row: Callback) -> dict[str, Any]:
    """A callback as its request's initiator sees it: never the content or the address (P46)."""
    return {
        "id": str(row.pk),
        "event_id": row.event_id,
        "event": row.event,
        "instance": None if row.instance_id is None else str(row.instance_id),
        "step": row.step,
        "state": STATES[row.status],
        "attempts": row.attempts,
        "result": row.result,
        "updated_at": row.updated_at,
        "may_retry": row.status == Status.FAILED,
    }
