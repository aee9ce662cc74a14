"""The only writer of requests: lock, load, decide, append, project, tell subscribers, commit.

Theory of operation. One command is one transaction of a handful of fixed statements. Two guards
keep two commands on one request apart, because locking differs by database: the row lock (on
SQLite the IMMEDIATE transaction), and always the position, which the UPDATE of the request tests
and which is unique in the history. The state comes from the snapshot on the request's row, never
from a fold of the history. An idempotency key is a row inserted last: it exists exactly when its
command took effect, and the second caller with the same key is turned away by the unique index,
undone, and answered with what the first was answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from django.db import IntegrityError, transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from flowadmin import failpoints
from flowadmin.coordination.wake import wake
from flowadmin.directory.queries import Person
from flowadmin.rest.idempotency import Receipt, Stored, recall
from flowadmin.rest.problems import Problem, json_bytes
from workflow import statements
from workflow.engine.commands import Command, Start
from workflow.engine.decide import decide
from workflow.engine.events import InstanceStarted, WorkPutOff
from workflow.engine.rejections import Rejection
from workflow.engine.state import InstanceState, State
from workflow.models import SPAN, Instance
from workflow.models import Definition as DefinitionRow
from workflow.published import definition_of
from workflow.recorded import Recorded, read
from workflow.runtime import event_log, subscribers
from workflow.runtime.attachments import bind_files
from workflow.runtime.facts import Organisation
from workflow.runtime.projection import Projection
from workflow.runtime.refusals import problem_of
from workflow.runtime.rows import job_rows, step_rows, task_rows
from workflow.runtime.series import period_of, spelled
from workflow.runtime.transactions import again_on_conflict
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from datetime import datetime

    from workflow.engine.decision import Decision, Definition
    from workflow.runtime.starters import FiledBy

_decode_state = msgspec.json.Decoder(State).decode
_encode_state = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did: enough to answer whoever asked without another statement."""

    instance_id: int
    version_id: int
    number: str
    title: str
    started_at: datetime
    definition: Definition
    state: State
    decision: Decision
    projection: Projection
    task_created_at: datetime | None = None
    task_due_at: datetime | None = None


Answer = Callable[[Outcome], tuple[int, Any]]


@dataclass(frozen=True, slots=True)
class FromHistory:
    """A command that can only be made when the whole history is known.

    It is read behind the lock: what is decided on it cannot have moved meanwhile.
    """

    make: Callable[[Sequence[Recorded]], Command]


@dataclass(frozen=True, slots=True)
class Once:
    """An idempotency receipt with the way to word the answer that is kept with it."""

    receipt: Receipt
    answer: Answer


@dataclass(frozen=True, slots=True)
class Settled:
    """The end of a command: its outcome, or the stored answer of the first call with its key."""

    outcome: Outcome | None = None
    stored: Stored | None = None


def start(
    *,
    tenant_id: int,
    key: str,
    initiator: int,
    values: dict[str, object],
    now: datetime,
    picked: Mapping[str, Sequence[int]] | None = None,
    once: Once | None = None,
    filed_by: FiledBy | None = None,
) -> Settled:
    """Begin a request of the process ``key``.

    ``values`` are typed JSON values by field id, ``picked`` people's ids by step id; ``now``
    is the database's clock, aware UTC. ``filed_by``: not a person files it but another request.
    Raises Problem: 404 flow.unknown, 409 flow.suspended, 403, 422 (contract, Shapes).
    """

    def work() -> Outcome:
        row = statements.begin_start(tenant_id, key, initiator)
        if row is None or row[2] is None:
            raise Problem(404, "flow.unknown", rejection_text("flow.unknown"))
        definition_id, state, version_id, count, name, zone = row
        if filed_by is not None:
            version_id = filed_by.version_id(definition_id)
        definition = definition_of(version_id)
        numbering = definition.plan.doc.number
        known = Person(initiator, "", name, active=True) if name is not None else None
        facts = Organisation(tenant_id, now, known, zone)
        period = period_of(numbering, facts.today) if numbering.period != "none" else ""
        if period:
            count = statements.next_number(definition_id, period)
        parent = filed_by.parent if filed_by is not None else 0
        number = spelled(numbering, period, count)
        language = get_language() or "en"
        command = Start(initiator, number, values, picked or {}, parent, language)
        run = decide(definition, None, command, facts, now)
        if state != DefinitionRow.State.ACTIVE:
            # Behind the rule who may start: 403 comes before 409 (contract).
            raise Problem(409, "flow.suspended", rejection_text("flow.suspended"))
        _check_limit(definition, definition_id, initiator)
        return _write_new(tenant_id, definition_id, version_id, run, now, filed_by)

    return _settle(work, once, now)


