"""What managers do to a running request through REST, always with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory.models import User
from flowadmin.rest.problems import Problem, not_found
from workflow import access, queries
from workflow.actions import administration
from workflow.api import described, shapes
from workflow.api.answers import command, reader
from workflow.api.bodies import LONGEST_COMMENT, Body
from workflow.models import SPAN, Task

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

    from workflow.api.answers import Words
    from workflow.models import Instance
    from workflow.runtime.execute import Once, Outcome, Settled

LONGEST_ID = 19
LONGEST_LOGIN = 150
LONGEST_STEP = 128


class Cancel(APIView):
    """`instances/{id}/actions/cancel`: end a running request; its state becomes `terminated`."""

    needs_key = True

    @extend_schema(
        operation_id="instances_cancel",
        request=described.CancelRequest,
        responses=described.CancelAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Refused in this order: 404, 403, 400, 409 (it has ended), 422 (no reason)."""
        body = Body(request)
        user = reader(request)
        instance = access.managed_instance(user, access.row_id(pk))
        reason = body.text("reason", longest=LONGEST_COMMENT)
        body.finish()
        now = clock.now()

        def word(outcome: Outcome) -> Words:
            version = instance.version.number
            return 200, {"instance": shapes.instance_after(outcome, version, instance.initiator)}

        return command(
            request,
            "instances.cancel",
            act=lambda once: administration.terminate(
                instance=instance, user=user, reason=reason, now=now, once=once
            ),
            word=word,
        )


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
