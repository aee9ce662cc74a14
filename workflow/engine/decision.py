"""One decision while it is being made: the events so far and the state that they lead to."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from workflow.engine.evolve import evolve
from workflow.engine.plan import START
from workflow.engine.rejections import Invalid
from workflow.forms.rights import effective

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from workflow.engine.events import AnyEvent, InstanceStarted
    from workflow.engine.facts import Facts
    from workflow.engine.flowdoc.rules import Rights
    from workflow.engine.plan import Plan
    from workflow.engine.questions import Consulted
    from workflow.engine.state import State
    from workflow.forms.formdoc import FormDoc
    from workflow.forms.rights import Right

# The numbers of events and seats of one request stay below this, because ids are made of them.
MOST = 99_999


@dataclass(frozen=True, slots=True)
class Definition:
    """A published version, ready to run: the compiled process and its form, if it has one.

    It never changes, so what follows from it is found once and kept.
    """

    plan: Plan
    form: FormDoc | None = None
    _rights: dict[str, Mapping[str, Right]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def rights_at(self, step_id: str) -> Mapping[str, Right]:
        """What the holder of a task of this step may do with each field (approvals.md 3.2).

        Nothing for a step that another version of the process had (the request was moved).
        """
        if step_id == START:
            return self.start_rights()
        planned = self.plan.steps.get(step_id)
        return {} if planned is None else self._rights_of(step_id, planned.step.fields)

    def start_rights(self) -> Mapping[str, Right]:
        """What the initiator may do with each field when filing."""
        return self._rights_of("", self.plan.doc.start.fields)

    def _rights_of(self, name: str, given: Rights) -> Mapping[str, Right]:
        if self.form is None:
            return {}
        found = self._rights.get(name)
        if found is None:
            found = MappingProxyType(effective(given.default, given.set, self.form, given.rows))
            self._rights[name] = found
        return found


@dataclass(slots=True)
class Decision:
    """Collects events; each is folded at once, so that what follows sees what was decided."""

    definition: Definition
    facts: Facts
    now: datetime
    state: State
    starting: bool = False
    # The step that a rejecting person chose to go back to, where the step lets him choose.
    asked_target: str = ""
    # The step that goes on because its rules have answered, while it does.
    consulted: Consulted | None = None
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