def execute(
    *,
    tenant_id: int,
    instance_id: int,
    command: Command | FromHistory,
    actor_id: int | None,
    now: datetime,
    task: int = 0,
    once: Once | None = None,
    fence: Callable[[], None] | None = None,
) -> Settled:
    """Carry out one command on one request of this tenant.

    ``task`` is the id of the task that the answer will speak of; ``fence`` runs first inside the
    transaction and raises when the caller has lost the right to act (a worker its lease).
    Raises Problem: 404, 403, 409, 412, 422 in the contract's order.
    """

    def work() -> Outcome:
        if fence is not None:
            fence()
        row = statements.load_instance(tenant_id, instance_id, task)
        if row is None:
            raise Problem(404, "instance.unknown", _("There is no such request."))
        version_id, position, snapshot, number, title, started_at, created_at, due_at = row
        before = _decode_state(snapshot)
        facts = Organisation(tenant_id, now)
        asked = (
            command.make(tuple(read(instance_id))) if isinstance(command, FromHistory) else command
        )
        definition = definition_of(version_id)
        run = decide(definition, before, asked, facts, now)
        # A request's own version is not to be looked up, and kept, before it is committed.
        projection = Projection(instance_id, definition, before, version=lambda _: run.definition)
        projection.project(run.events, now, actor_id)
        _write_change(tenant_id, instance_id, position, run, projection, now, actor_id)
        return Outcome(
            instance_id=instance_id,
            version_id=projection.version_id or version_id,
            number=number,
            title=title,
            started_at=statements.known_moment(started_at),
            definition=run.definition,
            state=run.state,
            decision=run,
            projection=projection,
            task_created_at=statements.read_moment(created_at),
            task_due_at=statements.read_moment(due_at),
        )

    return _settle(work, once, now, task)


def _check_limit(definition: Definition, definition_id: int, initiator: int) -> None:
    """At most so many open requests of one process by one person (approvals.md 4, 88).

    The row of the process is locked since its number was taken, so that two starts of one person
    at the same moment are counted one after the other. Raises Problem 409 start.too_many_open.
    """
    most = definition.plan.doc.limits.open_per_initiator
    if most is None:
        return
    count = Instance.objects.filter(
        definition_id=definition_id, initiator_id=initiator, state=InstanceState.RUNNING.value
    ).count()
    if count >= most:
        text = rejection_text("start.too_many_open") % {"most": most}
        raise Problem(409, "start.too_many_open", text, most=most)


class _Repeated(Exception):
    """The idempotency key was used before: undo everything and give the first answer."""


def _settle(
    work: Callable[[], Outcome], once: Once | None, now: datetime, task: int = 0
) -> Settled:
    try:
        return Settled(outcome=again_on_conflict(lambda: _once(work, once, now)))
    except _Repeated:
        stored = recall(once.receipt, now) if once else None
        if stored is None:
            # The first answer expired between the two looks: the caller may simply try again.
            raise Problem(409, "idempotency.busy", _("Please try again.")) from None
        return Settled(stored=stored)
    except (Rejection, Problem) as refusal:
        # A repeated command is refused ("not open any more"), because the first took effect or
        # because of what has happened since: then the first answer is the right one.
        stored = recall(once.receipt, now) if once else None
        if stored is not None:
            return Settled(stored=stored)
        if isinstance(refusal, Problem):
            raise
        raise problem_of(refusal, task) from refusal


