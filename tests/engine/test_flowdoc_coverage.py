"""Branches that can hold together, that never hold, and what no branch is for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.flows import FORM, a_step, approve, branch, flow
from workflow.engine.parsing import decode
from workflow.engine.validation import validate

BIG = {"field": "amount", "op": "gt", "value": "10000"}
ALWAYS = {"set": {"amount": "must", "reason": "must", "sort": "must"}}


def when(field: str, op: str, value: object) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


def found(*conditions: dict[str, Any], kind: str = "choice") -> list[tuple[str, str, object]]:
    """Code, end of the position and sample of what is said about branches on these conditions."""
    branches = [
        branch(f"b{number}", approve(f"a{number}"), when=condition)
        for number, condition in enumerate(conditions)
    ]
    more = {"join": "all"} if kind == "inclusive" else {}
    if kind == "choice":
        branches.append(branch("rest", otherwise=True))
    raw = flow(a_step("c", kind, branches=branches, **more), start={"fields": ALWAYS})
    doc = decode(raw).doc
    assert doc is not None
    return [
        (each.code, each.at.removeprefix("/steps/0/branches"), each.args.get("sample"))
        for each in validate(doc, FORM)
    ]


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([when("days", "gt", 5), when("days", "le", 5)], []),
        ([when("days", "gt", 5), when("days", "ge", 5)], [("branch.overlap", "/1/when", "6")]),
        ([when("days", "gt", 3), when("days", "gt", 5)], [("branch.never", "/1/when", None)]),
        ([when("days", "between", [5, 7]), when("days", "lt", 5), when("days", "gt", 7)], []),
        ([{"all": [when("days", "gt", 5), when("days", "lt", 6)]}, when("days", "eq", 1)],
         [("branch.never", "/0/when", None)]),
        # An amount has two decimals: nothing lies between 10000 and 10000.01.
        ([BIG, when("amount", "gt", "10000.005")], [("branch.never", "/1/when", None)]),
        ([BIG, when("amount", "le", "10000.01")], [("branch.overlap", "/1/when", "10000.01")]),
        ([BIG, {"not": BIG}], []),
        ([when("amount", "lt", "-999999999999999.99"), when("amount", "gt", "999999999999999.98")],
         []),
        ([when("when", "before", "2026-03-01"), when("when", "after", "2026-02-27")],
         [("branch.overlap", "/1/when", "2026-02-28")]),
        ([when("when", "before", "2026-03-01"), when("when", "after", "2026-02-28")], []),
        ([when("sort", "is", "a"), when("sort", "in", ["a", "b"])],
         [("branch.overlap", "/1/when", "a")]),
        ([when("sort", "in", ["a", "b"]), when("sort", "is", "b")],
         [("branch.never", "/1/when", None)]),
        # What asks more than one field, or no fixed values, is not proved.
        ([when("days", "gt", 3), {"all": [when("days", "gt", 5), BIG]}], []),
        ([when("reason", "starts", "a"), when("reason", "starts", "ab")], []),
        ([when("when", "within_last", 3), when("when", "within_last", 2)], []),
    ],
)  # fmt: skip
def test_a_choice_is_looked_at_value_by_value(
    conditions: list[dict[str, Any]], expected: list[tuple[str, str, object]]
) -> None:
    assert sorted(found(*conditions), key=str) == sorted(expected, key=str)


def test_branches_that_all_run_may_overlap_but_should_leave_no_gap() -> None:
    low, high = when("days", "lt", 3), when("days", "gt", 3)
    assert found(low, high, kind="inclusive") == [("branch.gap", "", "3")]
    assert found(when("days", "le", 4), high, kind="inclusive") == []


def test_a_huge_condition_is_left_unproved() -> None:
    many = {"any": [when("days", "in", list(range(start, start + 190))) for start in range(90)]}
    assert found(many, when("days", "eq", 1)) == []
