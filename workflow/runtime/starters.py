"""Who may file a request of a process: the engine's own rule, asked before anybody files one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine import starting
from workflow.engine.decision import Decision, Definition
from workflow.engine.events import InstanceStarted
from workflow.runtime.facts import Organisation

if TYPE_CHECKING:
    from datetime import datetime

    from flowadmin.directory.models import User


def may_start(definition: Definition, user: User, now: datetime) -> bool:
    """Whether this person is among those who may file it; without a rule everybody may.

    ``now`` is aware UTC. Nothing is written. A start asks the same rule once more.
    """
    if definition.plan.doc.start.who is None:
        return True
    begun = InstanceStarted(initiator=user.pk, number="", title="", values={})
    facts = Organisation(user.tenant_id, now.date())
    return starting.may_start(Decision.begin(definition, begun, facts, now))
