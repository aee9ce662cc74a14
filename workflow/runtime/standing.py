"""A request's row as the place where those who act on it beside the engine stand in line."""

from __future__ import annotations

from django.db.models import F, Q

from workflow.models import Instance


def stand_in_line(tenant_id: int, instance_id: int) -> bool:
    """Lock a request that runs and is not paused for the rest of the caller's transaction.

    A conditional UPDATE that changes nothing, since a lock by SELECT means nothing on SQLite
    (decision 6). The race: several people at the same moment; each sees what the one before him
    has committed. Whether there is such a request.
    """
    running = Instance.objects.filter(
        ~Q(snapshot__has_key="paused"),
        pk=instance_id,
        tenant_id=tenant_id,
        state=Instance.State.RUNNING,
    )
    return bool(running.update(position=F("position")))
