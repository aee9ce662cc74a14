"""Who files requests: which people may, by the engine's own rule, and other requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowadmin.rest.problems import Problem
from workflow.engine import starting
from workflow.engine.decision import Decision, Definition
from workflow.engine.events import InstanceStarted
from workflow.models import Version
from workflow.runtime.facts import Organisation
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from flowadmin.directory.models import User


@dataclass(frozen=True, slots=True)
class FiledBy:
    """A request that files another one, with the version (its number) that is meant.

    ``link`` gets the id of the new request, inside its transaction and before anything is told
    of it; what it raises undoes the start.
    """

    parent: int
    version: int
    link: Callable[[int], None]

    def version_id(self, definition_id: int) -> int:
        """The id of that version of a process. Raises Problem 404 flow.unknown."""
        rows = Version.objects.filter(definition=definition_id, number=self.version)
        found = rows.values_list("id", flat=True).first()
        if found is None:
            raise Problem(404, "flow.unknown", rejection_text("flow.unknown"))
        return found


def may_start(definition: Definition, user: User, now: datetime) -> bool:
    """Whether this person is among those who may file it; without a rule everybody may.

    ``now`` is aware UTC. Nothing is written. A start asks the same rule once more.
    """
    if definition.plan.doc.start.who is None:
        return True
    begun = InstanceStarted(initiator=user.pk, number="", title="", values={})
    facts = Organisation(user.tenant_id, now)
    return starting.may_start(Decision.begin(definition, begun, facts, now))
