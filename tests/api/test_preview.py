"""`flows/{key}/preview`: the path with reasons and unknowns; nothing hidden, nothing written."""

from __future__ import annotations

import json

import pytest

from tests.api.caller import nothing_written
from tests.api.conftest import PLANTED
from tests.outbound.receivers import network_calls
from tests.workflow import flows

PATH = "flows/expense/preview"


@pytest.fixture
def preview(api, published):
    """Ask for the preview as somebody; nothing is written and nobody outside is asked."""

    def ask(user, body=None, **headers):
        with nothing_written(), network_calls() as calls:
            answer = api(user).post(PATH, body, key=None, **headers)
        assert calls == []
        assert answer.status_code == 200, answer.content
        return answer.json()

    return ask


def steps(found):
    return [each["step"]["id"] for each in found["steps"]]


def test_an_empty_form_shows_every_way_and_what_decides_it(preview, ann, chi):
    """Acceptance tests 69 and 70: through the branches, and *depends on* instead of a guess."""
    found = preview(ann)
    assert found["findings"] == []
    assert steps(found) == ["lead", "size"]
    lead, size = found["steps"]
    assert lead["step"] == {"id": "lead", "name": "Lead", "kind": "approve"}
    assert lead["people"] == [
        {
            "code": "user",
            "person": {"login": "chi", "name": chi.name},
            "args": {"of": "chi"},
            "message": f"{chi.name}: named in the process",
            "stands_in_for": None,
        }
    ]
    big, small = size["branches"]
    assert (big["taken"], small["taken"]) == (None, None)
    assert big["depends_on"][0] == {
        "code": "form",
        "person": None,
        "args": {"field": "amount"},
        "message": "Depends on the field “Amount”",
    }
    assert small["otherwise"]
    assert [each["step"]["id"] for each in big["steps"]] == ["finance"]
    assert not big["steps"][0]["sure"]


def test_a_filled_in_form_shows_the_one_way_it_goes(preview, ann):
    big, small = preview(ann, {"form": {"amount": "12000"}})["steps"][1]["branches"]
    assert (big["taken"], small["taken"]) == (True, False)
    assert big["questions"][0]["args"]["seen"] == "12000.00"
    assert big["steps"][0]["sure"]
    big, small = preview(ann, {"form": {"amount": "12"}})["steps"][1]["branches"]
    assert (big["taken"], small["taken"]) == (False, True)
    assert big["steps"] == []


def test_a_hidden_field_is_only_said_to_be_hidden(preview, ann):
    for form in ({}, {"amount": "12000"}):
        found = json.dumps(preview(ann, {"form": form}))
        assert PLANTED not in found
        assert "secret" not in found
        assert "Internal note" not in found
    branches = preview(ann, {"form": {"amount": "12000"}})["steps"][1]["branches"]
    assert branches[0]["questions"][1]["args"] == {"hidden": True}


def test_what_does_not_fit_is_a_finding_and_counts_as_not_given(preview, ann):
    body = {
        "form": {"amount": "a lot", "secret": "mine", "ghost": 1},
        "picked": {"lead": ["bao"], "nowhere": ["chi"]},
    }
    found = preview(ann, body)
    assert {(each["code"], each["at"]) for each in found["findings"]} == {
        ("form.bad_value", "/form/amount"),
        ("form.unknown_field", "/form/secret"),
        ("form.unknown_field", "/form/ghost"),
        ("picked.not_asked", "/picked/lead"),
        ("picked.not_asked", "/picked/nowhere"),
    }
    assert found["steps"][1]["branches"][0]["taken"] is None


def test_in_the_callers_language(preview, ann):
    english, chinese = preview(ann), preview(ann, accept_language="zh-hans")
    assert steps(english) == steps(chinese)
    codes = [each["code"] for each in chinese["steps"][0]["people"]]
    assert codes == ["user"]


def test_who_may_not_start_it_learns_nothing_of_it(api, people, ann, now, fay):
    document = flows.a_document(
        flows.approve_step("lead", "chi"),
        key="expense",
        start={"who": {"any_of": [{"by": "user", "ids": ["ann"]}]}},
    )
    flows.publish(ann, document, now=now)
    api(people["gus"]).refused(PATH, 403, "start.not_allowed", {"form": {}}, key=None)
    api(people["eve"]).refused(PATH, 404, "flow.unknown", {"form": {}}, key=None)
    api(people["ann"]).refused("flows/ghost/preview", 404, "flow.unknown", {}, key=None)


@pytest.mark.parametrize(
    "body", [{"form": []}, {"form": {}, "picked": {"lead": "bao"}}, {"values": {}}]
)
def test_a_body_that_is_none(api, published, people, body):
    api(people["ann"]).refused(PATH, 400, "request.invalid", body, key=None)


ODD: tuple[object, ...] = (
    None,
    "",
    [],
    {},
    True,
    10**9,
    -1,
    "1e999",
    "NaN",
    "9" * 400,
    {"a": [1]},
)


@pytest.mark.parametrize("value", ODD)
def test_no_value_of_any_kind_is_an_error(preview, ann, value):
    preview(ann, {"form": {"amount": value}})
