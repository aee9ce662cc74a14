"""Rebuild requests from their history and compare every stored row: the product's own fsck.

Theory of operation. The history is the truth; everything else of a request must follow from it.
So the history is folded once into a state and once into rows, and both are held against what is
stored, column by column. Nothing is locked and nothing is written: each request is read between
two looks at its position, and read again when a command came in between, so that a live system
shows no difference that is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from workflow.engine.events import AnyEvent, InstanceStarted, Migrated
from workflow.engine.evolve import evolve
from workflow.models import SPAN, Event, Instance, Job, Step, Task
from workflow.published import definition_of
from workflow.recorded import kind_of
from workflow.runtime.projection import Projection

if TYPE_CHECKING:
    from django.db.models import Model

    from workflow.engine.state import State

Row = Mapping[str, Any]
_TRIES = 5
_CHUNK = 500
_event = msgspec.json.Decoder(AnyEvent).decode
# A worker moves these without an event, and only while the step waits for it.
_NOT_DONE_YET = {Job.State.PENDING.value, Job.State.LEASED.value}


@dataclass(frozen=True, slots=True)
class Difference:
    """One column of one row that is not what the history says.

    ``row`` is the row's id and ``column`` empty when the whole row is missing or one too many.
    """

    instance: int
    table: str
    row: int
    column: str
    stored: str
    replayed: str


def instance_ids(tenant_id: int | None = None) -> Iterator[int]:
    """The ids of all requests, of one tenant if it is given, ascending, a few at a time."""
    rows = Instance.objects.order_by("id")
    if tenant_id is not None:
        rows = rows.filter(tenant_id=tenant_id)
    after = 0
    while ids := list(rows.filter(pk__gt=after).values_list("id", flat=True)[:_CHUNK]):
        yield from ids
        after = ids[-1]


def differences(instance_id: int) -> list[Difference]:
    """Everything in which the rows of a request differ from its history; empty when it is sound.

    Raises Instance.DoesNotExist; RuntimeError when commands kept coming in while it was read.
    """
    for _again in range(_TRIES):
        row = Instance.objects.filter(pk=instance_id).values().get()
        stored = _stored(row)
        if Instance.objects.filter(pk=instance_id, position=row["position"]).exists():
            return list(_compare(stored))
    message = f"Request {instance_id} changed all the time while it was read."
    raise RuntimeError(message)


@dataclass(frozen=True, slots=True)
class _Stored:
    """All rows of one request."""

    instance: Row
    events: list[Row]
    steps: dict[int, Row]
    tasks: dict[int, Row]
    jobs: dict[int, Row]


def _stored(instance: Row) -> _Stored:
    return _Stored(
        instance=instance,
        events=list(Event.objects.filter(instance=instance["id"]).order_by("position").values()),
        steps=_by_id(Step, instance["id"]),
        tasks=_by_id(Task, instance["id"]),
        jobs=_by_id(Job, instance["id"]),
    )


def _by_id(model: type[Model], instance_id: int) -> dict[int, Row]:
    rows = model._default_manager.filter(instance=instance_id).values()  # noqa: SLF001 - public API
    return {row["id"]: row for row in rows}


def _compare(stored: _Stored) -> Iterator[Difference]:
    yield from _history(stored)
    try:
        state, projection = _fold(stored)
    except (ValueError, KeyError, msgspec.MsgspecError) as broken:
        # The one thing that can be said: from here on nothing follows from this history.
        pk = stored.instance["id"]
        yield Difference(pk, "flow_event", pk, "", "", f"{type(broken).__name__}: {broken}")
        return
    yield from _instance(stored, state, projection)
    yield from _rows(stored, "flow_step", stored.steps, _steps(stored, projection))
    yield from _rows(stored, "flow_task", stored.tasks, _tasks(stored, projection))
    yield from _rows(stored, "flow_job", stored.jobs, _jobs(stored, projection))


def _fold(stored: _Stored) -> tuple[State, Projection]:
    state: State | None = None
    events = [_event(row["payload"]) for row in stored.events]
    projection = Projection(stored.instance["id"], definition_of(_first_version(stored, events)))
    for row, event in zip(stored.events, events, strict=True):
        state = evolve(state, event)
        projection.project([event], row["at"], row["actor_id"])
    if state is None:
        message = "The history is empty."
        raise ValueError(message)
    projection.ended_jobs(state)
    return state, projection


def _first_version(stored: _Stored, events: Sequence[AnyEvent]) -> int:
    """The version that the request was filed with: a move names the one before it."""
    moved = (each.old for each in events if isinstance(each, Migrated))
    return next(moved, int(stored.instance["version_id"]))


def _history(stored: _Stored) -> Iterator[Difference]:
    """The history's own columns: counted without a gap, of one tenant, named as they are."""
    pk = stored.instance["id"]
    for place, row in enumerate(stored.events, start=1):
        expected = {
            "id": pk * SPAN + row["position"],
            "position": place,
            "tenant_id": stored.instance["tenant_id"],
        }
        try:
            expected["kind"] = kind_of(_event(row["payload"]))
        except msgspec.MsgspecError:
            expected["payload"] = "an event that can be read"
        yield from _columns(stored, "flow_event", row, expected)


