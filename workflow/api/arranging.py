"""The place of a process in the catalogue through REST: category, position, favourites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.idempotency import answer_once, receipt_of
from flowadmin.rest.problems import Problem
from workflow import access
from workflow.actions import arranging
from workflow.api import described_acts
from workflow.api.answers import reader
from workflow.api.bodies import Body
from workflow.models.definitions import LONGEST_CATEGORY

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request


class ArrangeFlow(APIView):
    """`flows/{key}/actions/arrange`: the category of a process, and its place there."""

    needs_key = True

    @extend_schema(
        operation_id="flows_arrange",
        request=described_acts.ArrangeRequest,
        responses=described_acts.ArrangeAnswer,
    )
    def post(self, request: Request, key: str) -> HttpResponse:
        """For managers of processes; what is left out stays as it is.

        A new category is one that nobody has used yet; an empty text is none. Refused in this
        order: 404, 403, 400, 422 category.invalid.
        """
        body, user = Body(request), reader(request)
        definition = access.definition(user, key)
        access.require(user, permissions.FLOW_MANAGE)
        category = (
            body.text("category", longest=LONGEST_CATEGORY) if body.has("category") else None
        )
        position = body.version("position") if body.has("position") else None
        body.finish()
        if category is None and position is None:
            raise _nothing_asked()

        def act() -> tuple[int, dict[str, object]]:
            found = arranging.arrange(definition=definition, category=category, position=position)
            return 200, {"key": key, "category": found.category, "position": found.position}

        return answer_once(receipt_of(request, "flows.arrange"), clock.now(), act)


class FavourFlow(APIView):
    """`flows/{key}/actions/favourite`: a process that the caller wants to find first."""

    needs_key = True

    @extend_schema(
        operation_id="flows_favourite",
        request=described_acts.FavouriteRequest,
        responses=described_acts.FavouriteAnswer,
    )
    def post(self, request: Request, key: str) -> HttpResponse:
        """Marked, or with ``{"on": false}`` not any more; for the caller alone."""
        body, user = Body(request), reader(request)
        definition = access.definition(user, key)
        on = body.truth("on") is not False
        body.finish()

        def act() -> tuple[int, dict[str, object]]:
            arranging.set_favourite(user=user, definition=definition, on=on)
            return 200, {"key": key, "favourite": on}

        return answer_once(receipt_of(request, "flows.favourite"), clock.now(), act)


def _nothing_asked() -> Problem:
    text = _("Say where the process belongs: category, position, or both.")
    error = {"code": "request.required", "at": "/category", "message": text}
    return Problem(400, "request.invalid", text, errors=[error])
