"""Requests that other requests start: filed once, told of their end, ended when nobody waits.

Theory of operation. A child is filed in a transaction of its own, which also writes the row that
links it to its parent and holds the parent's work: a parent that ends first takes the work away
and no child comes into being; a child that comes first is seen by the parent's end. When a child
ends, its transaction makes the parent's work due, and a worker carries the result over as a
command. So never two requests are locked at once, and nothing depends on a process that survives.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import IntegrityError

from flowadmin.coordination.wake import wake
from flowadmin.rest.problems import Problem
from workflow import queries
from workflow.engine.children import CHILD, DEEPEST, TOO_DEEP, UNKNOWN, input_of
from workflow.engine.commands import ChildBegun, ChildOver, ChildRefused, EndChild
from workflow.engine.flowdoc.steps import SubflowStep
from workflow.engine.state import InstanceState
from workflow.models import ChildRequest, Instance, Job
from workflow.published import definition_of
from workflow.runtime import steps
from workflow.runtime.execute import execute, start
from workflow.runtime.starters import FiledBy

if TYPE_CHECKING:
    from datetime import datetime

    from workflow.engine.state import Activation, Child, State
    from workflow.runtime.steps import Claimed
    from workflow.runtime.subscribers import Happened

log = logging.getLogger(__name__)

ROUND = 100
PAUSE = timedelta(seconds=30)
_CODES = {404: UNKNOWN, 409: UNKNOWN, 403: "subflow.not_startable", 422: "subflow.bad_input"}


def carry_out(claimed: Claimed, now: datetime) -> bool:
    """Start the child of a job, or carry its end over to the parent; whether it was done.

    Raises LeaseLost, and Problem when the parent refuses for another reason than being over.
    """
    parent = Instance.objects.get(pk=claimed.instance_id, tenant=claimed.tenant_id)
    state = queries.state_of(parent)
    found = _child_of(state, claimed.number)
    if found is None:
        return steps.carry_out(claimed, now, command=ChildRefused(claimed.number, UNKNOWN))
    activation, child = found
    if state.paused:
        steps.postpone(claimed, now + PAUSE)
        return False
    link = _link(parent, activation, child)
    if link is None:
        refused = _start(claimed, parent, state, activation, child, now)
        if refused is not None:
            return steps.carry_out(claimed, now, command=refused)
        link = _link(parent, activation, child)
    return link is not None and _report(claimed, link, child, now)


def _child_of(state: State, job: int) -> tuple[Activation, Child] | None:
    for work in state.work:
        activation = state.activation(work.activation)
        if work.number == job and work.kind == CHILD and activation is not None:
            child = activation.child(work.child)
            return None if child is None else (activation, child)
    return None


def _link(parent: Instance, activation: Activation, child: Child) -> ChildRequest | None:
    return (
        ChildRequest.objects.select_related("child")
        .filter(parent=parent, activation=activation.number, number=child.number)
        .first()
    )


def _start(
    claimed: Claimed,
    parent: Instance,
    state: State,
    activation: Activation,
    child: Child,
    now: datetime,
) -> ChildRefused | None:
    """File the child once; why it could not be filed, if so. Raises LeaseLost."""
    plan = definition_of(parent.version_id).plan
    planned = plan.steps.get(activation.step)
    step = planned.step if planned is not None else None
    if not isinstance(step, SubflowStep):
        return ChildRefused(claimed.number, UNKNOWN)
    depth = _depth(parent) + 1
    if depth > DEEPEST:
        return ChildRefused(claimed.number, TOO_DEEP)

    def link(instance_id: int) -> None:
        # The parent's end takes the work away in its own transaction: one of the two is second.
        steps.hold(claimed)
        ChildRequest.objects.create(
            tenant_id=claimed.tenant_id,
            parent=parent,
            activation=activation.number,
            number=child.number,
            child_id=instance_id,
            job_id=claimed.id,
            depth=depth,
            awaited=step.wait,
            state=ChildRequest.State.RUNNING,
        )

    try:
        start(
            tenant_id=claimed.tenant_id,
            key=step.flow,
            initiator=child.starter,
            values=input_of(plan, state, activation, child),
            now=now,
            filed_by=FiledBy(parent.pk, activation.version, link),
        )
    except Problem as problem:
        about = problem.errors[0]["at"] if problem.errors else ""
        log.warning("%s was not started: %s %s", step.flow, problem.code, about)
        return ChildRefused(claimed.number, _CODES.get(problem.status, UNKNOWN), about)
    except IntegrityError:
        # Somebody else filed it in this moment: his row is the one.
        log.info("%s of request %s was started already", step.flow, parent.pk)
    return None


def _depth(parent: Instance) -> int:
    rows = ChildRequest.objects.filter(child=parent).values_list("depth", flat=True)
    return rows.first() or 0


def _report(claimed: Claimed, link: ChildRequest, child: Child, now: datetime) -> bool:
    begun = ChildBegun(claimed.number, link.child_id, link.child.number)
    if not link.awaited:
        return steps.carry_out(claimed, now, command=begun)
    if link.state == ChildRequest.State.ENDED:
        return steps.carry_out(claimed, now, command=_over(claimed, link))
    if child.instance:
        rest(claimed, link, now)
        return False
    return steps.carry_out(claimed, now, command=begun, fence=lambda: rest(claimed, link, now))


def rest(claimed: Claimed, link: ChildRequest, now: datetime) -> None:
    """Wait for the child's end: its transaction makes the row due, before this or after it."""
    steps.let_go(claimed, state=Job.State.PENDING, due_at=steps.UNTIL_TOLD)
    if ChildRequest.objects.filter(pk=link.pk, state=ChildRequest.State.ENDED).exists():
        Job.objects.filter(pk=claimed.id).update(due_at=now)


