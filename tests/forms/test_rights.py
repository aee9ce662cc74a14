"""Rights to rows of tables, and what a person with several parts may read."""

from __future__ import annotations

import pytest

from tests.forms.test_reading import a_field, decoded
from workflow.forms.rights import RowRight, effective, fillable, may_rows, readable


@pytest.mark.parametrize(
    ("right", "column", "rows", "allowed"),
    [
        ("edit", "edit", None, ["add", "edit", "delete"]),
        ("must", "read", None, ["add", "edit", "delete"]),
        ("edit", "edit", ["add"], ["add"]),
        ("edit", "edit", [], []),
        ("read", "read", None, []),
        ("read", "read", ["add"], []),
        ("read", "edit", None, ["edit"]),
        ("read", "edit", ["add", "delete"], ["add", "delete"]),
        ("hide", "edit", ["add"], []),
    ],
)
def test_rights_to_rows(right: str, column: str, rows: list[str] | None, allowed: object) -> None:
    form = decoded(a_field("t", "table", columns=[a_field("a")]))
    given = {} if rows is None else {"t": rows}
    rights = effective("read", {"t": right, "t.a": column}, form, given)
    what: tuple[RowRight, ...] = ("add", "edit", "delete")
    assert [each for each in what if may_rows(rights, "t", each)] == allowed
    assert fillable(form.fields[0], rights) is bool(allowed)


def test_what_a_person_reads_is_what_any_of_his_parts_shows() -> None:
    form = decoded(
        a_field("a"), a_field("t", "table", columns=[a_field("b"), a_field("c")]), a_field("d")
    )
    parts = [
        effective("hide", {"a": "edit"}, form),
        effective("hide", {"t": "read", "t.c": "hide"}, form),
    ]
    assert readable(form, parts) == {
        "a": "read", "t": "read", "t.b": "read", "t.c": "hide", "d": "hide",
    }  # fmt: skip
    assert set(readable(form, [], everything=True).values()) == {"read"}
    assert set(readable(form, []).values()) == {"hide"}
