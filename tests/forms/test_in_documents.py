"""Fields of every type as a process uses them: branches, rights, texts, people."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.flows import a_step, approve, branch, flow
from tests.forms.test_reading import a_field, decoded
from workflow.engine.parsing import decode
from workflow.engine.validation import validate

FORM = decoded(
    a_field("at", "time"),
    a_field("moment", "timestamp"),
    a_field("boss", "user"),
    a_field("unit", "department"),
    a_field("lines", "table", columns=[
        a_field("cost", "amount", required=True), a_field("by", "user"), a_field("day", "date"),
    ]),
)  # fmt: skip
ALL = {"set": {"at": "must", "moment": "must", "boss": "must", "unit": "must", "lines": "must"}}


def when(field: str, op: str, value: object) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


def found(raw: dict[str, Any]) -> list[tuple[str, str, object]]:
    doc = decode(raw).doc
    assert doc is not None
    return [
        (each.code, each.at, each.args.get("sample", each.args.get("field")))
        for each in validate(doc, FORM)
    ]


def branches(*conditions: dict[str, Any]) -> list[tuple[str, str, object]]:
    inner = [
        branch(f"b{number}", approve(f"a{number}"), when=condition)
        for number, condition in enumerate(conditions)
    ]
    step = a_step("c", "choice", branches=[*inner, branch("rest", otherwise=True)])
    return found(flow(step, start={"fields": ALL}))


NEVER, OVERLAP = "branch.never", "branch.overlap"


@pytest.mark.parametrize(
    ("conditions", "code", "sample"),
    [
        ([when("at", "before", "09:00"), when("at", "after", "08:59:59")], None, None),
        ([when("at", "before", "09:00"), when("at", "after", "08:59")], OVERLAP, "08:59:01"),
        ([when("at", "before", "23:59:59"), when("at", "between", ["10:00", "11:00"])],
         NEVER, None),
        ([when("moment", "after", "2026-03-02T08:00:00+08:00"),
          when("moment", "eq", "2026-03-02T00:00:01Z")], NEVER, None),
        ([when("moment", "before", "2026-03-02T00:00:00Z"),
          when("moment", "before", "2026-03-02T08:00:01+08:00")], OVERLAP,
         "2026-03-01T23:59:59Z"),
        ([when("boss", "is", "ann"), when("boss", "in", ["ann", "bao"])], OVERLAP, "ann"),
        ([when("boss", "in", ["ann", "bao"]), when("boss", "is", "bao")], NEVER, None),
        # Somebody whom no branch names is somebody too.
        ([when("boss", "is", "ann"), {"field": "boss", "op": "empty"},
          {"not": when("boss", "in", ["ann"])}], OVERLAP, ""),
        ([when("unit", "is", "eng"), when("unit", "under", ["eng"])], None, None),
        ([when("lines", "count_gt", 3), when("lines", "sum_gt(cost)", "10")], None, None),
    ],
)  # fmt: skip
def test_branches_on_every_type(
    conditions: list[dict[str, Any]], code: object, sample: object
) -> None:
    told = [(each, end) for each, _, end in branches(*conditions)]
    assert told == ([] if code is None else [(code, sample)])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (flow(approve(), title="{form.lines.cost}"), ("form.unknown_field", "/title")),
        (flow(approve(), summary=["lines.cost"]), ("summary.unknown_field", "/summary/0")),
        (flow(approve(deadline={"after": {"field": "lines.day"}})),
         ("form.unknown_field", "/steps/0/deadline/after/field")),
        (flow(approve(fields={"rows": {"boss": ["add"]}})),
         ("form.type_mismatch", "/steps/0/fields/rows/boss")),
        (flow(approve(), start={"fields": {"set": {"lines.cost": "read"}}}),
         ("form.required_but_hidden", "/start/fields")),
    ],
)  # fmt: skip
def test_what_a_process_cannot_do_with_a_table(raw: Any, expected: tuple[str, str]) -> None:
    assert expected in [(code, at) for code, at, _ in found(raw)]


def test_what_a_process_can_do_with_a_table() -> None:
    people = {"any_of": [{"by": "form_users", "field": "lines.by"}]}
    raw = flow(
        approve(who=people, fields={"set": {"lines.cost": "hide"}, "rows": {"lines": ["add"]}}),
        start={"fields": ALL},
    )
    assert [each for each in found(raw) if each[0].startswith(("form.", "summary."))] == []
    # Where nobody can add a row, a required column is missed by nobody.
    closed = {"fields": {"set": {"lines.cost": "read"}, "rows": {"lines": []}}}
    raw = flow(approve(), start=closed)
    assert "form.required_but_hidden" not in [code for code, _, _ in found(raw)]