def _over(claimed: Claimed, link: ChildRequest) -> ChildOver:
    ended = queries.state_of(link.child)
    return ChildOver(
        job=claimed.number,
        instance=link.child_id,
        number=link.child.number,
        result=ended.status,
        values=ended.values,
    )


def follow(happened: Happened) -> None:
    """In the transaction of a decision: a child that ends tells its parent's work, and children
    of a step that is over are not wanted any more.
    """
    if happened.after.parent and happened.after.status is not InstanceState.RUNNING:
        _tell_parent(happened)
    before = happened.before.activations if happened.before is not None else ()
    for activation in before:
        if activation.children and happened.after.activation(activation.number) is None:
            _give_up(happened.instance_id, activation.number)


def _tell_parent(happened: Happened) -> None:
    links = ChildRequest.objects.filter(child=happened.instance_id)
    job_id = links.values_list("job_id", flat=True).first()
    if job_id is not None:
        # First the parent's work, then the link: the order of the parent's own end.
        Job.objects.filter(pk=job_id, state=Job.State.PENDING).update(due_at=happened.at)
        links.update(state=ChildRequest.State.ENDED)
        hint()


def _give_up(parent_id: int, activation: int) -> None:
    given_up = ChildRequest.objects.filter(
        parent=parent_id,
        activation=activation,
        awaited=True,
        state=ChildRequest.State.RUNNING,
    ).update(unwanted=True)
    if given_up:
        hint()


def end_unwanted(now: datetime) -> int:
    """End the children that nobody waits for any more; how many."""
    rows = ChildRequest.objects.filter(unwanted=True, state=ChildRequest.State.RUNNING)
    done = 0
    for link in rows.order_by("id")[:ROUND]:
        try:
            execute(
                tenant_id=link.tenant_id,
                instance_id=link.child_id,
                command=EndChild(),
                actor_id=None,
                now=now,
            )
            done += 1
        except Problem as problem:
            if problem.code != "instance.not_running":
                log.exception("request %s could not be ended", link.child_id)
                continue
            ChildRequest.objects.filter(pk=link.pk).update(state=ChildRequest.State.ENDED)
    return done


def hint() -> None:
    """Say that there is work outside, once the running transaction has committed."""
    wake("outside")
