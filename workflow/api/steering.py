"""What managers do to a running request through REST, always with a reason; and its initiator."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory.models import User
from flowadmin.rest.problems import Problem, not_found
from workflow import access, queries
from workflow.actions import administration, requests
from workflow.api import described, described_acts, shapes
from workflow.api.answers import command, first_answer, reader
from workflow.api.bodies import LONGEST_COMMENT, LONGEST_ID, LONGEST_LOGIN, LONGEST_STEP, Body
from workflow.api.decisions import OnTask, read_picks
from workflow.engine import commands
from workflow.models import SPAN, Task
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.http import HttpResponse
    from rest_framework.request import Request

    from workflow.api.answers import Words
    from workflow.models import Instance
    from workflow.runtime.execute import Once, Outcome, Settled


class Act(Protocol):
    """An action on a request whose other arguments are known."""

    def __call__(
        self, *, instance: Instance, user: User, now: datetime, once: Once | None
    ) -> Settled: ...


class Steering(APIView):
    """What a manager does to a request as a whole.

    Refused in this order: 404, 403, 400, 409 (it has ended, is paused or is not), 422.
    """

    needs_key = True

    def steer(
        self, request: Request, pk: str, verb: str, read: Callable[[Body], Act]
    ) -> HttpResponse:
        """Read the body, and carry out one action; the answer is the request."""
        body = Body(request)
        user = reader(request)
        instance = access.managed_instance(user, access.row_id(pk))
        act = read(body)
        body.finish()
        now = clock.now()
        return command(
            request,
            f"instances.{verb}",
            act=lambda once: act(instance=instance, user=user, now=now, once=once),
            word=lambda outcome: steered(outcome, instance),
        )


def steered(outcome: Outcome, instance: Instance) -> Words:
    """`{instance}` in its new state."""
    version = instance.version.number
    return 200, {"instance": shapes.instance_after(outcome, version, instance.initiator)}


def _with_reason(action: Callable[..., Settled], body: Body, **more: str) -> Act:
    return partial(action, reason=body.text("reason", longest=LONGEST_COMMENT), **more)


class Cancel(Steering):
    """`instances/{id}/actions/cancel`."""

    @extend_schema(
        operation_id="instances_cancel",
        request=described.CancelRequest,
        responses=described_acts.InstanceAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """End a running request; its state becomes `terminated`."""
        return self.steer(
            request, pk, "cancel", lambda body: _with_reason(administration.terminate, body)
        )


class Suspend(Steering):
    """`instances/{id}/actions/suspend`."""

    @extend_schema(
        operation_id="instances_suspend",
        request=described_acts.ReasonRequest,
        responses=described_acts.InstanceAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Nothing moves until it is resumed; deadlines keep their moments."""
        return self.steer(
            request, pk, "suspend", lambda body: _with_reason(administration.pause, body)
        )


