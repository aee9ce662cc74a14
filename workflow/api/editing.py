"""What comes next is changed for one request through REST, and a held step is tried again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.problems import Problem
from workflow import access, offering, queries
from workflow.actions import administration
from workflow.actions import editing as actions
from workflow.api import described_acts, shapes
from workflow.api.answers import command, reader
from workflow.api.bodies import LONGEST_COMMENT, LONGEST_LOGIN, LONGEST_STEP, Body
from workflow.api.steering import Act, Steering, steered
from workflow.engine.editing import LONGEST_NAME, MOST_EDITS, Wanted
from workflow.published import definition_of
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.models import User
    from workflow.api.bodies import Members
    from workflow.models import Instance
    from workflow.reading import Reading

DOES = ("insert_approve", "set_people", "remove")
DECIDE = ("any", "all", "in_order")


class EditFuture(APIView):
    """`instances/{id}/actions/edit-future`."""

    needs_key = True

    @extend_schema(
        operation_id="instances_edit_future",
        request=described_acts.EditFutureRequest,
        responses=described_acts.InstanceAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Add steps to one request, ask other people in it, or take an added step out again.

        By a manager, or by the holder of an open task whose step has the act `edit_future`.
        Refused in this order: 404, 403, 400, 409, 412 (the own task moved), 422.
        """
        body = Body(request)
        user = reader(request)
        instance = access.instance(user, access.row_id(pk))
        if not _may_ever(user, instance):
            raise Problem(403, "edit.not_yours", rejection_text("edit.not_yours"))
        wanted = [_wanted(each, user) for each in body.parts("edits", most=MOST_EDITS)]
        reason = body.text("reason", longest=LONGEST_COMMENT)
        version = body.version("task_version") if body.has("task_version") else None
        body.finish()
        now = clock.now()
        edits = [each for each in wanted if each is not None]
        return command(
            request,
            "instances.edit-future",
            act=lambda once: actions.edit_future(
                instance=instance,
                user=user,
                edits=edits,
                reason=reason,
                now=now,
                version=version,
                once=once,
            ),
            word=lambda outcome: steered(outcome, instance),
        )


def _may_ever(user: User, instance: Instance) -> bool:
    """Whether the person is one of those who may; asked again behind the lock of the request.

    Whoever had a task of such a step is told what became of it (409), or his first answer.
    """
    if permissions.has(user, permissions.FLOW_MANAGE):
        return True
    definition = definition_of(instance.version_id)
    held = instance.tasks.filter(holder=user.pk).values_list("step", flat=True)
    return any(offering.lets_edit(definition, step) for step in held)


def _wanted(part: Members, user: User) -> Wanted | None:
    """One edit as the engine takes it; nothing when it cannot be read, which was noted."""
    do = part.choice("do", DOES)
    after = step = name = ""
    logins: tuple[str, ...] = ()
    decide = "any"
    if do == "insert_approve":
        after = part.text("after", longest=LONGEST_STEP, required=True)
        name = part.text("name", longest=LONGEST_NAME, required=True)
        decide = part.choice("decide", DECIDE, default="any")
    else:
        step = part.text("step", longest=LONGEST_STEP, required=bool(do))
    if do in {"insert_approve", "set_people"}:
        logins = part.texts("who", longest=LONGEST_LOGIN, required=True)
    if not do:
        return None
    return Wanted(
        cast("Literal['insert_approve', 'set_people', 'remove']", do),
        step=step,
        after=after,
        name=name,
        people=access.people_ids(user, logins) if logins else (),
        decide=cast("Literal['any', 'all', 'in_order']", decide),
    )


class Retry(Steering):
    """`instances/{id}/actions/retry`."""

    @extend_schema(
        operation_id="instances_retry",
        request=described_acts.RetryRequest,
        responses=described_acts.InstanceAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Ask once more in a step that is held because asking outside failed."""

        def read(body: Body) -> Act:
            step = body.text("step", longest=LONGEST_STEP, required=True)
            reason = body.text("reason", longest=LONGEST_COMMENT)
            number = _held(access.instance(reader(request), access.row_id(pk)), step)
            return partial(administration.retry, activation=number, reason=reason)

        return self.steer(request, pk, "retry", read)


def _held(instance: Instance, step: str) -> int:
    """The activation of this step that may be tried again; 0, which is refused, when none is.

    It is read before the request is locked: the engine looks at it again (409 step.not_held).
    """
    known = offering.retry_steps(definition_of(instance.version_id), queries.state_of(instance))
    return next((number for number, each in known.items() if each == step), 0)


def future_shown(reading: Reading) -> dict[str, list[dict[str, Any]]] | None:
    """The steps that may be edited now, for those who may; nothing for all others."""
    definition, state = reading.definition, reading.state
    if not offering.may_edit_future(reading.user, definition, state):
        return None
    future = actions.editable(reading.instance, definition, state)
    return {
        name: [shapes.step(definition, each) for each in getattr(future, name)]
        for name in ("insert_after", "set_people", "remove")
    }
