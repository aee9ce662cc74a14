"""Urging through REST."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.rest.idempotency import answer_once, receipt_of
from notifications.actions.urging import urge
from workflow import access
from workflow.api.answers import reader
from workflow.api.bodies import Body

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

_URGED: Any = inline_serializer(
    "Urged",
    {
        "instance": serializers.CharField(),
        "urged": serializers.ListField(
            child=serializers.CharField(), help_text="Names of the people who were told."
        ),
        "again_at": serializers.DateTimeField(help_text="When it is possible again."),
    },
)


class Urge(APIView):
    """`instances/{id}/actions/urge`."""

    needs_key = True

    @extend_schema(operation_id="instances_urge", request=None, responses=_URGED)
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Ask everybody who has an open task of one's own request to see to it.

        Once in ten minutes for each request: else 429 with Retry-After. When nobody has a task it
        is 409, and nothing is used up.
        """
        body = Body(request)
        user, now = reader(request), clock.now()
        instance = access.instance(user, access.row_id(pk))
        body.finish()

        def act() -> tuple[int, Any]:
            urged = urge(instance=instance, user=user, now=now)
            return 200, {
                "instance": str(instance.pk),
                "urged": list(urged.people),
                "again_at": urged.again_at,
            }

        answer = answer_once(receipt_of(request, "instances.urge"), now, act)
        answer["Cache-Control"] = "private, no-cache"
        return answer
