"""Submitted values: what is accepted, how it is spelled, and what a person's rights refuse."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.forms.test_reading import JSON, a_field, decoded
from workflow.forms.formdoc import FormDoc, defaults
from workflow.forms.reading import decode_form
from workflow.forms.rights import Right, effective, visible
from workflow.forms.values import Cleaned, Value, clean, shown_fields

OPTIONS = [{"id": "a|b'\"", "label": "Odd"}, {"id": "é", "label": "Composed"}]
EVERY = decoded(
    a_field("line"),
    a_field("para", "long_text"),
    a_field("whole", "integer", limits={"min": -5}),
    a_field("num", "number", limits={"decimals": 3}),
    a_field("money", "amount", limits={"max": "1000000"}),
    a_field("day", "date", limits={"earliest": "2024-02-01", "latest": "2024-12-31"}),
    a_field("yes", "bool"),
    a_field("pick", "choice", options=OPTIONS),
    a_field("many", "multi_choice", options=OPTIONS),
    a_field("at", "time"),
    a_field("moment", "timestamp"),
    a_field("who", "user"),
    a_field("crew", "user", limits={"min_count": 2, "max_count": 3}),
    a_field("unit", "department"),
    a_field("papers", "file", limits={"max_count": 2}),
    a_field("hint", "note"),
)


def cleaned(
    form: FormDoc,
    submitted: dict[str, Any],
    current: dict[str, Value] | None = None,
    *,
    default: Right = "edit",
    **exceptions: str,
) -> Cleaned:
    return clean(form, submitted, effective(default, exceptions, form), current or {})


def codes(result: Cleaned) -> list[tuple[str, str]]:
    return [(finding.code, finding.at) for finding in result.findings]


@pytest.mark.parametrize(
    ("field", "sent", "stored"),
    [
        ("line", " as typed ", " as typed "),
        ("line", "e\u0301", "e\u0301"),
        ("line", "\U0001f600", "\U0001f600"),
        ("para", "one\n\ttwo\r\nthree", "one\n\ttwo\r\nthree"),
        ("whole", 3, 3),
        ("whole", "003", 3),
        ("whole", 2**53, 2**53),
        ("num", "1.500", "1.5"),
        ("num", 7, "7"),
        ("num", "-0.0", "0"),
        ("num", "90071992547409930001", "90071992547409930001"),
        ("num", "9007199254740993.001", "9007199254740993.001"),
        ("num", "100", "100"),
        ("money", "5", "5.00"),
        ("money", 5, "5.00"),
        ("money", "10.000", "10.00"),
        ("money", "-0.50", "-0.50"),
        ("money", "-0.00", "0.00"),
        ("day", "2024-02-29", "2024-02-29"),
        ("yes", False, False),
        ("pick", "a|b'\"", "a|b'\""),
        ("pick", "e\u0301", "é"),
        ("many", ["é", "a|b'\"", "e\u0301"], ("a|b'\"", "é")),
        ("at", "09:30", "09:30"),
        ("at", "09:30:00", "09:30"),
        ("at", "23:59:59", "23:59:59"),
        ("moment", "2026-03-02T09:30:00+08:00", "2026-03-02T01:30:00Z"),
        ("moment", "2026-03-02T01:30:00.000Z", "2026-03-02T01:30:00Z"),
        ("who", "ann", "ann"),
        ("crew", ["bao", "ann", "bao"], ("bao", "ann")),
        ("unit", "eng", "eng"),
        ("papers", ["f2", "f1"], ("f2", "f1")),
    ],
)
def test_accepted(field: str, sent: object, stored: Value) -> None:
    result = cleaned(EVERY, {field: sent})
    assert result.findings == ()
    assert result.values == result.changed == {field: stored}
    assert type(result.values[field]) is type(stored)


@pytest.mark.parametrize(
    ("field", "sent", "code"),
    [
        ("line", 3, "form.type_mismatch"),
        ("line", True, "form.type_mismatch"),
        ("line", ["x"], "form.type_mismatch"),
        ("line", "a\x00b", "form.control_character"),
        ("line", "a\nb", "form.control_character"),
        ("line", "a\x1bb", "form.control_character"),
        ("line", "a\ud800", "form.control_character"),
        ("line", "x" * 501, "form.too_long"),
        ("para", "a\rb", "form.control_character"),
        ("para", "x" * 5001, "form.too_long"),
        ("para", "x" * 100_000, "form.too_long"),
        ("whole", True, "form.type_mismatch"),
        ("whole", 3.0, "form.type_mismatch"),
        ("whole", "3.5", "form.too_many_decimals"),
        ("whole", "3e2", "form.bad_value"),
        ("whole", "", "form.bad_value"),
        ("whole", "٣", "form.bad_value"),
        ("whole", 2**53 + 1, "form.out_of_range"),
        ("whole", -6, "form.too_small"),
        ("whole", None, None),
        ("num", 1.5, "form.type_mismatch"),
        ("num", float("nan"), "form.type_mismatch"),
        ("num", "NaN", "form.bad_value"),
        ("num", "Infinity", "form.bad_value"),
        ("num", "1,5", "form.bad_value"),
        ("num", "+1", "form.bad_value"),
        ("num", "1_000", "form.bad_value"),
        ("num", " 1", "form.bad_value"),
        ("num", "1" * 70, "form.bad_value"),
        ("num", "1" * 21, "form.out_of_range"),
        ("num", "1.2345", "form.too_many_decimals"),
        ("num", 2**70, "form.out_of_range"),
        ("money", "10.005", "form.too_many_decimals"),
        ("money", "1000000.01", "form.too_big"),
        ("money", False, "form.type_mismatch"),
        ("day", "2024-02-30", "form.bad_value"),
        ("day", "20240229", "form.bad_value"),
        ("day", "2024-W10-1", "form.bad_value"),
        ("day", "2024-01-31", "form.too_early"),
        ("day", "2025-01-01", "form.too_late"),
        ("day", 20240229, "form.type_mismatch"),
        ("yes", 1, "form.type_mismatch"),
        ("yes", "true", "form.type_mismatch"),
        ("yes", "", "form.type_mismatch"),
        ("pick", "Odd", "form.unknown_option"),
        ("pick", 0, "form.type_mismatch"),
        ("many", "é", "form.type_mismatch"),
        ("many", ["é", 1], "form.type_mismatch"),
        ("many", ["no"], "form.unknown_option"),
        ("many", {"a": 1}, "form.type_mismatch"),
        ("at", "9:30", "form.bad_value"),
        ("at", "24:00", "form.bad_value"),
        ("at", "09:30:00.5", "form.bad_value"),
        ("at", 930, "form.type_mismatch"),
        ("moment", "2026-03-02T09:30:00", "form.bad_value"),
        ("moment", "2026-03-02", "form.bad_value"),
        ("moment", "2026-03-02T09:30:00.5Z", "form.bad_value"),
        ("moment", "0001-01-01T00:00:00+14:00", "form.bad_value"),
        ("moment", "9999-12-31T23:59:59-14:00", "form.bad_value"),
        ("moment", 0, "form.type_mismatch"),
        ("who", ["ann"], "form.type_mismatch"),
        ("who", 7, "form.type_mismatch"),
        ("who", "a\nb", "form.control_character"),
        ("who", "x" * 201, "form.too_long"),
        ("crew", "ann", "form.type_mismatch"),
        ("crew", ["ann"], "form.too_few"),
        ("crew", ["a", "b", "c", "d"], "form.too_many"),
        ("crew", ["ann", None], "form.type_mismatch"),
        ("crew", ["ann", ""], "form.bad_value"),
        ("papers", "f1", "form.type_mismatch"),
        ("papers", ["a", "b", "c"], "form.too_many"),
        ("papers", [{"id": "a"}], "form.type_mismatch"),
        ("hint", "x", "form.not_editable"),
    ],
)
def test_refused(field: str, sent: object, code: str | None) -> None:
    result = cleaned(EVERY, {field: sent})
    assert codes(result) == ([] if code is None else [(code, f"/{field}")])
    assert result.values == {}


def test_all_findings_at_once_in_form_order_then_the_unknown() -> None:
    result = cleaned(EVERY, {"zzz": 1, "a/b~": 2, "money": "x", "line": 1, "yes": "no"})
    assert codes(result) == [
        ("form.type_mismatch", "/line"),
        ("form.bad_value", "/money"),
        ("form.type_mismatch", "/yes"),
        ("form.unknown_field", "/zzz"),
        ("form.unknown_field", "/a~1b~0"),
    ]


def test_unknown_names_are_counted_off() -> None:
    result = cleaned(EVERY, {f"x{number}": 1 for number in range(1000)})
    assert len(result.findings) == 20


SMALL = decoded(a_field("seen"), a_field("secret"), a_field("open"))


def test_a_hidden_field_answers_like_one_that_does_not_exist() -> None:
    current: dict[str, Value] = {"seen": "s", "secret": "x", "open": "o"}
    hidden = cleaned(SMALL, {"secret": "x"}, current, secret="hide")
    changed = cleaned(SMALL, {"secret": "y"}, current, secret="hide")
    nonsense = cleaned(SMALL, {"nobody": "x"}, current, secret="hide")
    for result, name in ((hidden, "secret"), (changed, "secret"), (nonsense, "nobody")):
        [finding] = result.findings
        assert (finding.code, finding.at) == ("form.unknown_field", f"/{name}")
        assert dict(finding.args) == {"field": name}
        assert result.values == current
        assert result.changed == {}


def test_a_field_to_read_takes_its_own_value_only() -> None:
    current: dict[str, Value] = {"seen": "s"}
    same = cleaned(SMALL, {"seen": "s"}, current, seen="read")
    assert (same.findings, same.changed) == ((), {})
    other = cleaned(SMALL, {"seen": "t", "open": "o"}, current, seen="read")
    assert codes(other) == [("form.not_editable", "/seen")]
    assert other.values["seen"] == "s"
    emptied = cleaned(SMALL, {"seen": None}, current, seen="read")
    assert codes(emptied) == [("form.not_editable", "/seen")]


def test_a_right_that_nobody_knows_hides() -> None:
    assert effective("admin", {"open": "EDIT"}, SMALL) == dict.fromkeys(
        ("seen", "secret", "open"), "hide"
    )


def test_rights_of_columns_and_notes() -> None:
    form = decoded(
        a_field("t", "table", columns=[a_field("a"), a_field("b")]),
        a_field("u", "table", columns=[a_field("a")]),
        a_field("n", "note"),
    )
    rights = effective("edit", {"t.b": "read", "u": "hide", "u.a": "edit"}, form)
    assert rights == {
        "t": "edit", "t.a": "edit", "t.b": "read",
        "t+add": "edit", "t+edit": "edit", "t+delete": "edit",
        "u": "hide", "u.a": "hide", "u+add": "hide", "u+edit": "hide", "u+delete": "hide",
        "n": "read",
    }  # fmt: skip


def test_only_visible_values_leave() -> None:
    rights = effective("read", {"secret": "hide"}, SMALL)
    values: dict[str, Value] = {"seen": "s", "secret": "x", "gone": "from an older form"}
    assert visible(values, rights) == {"seen": "s"}


def test_required_only_where_one_may_write() -> None:
    form = decoded(a_field("a", required=True), a_field("b", "bool", required=True))
    assert codes(cleaned(form, {})) == [("form.required", "/a"), ("form.required", "/b")]
    assert codes(cleaned(form, {"a": "  \t", "b": False})) == [("form.required", "/a")]
    assert codes(cleaned(form, {}, default="read")) == []
    assert codes(cleaned(form, {}, default="hide")) == []
    assert codes(cleaned(form, {}, {"a": "x", "b": True})) == []
    assert codes(cleaned(form, {"a": ""}, {"a": "x", "b": True})) == [("form.required", "/a")]
    assert codes(cleaned(SMALL, {}, open="must")) == [("form.required", "/open")]


def test_what_is_not_submitted_stays_and_null_empties() -> None:
    current: dict[str, Value] = {"seen": "s", "open": "o", "secret": "x"}
    result = cleaned(SMALL, {"seen": None, "open": ""}, current)
    assert result.findings == ()
    assert result.values == {"secret": "x"}
    assert result.changed == {"seen": None, "open": None}


def test_defaults_start_a_request() -> None:
    form = decoded(a_field("a", default="x", required=True), a_field("b", default="y"))
    started = cleaned(form, {"b": None}, defaults(form), a="read")
    assert (started.findings, started.values) == ((), {"a": "x"})


CHAIN = decoded(
    a_field("why", required=True, show_if={"field": "kind", "op": "is", "value": "other"}),
    a_field("kind", "choice", options=[{"id": "other", "label": "O"}, {"id": "x", "label": "X"}],
            show_if={"field": "days", "op": "gt", "value": 2}),
    a_field("days", "integer"),
)  # fmt: skip


def test_what_is_not_shown_is_dropped_and_not_required() -> None:
    full = cleaned(CHAIN, {"days": 3, "kind": "other", "why": "w"})
    assert full.values == {"why": "w", "kind": "other", "days": 3}
    assert codes(cleaned(CHAIN, {"days": 3, "kind": "other"})) == [("form.required", "/why")]
    short = cleaned(CHAIN, {"days": 1}, full.values)
    assert short.findings == ()
    assert short.values == {"days": 1}
    assert short.changed == {"why": None, "kind": None, "days": 1}
    ignored = cleaned(CHAIN, {"days": 1, "kind": 17, "why": "\x00"})
    assert (ignored.findings, ignored.values) == ((), {"days": 1})
    assert shown_fields(CHAIN, {"days": 3, "kind": "x"}) == {"days", "kind"}


def test_a_mistyped_condition_hides_nothing() -> None:
    result = cleaned(
        CHAIN, {"days": "many", "kind": "x"}, {"days": 3, "kind": "other", "why": "w"}
    )
    assert codes(result) == [("form.bad_value", "/days")]
    assert result.values == {"days": 3, "kind": "x"}


TOTAL = decoded(
    a_field("total", "amount", sum_of=["a", "b", "count"], limits={"max": "100"}),
    a_field("a", "amount"),
    a_field("b", "amount"),
    a_field("count", "integer"),
)


def test_sums_are_exact_and_the_servers_own() -> None:
    result = cleaned(TOTAL, {"a": "0.10", "b": "0.20", "count": 3})
    assert result.values["total"] == "3.30"
    assert codes(cleaned(TOTAL, {"a": "1", "total": "1.0"})) == []
    assert codes(cleaned(TOTAL, {"a": "1", "total": "2"})) == [("form.not_editable", "/total")]
    emptied = cleaned(TOTAL, {"a": None}, {"a": "1.00", "total": "1.00"})
    assert emptied.changed == {"total": None, "a": None}
    assert codes(cleaned(TOTAL, {"a": "x", "total": "5"})) == [("form.bad_value", "/a")]


def test_a_hidden_sum_blames_its_visible_parts() -> None:
    shown = cleaned(TOTAL, {"a": "99", "b": "2"})
    assert codes(shown) == [("form.too_big", "/total")]
    hidden = cleaned(TOTAL, {"a": "99", "b": "2"}, total="hide")
    assert codes(hidden) == [("form.too_big", "/a"), ("form.too_big", "/b")]
    assert [finding.args["field"] for finding in hidden.findings] == ["a", "b"]


@given(st.dictionaries(st.sampled_from([field.id for field in EVERY.fields]) | st.text(), JSON))
def test_no_json_makes_cleaning_raise_and_cleaning_twice_changes_nothing(
    submitted: dict[str, Any],
) -> None:
    once = cleaned(EVERY, submitted)
    if once.findings:
        return
    again = cleaned(EVERY, dict(once.values), once.values)
    assert (again.findings, again.changed, again.values) == ((), {}, once.values)


ADDED = decoded(*(a_field(f"n{n}", "number") for n in range(5)),
                a_field("sum", "number", sum_of=[f"n{n}" for n in range(5)]))  # fmt: skip


@given(st.lists(st.decimals(-(10**9), 10**9, places=10, allow_nan=False), min_size=5, max_size=5))
def test_a_sum_is_what_integers_say(numbers: list[Any]) -> None:
    sent = {f"n{n}": format(number, "f") for n, number in enumerate(numbers)}
    result = cleaned(ADDED, sent)
    assert result.findings == ()
    scaled = sum(int(number.scaleb(10)) for number in numbers)
    whole, _, fraction = str(result.values["sum"]).partition(".")
    assert int(whole + fraction.ljust(10, "0")) == scaled


@pytest.mark.parametrize("text", ["\u200b", "\u2060\ufeff", "\u202e", " \u3000 "])
def test_what_nobody_can_see_fills_no_required_field(text):
    form, _findings = decode_form(
        {"formdoc": 1, "fields": [{"id": "why", "type": "text", "label": "Why", "required": True}]}
    )
    assert form is not None
    cleaned = clean(form, {"why": text}, {"why": "edit"}, {})
    assert [finding.code for finding in cleaned.findings] == ["form.required"]
