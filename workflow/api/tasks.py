"""A person's tasks through REST: the lists, and one task with its form."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, cast

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory.calendars import zone_of
from flowadmin.directory.models import User
from flowadmin.rest.pagination import PageRequest, page_answer, read_page, unknown_parameters
from flowadmin.rest.preconditions import etag_of
from workflow import access, offering, queries
from workflow.api import described, shapes
from workflow.api.answers import json_answer, one_of, reader
from workflow.api.task_filters import FILTERS, parameters, wanted_in
from workflow.engine.evidence import comment_rule, evidence_of
from workflow.engine.flowdoc.rules import Labels
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.picking import picks_asked
from workflow.engine.state import InstanceState, Seat
from workflow.lists import narrowed, tasks_of
from workflow.models import SPAN, Task
from workflow.reading import Reading, reading_of
from workflow.wording.not_yet import refusal_text
from workflow.wording.states import step_name
from workflow.wording.votes import count_votes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from django.http import HttpResponse
    from rest_framework.request import Request

    from workflow.engine.decision import Definition
    from workflow.engine.offers import Offer
    from workflow.engine.picking import Pick
    from workflow.engine.state import Activation
    from workflow.forms.rights import Right
    from workflow.lists import Box, Wanted
    from workflow.queries import TaskLine

BOXES = ("todo", "done", "copied", "snoozed")


class Tasks(APIView):
    """`tasks/`: what a person has to do, has done, got a copy of, and put off."""

    @extend_schema(
        operation_id="tasks_list",
        parameters=parameters(*BOXES),
        responses=described.page_of(described.TaskRow),
    )
    def get(self, request: Request) -> HttpResponse:
        """One page of the box, newest first, with the count of all of it.

        What is snoozed is no to-do until its moment has come; it lies in a box of its own. The
        filters are those of the page; days are those of the organisation's time zone.
        """
        unknown_parameters(request, {"box", "page", "page_size", *FILTERS})
        box = one_of(request, "box", BOXES, "todo")
        user, now = reader(request), clock.now()
        wanted = wanted_in(request)
        access.require_flow(user, wanted.flow)
        count, lines = _page(user, box, wanted, read_page(request), now)
        actions = offering.verbs_of_lines(user, lines, now, copies=box == "copied")
        rows = [shapes.task_line(line, actions[line.id]) for line in lines]
        return json_answer(page_answer(request, count, rows))


def _page(
    user: User, box: str, wanted: Wanted, page: PageRequest, now: datetime
) -> tuple[int, list[TaskLine]]:
    if box == "todo" and not wanted:
        lines = queries.inbox(user, limit=page.size, offset=page.start, now=now)
        return queries.inbox_count(user, now=now), lines
    if box == "snoozed":
        rows = queries.snoozed_tasks(user, now)
    else:
        rows = tasks_of(user, cast("Box", box), now)
    if wanted:
        rows = narrowed(rows, wanted, now=now, zone=zone_of(user.tenant_id))
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
        detail = _detail(reading, task, clock.now())
        return json_answer(detail, headers={"ETag": etag_of(task.version)})


def _detail(reading: Reading, task: Task, now: datetime) -> dict[str, Any]:
    definition, instance = reading.definition, task.instance
    held = offering.Held.of(task)
    at = situation(reading, now)
    offers = offering.task_offers(at, held)
    evidence = evidence_of(definition, task.step)
    return {
        **shapes.task_of_row(task, instance, offering.verbs(offers)),
        "kind": task.kind,
        "initiator": shapes.person(instance.initiator),
        "number": instance.number,
        "decided_at": task.decided_at,
        "reason": task.reason,
        # What the designer wrote is for whoever decides.
        "note": queries.note_of(definition, task.step)
        if task.holder_id == reading.user.pk
        else "",
        "comment": comment_rule(definition, task.step),
        "signature": evidence.signature if evidence else "no",
        "attachments": evidence.files if evidence else "no",
        "labels": _labels(definition, task.step),
        "form": {"fields": shapes.fields(definition.form, _rights(reading, task))},
        "values": reading.values(),
        "offers": [_offer(offer, task) for offer in offers],
        "bulk_actions": _together(definition, task.step, offers),
        "return_targets": _steps(definition, offering.return_steps(at, held)),
        "rejection_targets": _steps(definition, offering.rejection_steps(at, held)),
        "removable": _removable(reading, offering.removable(at, held)),
        "picks": [_pick(definition, pick) for pick in picks_asked(definition.plan, task.step)],
        "snoozed_until": task.snoozed_until,
        **_seat(reading, task),
    }


def situation(reading: Reading, now: datetime) -> offering.Situation:
    """The reader before the request that he reads."""
    pk = reading.instance.pk
    history = cache(lambda: queries.histories_of([pk])[pk])
    return offering.Situation(reading.user, reading.definition, reading.state, now, history)


def _seat(reading: Reading, task: Task) -> dict[str, Any]:
    """Who has the task, through whom it came to him, and how its step stands.

    Of a step that is over the state keeps nothing: then only the holder is told.
    """
    found = reading.state.seat(task.number)
    if found is None:
        people = {task.holder_id: task.holder}
        activation, seat = None, Seat(number=task.number, holder=task.holder_id)
    else:
        activation, seat = found
        people = _people(reading, activation, seat)
    claimer = activation.seat(activation.claimed) if activation else None
    counted = activation is not None and task.kind == Task.Kind.DECIDE
    return {
        "holder": shapes.person(task.holder),
        "stands_in_for": _person(people, seat.absent),
        "chain": [_person(people, each) for each in seat.chain],
        "added_by": _person(people, seat.by),
        "claimed_by": _person(people, claimer.holder if claimer else 0),
        "votes": _votes(reading, activation) if activation is not None and counted else None,
    }


def _people(reading: Reading, activation: Activation, seat: Seat) -> dict[int, User]:
    claimer = activation.seat(activation.claimed)
    wanted = {seat.absent, seat.by, *seat.chain, claimer.holder if claimer else 0} - {0}
    if not wanted:
        return {}
    # Somebody of the tenant's platform may have acted here, so they are found by their ids alone.
    return User.objects.in_bulk(wanted)


def _person(people: Mapping[int, User], user: int) -> dict[str, str] | None:
    found = people.get(user)
    return None if found is None else shapes.person(found)


def _votes(reading: Reading, activation: Activation) -> dict[str, int]:
    planned = reading.definition.plan.steps.get(activation.step)
    step = planned.step if planned is not None else None
    votes = count_votes(activation, step if isinstance(step, HumanStep) else None)
    return {
        "for": votes.for_it,
        "against": votes.against,
        "open": votes.open,
        "needed": votes.needed,
    }


def _offer(offer: Offer, task: Task) -> dict[str, Any]:
    choices = list(offer.choices)
    if offer.verb == "remove-signer":
        choices = [str(task.instance_id * SPAN + int(number)) for number in choices]
    return {
        "verb": offer.verb,
        "allowed": offer.allowed,
        "code": offer.code,
        "message": "" if offer.allowed else refusal_text(offer.code, task.state),
        "choices": choices,
    }


def _together(definition: Definition, step: str, offers: Sequence[Offer]) -> list[str]:
    """The bulk actions that would be accepted for this task."""
    allowed = offering.verbs(offers)
    return [verb for verb in offering.bulk_verbs(definition, step) if verb in allowed]


def _steps(definition: Definition, steps: Sequence[str]) -> list[dict[str, str]]:
    return [shapes.step(definition, each) for each in steps]


def _removable(reading: Reading, tasks: Sequence[int]) -> list[dict[str, Any]]:
    return [
        {"task": str(each.pk), "holder": shapes.person(each.holder)}
        for each in reading.tasks
        if each.pk in tasks
    ]


def _pick(definition: Definition, pick: Pick) -> dict[str, Any]:
    return {
        "step": pick.step,
        "name": step_name(definition, pick.step),
        "min": pick.least,
        "max": pick.most,
        "required": pick.needed,
    }


def _rights(reading: Reading, task: Task) -> Mapping[str, Right]:
    decides = (
        task.holder_id == reading.user.pk
        and task.state == Task.State.OPEN
        and reading.state.status is InstanceState.RUNNING
    )
    return reading.rights_with(task) if decides else reading.rights


def _labels(definition: Definition, step_id: str) -> dict[str, str]:
    """What the process calls the decisions."""
    planned = definition.plan.steps.get(step_id)
    step = planned.step if planned is not None else None
    labels = step.acts.labels if isinstance(step, HumanStep) else Labels()
    return {
        "approve": labels.approve or _("Approve"),
        "reject": labels.reject or _("Reject"),
        "return": labels.return_ or _("Return"),
    }
