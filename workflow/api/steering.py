"""What managers do to a running request through REST, always with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory.models import User
from flowadmin.rest.problems import not_found
from workflow import access
from workflow.actions import administration
from workflow.api import described, shapes
from workflow.api.answers import command, reader
from workflow.api.bodies import LONGEST_COMMENT, Body

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

    from workflow.api.answers import Words
    from workflow.runtime.execute import Outcome

LONGEST_ID = 19
LONGEST_LOGIN = 150


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
    """`instances/{id}/actions/reassign`: give an open task to another person."""

    needs_key = True
    sends_etag = True

    @extend_schema(
        operation_id="instances_reassign",
        request=described.ReassignRequest,
        responses=described.DecisionAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Refused in this order: 404 (request or task), 403, 400, 409, 422 (reason, person)."""
        body = Body(request)
        user = reader(request)
        instance = access.managed_instance(user, access.row_id(pk))
        meant = body.text("task", longest=LONGEST_ID, required=True)
        login = body.text("to", longest=LONGEST_LOGIN, required=True)
        reason = body.text("reason", longest=LONGEST_COMMENT)
        body.finish()
        task = access.task(user, access.row_id(meant))
        if task.instance_id != instance.pk:
            raise not_found()
        now, to = clock.now(), _person(user, login)

        def word(outcome: Outcome) -> Words:
            version = instance.version.number
            return 200, {
                "task": shapes.task_after(outcome, task, user),
                "instance": shapes.instance_after(outcome, version, instance.initiator),
            }

        return command(
            request,
            "instances.reassign",
            act=lambda once: administration.reassign(
                task=task, to=to, user=user, reason=reason, now=now, once=once
            ),
            word=word,
        )


def _person(user: User, login: str) -> User:
    """The person of the tenant with this login name; somebody whom nobody is when there is none.

    A closed task is told before an unknown person (409 before 422), so the engine refuses both.
    """
    return User.objects.for_tenant(user.tenant_id).filter(login=login).first() or User(pk=0)
