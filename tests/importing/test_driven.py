"""The given files of other systems, converted and driven to their end by a scripted approver."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from tests.importing import flow_files
from tests.importing.driven import Driven, organisation_for
from workflow.engine.decision import Definition
from workflow.engine.evolve import fold
from workflow.engine.flowdoc.steps import ChoiceStep, FinishStep
from workflow.engine.parsing import decode
from workflow.engine.plan import compile_plan
from workflow.engine.runnable import not_run_yet
from workflow.engine.state import InstanceState
from workflow.forms.findings import errors
from workflow.forms.reading import decode_form

if TYPE_CHECKING:
    from collections.abc import Iterator

CONVERTED = flow_files.converted()
ABSENT = pytest.param(None, marks=pytest.mark.skip(reason=f"no files in {flow_files.FOLDER}"))
each_converted = pytest.mark.parametrize(
    "given", [pytest.param(one, id=one.file) for one in CONVERTED] or [ABSENT]
)
# Each of them with every way to fill the form in, up to this many.
MOST_FILLED = 64
SAMPLES: dict[str, tuple[object, ...]] = {
    "number": ("1", "5", "50", "100000"),
    "integer": (1, 5, 50, 100000),
    "amount": ("1.00", "5.00", "50.00", "100000.00"),
    "text": ("a", "b"),
    "long_text": ("a", "b"),
    "bool": (True, False),
    "date": ("2026-03-02",),
    "time": ("09:00",),
    "timestamp": ("2026-03-02T09:00:00Z",),
    "user": ("the_lead",),
    "department": ("team",),
}


def definition_of(given: flow_files.Converted) -> Definition:
    doc = decode(given.document).doc
    assert doc is not None
    form = decode_form(given.form)[0] if given.form is not None else None
    return Definition(compile_plan(doc), form)


def compared(value: Any) -> Iterator[tuple[str, object]]:
    """Each field and value that a condition of the document compares."""
    if isinstance(value, dict):
        if isinstance(value.get("field"), str) and "op" in value and "value" in value:
            found = value["value"]
            for one in found if isinstance(found, list) else [found]:
                yield value["field"], one
        for each in value.values():
            yield from compared(each)
    elif isinstance(value, list):
        for each in value:
            yield from compared(each)


def fillings(given: flow_files.Converted, definition: Definition) -> Iterator[dict[str, object]]:
    """Ways to fill in the form: what the conditions ask for, and something else."""
    if definition.form is None:
        yield {}
        return
    asked: dict[str, list[object]] = {}
    for name, value in compared(given.document):
        asked.setdefault(name, []).append(value)
    columns = []
    for each in definition.form.fields:
        if each.type in {"choice", "multi_choice"}:
            values: list[object] = [option.id for option in each.options]
        else:
            values = [*asked.get(each.id, ())[:3], *SAMPLES.get(each.type, (None,))]
        columns.append([(each.id, value) for value in dict.fromkeys(map(plain, values))])
    for chosen in itertools.islice(itertools.product(*columns), MOST_FILLED):
        yield {name: value for name, value in chosen if value is not None}


def plain(value: object) -> object:
    return value if isinstance(value, str | int | None) else str(value)


def reasons(definition: Definition) -> list[str]:
    """Why this version does not run it: kinds of step, and what else is not run yet."""
    return [each.code for each in errors(not_run_yet(definition.plan.doc))]


@each_converted
def test_flow_files_are_driven_to_their_end_or_name_the_reason(given):
    definition = definition_of(given)
    if reasons(definition):
        assert {each.partition(".")[0] for each in reasons(definition)} == {"not_run_yet"}
        pytest.skip(f"not run by this version: {reasons(definition)}")
    # A branch that none of these reaches is one that holds the request on purpose.
    ends = {"approved"} | {
        each.step.result
        for each in definition.plan.steps.values()
        if isinstance(each.step, FinishStep)
    }
    if any(
        getattr(each.step, "verdict", "") == "reject" for each in definition.plan.steps.values()
    ):
        ends.add("rejected")
    entered: set[str] = set()
    for values in fillings(given, definition):
        driven = Driven(definition, organisation_for(definition)).to_the_end(values)
        assert driven.state.status.value in ends
        assert driven.state.status is not InstanceState.RUNNING
        assert driven.state.activations == ()
        assert fold(driven.events) == driven.state
        entered |= {each.step for each in driven.events if hasattr(each, "step")}
    first = definition.plan.first
    assert (
        first.kind == "end"
        or first.id in entered
        or isinstance(definition.plan.steps[first.id].step, ChoiceStep)
    )


def test_flow_files_nearly_all_are_driven():
    """Whoever adds a reason has to say so here."""
    if not flow_files.IS_GIVEN or not CONVERTED:
        pytest.skip("other files")
    undriven = {one.file for one in CONVERTED if reasons(definition_of(one))}
    assert undriven == set()
