"""`flows/{key}/preview`: where a request would go, as far as it is filled in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from workflow import access
from workflow.api import described_ahead, shapes
from workflow.api.answers import json_answer, reader
from workflow.api.bodies import Body
from workflow.preview import preview_start
from workflow.wording.findings import worded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.queries import Person
    from workflow.preview import Preview
    from workflow.wording.explanation import Said
    from workflow.wording.foreseen import ToldBranch, ToldStep


class FlowPreview(APIView):
    """The path with reasons and unknowns; a read that takes a body, so it has no key."""

    @extend_schema(
        operation_id="flows_preview",
        request=described_ahead.PreviewRequest,
        responses=described_ahead.PreviewAnswer,
    )
    def post(self, request: Request, key: str) -> HttpResponse:
        """What is filled in may be incomplete; what does not fit is in `findings`.

        Refused in this order: 400, 404 (no such process), 403 (not for the caller to start).
        Source: contract, REST.
        """
        body = Body(request)
        values, picked = body.mapping("form"), body.picked()
        body.finish()
        user = reader(request)
        found = preview_start(
            user=user,
            flow=access.definition(user, key),
            form=values,
            picked=access.picked_people(user, picked),
            now=clock.now(),
        )
        return json_answer(shaped(found))


def shaped(found: Preview) -> dict[str, Any]:
    """A preview as JSON: people by login, reasons as code, arguments and sentence."""
    shaping = _Shaping(found.people)
    return {"steps": shaping.steps(found.steps), "findings": worded(found.findings)}


@dataclass(frozen=True, slots=True)
class _Shaping:
    people: Mapping[int, Person]

    def steps(self, told: Iterable[ToldStep]) -> list[dict[str, Any]]:
        return [
            {
                "step": {"id": each.step, "name": each.name, "kind": each.kind},
                "sure": each.sure,
                "now": each.now,
                "mode": each.mode or None,
                "people": [
                    self.said(one) | {"stands_in_for": self.person(one.other)}
                    for one in each.people
                ],
                "left_out": self.all_said(each.left_out),
                "passes": self.all_said(each.passes),
                "unknown": self.all_said(each.unknown),
                "rule": None if each.rule is None else self.said(each.rule),
                "ends": None if each.ends is None else self.said(each.ends),
                "goto": self.goto(each),
                "branches": [self.branch(one) for one in each.branches],
            }
            for each in told
        ]

    def branch(self, told: ToldBranch) -> dict[str, Any]:
        return {
            "id": told.id,
            "name": told.name,
            "taken": told.taken,
            "otherwise": told.otherwise,
            "questions": self.all_said(told.questions),
            "depends_on": self.all_said(told.depends_on),
            "steps": self.steps(told.steps),
        }

    def goto(self, told: ToldStep) -> dict[str, Any] | None:
        if told.goto is None:
            return None
        return self.said(told.goto) | {
            "taken": told.taken,
            "questions": self.all_said(told.questions),
            "depends_on": self.all_said(told.depends_on),
        }

    def all_said(self, told: Iterable[Said]) -> list[dict[str, Any]]:
        return [self.said(each) for each in told]

    def said(self, told: Said) -> dict[str, Any]:
        return {
            "code": told.code,
            "person": self.person(told.person),
            "args": told.args,
            "message": told.message,
        }

    def person(self, user: int) -> dict[str, str] | None:
        found = self.people.get(user)
        return None if found is None else shapes.person(found)
