"""Conditions on tables: the number of rows and sums of columns; what `show_if` may not ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.forms.test_conditions import FORM, View, cond, leaf
from tests.forms.test_reading import a_field
from workflow.forms.condition_checks import check
from workflow.forms.evaluation import UNKNOWN, evaluate, text_of
from workflow.forms.reading import decode_form

if TYPE_CHECKING:
    from workflow.forms.scalars import Row, Value

LINES: tuple[Row, ...] = (
    {"_id": "r0_1", "cost": "0.10", "text": "a"},
    {"_id": "r0_2", "cost": "0.20"},
    {"_id": "r0_3", "text": "b"},
)


@pytest.mark.parametrize(
    ("op", "operand", "result", "asked", "seen"),
    [
        ("count_eq", 3, True, "lines", "3"),
        ("count_gt", 3, False, "lines", "3"),
        ("count_between", [1, 3], True, "lines", "3"),
        ("count_in", [1, 2], False, "lines", "3"),
        ("sum_eq(cost)", "0.3", True, "lines.cost", "0.3"),
        ("sum_gt(cost)", "0.30", False, "lines.cost", "0.3"),
        ("not_empty", None, True, "lines", "3"),
        ("empty", None, False, "lines", "3"),
    ],
)
def test_a_table_is_asked_for_its_rows_and_sums(
    op: str, operand: object, result: object, asked: str, seen: str
) -> None:
    tree = cond(leaf("lines", op, operand))
    assert check(tree, FORM, "") == ()
    verdict = evaluate(tree, View({"lines": LINES}))
    assert (verdict.result, verdict.asked, text_of(verdict.seen)) == (result, asked, seen)
    # What stands in the rows is never part of an explanation.
    assert verdict.op == op.partition("(")[0]


@pytest.mark.parametrize("rows", [(), None, ({"_id": "r0_1", "text": "x"},)])
def test_without_anything_to_add_up_a_sum_is_no_value(rows: Value) -> None:
    view = View({"lines": rows})
    for op, result in (("sum_ge(cost)", False), ("sum_lt(cost)", False), ("sum_ne(cost)", True)):
        verdict = evaluate(cond(leaf("lines", op, "0")), view)
        assert (verdict.result, verdict.no_value) == (result, True)
    empty = evaluate(cond(leaf("lines", "count_lt", 5)), view)
    assert empty.result is bool(rows)
    unknown = evaluate(cond(leaf("lines", "sum_ge(cost)", "0")), View({"lines": UNKNOWN}))
    assert unknown.result is None


def test_rows_are_told_by_their_number_only() -> None:
    assert text_of(LINES) == "3"


def test_what_depends_on_the_organisation_cannot_show_a_field() -> None:
    form, findings = decode_form(
        {"formdoc": 1, "fields": [
            a_field("who", "user"), a_field("a", show_if=leaf("who", "under", ["eng"])),
            a_field("b", show_if=leaf("who", "is", "ann")),
        ]}
    )  # fmt: skip
    assert form is None
    assert [(each.code, each.at) for each in findings] == [("cond.bad_op", "/fields/1/show_if/op")]
