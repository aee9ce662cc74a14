"""A form document is read whole, or refused with every problem at once."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workflow.forms.digest import canonical_bytes, form_digest
from workflow.forms.formdoc import Field, FormDoc, defaults, field_named, label_in, takes_many
from workflow.forms.reading import decode_form

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["amount", "choice", "table", "en", "2024-01-01", "\x00", "\ud800", "a"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=3)
            | st.sampled_from(
                ["formdoc", "fields", "id", "type", "label", "options", "limits", "show_if",
                 "sum_of", "columns", "all", "not", "field", "op", "value", "default", "min"]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)  # fmt: skip


def a_field(name: str = "a", kind: str = "text", **more: object) -> dict[str, object]:
    return {"id": name, "type": kind, "label": name.upper(), **more}


def a_form(*fields: dict[str, object]) -> dict[str, object]:
    return {"formdoc": 1, "fields": list(fields)}


def decoded(*fields: dict[str, object]) -> FormDoc:
    form, findings = decode_form(a_form(*fields))
    assert findings == ()
    assert form is not None
    return form


def found(raw: object, at: str = "") -> list[tuple[str, str]]:
    form, findings = decode_form(raw, at)
    assert (form is None) == bool(findings)
    return [(finding.code, finding.at) for finding in findings]


def test_every_type_of_the_contract_decodes() -> None:
    options = [{"id": "x", "label": {"en": "X", "zh-hans": "叉"}}]
    plain = "text long_text integer number amount date time timestamp bool user department"
    kinds = [*plain.split(), "file", "note"]
    form = decoded(
        *(a_field(f"f{at}", kind) for at, kind in enumerate(kinds)),
        a_field("one", "choice", options=options),
        a_field("many", "multi_choice", options=options),
        a_field("lines", "table", columns=[a_field("cost", "amount")]),
    )
    assert [field.type for field in form.fields] == [*kinds, "choice", "multi_choice", "table"]


def test_a_person_or_department_is_one_unless_a_count_says_more() -> None:
    form = decoded(
        a_field("one", "user"),
        a_field("still", "user", limits={"min_count": 1, "max_count": 1}),
        a_field("some", "user", limits={"max_count": 3}),
        a_field("two", "department", limits={"min_count": 2}),
        a_field("papers", "file", limits={"max_count": 1}),
    )
    assert [field.id for field in form.fields if takes_many(field)] == ["some", "two", "papers"]


def test_fields_and_columns_by_name() -> None:
    form = decoded(a_field("a"), a_field("t", "table", columns=[a_field("b", "amount")]))
    found = [field_named(form, name) for name in ("a", "t", "t.b", "t.c", "a.b", "c")]
    assert [each and each.id for each in found] == ["a", "t", "b", None, None, None]


def test_all_problems_in_one_answer_in_document_order() -> None:
    raw = {
        "formdoc": 1,
        "extra": 1,
        "fields": [
            a_field("a", "amount", limits={"min": "10", "max": "1.5"}),
            a_field("a", "choice"),
            {"id": "B!", "type": "text", "label": "x"},
            a_field("c", "sorcery"),
            a_field("d", show_if={"field": "nobody", "op": "eq", "value": "1"}),
            a_field("e", "bool", required="yes", default=1),
            a_field("f", "number", sum_of=["d"]),
            7,
        ],
    }
    assert found(raw, "/form") == [
        ("doc.unknown_key", "/form/extra"),
        ("form.limit_range", "/form/fields/0/limits"),
        ("id.duplicate", "/form/fields/1/id"),
        ("form.options_missing", "/form/fields/1/options"),
        ("doc.bad_value", "/form/fields/2/id"),
        ("form.unknown_type", "/form/fields/3/type"),
        ("form.unknown_field", "/form/fields/4/show_if/field"),
        ("doc.bad_type", "/form/fields/5/required"),
        ("form.bad_default", "/form/fields/5/default"),
        ("form.type_mismatch", "/form/fields/6/sum_of/0"),
        ("doc.bad_type", "/form/fields/7"),
    ]


@pytest.mark.parametrize(
    ("raw", "code", "at"),
    [
        (None, "doc.bad_type", ""),
        ([], "doc.bad_type", ""),
        ({"formdoc": 2, "fields": []}, "doc.version", "/formdoc"),
        ({"formdoc": True, "fields": []}, "doc.version", "/formdoc"),
        ({"formdoc": 1}, "doc.bad_type", "/fields"),
        ({"formdoc": 1, "fields": {}}, "doc.bad_type", "/fields"),
        (a_form(*(a_field(f"a{n}") for n in range(501))), "doc.too_many", "/fields"),
        (a_form({"type": "text", "label": "x"}), "id.missing", "/fields/0/id"),
        (a_form(a_field("a" * 49)), "doc.bad_value", "/fields/0/id"),
        (a_form(a_field(label="")), "doc.bad_value", "/fields/0/label"),
        (a_form(a_field(label="a\x00")), "doc.bad_value", "/fields/0/label"),
        (a_form(a_field(label={"fr": "x"})), "doc.unknown_key", "/fields/0/label/fr"),
        (a_form(a_field(label={"en": 3})), "doc.bad_type", "/fields/0/label/en"),
        (a_form(a_field(label={})), "form.field_missing", "/fields/0/label"),
        (a_form(a_field(options=[])), "form.member_not_allowed", "/fields/0/options"),
        (a_form(a_field(columns=[])), "form.member_not_allowed", "/fields/0/columns"),
        (a_form(a_field(sum_of=["a"])), "form.member_not_allowed", "/fields/0/sum_of"),
        (a_form(a_field(limits={"min": "1"})), "doc.unknown_key", "/fields/0/limits/min"),
        (a_form(a_field(limits={"max_length": 1001})), "form.bad_limit",
         "/fields/0/limits/max_length"),
        (a_form(a_field(limits={"max_length": True})), "form.bad_limit",
         "/fields/0/limits/max_length"),
        (a_form(a_field("a", "amount", limits={"min": 1.5})), "form.bad_limit",
         "/fields/0/limits/min"),
        (a_form(a_field("a", "amount", limits={"min": "0.001"})), "form.bad_limit",
         "/fields/0/limits/min"),
        (a_form(a_field("a", "date", limits={"earliest": "20240101"})), "form.bad_limit",
         "/fields/0/limits/earliest"),
        (a_form(a_field("a", "integer", default="1.5")), "form.bad_default", "/fields/0/default"),
        (a_form(a_field("a", "integer", default=3, limits={"max": 2})), "form.bad_default",
         "/fields/0/default"),
        (a_form(a_field("a", "file", default="x")), "form.member_not_allowed",
         "/fields/0/default"),
        (a_form(a_field("a", "table", default=[])), "form.member_not_allowed",
         "/fields/0/default"),
        (a_form(a_field("a", "table", columns=[])), "form.columns_missing", "/fields/0/columns"),
        (a_form(a_field("a", "table")), "doc.bad_type", "/fields/0/columns"),
        (a_form(a_field("a", "table", columns=[a_field("b", "note")])), "form.bad_column",
         "/fields/0/columns/0/type"),
        (a_form(a_field("a", "table", columns=[a_field("_id")])), "doc.bad_value",
         "/fields/0/columns/0/id"),
        (a_form(a_field("a", "table", columns=[a_field("b", sum_of=["c"])])),
         "doc.unknown_key", "/fields/0/columns/0/sum_of"),
        (a_form(a_field("a", "table", columns=[a_field("b")]),
                a_field("c", "amount", sum_of=["a.b"])), "form.type_mismatch",
         "/fields/1/sum_of/0"),
        (a_form(a_field("a", "table", columns=[a_field("b", "amount")]),
                a_field("c", "integer", sum_of=["a.b"])), "form.type_mismatch",
         "/fields/1/sum_of/0"),
        (a_form(a_field("a", "note", required=True)), "form.member_not_allowed",
         "/fields/0/required"),
        (a_form(a_field("a", "note", default="x")), "form.member_not_allowed",
         "/fields/0/default"),
        (a_form(a_field("a", "time", default="25:00")), "form.bad_default", "/fields/0/default"),
        (a_form(a_field("a", "user", default=["ann"])), "form.bad_default", "/fields/0/default"),
        (a_form(a_field("a", "time", limits={"earliest": "09:00"})), "doc.unknown_key",
         "/fields/0/limits/earliest"),
        (a_form(a_field("a", "table", columns=[a_field("b")], limits={"max_count": 501})),
         "form.bad_limit", "/fields/0/limits/max_count"),
        (a_form(a_field("a", "integer", sum_of=["a"])), "form.circle", "/fields/0"),
        (a_form(a_field("a", "integer", sum_of=["b.c"])), "form.unknown_field",
         "/fields/0/sum_of/0"),
        (a_form(a_field("a", "table", columns=[a_field("b", "table", columns=[])])),
         "doc.unknown_key", "/fields/0/columns/0/columns"),
        (a_form(a_field("a", show_if={"initiator": "is", "ids": ["ann"]})), "cond.bad_op",
         "/fields/0/show_if"),
        (a_form(a_field("a", show_if={"field": "a"})), "cond.bad_op", "/fields/0/show_if/op"),
    ],
)  # fmt: skip
def test_refused(raw: object, code: str, at: str) -> None:
    assert (code, at) in found(raw)


def test_a_circle_over_conditions_and_sums() -> None:
    raw = a_form(
        a_field("a", "integer", show_if={"field": "b", "op": "gt", "value": 1}),
        a_field("b", "integer", sum_of=["c"]),
        a_field("c", "integer", show_if={"field": "a", "op": "not_empty"}),
        a_field("d", "integer", show_if={"field": "e", "op": "not_empty"}),
        a_field("e", "integer"),
    )
    assert found(raw) == [("form.circle", f"/fields/{number}") for number in (0, 1, 2)]


def test_a_condition_on_the_day_cannot_show_a_field() -> None:
    raw = a_form(
        a_field("d", "date"),
        a_field("a", show_if={"field": "d", "op": "within_last", "value": "P7D"}),
    )
    assert found(raw) == [("cond.bad_op", "/fields/1/show_if/op")]


def test_a_broken_field_is_not_reported_as_missing_too() -> None:
    raw = a_form(
        a_field("a", "amount", limits=[]),
        a_field("b", "amount", sum_of=["a"]),
        a_field("c", show_if={"field": "a", "op": "gt", "value": "1"}),
    )
    assert found(raw) == [("doc.bad_type", "/fields/0/limits")]


def test_a_form_that_is_too_large() -> None:
    options = [{"id": f"o{n}", "label": "名" * 200} for n in range(450)]
    assert found(a_form(a_field("a", "choice", options=options))) == [("doc.size", "")]


def test_defaults_are_stored_in_their_canonical_spelling() -> None:
    form = decoded(
        a_field("a", "amount", default=5), a_field("b", "number", default="1.50"), a_field("c")
    )
    assert defaults(form) == {"a": "5.00", "b": "1.5"}


def test_labels_fall_back_to_the_other_language() -> None:
    both = Field(id="a", type="text", label=decoded(a_field(
        label={"en": "Days", "zh-hans": "天数"})).fields[0].label)  # fmt: skip
    english = decoded(a_field(label={"en": "Days"})).fields[0]
    assert [label_in(both, "en"), label_in(both, "zh-hans")] == ["Days", "天数"]
    assert [label_in(english, "zh-hans"), label_in(english, "fr")] == ["Days", "Days"]


def test_the_digest_ignores_spelling_and_sees_meaning() -> None:
    raw = a_form(a_field("a", "amount", label="e\u0301", limits={"max": "100.0"}))
    same = {"fields": [{"label": "\u00e9", "limits": {"max": 100, "min": None}, "help": None,
                        "required": False, "type": "amount", "id": "a"}],
            "formdoc": 1}  # fmt: skip
    first, second = decode_form(raw)[0], decode_form(same)[0]
    assert first is not None
    assert second is not None
    assert form_digest(first) == form_digest(second)
    assert canonical_bytes(first).startswith(b'{"fields":[{"id":"a","label":"\xc3\xa9"')
    other = decoded(a_field("a", "amount", label="e\u0301", limits={"max": "100.01"}))
    assert form_digest(other) != form_digest(first)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(JSON)
def test_no_json_makes_reading_raise(raw: object) -> None:
    found(raw)
    found(a_form(raw))  # type: ignore[arg-type]  # that is the point
    form, findings = decode_form({"formdoc": 1, "fields": [a_field("a", "choice", options=raw,
                                  show_if=raw, limits=raw, default=raw)]})  # fmt: skip
    assert (form is None) == bool(findings)


@given(st.lists(st.sampled_from(["text", "integer", "amount", "date", "bool"]), max_size=6))
def test_canonical_bytes_decode_to_the_same_form(kinds: list[str]) -> None:
    form = decoded(*(a_field(f"f{n}", kind, required=n % 2 == 0) for n, kind in enumerate(kinds)))
    again, findings = decode_form(msgspec.json.decode(canonical_bytes(form)))
    assert findings == ()
    assert again == form