def _once(work: Callable[[], Outcome], once: Once | None, now: datetime) -> Outcome:
    with transaction.atomic():
        outcome = work()
        if once is not None:
            _remember(once, outcome, now)
        failpoints.reached("decision.before_commit")
    failpoints.reached("decision.after_commit")
    return outcome


def _remember(once: Once, outcome: Outcome, now: datetime) -> None:
    status, answer = once.answer(outcome)
    receipt = once.receipt
    row = (
        receipt.tenant_id,
        receipt.user_id,
        receipt.route,
        receipt.key,
        receipt.body_hash,
        status,
        json_bytes(answer).decode(),
        statements.moment(now),
    )
    try:
        statements.insert_request(row)
    except IntegrityError as error:
        raise _Repeated from error


def _write_new(
    tenant_id: int,
    definition_id: int,
    version_id: int,
    run: Decision,
    now: datetime,
    filed_by: FiledBy | None,
) -> Outcome:
    started = run.events[0]
    if not isinstance(started, InstanceStarted):
        message = "A history begins with instance_started."
        raise TypeError(message)
    moment = statements.moment(now)
    instance_id = statements.insert_instance(
        (
            tenant_id,
            definition_id,
            version_id,
            started.number,
            started.title,
            started.initiator,
            run.state.status,
            run.state.position,
            _encode_state(run.state).decode(),
            moment,
            moment if run.state.status is not InstanceState.RUNNING else None,
        )
    )
    if filed_by is not None:
        filed_by.link(instance_id)
    projection = Projection(instance_id, run.definition)
    projection.project(run.events, now, started.initiator)
    _write_rows(tenant_id, instance_id, 0, run, projection, now, started.initiator)
    return Outcome(
        instance_id=instance_id,
        version_id=version_id,
        number=started.number,
        title=started.title,
        started_at=now,
        definition=run.definition,
        state=run.state,
        decision=run,
        projection=projection,
    )


def _write_change(
    tenant_id: int,
    instance_id: int,
    position: int,
    run: Decision,
    projection: Projection,
    now: datetime,
    actor_id: int | None,
) -> None:
    moved = statements.update_instance(
        instance_id,
        position,
        state=run.state.status,
        position=run.state.position,
        snapshot=_encode_state(run.state).decode(),
        ended_at=statements.moment(projection.ended_at),
    )
    if not moved:
        # Cannot happen while the lock holds; if it ever does, nothing may be written.
        raise Problem(409, "instance.moved", _("The request changed at this moment."))
    if projection.version_id is not None:
        Instance.objects.filter(pk=instance_id).update(version_id=projection.version_id)
    _write_rows(tenant_id, instance_id, position, run, projection, now, actor_id)


def _write_rows(
    tenant_id: int,
    instance_id: int,
    position: int,
    run: Decision,
    projection: Projection,
    now: datetime,
    actor_id: int | None,
) -> None:
    event_log.append(
        tenant_id=tenant_id,
        instance_id=instance_id,
        after=position,
        events=run.events,
        at=now,
        actor_id=actor_id,
    )
    bind_files(
        tenant_id=tenant_id,
        instance_id=instance_id,
        form=run.definition.form,
        events=run.events,
        owner_id=actor_id,
        now=now,
    )
    statements.write_steps(step_rows(tenant_id, instance_id, projection))
    statements.write_tasks(task_rows(tenant_id, instance_id, projection))
    fresh, cancelled = job_rows(tenant_id, instance_id, projection, run.state)
    statements.insert_jobs(fresh)
    statements.cancel_jobs(instance_id * SPAN + number for number in cancelled)
    statements.put_off_jobs(
        instance_id * SPAN + event.job for event in run.events if isinstance(event, WorkPutOff)
    )
    subscribers.publish(
        subscribers.Happened(
            tenant_id=tenant_id,
            instance_id=instance_id,
            definition=run.definition,
            before=projection.before,
            after=run.state,
            events=run.events,
            at=now,
            actor_id=actor_id,
        )
    )
    if fresh:
        wake("steps")
