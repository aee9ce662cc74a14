"""`instances/{id}/explain/`: why a request went the way it went (approvals.md 5.20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin.directory.queries import people_by_id
from flowadmin.rest.pagination import unknown_parameters
from workflow import access
from workflow.api import described_reasons, shapes
from workflow.api.answers import json_answer, reader
from workflow.models import SPAN
from workflow.reading import explained, reading_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.queries import Person
    from workflow.wording.explanation import (
        Asked,
        Condition,
        Ending,
        Explained,
        Explanation,
        Said,
    )


class InstanceExplanation(APIView):
    """Why each step was entered, on which answers, and who was asked for which reason."""

    @extend_schema(operation_id="instances_explain", responses=described_reasons.Explained)
    def get(self, request: Request, pk: str) -> HttpResponse:
        """The explanation in the caller's language; hidden fields are only ``hidden: true``.

        Raises Problem 404 for a request that this person may not read.
        """
        unknown_parameters(request, set())
        user = reader(request)
        instance = access.instance(user, access.row_id(pk))
        told = explained(reading_of(user, instance))
        people = {each.id: each for each in people_by_id(set(_people(told)))}
        return json_answer(_Shaping(instance.pk, people).whole(told))


def _people(told: Explained) -> Iterator[int]:
    for step in told.steps:
        for said in (*step.people, *step.left_out, *step.rules):
            yield from (said.person, said.other)
        for asked in step.people:
            yield from asked.chain


@dataclass(frozen=True, slots=True)
class _Shaping:
    """An explanation with the names that people and tasks have outside."""

    instance_id: int
    people: Mapping[int, Person]

    def whole(self, told: Explained) -> dict[str, Any]:
        return {
            "id": str(self.instance_id),
            "steps": [self.step(each) for each in told.steps],
            "ended": None if told.ended is None else self.ending(told.ended),
        }

    def step(self, told: Explanation) -> dict[str, Any]:
        votes = told.votes
        return {
            "activation": told.activation,
            "step": {"id": told.step, "name": told.name, "kind": told.kind},
            "round": told.round,
            "within": told.within or None,
            "branch": told.branch or None,
            "entered_at": told.entered_at,
            "because": {"code": told.because, "message": told.because_text},
            "conditions": self.conditions(told.conditions),
            "people": [self.asked(each) for each in told.people],
            "left_out": [self.said(each) for each in told.left_out],
            "rules": [self.said(each) for each in told.rules],
            "incidents": [self.said(each) for each in told.incidents],
            "votes": None
            if votes is None
            else {
                "for": votes.for_it,
                "against": votes.against,
                "open": votes.open,
                "needed": votes.needed,
                "message": told.votes_text,
            },
            "ended": None if told.ended is None else self.ending(told.ended),
        }

    def conditions(self, told: Iterable[Condition]) -> list[dict[str, Any]]:
        return [
            {
                "code": each.code,
                "step": each.step,
                "branch": {"id": each.branch, "name": each.branch_name} if each.branch else None,
                "questions": [
                    {"kind": asked.code, **asked.args, "message": asked.message}
                    for asked in each.questions
                ],
            }
            for each in told
        ]

    def said(self, told: Said) -> dict[str, Any]:
        return {
            "code": told.code,
            "person": self.person(told.person),
            "task": self.task(told.seat),
            "args": told.args,
            "message": told.message,
        }

    def asked(self, told: Asked) -> dict[str, Any]:
        return self.said(told) | {
            "stands_in_for": self.person(told.other),
            "held_before": [self.person(each) for each in told.chain],
            "state": told.state or None,
            "state_text": told.state_text,
        }

    def ending(self, told: Ending) -> dict[str, Any]:
        return {
            "at": told.at,
            "state": told.state,
            "reason": told.reason,
            "task": self.task(told.seat),
            "conditions": self.conditions(told.conditions),
            "message": told.message,
        }

    def person(self, user: int) -> dict[str, str] | None:
        found = self.people.get(user)
        return None if found is None else shapes.person(found)

    def task(self, seat: int) -> str | None:
        return str(self.instance_id * SPAN + seat) if seat else None
