"""Requests that live through something, and how it is told afterwards."""

from __future__ import annotations

import json
from dataclasses import asdict

from tests.workflow import flows
from workflow import queries
from workflow.actions import approvals
from workflow.models import SPAN, Instance
from workflow.published import definition_of
from workflow.recorded import read
from workflow.runtime import steps
from workflow.wording import timeline


def work(later):
    """A worker carries out everything that is due."""
    moment = later()
    for job in steps.due(moment):
        claimed = steps.claim(job, "worker", moment)
        assert claimed is not None
        assert steps.carry_out(claimed, moment)


def act(user, command, *, now, **members):
    """This person does something with the newest open task of theirs; the task."""
    task = flows.open_task(user)
    asked = command(seat=task.pk % SPAN, by=user.pk, version=task.version, **members)
    approvals.on_task(task=task, user=user, command=asked, now=now)
    return task


def told(instance, *, shows=lambda _field: True, titles=None):
    """The timeline of a request, with the names that it mentions."""
    from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up

    instance = Instance.objects.get(pk=instance.pk)
    records = list(read(instance.pk))
    people = timeline.mentioned(records).people
    names = dict(User.objects.filter(pk__in=people).values_list("pk", "name"))
    entries = timeline.build(
        records,
        definition_of(instance.version_id),
        names,
        shows=shows,
        state=queries.state_of(instance),
        titles=titles,
    )
    # Everything goes into JSON as it is: no lazy text, nothing but plain values.
    json.dumps([asdict(entry) | {"at": entry.at.isoformat()} for entry in entries])
    return entries


def lines(entries):
    """What kind of fact each entry is, and its sentence."""
    return [(entry.state, entry.text) for entry in entries]
