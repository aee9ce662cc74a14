"""`tasks/bulk-actions`: many tasks decided in one call, each with a result of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.rest.idempotency import Stored, receipt_of, replayed
from workflow.actions import bulk
from workflow.api import described_acts
from workflow.api.answers import json_answer, reader
from workflow.api.bodies import LONGEST_COMMENT, LONGEST_ID, Body

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpResponse
    from rest_framework.request import Request

    from workflow.api.bodies import Members


class BulkActions(APIView):
    """Decides up to 100 tasks; none keeps another back."""

    needs_key = True

    @extend_schema(
        operation_id="tasks_bulk",
        request=described_acts.BulkRequest,
        responses=described_acts.BulkAnswer,
    )
    def post(self, request: Request) -> HttpResponse:
        """What became of each task, in the order given: as its own address would have answered.

        A task that asks for more than a comment (fields, a signature, files, people, a step to
        go back to) is refused with its reason. A repeated key gives the same list; after a call
        that was broken off it does the rest.
        Refused as a whole: 400 (members, more than 100, a task twice), 422 (another body).
        """
        body = Body(request)
        action = body.choice("action", tuple(bulk.ACTIONS))
        comment = body.text("comment", longest=LONGEST_COMMENT)
        rows = list(_rows(body.parts("items", most=bulk.MOST_TOGETHER), comment))
        body.finish()
        found = bulk.decide_together(
            user=reader(request),
            action=action,
            rows=rows,
            now=clock.now(),
            receipt=receipt_of(request, "tasks.bulk"),
        )
        return replayed(found) if isinstance(found, Stored) else json_answer({"results": found})


def _rows(parts: list[Members], comment: str) -> Iterator[bulk.Row]:
    """The rows as they were sent; each task may stand there once, however it is written."""
    seen: set[str] = set()
    for part in parts:
        task = part.text("task", longest=LONGEST_ID, required=True)
        version = part.version("task_version")
        own = part.text("comment", longest=LONGEST_COMMENT)
        if task.lstrip("0") in seen:
            part.repeated("task")
        seen.add(task.lstrip("0"))
        yield bulk.Row(task, version, own if part.has("comment") else comment)
