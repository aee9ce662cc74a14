"""A form on a page: accessible controls, the answers of REST, and nothing of a hidden field."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from django.http import QueryDict
from django.template import Context, Template
from django.utils import translation

from tests.forms.test_reading import a_field, decoded
from workflow.forms.findings import Finding
from workflow.forms.rights import effective
from workflow.forms.values import clean
from workflow.pages.forms import ValuesForm, read_rows, value_text

if TYPE_CHECKING:
    from workflow.forms.scalars import Value

OPTIONS = [
    {"id": "an", "label": {"en": "Annual", "zh-hans": "年假"}},
    {"id": "<b>\"'", "label": "<i>Odd</i>"},
]
FORM = decoded(
    a_field("line", required=True, label={"en": "Reason", "zh-hans": "原因"}, help="<u>why</u>"),
    a_field("para", "long_text", limits={"max_length": 40}),
    a_field("whole", "integer", limits={"min": 1, "max": 9}),
    a_field("num", "number"),
    a_field("money", "amount"),
    a_field("day", "date", limits={"earliest": "2024-02-01"}),
    a_field("yes", "bool", required=True),
    a_field("pick", "choice", options=OPTIONS),
    a_field("more", required=True, show_if={"field": "yes", "op": "is", "value": True}),
    a_field("secret", label="Top secret"),
    a_field("total", "amount", sum_of=["money", "whole"]),
)
RIGHTS = effective("edit", {"secret": "hide"}, FORM)


class Controls(HTMLParser):
    """Attributes of every control by name, and what labels point at."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.controls: dict[str, dict[str, str | None]] = {}
        self.labelled: set[str | None] = set()
        self.ids: set[str | None] = set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        assert "style" not in found
        assert not any(name.startswith(("on", "hx-on")) for name in found)
        self.ids.add(found.get("id"))
        if tag == "label":
            self.labelled.add(found.get("for"))
        elif tag in {"input", "select", "textarea"} and "name" in found:
            self.controls[found["name"]] = {"tag": tag, **found}


def post(**values: str) -> QueryDict:
    data = QueryDict(mutable=True)
    data.update({f"values-{name}": value for name, value in values.items()})
    return data


def page_form(data: QueryDict | None = None, current=None, rights=RIGHTS) -> ValuesForm:
    return ValuesForm(FORM, rights, current or {}, language="en", data=data)


def codes_of(form: ValuesForm) -> list[tuple[str, str]]:
    return [(finding.code, finding.at) for finding in form.outcome.findings]


def test_every_control_is_native_and_labelled() -> None:
    html = str(page_form(current={"pick": "an", "day": "2024-03-01", "money": "5.00"}))
    page = Controls(html)
    controls = page.controls
    assert list(controls) == [
        f"values-{name}"
        for name in ("line", "para", "whole", "num", "money", "day", "yes", "pick", "more")
    ]
    for control in controls.values():
        assert control["id"] in page.labelled
        assert "required" not in control
        for described in (control.get("aria-describedby") or "").split():
            assert described in page.ids
    assert controls["values-whole"].items() >= {
        "type": "number", "step": "1", "min": "1", "max": "9",
    }.items()  # fmt: skip
    assert controls["values-money"].items() >= {
        "type": "text", "inputmode": "decimal", "value": "5.00",
    }.items()  # fmt: skip
    assert controls["values-day"].items() >= {
        "type": "date", "min": "2024-02-01", "value": "2024-03-01",
    }.items()  # fmt: skip
    assert controls["values-para"].items() >= {"tag": "textarea", "maxlength": "40"}.items()
    assert controls["values-yes"]["type"] == "checkbox"
    assert controls["values-pick"]["tag"] == "select"
    required = [name for name, control in controls.items() if "aria-required" in control]
    assert required == ["values-line"]


def test_labels_help_and_options_are_escaped() -> None:
    for template in ("{{ form }}", "{{ form.line.help_text|safe }}"):
        html = Template(template).render(Context({"form": page_form()}))
        assert "<u>" not in html
        assert "&lt;u&gt;why&lt;/u&gt;" in html
        assert "&amp;lt;" not in html
    whole = str(page_form())
    assert "<i>Odd" not in whole
    assert 'value="&lt;b&gt;&quot;&#x27;"' in whole


def test_nothing_of_a_hidden_field_is_in_the_page() -> None:
    html = str(page_form(current={"secret": "salary"}))
    html += str(read_rows(FORM, RIGHTS, {"secret": "salary"}, "en"))
    for word in ("secret", "salary"):
        assert word not in html.lower()


def test_a_hidden_field_that_is_sent_is_refused_like_one_that_does_not_exist() -> None:
    told = []
    for name in ("secret", "nothing"):
        form = page_form(post(line="x", yes="on", more="y", **{name: "guessed"}))
        assert not form.is_valid()
        assert form.submitted[name] == "guessed"
        assert form.outcome.changed.get("secret") is None
        assert "guessed" not in str(form)
        assert "salary" not in str(form)
        told.append(form.non_field_errors())
    assert told[0] == told[1]