def _instance(stored: _Stored, state: State, projection: Projection) -> Iterator[Difference]:
    first = _event(stored.events[0]["payload"])
    if not isinstance(first, InstanceStarted):
        return
    expected = {
        "number": first.number,
        "title": first.title,
        "initiator_id": first.initiator,
        "state": state.status,
        "position": len(stored.events),
        "version_id": projection.version_id or stored.instance["version_id"],
        "snapshot": msgspec.json.decode(msgspec.json.encode(state)),
        "held": state.held,
        "started_at": stored.events[0]["at"],
        "ended_at": projection.ended_at,
    }
    yield from _columns(stored, "flow_instance", stored.instance, expected)


def _steps(stored: _Stored, projection: Projection) -> Iterator[dict[str, Any]]:
    for row in projection.steps.values():
        yield {**_common(stored, row.number), **asdict(row)}


def _tasks(stored: _Stored, projection: Projection) -> Iterator[dict[str, Any]]:
    for row in projection.tasks.values():
        values = asdict(row)
        values["holder_id"] = values.pop("holder")
        values["decided_by_id"] = values.pop("decided_by")
        yield {**_common(stored, row.number), **values}


def _jobs(stored: _Stored, projection: Projection) -> Iterator[dict[str, Any]]:
    for row in projection.jobs.values():
        expected = {**_common(stored, row.number), **asdict(row)}
        # A worker that failed moves the moment of its next try.
        del expected["due_at"]
        found = stored.jobs.get(expected["id"])
        if row.state == Job.State.PENDING and found and found["state"] in _NOT_DONE_YET:
            expected["state"] = found["state"]
        yield expected


def _common(stored: _Stored, number: int) -> dict[str, Any]:
    return {
        "id": stored.instance["id"] * SPAN + number,
        "tenant_id": stored.instance["tenant_id"],
    }


def _rows(
    stored: _Stored, table: str, found: Mapping[int, Row], expected: Iterator[dict[str, Any]]
) -> Iterator[Difference]:
    pk = stored.instance["id"]
    known = {row["id"]: row for row in expected}
    for row_id in sorted(found.keys() | known.keys()):
        if row_id not in known:
            yield Difference(pk, table, row_id, "", "a row", "no row")
        elif row_id not in found:
            yield Difference(pk, table, row_id, "", "no row", "a row")
        else:
            yield from _columns(stored, table, found[row_id], known[row_id])


def _columns(stored: _Stored, table: str, row: Row, expected: Row) -> Iterator[Difference]:
    for column, value in expected.items():
        if row[column] != value:
            yield Difference(
                stored.instance["id"], table, row["id"], column, str(row[column]), str(value)
            )
