"""Tables: rows are added, edited, moved and removed as the rights say, hidden columns stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.forms.test_reading import JSON, a_field, decoded
from tests.forms.test_values import cleaned, codes
from workflow.engine.state import State
from workflow.forms import tables
from workflow.forms.digest import values_digest
from workflow.forms.rights import effective, visible
from workflow.forms.values import Cleaned, clean

if TYPE_CHECKING:
    from collections.abc import Mapping

FORM = decoded(
    a_field("lines", "table", columns=[
        a_field("what", required=True),
        a_field("cost", "amount", limits={"min": "0"}),
        a_field("kind", "choice", options=[{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]),
        a_field("tags", "multi_choice", options=[{"id": "x", "label": "X"}]),
        a_field("secret"),
        a_field("ok", "bool", default=True),
    ], limits={"max_count": 4}),
    a_field("total", "amount", sum_of=["lines.cost", "fee"]),
    a_field("fee", "amount"),
)  # fmt: skip
ROWS: tuple[Any, ...] = (
    {"_id": "r0_1", "what": "train", "cost": "10.00", "secret": "s1", "ok": True},
    {"_id": "r0_2", "what": "hotel", "cost": "90.50", "secret": "s2", "ok": False},
)
BEFORE: dict[str, Any] = {"lines": ROWS, "total": "100.50"}


def sent(
    rows: object,
    *,
    right: str = "edit",
    may: list[str] | None = None,
    moment: int = 3,
    **columns: str,
) -> Cleaned:
    exceptions = {f"lines.{name}": each for name, each in columns.items()} | {"lines": right}
    rights = effective("edit", exceptions, FORM, {} if may is None else {"lines": may})
    return clean(FORM, {"lines": rows}, rights, BEFORE, moment)


def rows_in(values: Mapping[str, Any]) -> Any:
    return values.get("lines", ())


def row(number: int, **cells: object) -> dict[str, object]:
    return {"_id": f"r0_{number}", **cells}


def test_new_rows_are_named_and_spelt_by_the_server() -> None:
    result = cleaned(FORM, {
        "fee": "0.01",
        "lines": [{"what": "bus", "cost": 5, "tags": ["x", "x"]}, {"what": "x", "ok": None}],
    })  # fmt: skip
    assert result.findings == ()
    assert result.values == {
        "lines": (
            {"_id": "r0_1", "what": "bus", "cost": "5.00", "tags": ("x",), "ok": True},
            {"_id": "r0_2", "what": "x"},
        ),
        "total": "5.01",
        "fee": "0.01",
    }
    assert list(rows_in(result.values)[0]) == ["_id", "what", "cost", "tags", "ok"]


def test_what_is_not_sent_stays_and_the_sum_follows() -> None:
    result = sent([row(1, cost="1.5"), row(2), {"what": "bus"}])
    assert result.findings == ()
    assert result.changed == {
        "lines": (
            {**ROWS[0], "cost": "1.50"},
            ROWS[1],
            {"_id": "r3_1", "what": "bus", "ok": True},
        ),
        "total": "92.00",
    }


def test_the_same_rows_again_change_nothing() -> None:
    shown = visible(BEFORE, effective("read", {"lines.secret": "hide"}, FORM))
    as_json = msgspec.json.decode(msgspec.json.encode(shown["lines"]))
    result = sent(as_json, secret="hide")
    assert (result.findings, result.changed) == ((), {})


def test_rows_are_removed_moved_and_all_emptied() -> None:
    assert sent([row(2)]).changed == {"lines": (ROWS[1],), "total": "90.50"}
    assert sent([row(2), row(1)]).changed == {"lines": (ROWS[1], ROWS[0])}
    nothing: Any
    for nothing in ([], None):
        emptied = sent(nothing)
        assert (emptied.findings, emptied.values) == ((), {})
        assert emptied.changed == {"lines": None, "total": None}


def test_a_name_is_never_used_twice() -> None:
    first = sent([row(1), {"what": "a"}, {"what": "b"}], moment=7)
    names = [each["_id"] for each in rows_in(first.values)]
    assert names == ["r0_1", "r7_1", "r7_2"]
    rights = effective("edit", {}, FORM)
    fewer = clean(FORM, {"lines": [row(1)]}, rights, first.values, 8).values
    more = clean(FORM, {"lines": [row(1), {"what": "c"}]}, rights, fewer, 9).values
    assert [each["_id"] for each in rows_in(more)] == ["r0_1", "r9_1"]
    # Outside of a request, and twice at one moment, the names still differ.
    twice = clean(FORM, {"lines": [row(1), {"what": "d"}]}, rights, BEFORE, 0).values
    assert [each["_id"] for each in rows_in(twice)] == ["r0_1", "r0_3"]


@pytest.mark.parametrize(
    ("rows", "code", "at"),
    [
        ("x", "form.type_mismatch", "/lines"),
        ({"0": {}}, "form.type_mismatch", "/lines"),
        ([7], "form.type_mismatch", "/lines/0"),
        ([row(1), row(2), []], "form.type_mismatch", "/lines/2"),
        ([row(9)], "form.unknown_row", "/lines/0/_id"),
        ([{"_id": 1}], "form.unknown_row", "/lines/0/_id"),
        ([{"_id": ["r0_1"]}], "form.unknown_row", "/lines/0/_id"),
        ([row(1), row(1)], "id.duplicate", "/lines/1/_id"),
        ([row(1, cost="x")], "form.bad_value", "/lines/0/cost"),
        ([row(1), row(2, cost=-1)], "form.too_small", "/lines/1/cost"),
        ([row(1, cost=1.5)], "form.type_mismatch", "/lines/0/cost"),
        ([row(1, kind="c")], "form.unknown_option", "/lines/0/kind"),
        ([row(1, tags=["y"])], "form.unknown_option", "/lines/0/tags"),
        ([row(1, what="a\x00")], "form.control_character", "/lines/0/what"),
        ([row(1, what=" ")], "form.required", "/lines/0/what"),
        ([row(1), row(2), {"cost": 1}], "form.required", "/lines/2/what"),
        ([row(1, ghost=1)], "form.unknown_field", "/lines/0/ghost"),
        ([row(1, **{"a/b": 1})], "form.unknown_field", "/lines/0/a~1b"),
        ([{"what": "x"}] * 5, "form.too_many_rows", "/lines"),
        ([{"what": "x"}] * 501, "form.too_many_rows", "/lines"),
    ],
)
def test_refused_where_it_stands(rows: object, code: str, at: str) -> None:
    result = sent(rows)
    assert (code, at) in codes(result)
    assert all(finding.code == code for finding in result.findings)


def test_each_right_to_rows_is_needed_for_its_own_change() -> None:
    assert codes(sent([row(1), row(2), {"what": "x"}], may=["edit", "delete"])) == [
        ("form.row_not_added", "/lines/2")
    ]
    assert codes(sent([row(1)], may=["add", "edit"])) == [("form.row_not_removed", "/lines")]
    assert codes(sent([], may=["add", "edit"])) == [("form.row_not_removed", "/lines")]
    edited = sent([row(1, cost="1"), row(2, what="hotel")], may=["add", "delete"])
    assert codes(edited) == [("form.not_editable", "/lines/0/cost")]
    assert edited.findings[0].args == {"field": "lines.cost"}
    assert codes(sent([row(2), row(1)], may=["add", "delete"])) == [
        ("form.not_editable", "/lines")
    ]
    added = sent([row(1), {"what": "new", "cost": "2"}, row(2)], may=["add"])
    assert codes(added) == []
    assert [each["_id"] for each in rows_in(added.values)] == ["r0_1", "r3_1", "r0_2"]
    assert codes(sent([row(2)], may=["delete"])) == []


def test_a_table_to_read_takes_no_change_at_all() -> None:
    same = [row(1, what="train"), row(2)]
    assert codes(sent(same, right="read")) == []
    assert sent(same, right="read").changed == {}
    for changed in (
        [row(1, what="plane"), row(2)], [row(1)], [row(2), row(1)], [*same, {"what": "x"}],
    ):  # fmt: skip
        result = sent(changed, right="read")
        assert len(result.findings) == 1
    assert codes(sent(same, right="hide")) == [("form.unknown_field", "/lines")]


def test_a_column_to_edit_in_a_table_to_read() -> None:
    result = sent([row(1, cost="3"), row(2)], right="read", cost="edit")
    assert result.findings == ()
    assert result.changed["lines"] == ({**ROWS[0], "cost": "3.00"}, ROWS[1])
    refused = sent([row(1, cost="3", what="x"), row(2), {"what": "y"}], right="read", cost="edit")
    assert codes(refused) == [
        ("form.not_editable", "/lines/0/what"), ("form.row_not_added", "/lines/2"),
    ]  # fmt: skip


def test_a_hidden_column_answers_like_one_that_does_not_exist() -> None:
    known = sent([row(1, secret="s1"), row(2)], secret="hide")
    guess = sent([row(1, secret="s9"), row(2)], secret="hide")
    nonsense = sent([row(1, nothing="s1"), row(2)], secret="hide")
    for result, name in ((known, "secret"), (guess, "secret"), (nonsense, "nothing")):
        [finding] = result.findings
        assert (finding.code, finding.at) == ("form.unknown_field", f"/lines/0/{name}")
        assert finding.args == {"field": f"lines.{name}"}
    kept = sent([row(2, what="inn"), row(1)], secret="hide")
    assert rows_in(kept.values) == ({**ROWS[1], "what": "inn"}, ROWS[0])


def test_a_hidden_column_never_leaves() -> None:
    rights = effective("read", {"lines.secret": "hide", "lines.cost": "hide"}, FORM)
    shown = visible(BEFORE, rights)
    assert shown["lines"] == (
        {"_id": "r0_1", "what": "train", "ok": True},
        {"_id": "r0_2", "what": "hotel", "ok": False},
    )
    assert "s1" not in str(shown)
    # Values read from JSON come as lists; a column nobody named is hidden.
    as_read: dict[str, Any] = {"lines": list(ROWS)}
    assert visible(as_read, {"lines": "read"}) == {"lines": ({"_id": "r0_1"}, {"_id": "r0_2"})}
    # What a person did not see is no part of what he decided on.
    other = {**BEFORE, "lines": ({**ROWS[0], "secret": "changed"}, ROWS[1])}
    assert values_digest(visible(other, rights)) == values_digest(shown)
    assert values_digest(other) != values_digest(BEFORE)


def test_what_is_needed_of_rows() -> None:
    must = sent([row(1), row(2, kind="a")], kind="must")
    assert codes(must) == [("form.required", "/lines/0/kind")]
    # Whoever sends no rows is still asked for what he has to fill in, if he can.
    rights = effective("edit", {"lines.kind": "must"}, FORM)
    untouched = clean(FORM, {}, rights, BEFORE)
    assert codes(untouched) == [
        ("form.required", "/lines/0/kind"), ("form.required", "/lines/1/kind"),
    ]  # fmt: skip
    only_new = effective("edit", {"lines.kind": "must"}, FORM, {"lines": ["add"]})
    assert codes(clean(FORM, {}, only_new, BEFORE)) == []
    added = clean(FORM, {"lines": [row(1), row(2), {"what": "x"}]}, only_new, BEFORE)
    assert codes(added) == [("form.required", "/lines/2/kind")]
    # A column that this person cannot write is not asked of him.
    assert codes(sent([row(1), row(2), {"cost": "1"}], what="read")) == []


def test_a_table_that_is_needed() -> None:
    form = decoded(
        a_field("t", "table", columns=[a_field("a")], required=True, limits={"min_count": 2})
    )
    assert codes(cleaned(form, {})) == [("form.required", "/t")]
    assert codes(cleaned(form, {"t": []})) == [("form.required", "/t")]
    assert codes(cleaned(form, {"t": [{"a": "x"}]})) == [("form.too_few_rows", "/t")]
    assert codes(cleaned(form, {"t": [{"a": "x"}, {}]})) == []
    read = effective("edit", {}, form, {"t": ["edit"]})
    assert codes(clean(form, {}, read, {})) == []


def test_a_table_that_is_not_shown_loses_its_rows() -> None:
    form = decoded(
        a_field("trip", "bool"),
        a_field("t", "table", columns=[a_field("a", required=True)], required=True,
                show_if={"field": "trip", "op": "is", "value": True}),
        a_field("many", show_if={"field": "t", "op": "count_ge", "value": 2}, required=True),
    )  # fmt: skip
    full = cleaned(form, {"trip": True, "t": [{"a": "x"}, {"a": "y"}], "many": "so"})
    assert full.findings == ()
    gone = cleaned(form, {"trip": False, "t": "nonsense"}, full.values)
    assert (gone.findings, gone.values) == ((), {"trip": False})
    fewer = cleaned(form, {"t": [{"_id": "r0_1"}]}, full.values)
    assert (codes(fewer), fewer.changed["many"]) == ([], None)
    # A mistyped table hides nothing.
    wrong = cleaned(form, {"t": [{"_id": "r0_1"}, {"_id": "r9"}]}, full.values)
    assert codes(wrong) == [("form.unknown_row", "/t/1/_id")]
    assert wrong.values["many"] == "so"


def test_sums_over_columns_are_exact_and_the_servers() -> None:
    many = [{"what": "x", "cost": "0.10"} for _ in range(3)]
    result = cleaned(FORM, {"lines": many, "fee": "0.03"})
    assert result.values["total"] == "0.33"
    assert codes(cleaned(FORM, {"lines": many, "total": "0.30"})) == []
    assert codes(cleaned(FORM, {"lines": many, "total": "9"})) == [("form.not_editable", "/total")]
    wrong = cleaned(FORM, {"lines": [{"what": "x", "cost": "?"}], "total": "9"})
    assert codes(wrong) == [("form.bad_value", "/lines/0/cost")]
    # Only required things are missing: whoever rejects may still store the sum.
    missing = cleaned(FORM, {"lines": [{"cost": "2"}]})
    assert (codes(missing), missing.values["total"]) == (
        [("form.required", "/lines/0/what")], "2.00",
    )  # fmt: skip


def test_a_hidden_sum_blames_the_table() -> None:
    form = decoded(
        a_field("t", "table", columns=[a_field("cost", "amount")]),
        a_field("total", "amount", sum_of=["t.cost"], limits={"max": "10"}),
    )
    hidden = cleaned(form, {"t": [{"cost": "11"}]}, total="hide")
    assert codes(hidden) == [("form.too_big", "/t")]
    assert codes(cleaned(form, {"t": [{"cost": "11"}]})) == [("form.too_big", "/total")]


def test_findings_stand_in_the_order_of_the_form_and_end_somewhere() -> None:
    form = decoded(
        a_field("a", "integer"),
        a_field("t", "table", columns=[a_field("n", "integer")]),
        a_field("z", "integer"),
    )
    result = cleaned(form, {"z": "x", "t": [{"n": "x"}, {"n": "y"}], "a": "x", "ghost": 1})
    assert [at for _, at in codes(result)] == ["/a", "/t/0/n", "/t/1/n", "/z", "/ghost"]
    endless = cleaned(form, {"t": [{"n": "x"}] * 500})
    assert len(endless.findings) == tables.MOST_FAULTS + 1
    last = endless.findings[-1]
    assert (last.code, last.at, last.args["shown"]) == ("doc.too_many_problems", "/t", 100)


def test_a_table_has_a_size() -> None:
    columns = [a_field(f"c{number}", "long_text") for number in range(10)]
    form = decoded(a_field("t", "table", columns=columns))
    full = {f"c{number}": "x" * 5000 for number in range(10)}
    assert codes(cleaned(form, {"t": [full] * 5})) == []
    assert codes(cleaned(form, {"t": [full] * 6})) == [("form.too_large", "/t")]


CELLS = st.dictionaries(st.sampled_from(["_id", "what", "cost", "tags", "secret", "x"]), JSON)


@given(st.lists(CELLS | JSON, max_size=4) | JSON, st.sampled_from(["edit", "read", "hide"]))
def test_no_json_makes_a_table_raise_and_twice_changes_nothing(rows: Any, secret: str) -> None:
    once = sent(rows, secret=secret)
    if once.findings:
        return
    rights = effective("edit", {"lines.secret": secret}, FORM)
    seen = visible(once.values, rights)
    again = clean(FORM, {"lines": seen.get("lines")}, rights, once.values, 4)
    assert (again.findings, again.changed) == ((), {})
    for before in ROWS:
        after = [each for each in rows_in(once.values) if each["_id"] == before["_id"]]
        if secret != "edit":
            assert all(each["secret"] == before["secret"] for each in after)


def test_stored_rows_come_back_as_they_were() -> None:
    state = State(initiator=1, values=BEFORE)
    again = msgspec.json.decode(msgspec.json.encode(state), type=State)
    assert again.values == BEFORE
    tagged = sent([row(1, tags=["x"]), row(2)]).values
    back = msgspec.json.decode(msgspec.json.encode(State(initiator=1, values=tagged)), type=State)
    assert back.values == tagged
    assert isinstance(rows_in(back.values)[0]["tags"], tuple)
