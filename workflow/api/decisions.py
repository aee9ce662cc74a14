"""Deciding a task through REST, and saying something about it without deciding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.rest.preconditions import expected_version
from workflow import access
from workflow.actions import approvals
from workflow.api import described, shapes
from workflow.api.answers import command, reader, values_at
from workflow.api.bodies import LONGEST_COMMENT, Body
from workflow.models import Task, Version

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.models import User
    from workflow.api.answers import Words
    from workflow.runtime.execute import Outcome, Settled


class Decision(APIView):
    """What approving and rejecting share.

    Refused in this order: 400 (the body is no JSON), 404, 403, 428 or 400 (version, members,
    key), 409 (no longer open), 412 (the version moved), 422 (form, comment). So whoever may not
    know of a task does not learn of it by what else is wrong with the request.

    Source: contract, A task is one seat.
    """

    needs_key = True
    needs_version = True
    sends_etag = True

    def decide(
        self, request: Request, pk: str, route: str, action: Callable[..., Settled]
    ) -> HttpResponse:
        """Read the body, and carry out one of the two actions on the caller's own task."""
        body = Body(request)
        user = reader(request)
        task = access.own_task(user, access.row_id(pk))
        comment = body.text("comment", longest=LONGEST_COMMENT)
        form = body.mapping("form")
        body.nothing("attachments")
        body.take("task_version")
        version = expected_version(request)
        body.finish()
        now = clock.now()
        with values_at("form"):
            return command(
                request,
                route,
                act=lambda once: action(
                    task=task,
                    user=user,
                    version=version,
                    now=now,
                    comment=comment,
                    form=form,
                    once=once,
                ),
                word=lambda outcome: decided(outcome, task, user),
            )


def decided(outcome: Outcome, task: Task, user: User) -> Words:
    """`{task, instance}` in their new state (contract, Shapes)."""
    numbers = Version.objects.values_list("number", flat=True)
    version, initiator = numbers.get(pk=outcome.version_id), task.instance.initiator
    return 200, {
        "task": shapes.task_after(outcome, task, user),
        "instance": shapes.instance_after(outcome, version, initiator),
    }


class Approve(Decision):
    """`tasks/{id}/actions/approve`."""

    @extend_schema(
        operation_id="tasks_approve",
        request=described.DecisionRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Decide for it; `form` holds the fields to change, all of them or nothing."""
        return self.decide(request, pk, "tasks.approve", approvals.approve)


class Reject(Decision):
    """`tasks/{id}/actions/reject`."""

    @extend_schema(
        operation_id="tasks_reject",
        request=described.DecisionRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Decide against it."""
        return self.decide(request, pk, "tasks.reject", approvals.reject)


class Comment(APIView):
    """`tasks/{id}/actions/comment`: whoever may read the request may say something about it."""

    needs_key = True
    sends_etag = True

    @extend_schema(
        operation_id="tasks_comment",
        request=described.CommentRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """For the record, while the request runs. A version may be named, and guards nothing.

        Refused in this order: 404, 400, 409 (the request has ended), 422 (an empty comment).
        """
        body = Body(request)
        user = reader(request)
        task = access.task(user, access.row_id(pk))
        comment = body.text("comment", longest=LONGEST_COMMENT)
        body.nothing("attachments")
        if body.has("task_version"):
            body.take("task_version")
            expected_version(request)
        body.finish()
        now = clock.now()
        return command(
            request,
            "tasks.comment",
            act=lambda once: approvals.comment_on(
                instance=task.instance, user=user, comment=comment, now=now, task=task, once=once
            ),
            word=lambda outcome: decided(outcome, task, user),
        )
