"""People, departments and files in values: what is newly named is handed back to be looked up."""

from __future__ import annotations

from tests.forms.test_reading import a_field, decoded
from tests.forms.test_values import cleaned
from workflow.forms.references import Given, in_defaults, unknown
from workflow.forms.tables import listed

FORM = decoded(
    a_field("who", "user"),
    a_field("crew", "user", limits={"max_count": 3}),
    a_field("unit", "department"),
    a_field("papers", "file"),
    a_field("trip", "table", columns=[
        a_field("by", "user"), a_field("bills", "file"), a_field("to", "text"),
    ]),
    a_field("more", "user", show_if={"field": "unit", "op": "is", "value": "eng"}),
)  # fmt: skip


def test_everything_newly_named_comes_back_with_its_place() -> None:
    result = cleaned(FORM, {
        "who": "ann", "crew": ["bao", "chi"], "unit": "fin", "papers": ["f1", "f2"],
        "trip": [{"by": "dan", "bills": ["f3"]}, {"to": "x"}],
    })  # fmt: skip
    assert result.findings == ()
    assert result.people == (
        Given("user", "ann", "/who", "who"),
        Given("user", "bao", "/crew/0", "crew"),
        Given("user", "chi", "/crew/1", "crew"),
        Given("user", "dan", "/trip/0/by", "trip.by"),
    )
    assert result.departments == (Given("department", "fin", "/unit", "unit"),)
    assert [(each.id, each.at) for each in result.files] == [
        ("f1", "/papers/0"), ("f2", "/papers/1"), ("f3", "/trip/0/bills/0"),
    ]  # fmt: skip


def test_what_stood_there_before_is_not_asked_for_again() -> None:
    before = cleaned(FORM, {
        "who": "ann", "crew": ["bao"], "papers": ["f1"],
        "trip": [{"by": "dan", "bills": ["f3"]}, {"by": "eve"}],
    }).values  # fmt: skip
    again = cleaned(FORM, {
        "who": "ann", "crew": ["chi", "bao"], "papers": ["f1", "f9"],
        # The rows change places, and one file moves with its row.
        "trip": [{"_id": "r0_2", "by": "dan"}, {"_id": "r0_1", "by": "ann", "bills": ["f3"]}],
    }, before)  # fmt: skip
    assert again.findings == ()
    assert [(each.id, each.at) for each in again.given] == [
        ("chi", "/crew/0"), ("f9", "/papers/1"), ("ann", "/trip/1/by"),
    ]  # fmt: skip


def test_who_is_not_shown_is_not_asked_for() -> None:
    hidden = cleaned(FORM, {"unit": "fin", "more": "ann"})
    assert (hidden.people, hidden.values) == ((), {"unit": "fin"})
    shown = cleaned(FORM, {"unit": "eng", "more": "ann"})
    assert [each.at for each in shown.people] == ["/more"]


def test_the_unknown_are_told_at_their_places() -> None:
    result = cleaned(FORM, {"crew": ["bao", "ghost"], "unit": "moon", "papers": ["f1"]})
    told = [
        *unknown(result.people, {"bao"}),
        *unknown(result.departments, set()),
        *unknown(result.files, {"f1"}),
    ]
    assert [(each.code, each.at, each.args["field"], each.args["id"]) for each in told] == [
        ("form.unknown_person", "/crew/1", "crew", "ghost"),
        ("form.unknown_department", "/unit", "unit", "moon"),
    ]
    assert unknown([Given("file", "x", "/papers/0", "papers")], ())[0].code == "form.unknown_file"


def test_defaults_are_named_too() -> None:
    form = decoded(
        a_field("who", "user", default="ann"),
        a_field("crew", "user", default=["bao", "chi"], limits={"max_count": 2}),
        a_field("t", "table", columns=[a_field("unit", "department", default="eng")]),
    )
    assert [(each.kind, each.id, each.at) for each in in_defaults(form, "/form")] == [
        ("user", "ann", "/form/fields/0/default"),
        ("user", "bao", "/form/fields/1/default/0"),
        ("user", "chi", "/form/fields/1/default/1"),
        ("department", "eng", "/form/fields/2/columns/0/default"),
    ]


def test_ids_of_a_field_or_of_a_column() -> None:
    values = cleaned(FORM, {
        "who": "ann", "crew": ["bao", "chi"],
        "trip": [{"by": "dan"}, {"to": "x"}, {"by": "ann"}, {"by": "dan"}],
    }).values  # fmt: skip
    assert listed(values, "who") == ("ann",)
    assert listed(values, "crew") == ("bao", "chi")
    assert listed(values, "trip.by") == ("dan", "ann")
    assert listed(values, "trip") == listed(values, "nothing") == listed(values, "who.x") == ()
