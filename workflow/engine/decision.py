"""One decision while it is being made: the events so far and the state that they lead to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workflow.engine.evolve import evolve
from workflow.engine.rejections import Invalid

if TYPE_CHECKING:
    from datetime import datetime

    from workflow.engine.events import AnyEvent, InstanceStarted
    from workflow.engine.facts import Facts
    from workflow.engine.plan import Plan
    from workflow.engine.state import State
    from workflow.forms.formdoc import FormDoc

# The numbers of events and seats of one request stay below this, because ids are made of them.
MOST = 99_999


@dataclass(frozen=True, slots=True)
class Definition:
    """A published version, ready to run: the compiled process and its form, if it has one."""

    plan: Plan
    form: FormDoc | None = None


@dataclass(slots=True)
class Decision:
    """Collects events; each is folded at once, so that what follows sees what was decided."""

    definition: Definition
    facts: Facts
    now: datetime
    state: State
    starting: bool = False
    events: list[AnyEvent] = field(default_factory=list)

    @classmethod
    def begin(
        cls, definition: Definition, started: InstanceStarted, facts: Facts, now: datetime
    ) -> Decision:
        """A decision that begins a history."""
        state = evolve(None, started)
        return cls(definition, facts, now, state, starting=True, events=[started])

    @property
    def plan(self) -> Plan:
        return self.definition.plan

    def emit(self, event: AnyEvent) -> None:
        """Record that this happened. Raises Invalid when the history would become too long."""
        self.state = evolve(self.state, event)
        if self.state.position > MOST or self.state.last_seat > MOST:
            raise Invalid("instance.too_long", most=MOST)
        self.events.append(event)
