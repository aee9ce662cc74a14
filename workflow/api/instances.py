"""Requests through REST: lists, filing one, one with its timeline, and its history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Lower
from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.rest.pagination import (
    cursor_answer,
    page_answer,
    read_cursor,
    read_page,
    unknown_parameters,
)
from workflow import access, offering, queries, recorded
from workflow.actions import requests
from workflow.api import described, shapes
from workflow.api.answers import command, json_answer, malformed, one_of, placed, reader
from workflow.api.bodies import Body
from workflow.api.decisions import number_of
from workflow.api.editing import future_shown
from workflow.api.reading import history_of, timeline_of
from workflow.api.tasks import situation
from workflow.engine.state import InstanceState
from workflow.models import Instance, Task
from workflow.reading import Reading, reading_of

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.models import User
    from workflow.api.answers import Words
    from workflow.runtime.execute import Outcome

BOXES = ("mine", "involved", "all")
STATES = tuple(state.value for state in InstanceState)
ORDERS = {
    "id": ("id",),
    "-id": ("-id",),
    "started_at": ("started_at", "id"),
    "-started_at": ("-started_at", "-id"),
}
PARAMETERS = frozenset({"box", "flow", "state", "held", "search", "ordering", "page", "page_size"})
LONGEST_SEARCH = 100
LONGEST_KEY = 128
WAITING = (Task.State.OPEN, Task.State.BLOCKED, Task.State.HANDED_ON)


class Instances(APIView):
    """`instances/`: the lists of requests, and filing one."""

    needs_key = True

    @extend_schema(
        operation_id="instances_list",
        parameters=described.INSTANCE_FILTERS,
        responses=described.page_of(described.InstanceRow),
    )
    def get(self, request: Request) -> HttpResponse:
        """One page of requests: mine, those in which I have a task, or all that I may read.

        Raises Problem 404 flow.unknown for a process that there is not.
        """
        unknown_parameters(request, PARAMETERS)
        page = read_page(request)
        user = reader(request)
        rows = _filtered(request, user, _box(request, user))
        found = rows.values_list(*shapes.INSTANCE_FIELDS)[page.start : page.stop]
        shown = [shapes.instance_row(row) for row in found]
        return json_answer(page_answer(request, rows.count(), shown))

    @extend_schema(
        operation_id="instances_start",
        request=described.StartRequest,
        responses={201: described.InstanceRow},
    )
    def post(self, request: Request) -> HttpResponse:
        """File a request in one's own name; the answer is the request, and where it is.

        Refused in this order: 400, 404 (no such process), 409, 403, 422.
        """
        body = Body(request)
        flow = body.text("flow", longest=LONGEST_KEY, required=True)
        values, picked = body.mapping("form"), body.picked()
        body.finish()
        user, now = reader(request), clock.now()

        def word(outcome: Outcome) -> Words:
            return 201, shapes.instance_after(outcome, number_of(outcome.version_id), user)

        with placed("form"):
            return command(
                request,
                "instances.start",
                act=lambda once: requests.start_request(
                    user=user,
                    flow=flow,
                    values=values,
                    now=now,
                    picked=access.picked_people(user, picked),
                    once=once,
                ),
                word=word,
            )


def _box(request: Request, user: User) -> QuerySet[Instance]:
    box = one_of(request, "box", BOXES, "mine")
    if box == "mine":
        return queries.my_instances(user)
    if box == "involved":
        return queries.involved_instances(user)
    return access.visible_instances(user)


def _filtered(request: Request, user: User, rows: QuerySet[Instance]) -> QuerySet[Instance]:
    """The rows that the query asks for.

    Raises Problem 400 for a value that is none, 404 flow.unknown for a process that is none.
    """
    if "flow" in request.GET:
        key = _text(request, "flow")
        access.require_flow(user, key)
        rows = rows.filter(definition__key=key)
    if "state" in request.GET:
        rows = rows.filter(state=one_of(request, "state", STATES, ""))
    if "held" in request.GET:
        held = one_of(request, "held", ("true", "false"), "")
        rows = rows.filter(held__isnull=held == "false")
    if "search" in request.GET:
        words = _text(request, "search")
        # MariaDB compares our columns byte for byte, so `icontains` alone would mind the case.
        rows = rows.alias(lowered=Lower("title")).filter(
            Q(title__icontains=words)
            | Q(lowered__contains=words.lower())
            | Q(number__icontains=words)
        )
    return rows.order_by(*ORDERS[one_of(request, "ordering", ORDERS, "-id")])


def _text(request: Request, name: str) -> str:
    given = request.GET.getlist(name)
    if len(given) != 1 or len(given[0]) > LONGEST_SEARCH or "\x00" in given[0]:
        raise malformed(name)
    return given[0]


class InstanceDetail(APIView):
    """`instances/{id}/`: one request with its timeline."""

    @extend_schema(operation_id="instances_read", responses=described.InstanceDetail)
    def get(self, request: Request, pk: str) -> HttpResponse:
        """The request as this person may read it, with whom it is, and what happened so far."""
        unknown_parameters(request, ())
        user = reader(request)
        instance = access.instance(user, access.row_id(pk))
        reading = reading_of(user, instance)
        at = situation(reading, clock.now())
        return json_answer(
            {
                **shapes.instance_of_row(instance),
                "form": {"fields": shapes.fields(reading.definition.form, reading.rights)},
                "values": reading.values(),
                "tasks": [_task(at, task, instance) for task in _tasks(reading)],
                "timeline": timeline_of(reading),
                "actions": _actions(reading),
                "jump_targets": [
                    shapes.step(reading.definition, each)
                    for each in offering.jump_steps(reading.definition)
                    if at.manages
                ],
                "future": future_shown(reading),
            }
        )


def _actions(reading: Reading) -> list[str]:
    user, state = reading.user, reading.state
    found = offering.instance_verbs(user, reading.definition, state)
    urges = offering.may_urge(user, reading.instance, state, reading.tasks)
    return [*found, "urge"] if urges else found


def _task(at: offering.Situation, task: Task, instance: Instance) -> dict[str, Any]:
    actions = offering.verbs(offering.task_offers(at, offering.Held.of(task)))
    shown = shapes.task_of_row(task, instance, actions)
    return shown | {"holder": shapes.person(task.holder)}


def _tasks(reading: Reading) -> list[Task]:
    """Those that wait, with whomever, and the reader's own."""
    wanted = Q(state__in=WAITING) | Q(holder=reading.user.pk)
    rows = Task.objects.filter(wanted, instance=reading.instance)
    return list(rows.select_related("holder").order_by("id"))


class InstanceHistory(APIView):
    """`instances/{id}/history/`: everything that happened, event by event."""

    @extend_schema(
        operation_id="instances_history",
        parameters=described.CURSOR,
        responses=described.HistoryPage,
    )
    def get(self, request: Request, pk: str) -> HttpResponse:
        """The events behind the cursor: who, when, what and why; hidden fields are left out."""
        unknown_parameters(request, {"cursor", "page_size"})
        asked = read_cursor(request)
        user = reader(request)
        instance = access.instance(user, access.row_id(pk))
        records = list(recorded.read(instance.pk, after=asked.after or 0, limit=asked.fetch))
        teller = history_of(reading_of(user, instance), records)
        page: dict[str, Any] = cursor_answer(
            request, records, position=lambda record: record.position, render=teller.told
        )
        page["results"] = [told for told in page["results"] if told is not None]
        return json_answer(page)
