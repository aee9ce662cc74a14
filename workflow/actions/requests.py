"""File a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.runtime.execute import Once, Settled, start

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from flowadmin.directory.models import User


def start_request(
    *,
    user: User,
    flow: str,
    values: Mapping[str, object],
    now: datetime,
    once: Once | None = None,
) -> Settled:
    """Start the current version of a process in this person's name.

    ``values`` are typed JSON values by field id. Raises Problem: 403, 404, 409, 422.
    """
    return start(
        tenant_id=user.tenant_id,
        key=flow,
        initiator=user.pk,
        values=dict(values),
        now=now,
        once=once,
    )
