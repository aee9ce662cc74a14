"""A document as validation looks at it: its steps placed, its form's fields by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from workflow.engine.flowdoc import HumanStep, rules
from workflow.engine.flowdoc.places import parts_of
from workflow.engine.plan import PlanStep, walk
from workflow.forms.findings import Finding, printable
from workflow.forms.formdoc import FormDoc, fields_by_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import msgspec

    from workflow.engine.flowdoc import Flowdoc
    from workflow.forms.formdoc import Field
    from workflow.forms.scalars import FieldType

Args = dict[str, str | int]

# Parts that name nothing outside of themselves: no check asks for them as such, and every step
# has several.
_SAY_NOTHING: frozenset[type[msgspec.Struct]] = frozenset(
    {
        rules.Acts,
        rules.DecideAll,
        rules.DecideAny,
        rules.DecideClaim,
        rules.DecideDraw,
        rules.DecideInOrder,
        rules.EmptyApprove,
        rules.EmptyHold,
        rules.EmptyRefuseStart,
        rules.EmptyReject,
        rules.Evidence,
        rules.Labels,
        rules.Reject,
        rules.RejectBranch,
        rules.RejectEnd,
        rules.Remind,
    }
)


class Spot(NamedTuple):
    """A part of the document, its JSON Pointer, and the step around it (none at the top)."""

    part: msgspec.Struct
    at: str
    placed: PlanStep | None

    @property
    def step(self) -> str | None:
        """The id of the step around the part."""
        return None if self.placed is None else self.placed.id


@dataclass(frozen=True, slots=True)
class Look:
    """What every check of a document needs; made once by `look_at`."""

    doc: Flowdoc
    form: FormDoc | None
    steps: tuple[PlanStep, ...]
    known: Mapping[str, PlanStep]
    fields: Mapping[str, Field]
    # By the number of the step; 0 = outside all steps.
    parts: Mapping[int, tuple[Spot, ...]]

    def spots(self) -> Iterator[Spot]:
        """Every part of the document, the top first, conditions whole."""
        for spots in self.parts.values():
            yield from spots

    def spots_of(self, placed: PlanStep) -> tuple[Spot, ...]:
        """Every part of one step, without the steps inside it."""
        return self.parts[placed.number]

    def type_of(self, name: str) -> FieldType | None:
        """The type of a field or of `table.column`; nothing when the form has none such."""
        field_id, dot, column_id = name.partition(".")
        field = self.fields.get(field_id)
        if field is None or not dot:
            return None if field is None else field.type
        return next((column.type for column in field.columns if column.id == column_id), None)

    def field_faults(
        self, name: str, spot: Spot, at: str, fitting: frozenset[FieldType] | None = None
    ) -> Iterator[Finding]:
        """`form.unknown_field` or `form.type_mismatch` for a reference to a field at `at`."""
        kind = self.type_of(name)
        if kind is None:
            yield fault("form.unknown_field", spot, at, field=printable(name))
        elif fitting is not None and kind not in fitting:
            yield fault("form.type_mismatch", spot, at, field=printable(name), type=kind)

    def is_human_before(self, step_id: str, placed: PlanStep | None) -> bool:
        """Whether every way to `placed` passes the named step, and people decide there."""
        target = self.known.get(step_id)
        if target is None or placed is None or step_id not in placed.dominators:
            return False
        return isinstance(target.step, HumanStep)


def look_at(doc: Flowdoc, form: FormDoc | None) -> Look:
    """The document made ready for checking; of two steps with one id the first is known."""
    steps = tuple(walk(doc))
    known: dict[str, PlanStep] = {}
    for placed in steps:
        known.setdefault(placed.id, placed)
    parts = {0: tuple(_at_the_top(doc))}
    for placed in steps:
        parts[placed.number] = tuple(
            Spot(part, at, placed)
            for part, at in parts_of(placed.step, placed.at)
            if type(part) not in _SAY_NOTHING
        )
    fields = {} if form is None else fields_by_id(form)
    return Look(doc, form, steps, known, fields, parts)


def _at_the_top(doc: Flowdoc) -> Iterator[Spot]:
    members = ((doc.start, "/start"), (doc.policy, "/policy"), (doc.managers, "/managers"))
    for member, at in members:
        if member is not None:
            yield from (Spot(part, where, None) for part, where in parts_of(member, at))


def fault(code: str, spot: Spot | PlanStep | None, at: str, **args: str | int) -> Finding:
    """An error at a JSON Pointer, in the step of the spot."""
    return Finding(code, at, _step_of(spot), args=args)


def warning(code: str, spot: Spot | PlanStep | None, at: str, **args: str | int) -> Finding:
    """The same as a warning."""
    return Finding(code, at, _step_of(spot), "warning", args)


def _step_of(spot: Spot | PlanStep | None) -> str | None:
    if spot is None:
        return None
    return spot.id if isinstance(spot, PlanStep) else spot.step
