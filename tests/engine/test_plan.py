"""The compiled plan: where a request goes on, and what every way to a step passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from tests.engine.flows import approve, both, choice, flow, trees
from workflow.engine.parsing import decode
from workflow.engine.plan import END, Plan, PlanBranch, Target, compile_plan, plan_digest

if TYPE_CHECKING:
    from workflow.engine.flowdoc import Flowdoc


def document(raw: dict[str, Any]) -> Flowdoc:
    doc = decode(raw).doc
    assert doc is not None
    return doc


def plan(*steps: dict[str, Any]) -> Plan:
    return compile_plan(document(flow(*steps)))


def step(step_id: str) -> Target:
    return Target("step", step_id)


def test_an_empty_flow_goes_from_start_to_end() -> None:
    compiled = plan()
    assert (compiled.first, dict(compiled.steps)) == (END, {})


def test_steps_follow_each_other_to_the_end() -> None:
    compiled = plan(approve("a"), approve("b"))
    assert compiled.first == step("a")
    assert [compiled.steps[each].after for each in "ab"] == [step("b"), END]
    assert [compiled.steps[each].number for each in "ab"] == [1, 2]
    assert compiled.steps["b"].at == "/steps/1"


def test_a_branch_of_a_choice_goes_on_where_the_choice_does() -> None:
    inner = choice("inner", long=[approve("x")])
    compiled = plan(choice("outer", long=[approve("a"), inner]), approve("z"))
    assert compiled.steps["outer"].branches == (
        PlanBranch("outer_long", step("a")),
        PlanBranch("outer_short", step("z")),
    )
    assert compiled.steps["inner"].branches == (
        PlanBranch("inner_long", step("x")),
        PlanBranch("inner_short", step("z")),
    )
    assert compiled.steps["x"].after == step("z")
    assert compiled.steps["x"].region == (("outer", "outer_long"), ("inner", "inner_long"))
    assert compiled.steps["x"].dominators == ("outer", "a", "inner")
    assert compiled.steps["z"].dominators == ("outer",)


def test_a_branch_of_a_parallel_block_arrives_at_its_join() -> None:
    inner = choice("inner", long=[approve("x")])
    compiled = plan(approve("a"), both("p", [inner], [], [approve("y")]), approve("z"))
    join = Target("join", "p")
    assert [each.first for each in compiled.steps["p"].branches] == [
        step("inner"), join, step("y"),
    ]  # fmt: skip
    assert compiled.steps["p"].after == step("z")
    assert [compiled.steps[each].after for each in ("inner", "x", "y")] == [join] * 3
    # What runs beside a step does not lie before it.
    assert compiled.steps["y"].dominators == ("a", "p")
    assert compiled.steps["z"].dominators == ("a", "p")


def test_a_plan_cannot_be_changed() -> None:
    compiled = plan(approve("a"))
    with pytest.raises(TypeError):
        compiled.steps["b"] = compiled.steps["a"]  # type: ignore[index] # that is the point
    with pytest.raises(AttributeError):
        compiled.first = END  # type: ignore[misc] # that is the point


def test_two_steps_with_one_id_have_no_plan() -> None:
    with pytest.raises(ValueError, match="two steps are called a"):
        plan(approve("a"), approve("a"))


def test_the_digest_is_of_the_plan_and_not_of_names() -> None:
    one, same, other = (
        plan_digest(plan(*steps))
        for steps in (
            [approve("a"), approve("b")],
            [approve("a", name="Another name"), approve("b")],
            [approve("b"), approve("a")],
        )
    )
    assert one == same
    assert one != other


def _successors(compiled: Plan, at: Target) -> list[Target]:
    """Where a request may go from here, as the engine walks: blocks first enter their branches."""
    if at.kind == "end":
        return []
    here = compiled.steps[at.id]
    if at.kind == "join" or not here.branches:
        return [here.after]
    return [branch.first for branch in here.branches]


def _reachable(compiled: Plan, without: str) -> set[Target]:
    """Every target on some way from the start that never enters the step `without`."""
    seen: set[Target] = set()
    waiting = [compiled.first]
    while waiting:
        at = waiting.pop()
        if at in seen or at == Target("step", without):
            continue
        seen.add(at)
        waiting.extend(_successors(compiled, at))
    return seen


@given(trees())
@settings(max_examples=80, deadline=None)
def test_every_target_exists_and_every_way_ends(raw: dict[str, Any]) -> None:
    compiled = compile_plan(document(raw))
    seen = _reachable(compiled, without="")
    assert END in seen
    assert {at.id for at in seen if at.kind == "step"} == set(compiled.steps)
    joins = {at.id for at in seen if at.kind == "join"}
    assert all(compiled.steps[each].step.kind == "parallel" for each in joins)
    numbers = [each.number for each in compiled.steps.values()]
    assert numbers == list(range(1, len(numbers) + 1))


@given(trees())
@settings(max_examples=80, deadline=None)
def test_dominators_are_what_no_way_to_the_step_avoids(raw: dict[str, Any]) -> None:
    compiled = compile_plan(document(raw))
    avoiding = {other: _reachable(compiled, without=other) for other in compiled.steps}
    for name, each in compiled.steps.items():
        needed = {other for other, seen in avoiding.items() if step(name) not in seen}
        assert needed - {name} == set(each.dominators)
        in_order = sorted(each.dominators, key=lambda other: compiled.steps[other].number)
        assert list(each.dominators) == in_order