def test_texts_of_the_browser_become_typed_values() -> None:
    form = page_form(
        post(line=" as typed ", para="a\r\nb", whole=" 3 ", num="1.50", money="5",
             day="2024-03-01", yes="on", pick="<b>\"'", more="x")
    )  # fmt: skip
    assert form.is_valid(), form.errors
    assert form.submitted == {
        "line": " as typed ", "para": "a\nb", "whole": "3", "num": "1.50", "money": "5",
        "day": "2024-03-01", "yes": True, "pick": "<b>\"'", "more": "x",
    }  # fmt: skip
    assert form.outcome.values == {
        "line": " as typed ", "para": "a\nb", "whole": 3, "num": "1.5", "money": "5.00",
        "day": "2024-03-01", "yes": True, "pick": "<b>\"'", "more": "x", "total": "8.00",
    }  # fmt: skip


def test_what_is_left_empty_empties_the_field() -> None:
    current = {"line": "x", "num": "1", "day": "2024-03-01", "yes": True, "more": "m"}
    form = page_form(post(line="x", num="", day=""), current=current)
    assert form.is_valid(), form.errors
    assert form.submitted["num"] is None
    assert form.submitted["yes"] is False
    assert form.outcome.changed == {"num": None, "day": None, "yes": False, "more": None}


@pytest.mark.parametrize(
    ("sent", "codes"),
    [
        ({}, [("form.required", "/line")]),
        ({"line": " ", "yes": "on"}, [("form.required", "/line"), ("form.required", "/more")]),
        ({"line": "x", "money": "1,50"}, [("form.bad_value", "/money")]),
        ({"line": "x", "money": "1.505"}, [("form.too_many_decimals", "/money")]),
        ({"line": "x", "whole": "1e0"}, [("form.bad_value", "/whole")]),
        ({"line": "x", "whole": "10"}, [("form.too_big", "/whole")]),
        ({"line": "x", "day": "01/03/2024"}, [("form.bad_value", "/day")]),
        ({"line": "x", "pick": "Annual"}, [("form.unknown_option", "/pick")]),
        ({"line": "a\x00b"}, [("form.control_character", "/line")]),
    ],
)
def test_the_page_refuses_what_rest_refuses(sent, codes) -> None:
    form = page_form(post(**sent))
    assert not form.is_valid()
    assert codes_of(form) == codes
    rest = clean(FORM, form.submitted, RIGHTS, {})
    assert rest.findings == form.outcome.findings
    html = str(form)
    page = Controls(html)
    for _, at in codes:
        control = page.controls[f"values-{at[1:]}"]
        assert control["aria-invalid"] == "true"
        assert f"{control['id']}_error" in (control["aria-describedby"] or "").split()
        assert len(form.errors[at[1:]]) == 1


def test_a_field_to_read_has_no_control_and_takes_nothing() -> None:
    rights = effective("read", {"line": "edit"}, FORM)
    form = page_form(post(line="new", money="999"), current={"money": "5.00"}, rights=rights)
    assert list(form.fields) == ["line"]
    assert not form.is_valid()
    assert [finding.code for finding in form.outcome.findings] == ["form.not_editable"]
    assert form.outcome.values["money"] == "5.00"


def test_findings_of_an_action_stand_at_their_fields_or_above_all() -> None:
    form = page_form(post(line="x"))
    assert form.is_valid()
    form.add_findings([Finding("form.required", "/num"), Finding("comment.required", "/comment")])
    assert len(form.errors["num"]) == 1
    assert len(form.non_field_errors()) == 1
    assert form.outcome.findings == ()


VALUES: dict[str, Value] = {
    "line": "because", "money": "1234567.50", "whole": 2024, "num": "0.10", "day": "2024-03-01",
    "yes": False, "pick": "an", "secret": "x", "total": "1236591.50",
}  # fmt: skip


def test_rows_to_read_in_both_languages() -> None:
    rights = effective("read", {"secret": "hide"}, FORM)
    assert read_rows(FORM, rights, VALUES, "en") == [
        ("Reason", "because"), ("PARA", "—"), ("WHOLE", "2024"), ("NUM", "0.10"),
        ("MONEY", "1,234,567.50"), ("DAY", "Mar 1, 2024"), ("YES", "No"), ("PICK", "Annual"),
        ("TOTAL", "1,236,591.50"),
    ]  # fmt: skip
    chinese = dict(read_rows(FORM, rights, VALUES, "zh-hans"))
    assert chinese["原因"] == "because"
    assert (chinese["DAY"], chinese["PICK"]) == ("2024年3月1日", "年假")
    assert chinese["MONEY"] == "1,234,567.50"
    assert translation.get_language() == "en"


def test_rows_beside_an_edited_form_are_the_rest_and_the_sums() -> None:
    rights = effective("edit", {"line": "read", "secret": "hide"}, FORM)
    rows = read_rows(FORM, rights, {**VALUES, "yes": True}, "en")
    assert [label for label, _ in rows] == ["Reason", "TOTAL"]


def test_an_option_that_is_gone_shows_its_id() -> None:
    pick = next(field for field in FORM.fields if field.id == "pick")
    assert value_text(pick, "gone", "en") == "gone"
