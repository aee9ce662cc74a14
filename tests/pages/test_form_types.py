"""Fields of several values, moments, people, files, notes and tables on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from django.http import QueryDict

from tests.forms.test_reading import a_field, decoded
from tests.pages.test_forms import Controls
from workflow.forms.findings import Finding
from workflow.forms.rights import effective
from workflow.forms.values import clean
from workflow.pages.forms import Outside, ValuesForm, read_rows, value_text

if TYPE_CHECKING:
    from workflow.forms.scalars import Value

OPTIONS = [{"id": "x", "label": {"en": "Ex", "zh-hans": "叉"}}, {"id": "y", "label": "<b>Why"}]
FORM = decoded(
    a_field("hint", "note", label="Mind <this>", help="Line one\n<i>two</i>"),
    a_field("at", "time"),
    a_field("moment", "timestamp"),
    a_field("many", "multi_choice", options=OPTIONS),
    a_field("who", "user"),
    a_field("crew", "user", limits={"max_count": 3}),
    a_field("unit", "department"),
    a_field("papers", "file", limits={"max_count": 2}),
    a_field("lines", "table", label="Lines", columns=[
        a_field("what", required=True, label="What <u>"),
        a_field("cost", "amount"),
        a_field("ok", "bool"),
        a_field("tags", "multi_choice", options=OPTIONS),
        a_field("by", "user"),
        a_field("when", "timestamp"),
        a_field("secret", label="Top secret"),
        a_field("fixed", label="Fixed"),
    ]),
    a_field("total", "amount", sum_of=["lines.cost"]),
)  # fmt: skip
RIGHTS = effective("edit", {"lines.secret": "hide", "lines.fixed": "read"}, FORM)
SHANGHAI = ZoneInfo("Asia/Shanghai")
OUTSIDE = Outside(
    people={"ann": "Ann Lee", "bao": "Bao <Chen>"},
    departments={"eng": "Engineering"},
    files={"f1": "bill <1>.pdf"},
    all_people=True,
    all_departments=True,
    zone=SHANGHAI,
)
ROWS: Value = (
    {"_id": "r0_1", "what": "train", "cost": "10.00", "ok": False, "secret": "s1",
     "fixed": "stays", "when": "2026-03-02T01:30:00Z", "tags": ("x",), "by": "gone"},
    {"_id": "r0_2", "what": "hotel", "ok": True},
)  # fmt: skip


def post(**values: str | list[str]) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, value in values.items():
        data.setlist(f"values-{name}", value if isinstance(value, list) else [value])
    return data


def rows(*keys: str, **cells: str | list[str]) -> QueryDict:
    """A table as the browser sends it; `r0_1__what` is the cell of a row."""
    named = {f"lines.{name.replace('__', '.')}": value for name, value in cells.items()}
    return post(lines=list(keys), **named)


def page_form(data=None, current=None, rights=RIGHTS, outside=OUTSIDE) -> ValuesForm:
    return ValuesForm(FORM, rights, current or {}, language="en", data=data, outside=outside)


def submitted(data: QueryDict, name: str, current=None, **more) -> object:
    form = page_form(data, current, **more)
    form.is_valid()
    return form.submitted[name]


def test_every_new_type_has_a_native_labelled_control() -> None:
    html = str(page_form(current={"moment": "2026-03-02T01:30:00Z", "who": "gone"}))
    page = Controls(html)
    controls = page.controls
    assert controls["values-at"]["type"] == "time"
    assert controls["values-moment"].items() >= {
        "type": "datetime-local", "value": "2026-03-02T09:30:00",
    }.items()  # fmt: skip
    assert "Time zone: Asia/Shanghai" in html
    assert controls["values-many"]["type"] == "checkbox"
    assert controls["values-who"]["tag"] == "select"
    # Whoever cannot be chosen any more is not lost.
    assert '<option value="gone" selected>gone</option>' in html
    assert "Bao &lt;Chen&gt;" in html
    for name, control in controls.items():
        if control.get("type") != "hidden" and name != "values-lines" and control.get("id"):
            assert control["id"] in page.labelled or "for=" not in html, name


def test_without_a_list_of_everybody_one_types_logins() -> None:
    known = Outside(people={"ann": "Ann"})
    html = str(page_form(current={"crew": ("ann", "bao")}, outside=known))
    controls = Controls(html).controls
    assert controls["values-who"]["type"] == "text"
    assert controls["values-crew"]["tag"] == "textarea"
    assert "ann\nbao" in html
    assert "By login name." in html
    data = post(who=" ann ", crew="ann, bao\uff0cchi\r\n")
    assert submitted(data, "who", outside=known) == "ann"
    assert submitted(data, "crew", outside=known) == ["ann", "bao", "chi"]


@pytest.mark.parametrize(
    ("name", "sent", "json"),
    [
        ("at", "09:30", "09:30"),
        ("at", "", None),
        ("moment", "2026-03-02T09:30", "2026-03-02T01:30:00Z"),
        ("moment", "2026-03-02T09:30:15", "2026-03-02T01:30:15Z"),
        ("moment", "2026-03-02T09:30Z", "2026-03-02T09:30Z"),
        ("moment", "0001-01-01T00:00", "0001-01-01T00:00"),
        ("moment", "soon", "soon"),
        ("moment", "", None),
        ("many", ["y", "x"], ["y", "x"]),
        ("many", [], None),
        ("crew", ["ann", "bao"], ["ann", "bao"]),
        ("papers", ["f1", "f2"], ["f1", "f2"]),
        ("papers", [], None),
    ],
)
def test_what_the_browser_sends_is_what_rest_receives(name, sent, json) -> None:
    assert submitted(post(**{name: sent}), name) == json


def test_a_note_is_told_and_asks_for_nothing() -> None:
    html = str(page_form())
    assert "Mind &lt;this&gt;" in html
    assert "&lt;i&gt;two&lt;/i&gt;" in html
    assert "values-hint" not in Controls(html).controls
    form = page_form(post(hint="x"))
    form.is_valid()
    assert "hint" not in form.submitted
    # Without anything to fill in it is read with the rest, otherwise it stands in the form.
    read = effective("read", {}, FORM)
    assert not page_form(rights=read).fields
    assert read_rows(FORM, read, {}, "en")[0] == ("Mind <this>", "Line one\n<i>two</i>")
    labels = [label for label, _ in read_rows(FORM, RIGHTS, {}, "en")]
    assert labels == ["TOTAL"]


def test_files_are_links_with_their_ids() -> None:
    html = str(page_form(current={"papers": ("f1", "f9")}))
    assert '<a href="/api/v1/files/f1/" download>bill &lt;1&gt;.pdf</a>' in html
    assert '<input type="hidden" name="values-papers" value="f9">' in html
    # The chooser has no name: its bytes never travel with the form.
    assert '<input class="visually-hidden" type="file" multiple data-file-choose>' in html
    shown = dict(read_rows(FORM, effective("read", {}, FORM), {"papers": ("f1",)}, "en", OUTSIDE))
    assert shown["PAPERS"] == '<a href="/api/v1/files/f1/" download>bill &lt;1&gt;.pdf</a>'


def test_a_table_has_a_labelled_control_in_each_cell_and_nothing_hidden() -> None:
    html = str(page_form(current={"lines": ROWS}))
    page = Controls(html)
    first = {
        name.removeprefix("values-lines.r0_1."): control
        for name, control in page.controls.items()
        if name.startswith("values-lines.r0_1.")
    }
    assert set(first) == {"what", "cost", "ok", "tags", "by", "when", "_remove"}
    assert first["what"].items() >= {"value": "train", "class": "form-control"}.items()
    assert first["when"]["value"] == "2026-03-02T09:30:00"
    for name in ("what", "cost", "ok", "tags", "by", "when"):
        assert first[name]["id"] in page.labelled
    assert "checked" in page.controls["values-lines.r0_2.ok"]
    assert "What &lt;u&gt;" in html
    assert "stays" in html
    for word in ("secret", "s1"):
        assert word not in html.lower()
    # A row to copy, and empty ones for whoever has no script.
    assert "values-lines.__row__.what" in html
    assert {"values-lines.n1.what", "values-lines.n2.what"} <= set(page.controls)


def test_rows_come_as_rest_would_send_them() -> None:
    data = rows(
        "r0_2", "n4", "r0_1", "n5",
        r0_2__what="hotel", r0_2__ok="on",
        n4__what=" bus ", n4__cost=" 5 ", n4__tags=["x", "y"], n4__when="2026-03-02T09:30",
        r0_1__what="", r0_1__by="ann",
        n5__what="  ", n5__cost="",
    )  # fmt: skip
    form = page_form(data, {"lines": ROWS})
    assert not form.is_valid()
    assert form.submitted["lines"] == [
        {"_id": "r0_2", "what": "hotel", "cost": None, "ok": True, "tags": None, "by": None,
         "when": None},
        {"what": " bus ", "cost": "5", "ok": False, "tags": ["x", "y"], "by": None,
         "when": "2026-03-02T01:30:00Z"},
        {"_id": "r0_1", "what": None, "cost": None, "ok": False, "tags": None, "by": "ann",
         "when": None},
    ]  # fmt: skip
    assert [(each.code, each.at) for each in form.outcome.findings] == [
        ("form.required", "/lines/2/what")
    ]
    # What is hidden or only read stays; an untouched new row is no row.
    kept = form.outcome.values["lines"]
    assert isinstance(kept, tuple)
    assert [each["_id"] for each in kept if isinstance(each, dict)] == ["r0_2", "r0_3", "r0_1"]
    assert kept[2]["secret"] == "s1"  # type: ignore[index]  # a row, as was just seen
    assert kept[2]["fixed"] == "stays"  # type: ignore[index]


def test_a_row_to_remove_is_ticked_or_not_sent() -> None:
    ticked = rows("r0_1", "r0_2", r0_1__what="train", r0_1___remove="on", r0_2__what="hotel")
    for data in (ticked, rows("r0_2", r0_2__what="hotel")):
        sent = submitted(data, "lines", {"lines": ROWS})
        assert [each["_id"] for each in sent] == ["r0_2"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("column", ["secret", "nothing"])
def test_a_hidden_column_that_is_sent_is_refused_like_one_that_does_not_exist(column) -> None:
    data = rows("r0_1", "r0_2", r0_1__what="a", r0_2__what="b", **{f"r0_1__{column}": "guess"})
    form = page_form(data, {"lines": ROWS})
    assert not form.is_valid()
    assert [(each.code, each.at) for each in form.outcome.findings] == [
        ("form.unknown_field", f"/lines/0/{column}")
    ]
    assert "guess" not in str(form)
    rest = clean(FORM, form.submitted, RIGHTS, {"lines": ROWS})
    assert rest.findings == form.outcome.findings


def test_what_is_only_read_or_stale_is_refused() -> None:
    data = rows("r0_1", "r0_2", r0_1__what="a", r0_2__what="b", r0_1__fixed="new")
    form = page_form(data, {"lines": ROWS})
    assert not form.is_valid()
    assert [each.at for each in form.outcome.findings] == ["/lines/0/fixed"]
    stale = page_form(rows("r0_7", r0_7__what="x"), {"lines": ROWS})
    assert not stale.is_valid()
    assert [each.code for each in stale.outcome.findings] == ["form.unknown_row"]


def test_what_is_wrong_stands_beside_the_cell_and_in_the_summary() -> None:
    form = page_form(rows("n1", "n2", n1__what="bus", n1__cost="x", n2__cost="1"))
    assert not form.is_valid()
    assert form.errors["lines"] == [
        "Row 1, COST: This should be an amount such as 12.50.",
        "Row 2, What <u>: This has to be filled in.",
    ]
    html = str(form)
    wrong = Controls(html).controls["values-lines.n1.cost"]
    assert wrong.items() >= {"aria-invalid": "true", "value": "x"}.items()
    assert f'id="{wrong["aria-describedby"]}"' in html
    assert "What &lt;u&gt;: This has" in html
    # The same finding of the action is not told twice.
    form.errors.clear()
    form.add_findings(form.outcome.findings)
    assert str(form).count("This should be an amount such as 12.50.") == 3
    form.add_findings([Finding("form.unknown_person", "/crew/1", args={"field": "crew"})])
    assert len(form.errors["crew"]) == 1


def test_rights_decide_what_the_page_offers() -> None:
    def of(allowed: list[str], **exceptions: str) -> tuple[ValuesForm, str]:
        rights = effective("read", {"lines": "edit", **exceptions}, FORM, {"lines": allowed})
        form = page_form(current={"lines": ROWS}, rights=rights)
        return form, str(form)

    _, adding = of(["add"])
    assert "data-row-add" in adding
    assert "values-lines.r0_1.what" not in Controls(adding).controls
    assert "values-lines.n1.what" in Controls(adding).controls
    assert 'name="values-lines" value="r0_1"' in adding
    _, editing = of(["edit"])
    assert "data-row-add" not in editing
    assert "_remove" not in editing
    assert "values-lines.r0_1.what" in Controls(editing).controls
    _, deleting = of(["delete"])
    assert "values-lines.r0_1._remove" in Controls(deleting).controls
    nothing, _ = of([])
    assert list(nothing.fields) == []
    one, html = of(["edit"], lines="read", **{"lines.cost": "edit"})
    assert list(one.fields) == ["hint", "lines"]
    assert {name for name in Controls(html).controls if ".r0_1." in name} == {
        "values-lines.r0_1.cost"
    }


def test_rows_to_read_are_a_table_of_the_columns_that_may_be_seen() -> None:
    rights = effective("read", {"lines.secret": "hide", "lines.what": "hide"}, FORM)
    shown = dict(read_rows(FORM, rights, {"lines": ROWS}, "en", OUTSIDE))
    html = shown["Lines"]
    assert "10.00" in html
    assert "Mar 2, 2026, 9:30 AM CST" in html
    assert "Ex" in html
    for hidden in ("secret", "s1", "train", "What"):
        assert hidden not in html
    assert str(shown["Lines"]).startswith("<table")
    none = effective("read", {f"lines.{each.id}": "hide" for each in FORM.fields[8].columns}, FORM)
    assert dict(read_rows(FORM, none, {"lines": ROWS}, "en"))["Lines"] == "2 rows"


def test_values_in_words() -> None:
    values: dict[str, Value] = {
        "at": "09:30", "many": ("x", "y"), "crew": ("ann", "ghost"), "unit": "eng",
        "papers": ("f1",), "lines": ROWS, "moment": "2026-03-02T01:30:00Z",
    }  # fmt: skip
    fields = {field.id: field for field in FORM.fields}
    told = {name: value_text(fields[name], each, "en", OUTSIDE) for name, each in values.items()}
    assert told == {
        "at": "09:30", "many": "Ex, <b>Why", "crew": "Ann Lee, ghost", "unit": "Engineering",
        "papers": "bill <1>.pdf", "lines": "2 rows", "moment": "Mar 2, 2026, 9:30 AM CST",
    }  # fmt: skip
    assert value_text(fields["many"], ("x",), "zh-hans") == "叉"
    assert value_text(fields["lines"], (), "en") == "—"


def test_what_was_typed_is_told_again() -> None:
    untouched = rows(
        "r0_1", "r0_2", r0_1__what="train", r0_1__cost="10.00", r0_1__when="2026-03-02T09:30",
        r0_1__tags=["x"], r0_1__by="gone", r0_2__what="hotel", r0_2__ok="on",
    )  # fmt: skip
    current: dict[str, Value] = {"lines": ROWS, "who": "ann"}
    untouched.update({"values-who": "ann"})
    form = page_form(untouched, current)
    assert form.is_valid(), form.errors
    assert form.outcome.changed == {"total": "10.00"}
    assert form.typed_texts() == []
    changed = untouched.copy()
    changed.update({"values-who": "bao"})
    changed.setlist("values-who", ["bao"])
    changed.setlist("values-many", ["y"])
    changed.setlist("values-lines", ["r0_2"])
    form = page_form(changed, current)
    form.is_valid()
    assert form.typed_texts() == [
        ("MANY", "<b>Why"), ("WHO", "Bao <Chen>"), ("Lines", "1 row"),
    ]  # fmt: skip
