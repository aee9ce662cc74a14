"""What an initiator does: file a request, and call it off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.commands import Withdraw
from workflow.runtime.execute import Once, Settled, execute, start

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.models import Instance


def start_request(
    *,
    user: User,
    flow: str,
    values: Mapping[str, object],
    now: datetime,
    picked: Mapping[str, Sequence[int]] | None = None,
    once: Once | None = None,
) -> Settled:
    """Start the current version of a process in this person's name.

    ``values`` are typed JSON values by field id, ``picked`` people's ids by step id.
    Raises Problem: 403, 404, 409, 422.
    """
    return start(
        tenant_id=user.tenant_id,
        key=flow,
        initiator=user.pk,
        values=dict(values),
        now=now,
        picked=picked,
        once=once,
    )


def withdraw(
    *, instance: Instance, user: User, comment: str, now: datetime, once: Once | None = None
) -> Settled:
    """Call a request off (contract, Withdraw).

    Raises Problem: 403 withdraw.never, 409 withdraw.decided.
    """
    return execute(
        tenant_id=user.tenant_id,
        instance_id=instance.pk,
        command=Withdraw(user.pk, comment),
        actor_id=user.pk,
        now=now,
        once=once,
    )
