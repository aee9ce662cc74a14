"""Addresses with small views that the tests of the front door call, beside the product's own."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import include, path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import Throttled
from rest_framework.permissions import AllowAny
from rest_framework.response import Response
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory.models import Tenant
from flowadmin.rest.idempotency import answer_once, receipt_of, receipt_of_form
from flowadmin.rest.pagination import page_answer, read_page, unknown_parameters
from flowadmin.rest.preconditions import expected_version
from flowadmin.rest.problems import Problem

if TYPE_CHECKING:
    from rest_framework.request import Request


class Strict(serializers.Serializer[Any]):
    """Two members of known kinds."""

    name = serializers.CharField(max_length=5)
    lines = serializers.ListField(child=serializers.DictField(child=serializers.IntegerField()))


class Echo(APIView):
    """Answers the body it read; open to all."""

    permission_classes = (AllowAny,)

    @extend_schema(request=OpenApiTypes.OBJECT, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request) -> Response:
        return Response(request.data)


class Document(Echo):
    """Reads bodies as deep as documents may be."""

    json_depth = 64


class Checked(APIView):
    """Checks the body with a serializer."""

    permission_classes = (AllowAny,)

    @extend_schema(request=Strict, responses=Strict)
    def post(self, request: Request) -> Response:
        Strict(data=request.data).is_valid(raise_exception=True)
        return Response({})


class Command(APIView):
    """A command that takes effect by making a tenant."""

    needs_key = True
    needs_version = True
    sends_etag = True

    @extend_schema(request=OpenApiTypes.OBJECT, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, code: str) -> HttpResponse:
        def act() -> tuple[int, dict[str, Any]]:
            version = expected_version(request)
            body: Any = request.data
            made = Tenant.objects.create(code=code, name=str(body.get("name", "")))
            if body.get("refuse"):
                raise Problem(409, "test.refused", "No.")
            return 201, {"code": made.code, "version": version}

        return answer_once(receipt_of(request, "test.command"), clock.now(), act)


class Rows(APIView):
    """A list of 45 rows."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        unknown_parameters(request, {"page", "page_size"})
        page = read_page(request)
        rows = list(range(45))
        return Response(page_answer(request, len(rows), rows[page.start : page.stop]))


def _busy() -> OperationalError:
    cause = sqlite3.OperationalError("database is locked")
    cause.sqlite_errorname = "SQLITE_BUSY"
    error = OperationalError("database is locked")
    error.__cause__ = cause
    return error


REFUSALS: dict[str, Exception] = {
    "handled": Problem(
        409,
        "test.handled",
        "<b>Somebody</b> was faster.",
        handled_by="bao",
        handled_at=datetime(2026, 11, 30, 10, 31, tzinfo=UTC),
        decision="approved",
    ),
    "moved": Problem(412, "test.moved", "Moved.", current_version=4, changed_by="dan"),
    "soon": Problem(429, "test.soon", "Wait.", retry_after=321),
    "broken": Problem(
        422,
        "test.broken",
        "Two findings.",
        errors=[{"code": "step.loop", "at": "/steps/3", "step": "s3", "args": {"times": 2}}],
    ),
    "missing": Http404("the row 7 of another tenant"),
    "denied": PermissionDenied("secret reason"),
    "throttled": Throttled(wait=7.4),
    "busy": _busy(),
    "mistake": ZeroDivisionError("secret inside"),
}


class Refuse(APIView):
    """Raises one of the refusals below ``/api/``."""

    permission_classes = (AllowAny,)

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, _request: Request, kind: str) -> Response:
        raise REFUSALS[kind]


def refuse_page(_request: HttpRequest, kind: str) -> HttpResponse:
    """Raises one of the refusals as a page."""
    raise REFUSALS[kind]


def command_page(request: HttpRequest) -> HttpResponse:
    """A form that makes a tenant once."""

    def act() -> tuple[int, dict[str, str]]:
        return 201, {"code": Tenant.objects.create(code=request.POST["code"], name="x").code}

    return answer_once(receipt_of_form(request, "test.page"), clock.now(), act)


urlpatterns = [
    path("api/v1/echo/", Echo.as_view()),
    path("api/v1/document/", Document.as_view()),
    path("api/v1/checked/", Checked.as_view()),
    path("api/v1/commands/<str:code>/", Command.as_view()),
    path("api/v1/rows/", Rows.as_view()),
    path("api/v1/refuse/<str:kind>/", Refuse.as_view()),
    path("pages/refuse/<str:kind>/", refuse_page),
    path("pages/command/", command_page),
    path("", include("flowadmin.rest.urls")),
    path("", include("flowadmin.urls")),
]
handler400 = "flowadmin.rest.pages.bad_request"
handler403 = "flowadmin.rest.pages.forbidden"
handler404 = "flowadmin.rest.pages.missing"
handler500 = "flowadmin.rest.pages.failed"
