"""Processes through REST: those that a person may start, one with its form, and its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.pagination import page_answer, read_page, unknown_parameters
from flowadmin.rest.problems import not_found
from workflow import access
from workflow.api import described, shapes
from workflow.api.answers import json_answer, reader
from workflow.catalogue import favourites_of
from workflow.models import Definition, Version
from workflow.published import definition_of
from workflow.runtime import starters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.models import User
    from workflow.forms.rights import Right

VERSION_FIELDS = (
    "id", "number", "digest", "form_number", "form_digest", "note", "published_by__login",
    "published_by__name", "published_at",
)  # fmt: skip


class Flows(APIView):
    """`flows/`: the published processes that the caller may start."""

    @extend_schema(
        operation_id="flows_list",
        parameters=described.PAGE,
        responses=described.page_of(described.FlowRow),
    )
    def get(self, request: Request) -> HttpResponse:
        """By key. What is suspended, or not for the caller to start, is not in the list."""
        unknown_parameters(request, {"page", "page_size"})
        page = read_page(request)
        rows = list(_startable(reader(request), clock.now()))
        return json_answer(page_answer(request, len(rows), rows[page.start : page.stop]))


def _startable(user: User, now: datetime) -> Iterator[dict[str, Any]]:
    rows = Definition.objects.filter(
        tenant_id=user.tenant_id, current__isnull=False, state=Definition.State.ACTIVE
    ).order_by("key")
    favourites = favourites_of(user)
    for pk, key, name, category, version_id, number in rows.values_list(
        "pk", "key", "name", "category", "current_id", "current__number"
    ):
        if starters.may_start(definition_of(version_id), user, now):
            yield {
                "key": key,
                "version": number,
                "name": name,
                "category": category,
                "favourite": pk in favourites,
                "may_start": True,
            }


class FlowDetail(APIView):
    """`flows/{key}/`: one process and the form to start it with."""

    @extend_schema(operation_id="flows_read", responses=described.FlowDetail)
    def get(self, request: Request, key: str) -> HttpResponse:
        """Only the fields that the initiator may see; none to people whom it is not for."""
        unknown_parameters(request, ())
        user = reader(request)
        flow = access.definition(user, key)
        if flow.current is None:
            raise not_found()
        definition = definition_of(flow.current.pk)
        allowed = starters.may_start(definition, user, clock.now())
        rights: Mapping[str, Right] = {}
        if allowed or _of_flows(user):
            rights = definition.start_rights()
        return json_answer(
            {
                "key": flow.key,
                "version": flow.current.number,
                "name": flow.name,
                "category": flow.category,
                "favourite": flow.pk in favourites_of(user),
                "form": {"fields": shapes.fields(definition.form, rights)},
                "may_start": allowed and flow.state == Definition.State.ACTIVE,
            }
        )


class FlowVersions(APIView):
    """`flows/{key}/versions/`: what was published under a key."""

    @extend_schema(
        operation_id="flows_versions",
        parameters=described.PAGE,
        responses=described.page_of(described.VersionRow),
    )
    def get(self, request: Request, key: str) -> HttpResponse:
        """Newest first; for people who design, publish or manage processes."""
        unknown_parameters(request, {"page", "page_size"})
        page, user = read_page(request), reader(request)
        flow = access.definition(user, key)
        access.require_any(user, *access.OF_FLOWS)
        rows = Version.objects.filter(definition=flow).order_by("-number")
        found = rows.values_list(*VERSION_FIELDS)[page.start : page.stop]
        shown = [_version(row, flow.current_id) for row in found]
        return json_answer(page_answer(request, rows.count(), shown))


def _version(row: tuple[Any, ...], current: int | None) -> dict[str, Any]:
    pk, number, digest, form_number, form_digest, note, login, name, published_at = row
    return {
        "version": number,
        "digest": digest,
        "form_version": form_number or None,
        "form_digest": form_digest or None,
        "note": note,
        "published_by": None if login is None else {"login": login, "name": name},
        "published_at": published_at,
        "current": pk == current,
    }


def _of_flows(user: User) -> bool:
    return any(permissions.has(user, name) for name in access.OF_FLOWS)
