"""What a person does with a task through REST beside deciding it: hand it on, ask others, wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.problems import not_found
from workflow import access
from workflow.actions import approvals
from workflow.api import described, described_acts
from workflow.api.answers import command, reader
from workflow.api.bodies import LONGEST_COMMENT, LONGEST_ID, LONGEST_LOGIN, Body
from workflow.api.decisions import Make, OnTask, decided, read_version
from workflow.engine import commands
from workflow.models import SPAN

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

PLACES = ("before", "after", "with")
DECIDE = ("any", "all", "in_order")
COUNTS = ("any_one", "cannot_pass")


class Transfer(OnTask):
    """`tasks/{id}/actions/transfer`."""

    @extend_schema(
        operation_id="tasks_transfer",
        request=described_acts.ToPersonRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Give the task to another person for good; whoever has seen it keeps nothing of it."""
        return self.carry_out(
            request, pk, "transfer", lambda body: _to_person(body, commands.Transfer)
        )


class Delegate(OnTask):
    """`tasks/{id}/actions/delegate`."""

    @extend_schema(
        operation_id="tasks_delegate",
        request=described_acts.ToPersonRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Ask another person for an opinion; the task comes back with it."""
        return self.carry_out(
            request, pk, "delegate", lambda body: _to_person(body, commands.Delegate)
        )


def _to_person(body: Body, made: type[commands.Transfer | commands.Delegate]) -> Make:
    login = body.text("to", longest=LONGEST_LOGIN, required=True)
    return lambda said, user: made(**said, to=access.people_ids(user, [login])[0])


class AddSigner(OnTask):
    """`tasks/{id}/actions/add-signer`."""

    @extend_schema(
        operation_id="tasks_add_signer",
        request=described_acts.AddSignerRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Add people before this task, after it, or with it: beside it, with the same say.

        `decide` and `counts` say how those added before or after decide among themselves.
        """
        return self.carry_out(request, pk, "add-signer", _add_signers)


def _add_signers(body: Body) -> Make:
    logins = body.texts("people", longest=LONGEST_LOGIN, required=True)
    place = cast("Literal['before', 'after', 'with']", body.choice("place", PLACES))
    decide = cast(
        "Literal['any', 'all', 'in_order']", body.choice("decide", DECIDE, default="all")
    )
    counts = cast(
        "Literal['any_one', 'cannot_pass']", body.choice("counts", COUNTS, default="any_one")
    )
    return lambda said, user: commands.AddSigners(
        **said,
        people=access.people_ids(user, logins),
        place=place,
        decide=decide,
        counts=counts,
    )


class Copy(OnTask):
    """`tasks/{id}/actions/copy`."""

    @extend_schema(
        operation_id="tasks_copy",
        request=described_acts.CopyRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Let others read the request."""

        def read(body: Body) -> Make:
            logins = body.texts("people", longest=LONGEST_LOGIN, required=True)
            return lambda said, user: commands.SendCopy(**said, to=access.people_ids(user, logins))

        return self.carry_out(request, pk, "copy", read, {"/to": "/people"})


class Claim(OnTask):
    """`tasks/{id}/actions/claim`."""

    @extend_schema(
        operation_id="tasks_claim",
        request=described.DecisionRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Take the work of a pool; the others of the pool wait."""
        return self.carry_out(
            request, pk, "claim", lambda _body: lambda said, _user: commands.Claim(**said)
        )


class Release(OnTask):
    """`tasks/{id}/actions/release`."""

    @extend_schema(
        operation_id="tasks_release",
        request=described.DecisionRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Give the work back to the pool."""
        return self.carry_out(
            request, pk, "release", lambda _body: lambda said, _user: commands.Release(**said)
        )


class Snooze(OnTask):
    """`tasks/{id}/actions/snooze`."""

    @extend_schema(
        operation_id="tasks_snooze",
        request=described_acts.SnoozeRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """See the task again at `until`; null: now. Deadlines go on meanwhile."""

        def read(body: Body) -> Make:
            until = body.moment("until")
            return lambda said, _user: commands.Snooze(**said, until=until)

        return self.carry_out(request, pk, "snooze", read)


class AskSubstitute(OnTask):
    """`tasks/{id}/actions/ask-substitute`."""

    @extend_schema(
        operation_id="tasks_ask_substitute",
        request=described.DecisionRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Ask the managers for somebody else for this one task; the comment says why."""
        return self.carry_out(
            request,
            pk,
            "ask-substitute",
            lambda _body: lambda said, _user: commands.AskSubstitute(**said),
        )


class TakeBack(APIView):
    """`tasks/{id}/actions/take-back`: the task is the decided one."""

    needs_key = True
    sends_etag = True

    @extend_schema(
        operation_id="tasks_take_back",
        request=described_acts.TakeBackRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Take an own decision back while nothing has come of it; a new task is opened.

        A version may be named, and guards nothing: what stands in the history does.
        Refused in this order: 404, 403, 400, 409 with the reason why it is too late.
        """
        body = Body(request)
        user = reader(request)
        task = access.own_task(user, access.row_id(pk))
        comment = body.text("comment", longest=LONGEST_COMMENT)
        read_version(request, body)
        body.finish()
        now = clock.now()
        return command(
            request,
            "tasks.take-back",
            act=lambda once: approvals.take_back(
                task=task, user=user, comment=comment, now=now, once=once
            ),
            word=lambda outcome: decided(outcome, task, user),
        )


class RemoveSigner(APIView):
    """`tasks/{id}/actions/remove-signer`: `task` names the one to remove."""

    needs_key = True
    sends_etag = True

    @extend_schema(
        operation_id="tasks_remove_signer",
        request=described_acts.RemoveSignerRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Remove a person who was added: by whoever added him, or by a manager.

        The task in the address is one of the same request; the answer speaks of it.
        Refused in this order: 404 (either task), 400, 409, 403 (not added by the caller).
        """
        body = Body(request)
        user = reader(request)
        task = access.task(user, access.row_id(pk))
        meant = body.text("task", longest=LONGEST_ID, required=True)
        comment = body.text("comment", longest=LONGEST_COMMENT)
        read_version(request, body)
        body.finish()
        now = clock.now()
        added = access.task(user, access.row_id(meant))
        if added.instance_id != task.instance_id:
            raise not_found()
        removal = commands.RemoveSigner(
            seat=added.pk % SPAN,
            by=user.pk,
            comment=comment,
            manager=permissions.has(user, permissions.FLOW_MANAGE),
        )
        return command(
            request,
            "tasks.remove-signer",
            act=lambda once: approvals.on_task(
                task=task, user=user, command=removal, now=now, once=once
            ),
            word=lambda outcome: decided(outcome, task, user),
        )
