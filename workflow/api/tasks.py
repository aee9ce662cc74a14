"""A person's tasks through REST: the lists, and one task with its form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin.rest.pagination import PageRequest, page_answer, read_page, unknown_parameters
from flowadmin.rest.preconditions import etag_of
from workflow import access, queries
from workflow.api import described, shapes
from workflow.api.answers import json_answer, one_of, reader
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.signing import comment_rule
from workflow.engine.state import InstanceState
from workflow.models import Task
from workflow.reading import Reading, reading_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.models import User
    from workflow.forms.rights import Right
    from workflow.queries import TaskLine

BOXES = ("todo", "done", "copied")


class Tasks(APIView):
    """`tasks/`: what a person has to do, has done, and got a copy of."""

    @extend_schema(
        operation_id="tasks_list",
        parameters=[described.box(*BOXES), *described.PAGE],
        responses=described.page_of(described.TaskRow),
    )
    def get(self, request: Request) -> HttpResponse:
        """One page of the box, newest first, with the count of all of it."""
        unknown_parameters(request, {"box", "page", "page_size"})
        box = one_of(request, "box", BOXES, "todo")
        count, lines = _page(reader(request), box, read_page(request))
        return json_answer(page_answer(request, count, [shapes.task_line(line) for line in lines]))


def _page(user: User, box: str, page: PageRequest) -> tuple[int, list[TaskLine]]:
    if box == "todo":
        lines = queries.inbox(user, limit=page.size, offset=page.start)
        return queries.inbox_count(user), lines
    rows = queries.done_tasks(user) if box == "done" else queries.copied_tasks(user)
    return rows.count(), queries.task_lines(rows[page.start : page.stop])


class TaskDetail(APIView):
    """`tasks/{id}/`: one task with its form, as its holder or another reader may see it."""

    sends_etag = True

    @extend_schema(operation_id="tasks_read", responses=described.TaskDetail)
    def get(self, request: Request, pk: str) -> HttpResponse:
        """The task, the fields with what may be done to each, and the values.

        The ETag is the version that a decision has to name.
        """
        unknown_parameters(request, ())
        user = reader(request)
        task = access.task(user, access.row_id(pk))
        reading = reading_of(user, task.instance)
        return json_answer(_detail(reading, task), headers={"ETag": etag_of(task.version)})


def _detail(reading: Reading, task: Task) -> dict[str, Any]:
    rights = _rights(reading, task)
    instance, mine = task.instance, task.holder_id == reading.user.pk
    return {
        **shapes.task_of_row(task, instance, reading.user),
        "kind": task.kind,
        "holder": shapes.person(task.holder),
        "initiator": shapes.person(instance.initiator),
        "number": instance.number,
        "decided_at": task.decided_at,
        "reason": task.reason,
        # What the designer wrote is for whoever decides.
        "note": queries.note_of(reading.definition, task.step) if mine else "",
        "comment": comment_rule(reading.definition, task.step),
        "labels": _labels(reading, task),
        "form": {"fields": shapes.fields(reading.definition.form, rights)},
        "values": reading.values(),
    }


def _rights(reading: Reading, task: Task) -> Mapping[str, Right]:
    decides = (
        task.holder_id == reading.user.pk
        and task.state == Task.State.OPEN
        and reading.state.status is InstanceState.RUNNING
    )
    return reading.rights_with(task) if decides else reading.rights


def _labels(reading: Reading, task: Task) -> dict[str, str]:
    """What the process calls the two decisions."""
    step = reading.definition.plan.steps[task.step].step
    approve, reject = "", ""
    if isinstance(step, HumanStep):
        approve, reject = step.acts.labels.approve, step.acts.labels.reject
    return {"approve": approve or _("Approve"), "reject": reject or _("Reject")}
