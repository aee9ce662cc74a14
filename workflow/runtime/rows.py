"""Projected rows in the columns of the hot statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow import statements
from workflow.models import SPAN

if TYPE_CHECKING:
    from workflow.engine.state import State
    from workflow.runtime.projection import Projection

Row = statements.Row


def step_rows(tenant_id: int, instance_id: int, projection: Projection) -> list[Row]:
    """Rows for `statements.write_steps`."""
    return [
        (
            instance_id * SPAN + row.number,
            tenant_id,
            instance_id,
            row.number,
            row.step,
            row.kind,
            row.round,
            row.state,
            statements.moment(row.entered_at),
            statements.moment(row.ended_at),
        )
        for row in projection.steps.values()
    ]


def task_rows(tenant_id: int, instance_id: int, projection: Projection) -> list[Row]:
    """Rows for `statements.write_tasks`."""
    return [
        (
            instance_id * SPAN + row.number,
            tenant_id,
            instance_id,
            row.number,
            row.activation,
            row.step,
            row.step_name,
            row.kind,
            row.holder,
            row.state,
            row.version,
            statements.moment(row.created_at),
            statements.moment(row.due_at),
            statements.moment(row.snoozed_until),
            statements.moment(row.decided_at),
            row.decided_by,
            row.reason,
            row.closed_by,
        )
        for row in projection.tasks.values()
    ]


def job_rows(
    tenant_id: int, instance_id: int, projection: Projection, after: State
) -> tuple[list[Row], list[int]]:
    """New rows for `statements.insert_jobs`, and the numbers of older jobs to be cancelled.

    A job that was done is closed by the worker's fence, in the same transaction.
    """
    cancelled = projection.ended_jobs(after)
    fresh = [
        (
            instance_id * SPAN + row.number,
            tenant_id,
            instance_id,
            row.number,
            row.activation,
            row.seat,
            row.kind,
            row.state,
            statements.moment(row.due_at),
            "",
            0,
            0,
            "{}",
            statements.moment(row.created_at),
        )
        for row in projection.jobs.values()
    ]
    return fresh, cancelled
