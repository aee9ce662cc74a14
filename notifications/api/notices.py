"""Notices through REST: one's own list, and marking them as read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.rest.pagination import cursor_answer, read_cursor, unknown_parameters
from notifications import access, queries
from notifications.actions import reading
from notifications.models import Notice
from notifications.wording import sentence_of
from workflow.api import described
from workflow.api.answers import json_answer, one_of, reader
from workflow.api.bodies import Body

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

KINDS = tuple(Notice.Kind.values)

_ROW: dict[str, Any] = {
    "id": serializers.CharField(),
    "kind": described.Word("NoticeKind", KINDS),
    "task": serializers.CharField(allow_null=True),
    "instance": serializers.CharField(allow_null=True),
    "title": serializers.CharField(help_text="Of the request."),
    "text": serializers.CharField(help_text="What happened, in the language asked for."),
    "note": serializers.CharField(help_text="What the process' designer wrote, if anything."),
    "from": serializers.CharField(allow_null=True, help_text="Login; null: nobody in person."),
    "created_at": serializers.DateTimeField(help_text="When it was sent."),
    "read": serializers.BooleanField(),
}
_NOTICE: Any = inline_serializer("Notice", _ROW)
_PAGE: Any = inline_serializer(
    "NoticePage",
    {
        "next": serializers.CharField(allow_null=True),
        "previous": serializers.CharField(allow_null=True),
        "results": inline_serializer("Notice", _ROW, many=True),
    },
)


class Notices(APIView):
    """`notices/`."""

    @extend_schema(
        operation_id="notices_list",
        parameters=[
            *described.CURSOR,
            OpenApiParameter("kind", enum=KINDS, description="Only notices of this kind."),
            OpenApiParameter("read", bool, description="Only those that were, or were not, read."),
        ],
        responses=_PAGE,
    )
    def get(self, request: Request) -> HttpResponse:
        """One's own notices, newest first, as far as they have been sent."""
        unknown_parameters(request, {"cursor", "page_size", "kind", "read"})
        asked = read_cursor(request)
        rows = queries.sent_to(reader(request))
        if "kind" in request.GET:
            rows = rows.filter(kind=one_of(request, "kind", KINDS, ""))
        if "read" in request.GET:
            read = one_of(request, "read", ("true", "false"), "")
            rows = rows.filter(read_at__isnull=read == "false")
        found = queries.behind(queries.shown(rows), asked.after, asked.fetch)
        places = dict(queries.positions(found, asked.after))
        return json_answer(
            cursor_answer(request, found, position=lambda row: places[row.pk], render=shape)
        )


class Read(APIView):
    """`notices/{id}/actions/read`."""

    @extend_schema(operation_id="notices_mark_read", request=None, responses=_NOTICE)
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Note that the caller has seen it; once is as good as twice."""
        Body(request).finish()
        user, now = reader(request), clock.now()
        notice = access.notice(user, pk)
        reading.mark_read(user=user, pk=notice.pk, now=now)
        return json_answer(shape(access.notice(user, pk)))


class ReadAll(APIView):
    """`notices/actions/read-all`."""

    @extend_schema(
        operation_id="notices_mark_all_read",
        request=None,
        responses=inline_serializer("NoticesRead", {"read": serializers.IntegerField()}),
    )
    def post(self, request: Request) -> HttpResponse:
        """Note that the caller has seen everything that was sent until now; how many were news."""
        Body(request).finish()
        count = reading.mark_all_read(user=reader(request), now=clock.now())
        return json_answer({"read": count})


def shape(notice: Notice) -> dict[str, Any]:
    """A notice as its receiver sees it (contract, `notices/`)."""
    return {
        "id": str(notice.pk),
        "kind": notice.kind,
        "task": None if notice.task_id is None else str(notice.task_id),
        "instance": None if notice.instance_id is None else str(notice.instance_id),
        "title": notice.instance.title if notice.instance is not None else notice.title,
        "text": sentence_of(notice),
        "note": notice.text,
        "from": None if notice.sender is None else notice.sender.login,
        "created_at": notice.sent_at,
        "read": notice.read_at is not None,
    }
