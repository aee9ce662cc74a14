"""Deciding a task through REST; what all acts on a task share; and saying something about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory.models import User
from flowadmin.rest.preconditions import expected_version
from flowadmin.rest.problems import Problem
from workflow import access
from workflow.actions import approvals
from workflow.api import described, described_acts, shapes
from workflow.api.answers import command, first_answer, placed, reader
from workflow.api.bodies import LONGEST_COMMENT, LONGEST_FILE, LONGEST_STEP, Body
from workflow.engine import commands
from workflow.models import SPAN, Task, Version
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

    from workflow.api.answers import Words
    from workflow.runtime.execute import Outcome

# What a command calls its members, and what they are called in a body.
MEMBERS: Mapping[str, str] = {"/files": "/attachments"}


class Said(TypedDict):
    """What every act on a task brings along: the members of `OnTask`."""

    seat: int
    by: int
    version: int
    comment: str
    changes: Mapping[str, object]
    files: tuple[str, ...]
    signature: str


# Made while the body is being read; called when it has been, and may then look people up.
Make = Callable[[Said, User], commands.Command]


class OnTask(APIView):
    """What all acts of a holder on a task share.

    Refused in this order: 400 (the body is no JSON), 404, 403, 428 or 400 (version, members,
    key), 403 (switched off here), 409 (no longer open), 412 (the version moved), 422 (comment,
    form, files, people). So whoever may not know of a task does not learn of it by what else is
    wrong with the request.

    Source: contract, A task is one seat.
    """

    needs_key = True
    needs_version = True
    sends_etag = True

    def carry_out(
        self,
        request: Request,
        pk: str,
        verb: str,
        read: Callable[[Body], Make],
        renamed: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """Read the body, make the command of it and carry it out on the caller's own task."""
        body = Body(request)
        user, route = reader(request), f"tasks.{verb}"
        try:
            task = access.own_task(user, access.row_id(pk))
        except Problem as refusal:
            return first_answer(request, route, refusal)
        return self.carry_out_on(request, task, route, body, read(body), renamed)

    def carry_out_on(
        self,
        request: Request,
        task: Task,
        route: str,
        body: Body,
        make: Make,
        renamed: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """The rest, once it is known that the task is the caller's own."""
        user = reader(request)
        said = self._said(request, body, task, user)
        body.finish()
        now = clock.now()
        with placed("form", {**MEMBERS, **(renamed or {})}):
            return command(
                request,
                route,
                act=lambda once: approvals.on_task(
                    task=task, user=user, command=make(said, user), now=now, once=once
                ),
                word=lambda outcome: decided(outcome, task, user),
            )

    def _said(self, request: Request, body: Body, task: Task, user: User) -> Said:
        comment = body.text("comment", longest=LONGEST_COMMENT)
        form = body.mapping("form")
        files = body.texts("attachments", longest=LONGEST_FILE)
        signature = body.text("signature", longest=LONGEST_FILE)
        body.take("task_version")
        return {
            "seat": task.pk % SPAN,
            "by": user.pk,
            "version": expected_version(request),
            "comment": comment,
            "changes": form,
            "files": files,
            "signature": signature,
        }


def decided(outcome: Outcome, task: Task, user: User) -> Words:
    """`{task, instance}` in their new state (contract, Shapes)."""
    return 200, {
        "task": shapes.task_after(outcome, task, user),
        "instance": shapes.instance_after(
            outcome, number_of(outcome.version_id), task.instance.initiator
        ),
    }


def number_of(version_id: int) -> int:
    """The number of a version of a process."""
    return Version.with_private.values_list("number", flat=True).get(pk=version_id)


def read_picks(body: Body, made: type[commands.Approve | commands.Complete]) -> Make:
    """A decision that may pick people for later steps: `picked: {step: [login]}`."""
    picked = body.picked()
    return lambda said, user: made(**said, picked=access.picked_people(user, picked))


class Approve(OnTask):
    """`tasks/{id}/actions/approve`."""

    @extend_schema(
        operation_id="tasks_approve",
        request=described_acts.PickingRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Decide for it; `form` holds the fields to change, all of them or nothing."""
        return self.carry_out(
            request, pk, "approve", lambda body: read_picks(body, commands.Approve)
        )


class Complete(OnTask):
    """`tasks/{id}/actions/complete`."""

    @extend_schema(
        operation_id="tasks_complete",
        request=described_acts.PickingRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """The work of a work step is done; on step `start`: send the request on again."""
        return self.carry_out(
            request, pk, "complete", lambda body: read_picks(body, commands.Complete)
        )


class Reject(OnTask):
    """`tasks/{id}/actions/reject`."""

    @extend_schema(
        operation_id="tasks_reject",
        request=described_acts.RejectionRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Decide against it; `to` is a step, only where the process lets the person choose."""

        def read(body: Body) -> Make:
            to = body.text("to", longest=LONGEST_STEP)
            return lambda said, _user: commands.Reject(**said, to=to)

        return self.carry_out(request, pk, "reject", read)


class Return(OnTask):
    """`tasks/{id}/actions/return`."""

    @extend_schema(
        operation_id="tasks_return",
        request=described_acts.ReturnRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Send the request back to a step that it has passed, or to `start`.

        `resume`: afterwards step by step again (`forward`), or straight back here (`here`).
        """

        def read(body: Body) -> Make:
            to = body.text("to", longest=LONGEST_STEP, required=True)
            here = body.choice("resume", ("forward", "here"), default="forward") == "here"
            return lambda said, _user: commands.Return(
                **said, to=to, resume="here" if here else "forward"
            )

        return self.carry_out(request, pk, "return", read)


class HandBack(OnTask):
    """`tasks/{id}/actions/hand-back`."""

    @extend_schema(
        operation_id="tasks_hand_back",
        request=described.DecisionRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Give the opinion that one was asked for; the task goes back to whoever asked."""
        return self.carry_out(
            request, pk, "hand-back", lambda _body: lambda said, _user: commands.HandBack(**said)
        )


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

        Refused in this order: 404, 400, 422 (files: only a decision carries them), 409 (the
        request has ended), 422 (an empty comment).
        """
        body = Body(request)
        user = reader(request)
        task = access.task(user, access.row_id(pk))
        comment = body.text("comment", longest=LONGEST_COMMENT)
        files = body.texts("attachments", longest=LONGEST_FILE)
        read_version(request, body)
        body.finish()
        if files:
            raise _no_files()
        now = clock.now()
        return command(
            request,
            "tasks.comment",
            act=lambda once: approvals.comment_on(
                instance=task.instance, user=user, comment=comment, now=now, task=task, once=once
            ),
            word=lambda outcome: decided(outcome, task, user),
        )


def _no_files() -> Problem:
    code = "files.not_taken"
    text = rejection_text(code)
    error = {"code": code, "at": "/attachments", "message": text}
    return Problem(422, code, text, errors=[error])


def read_version(request: Request, body: Body) -> None:
    """Where a version guards nothing, one may be named; then it has to be one.

    Raises Problem 400 precondition.malformed, precondition.disagree.
    """
    if body.has("task_version"):
        body.take("task_version")
        expected_version(request)