class Resume(Steering):
    """`instances/{id}/actions/resume`."""

    @extend_schema(
        operation_id="instances_resume",
        request=described_acts.ResumeRequest,
        responses=described_acts.InstanceAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Go on after a pause; what fell due meanwhile is done at once."""
        return self.steer(
            request, pk, "resume", lambda body: _with_reason(administration.resume, body)
        )


class Jump(Steering):
    """`instances/{id}/actions/jump`."""

    @extend_schema(
        operation_id="instances_jump",
        request=described_acts.JumpRequest,
        responses=described_acts.InstanceAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Continue at another step, at `start` or at `end`; whatever is open is closed."""

        def read(body: Body) -> Act:
            to = body.text("to", longest=LONGEST_STEP, required=True)
            return _with_reason(administration.jump, body, to=to)

        return self.steer(request, pk, "jump", read)


class Withdraw(APIView):
    """`instances/{id}/actions/withdraw`: the initiator calls his request off."""

    needs_key = True

    @extend_schema(
        operation_id="instances_withdraw",
        request=described_acts.WithdrawRequest,
        responses=described_acts.InstanceAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Its state becomes `cancelled`, if the process lets him and it is early enough.

        Refused in this order: 404, 403 (another's), 400, 403 (never), 409 (decided already).
        """
        body = Body(request)
        user = reader(request)
        instance = access.instance(user, access.row_id(pk))
        if instance.initiator_id != user.pk:
            raise Problem(403, "withdraw.not_yours", rejection_text("withdraw.not_yours"))
        comment = body.text("comment", longest=LONGEST_COMMENT)
        body.finish()
        now = clock.now()
        return command(
            request,
            "instances.withdraw",
            act=lambda once: requests.withdraw(
                instance=instance, user=user, comment=comment, now=now, once=once
            ),
            word=lambda outcome: steered(outcome, instance),
        )


class Resubmit(OnTask):
    """`instances/{id}/actions/resubmit`: the initiator sends a returned request on again."""

    @extend_schema(
        operation_id="instances_resubmit",
        request=described_acts.PickingRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Decides the initiator's task of step `start`, whose version has to be named.

        Refused in this order: 404, 403 (another's), 409 (not returned, or sent on already), and
        then as deciding that task is.
        """
        body = Body(request)
        user = reader(request)
        try:
            task = access.start_task(user, access.instance(user, access.row_id(pk)))
        except Problem as refusal:
            return first_answer(request, "instances.resubmit", refusal)
        make = read_picks(body, commands.Complete)
        return self.carry_out_on(request, task, "instances.resubmit", body, make)


class Reassign(APIView):
    """`instances/{id}/actions/reassign`: give an open task, or a held step, to a person."""

    needs_key = True
    sends_etag = True

    @extend_schema(
        operation_id="instances_reassign",
        request=described.ReassignRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Refused in this order: 404 (request or task), 403, 400, 409, 422 (reason, person).

        `task` names an open task, `step` a step that is held because nobody was found.
        """
        body = Body(request)
        user = reader(request)
        instance = access.managed_instance(user, access.row_id(pk))
        by_step = body.has("step")
        step = body.text("step", longest=LONGEST_STEP)
        meant = body.text("task", longest=LONGEST_ID, required=not by_step)
        login = body.text("to", longest=LONGEST_LOGIN, required=True)
        reason = body.text("reason", longest=LONGEST_COMMENT)
        body.finish()
        if by_step and body.has("task"):
            raise _not_both()
        task = None if by_step else _task_of(instance, user, meant)
        now, to = clock.now(), _person(user, login)

        def act(once: Once) -> Settled:
            if task is not None:
                return administration.reassign(
                    task=task, to=to, user=user, reason=reason, now=now, once=once
                )
            return administration.assign_held(
                instance=instance,
                activation=_held_activation(instance, step),
                to=to,
                user=user,
                reason=reason,
                now=now,
                once=once,
            )

        def word(outcome: Outcome) -> Words:
            version = instance.version.number
            given = task or Task.objects.get(pk=instance.pk * SPAN + outcome.state.last_seat)
            return 200, {
                "task": shapes.task_after(outcome, given, user),
                "instance": shapes.instance_after(outcome, version, instance.initiator),
            }

        return command(request, "instances.reassign", act=act, word=word)


def _task_of(instance: Instance, user: User, meant: str) -> Task:
    """The task with this id. Raises Problem 404 when it is of another request, or none."""
    task = access.task(user, access.row_id(meant))
    if task.instance_id != instance.pk:
        raise not_found()
    return task


def _held_activation(instance: Instance, step: str) -> int:
    """The open activation of this step without seats; 0, which the engine refuses, when none is.

    It is read before the request is locked: the engine looks at it again (409 step.not_held).
    """
    found = (
        each.number
        for each in queries.state_of(instance).activations
        if each.step == step and not each.seats
    )
    return next(found, 0)


def _not_both() -> Problem:
    message = _("Give either the task or the step, not both.")
    errors = [{"code": "request.unknown", "at": "/step", "args": {}, "message": message}]
    return Problem(400, "request.invalid", message, errors=errors)


def _person(user: User, login: str) -> User:
    """The person of the tenant with this login name; somebody whom nobody is when there is none.

    A closed task is told before an unknown person (409 before 422), so the engine refuses both.
    """
    return User.objects.for_tenant(user.tenant_id).filter(login=login).first() or User(pk=0)
