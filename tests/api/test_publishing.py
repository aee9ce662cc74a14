"""`flows/validate` and `flows/{key}/actions/publish`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.caller import nothing_written
from tests.api.conftest import a_document, a_form
from tests.workflow import flows
from workflow.models import Definition, Version

BODY = {"document": flows.a_document(), "form": flows.FORM}


def wrong():
    return {"document": flows.a_document({"id": "a", "kind": "zap", "name": "A"}), "form": 5}


def test_a_whole_process_is_ok(api, bao):
    with nothing_written():
        answer = api(bao).post("flows/validate", BODY, key=None)
    assert answer.status_code == 200
    assert answer.json()["ok"] is True
    assert all(problem["level"] == "warning" for problem in answer.json()["problems"])


def test_every_problem_has_its_place(api, bao):
    answer = api(bao).post("flows/validate", wrong(), key=None).json()
    assert answer["ok"] is False
    found = {problem["code"]: problem for problem in answer["problems"]}
    assert found["step.unknown_kind"]["at"] == "/document/steps/0/kind"
    assert found["doc.bad_type"]["at"] == "/form"
    for problem in answer["problems"]:
        assert set(problem) == {"code", "at", "step", "level", "args", "message"}
        assert problem["message"] != problem["code"]


def test_a_bare_document_is_checked_where_it_stands(api, bao):
    document = flows.a_document({"id": "a", "kind": "zap", "name": "A"})
    found = api(bao).post("flows/validate", document, key=None).json()
    assert "/steps/0/kind" in [problem["at"] for problem in found["problems"]]
    without = {**flows.a_document(), "form": None}
    assert api(bao).post("flows/validate", without, key=None).json()["ok"] is True


def test_a_bare_document_takes_the_published_form(api, bao, ann, now):
    first = api(bao).post("flows/validate", flows.a_document(), key=None).json()
    assert "form.missing" in [problem["code"] for problem in first["problems"]]
    flows.publish(ann, flows.a_document(), now=now)
    assert api(bao).post("flows/validate", flows.a_document(), key=None).json()["ok"] is True
    pinned = flows.a_document(form={"key": "expense", "version": 7})
    assert api(bao).post("flows/validate", pinned, key=None).json()["ok"] is False


def test_people_of_another_tenant_are_unknown(api, bao):
    step = flows.approve_step("lead", "eve")
    found = api(bao).post("flows/validate", {"document": flows.a_document(step)}, key=None).json()
    assert "people.unknown_id" in [problem["code"] for problem in found["problems"]]


def test_validating_needs_a_permission(api, ann):
    answer = api(ann).post("flows/validate", BODY, key=None)
    assert (answer.status_code, answer.json()["code"]) == (403, "permission.denied")


def test_64_levels_are_read_and_65_are_not(api, bao):
    def nested(levels):
        value: Any = 1
        for _ in range(levels - 2):
            value = [value]
        return {"document": {"flowdoc": 1, "key": value}}

    assert api(bao).post("flows/validate", nested(64), key=None).json()["ok"] is False
    answer = api(bao).post("flows/validate", nested(66), key=None)
    assert (answer.status_code, answer.json()["code"]) == (400, "json.deep")


def test_publishing_makes_a_version_once(api, bao):
    body = BODY | {"note": "first"}
    first = api(bao).post("flows/expense/actions/publish", body)
    assert first.status_code == 201
    version = Version.objects.get()
    told = {"key": "expense", "version": 1, "digest": version.digest, "scenarios": []}
    assert first.json() == told
    assert (version.note, version.published_by) == ("first", bao)
    again = api(bao).post("flows/expense/actions/publish", body)
    assert (again.status_code, again.json()) == (200, first.json())
    assert Version.objects.count() == 1


def test_a_published_process_can_be_started(api, ann, bao):
    api(bao).post("flows/expense/actions/publish", BODY)
    started = api(ann).post("instances/", {"flow": "expense", "form": {"amount": "1"}})
    assert started.status_code == 201


def test_publishing_refuses_with_all_problems(api, bao):
    problem = api(bao).refused("flows/expense/actions/publish", 422, "flow.invalid", wrong())
    codes = [error["code"] for error in problem["errors"]]
    assert {"step.unknown_kind", "doc.bad_type"} <= set(codes)
    assert Definition.objects.count() == 0


def test_the_key_in_the_address_is_the_documents(api, bao):
    problem = api(bao).refused("flows/other/actions/publish", 422, "flow.invalid", BODY)
    assert [
        (error["code"], error["at"]) for error in problem["errors"] if error["level"] == "error"
    ] == [("flow.other_key", "/document/key")]


def test_the_reserved_key(api, bao):
    body = BODY | {"document": flows.a_document(key="validate")}
    problem = api(bao).refused("flows/validate/actions/publish", 422, "flow.invalid", body)
    assert ("id.reserved", "/document/key") in [
        (error["code"], error["at"]) for error in problem["errors"]
    ]
    assert api(bao).post("flows/validate", body, key=None).json()["ok"] is False


def test_publishing_needs_its_permission(api, ann, dan):
    for person in (ann, dan):
        api(person).refused("flows/expense/actions/publish", 403, "permission.denied", BODY)


@pytest.mark.parametrize(
    ("body", "at", "code"),
    [
        ({"form": flows.FORM}, "/document", "request.required"),
        (BODY | {"note": 5}, "/note", "request.type"),
        (BODY | {"note": "n" * 501}, "/note", "request.too_long"),
        ({"draft": 5}, "/draft", "request.type"),
        ({"draft": "1", "document": flows.a_document()}, "/document", "request.unknown"),
        (BODY | {"tenant": "other"}, "/tenant", "request.unknown"),
    ],
)
def test_members_that_are_not_right(api, bao, body, at, code):
    problem = api(bao).refused("flows/expense/actions/publish", 400, "request.invalid", body)
    assert [(error["at"], error["code"]) for error in problem["errors"]] == [(at, code)]


def test_running_requests_stay_on_their_version(api, ann, bao, request_of_ann):
    body = {"document": a_document(title="Second"), "form": a_form()}
    assert api(bao).post("flows/expense/actions/publish", body).json()["version"] == 2
    assert api(ann).read(f"instances/{request_of_ann.pk}/")["version"] == 1


def test_a_broken_place_hides_no_other_problem(api, bao):
    """One answer names the unknown kind and each unknown person, in order."""
    steps = [
        flows.approve_step("a", "nobody"),
        {"id": "b", "kind": "zap", "name": "B"},
        {
            "id": "c", "kind": "notice", "name": "C", "title": "T", "channel": ["email"],
            "who": {"any_of": [{"by": "user", "ids": ["nobody"]}]},
        },
    ]  # fmt: skip
    body = BODY | {"document": flows.a_document(*steps)}
    found = api(bao).post("flows/validate", body, key=None).json()["problems"]
    places = [(each["code"], each["step"]) for each in found if each["level"] == "error"]
    assert places == [
        ("people.unknown_id", "a"),
        ("step.unknown_kind", "b"),
        ("people.unknown_id", "c"),
    ]


def test_a_prefix_that_another_process_counts_with_is_a_warning(api, bao, now):
    mine = {"prefix": "EXP", "period": "year"}

    def problems(**number):
        document = flows.a_document(number=mine | number, key="copy")
        body = {"document": document, "form": flows.FORM}
        found = api(bao).post("flows/validate", body, key=None).json()["problems"]
        assert not [each for each in found if each["code"] == "number.shared" and each["step"]]
        return [(each["at"], each["level"]) for each in found if each["code"] == "number.shared"]

    assert problems() == []
    flows.publish(bao, flows.a_document(number=mine, key="copy"), flows.FORM, now=now)
    assert problems() == []  # its own earlier version
    flows.publish(bao, flows.a_document(number=mine, key="first"), flows.FORM, now=now)
    shared = [("/document/number/prefix", "warning")]
    assert problems() == shared
    assert problems(prefix="EXP-") == shared
    assert problems(prefix="EX") == []
    assert problems(period="month") == []
