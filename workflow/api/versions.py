"""A process as a whole through REST: take a publication back, accept no new requests, go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.idempotency import answer_once, receipt_of
from workflow import access
from workflow.actions import versions
from workflow.api import described_acts
from workflow.api.answers import reader
from workflow.api.bodies import LONGEST_COMMENT, Body
from workflow.models import Definition

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.models import User

    Act = Callable[[User, Definition, str, datetime], dict[str, Any]]


class OnFlow(APIView):
    """What is done to a process as a whole, with a reason.

    Refused in this order: 404, 403, 400, 409, 422 reason.required.
    """

    needs_key = True

    def carry_out(self, request: Request, key: str, verb: str, act: Act) -> HttpResponse:
        """Read the body, and do it once for its idempotency key; requests that run stay."""
        body, user = Body(request), reader(request)
        definition = access.definition(user, key)
        access.require(user, permissions.FLOW_PUBLISH)
        reason = body.text("reason", longest=LONGEST_COMMENT)
        body.finish()
        now = clock.now()
        return answer_once(
            receipt_of(request, f"flows.{verb}"),
            now,
            lambda: (200, {"key": key} | act(user, definition, reason, now)),
        )


class UndoPublish(OnFlow):
    """`flows/{key}/actions/undo-publish`."""

    @extend_schema(
        operation_id="flows_undo_publish",
        request=described_acts.ReasonRequest,
        responses=described_acts.FlowVersionAnswer,
    )
    def post(self, request: Request, key: str) -> HttpResponse:
        """New requests begin with the version again that was current before this one."""

        def act(user: User, definition: Definition, reason: str, now: datetime) -> dict[str, Any]:
            version = versions.undo_publish(
                user=user, definition=definition, reason=reason, now=now
            )
            return {"version": version.number}

        return self.carry_out(request, key, "undo-publish", act)


class SuspendFlow(OnFlow):
    """`flows/{key}/actions/suspend`."""

    @extend_schema(
        operation_id="flows_suspend",
        request=described_acts.ReasonRequest,
        responses=described_acts.FlowStateAnswer,
    )
    def post(self, request: Request, key: str) -> HttpResponse:
        """Accept no new requests; those that run go on."""

        def act(user: User, definition: Definition, reason: str, now: datetime) -> dict[str, Any]:
            versions.suspend(user=user, definition=definition, reason=reason, now=now)
            return {"state": Definition.State.SUSPENDED.value}

        return self.carry_out(request, key, "suspend", act)


class ResumeFlow(OnFlow):
    """`flows/{key}/actions/resume`."""

    @extend_schema(
        operation_id="flows_resume",
        request=described_acts.ReasonRequest,
        responses=described_acts.FlowStateAnswer,
    )
    def post(self, request: Request, key: str) -> HttpResponse:
        """Accept new requests again."""

        def act(user: User, definition: Definition, reason: str, now: datetime) -> dict[str, Any]:
            versions.resume(user=user, definition=definition, reason=reason, now=now)
            return {"state": Definition.State.ACTIVE.value}

        return self.carry_out(request, key, "resume", act)
