"""`design-drafts/{id}/preview`, `record` and `what-if`; scenarios that a draft holds."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import count

import pytest

from flowadmin.directory.models import Permission, Role, RoleGrant, RoleMember
from tests.api.caller import BASE, JSON, nothing_written
from tests.api.conftest import a_document, a_form
from tests.outbound.receivers import network_calls
from tests.workflow import flows
from workflow.models import Draft, ScenarioSet, Version

SMALL = {"amount": "12"}
BIG = {"amount": "12000"}
PUBLISH = "flows/expense/actions/publish"


@pytest.fixture
def bao_api(api, bao):
    return api(bao)


@pytest.fixture
def draft(bao_api, published):
    """A draft of bao's that stands on the published process."""
    answer = bao_api.post("design-drafts/", {"flow": "expense"}, key=None)
    assert answer.status_code == 201, answer.content
    return answer.json()


@pytest.fixture
def ask(bao_api, draft):
    """Ask about the draft as bao; nothing is written and nobody outside is asked."""

    def ask(what, /, status=200, **body):
        body = {"document": a_document(), "form": a_form()} | body
        with nothing_written(), network_calls() as calls:
            answer = bao_api.post(f"design-drafts/{draft['id']}/{what}", body, key=None)
        assert calls == []
        assert answer.status_code == status, answer.content
        return answer.json()

    return ask


def patch(caller, draft, body, version=1):
    return caller.client.patch(
        f"{BASE}design-drafts/{draft['id']}/",
        data=json.dumps(body),
        content_type=JSON,
        headers={"If-Match": f'"{version}"'},
    )


def ways(found):
    (block,) = [each for each in found["steps"] if each["branches"]]
    return {each["id"]: each["taken"] for each in block["branches"]}


def test_the_way_of_what_is_not_saved(ask):
    empty = ask("preview")
    assert ways(empty) == {"big": None, "small": None}
    assert empty["count"] == 1
    assert (empty["fields"], empty["picks"], empty["refusal"]) == (["amount", "reason"], [], None)
    big = ask("preview", values=BIG)
    assert (ways(big), big["count"]) == ({"big": True, "small": False}, 2)
    other = a_document()
    other["steps"][1]["branches"][0]["when"]["all"][0]["value"] = "20000"
    assert ways(ask("preview", document=other, values=BIG)) == {"big": False, "small": True}


def test_a_designer_is_told_of_every_field_of_his_own_form(ask):
    (block,) = [each for each in ask("preview", values=BIG)["steps"] if each["branches"]]
    assert {each["args"].get("hidden") for each in block["branches"][0]["questions"]} == {None}


def test_whoever_files_it_decides_too(ask, people):
    document = a_document()
    document["steps"][0]["who"] = {"any_of": [{"by": "initiator"}]}
    document["start"]["who"] = {"any_of": [{"by": "user", "ids": ["gus"]}]}
    document["steps"][1]["branches"][0]["steps"][0]["who"] = {
        "any_of": [{"by": "picked_at_start", "max": 2}]
    }
    mine = ask("preview", document=document)
    assert mine["refusal"]
    found = ask("preview", document=document, starter="gus", picked={"finance": ["fay"]})
    assert found["refusal"] is None
    assert [each["person"]["login"] for each in found["steps"][0]["people"]] == ["gus"]
    assert [each["id"] for each in found["picks"]] == ["finance"]
    finance = found["steps"][1]["branches"][0]["steps"][0]
    assert [each["person"]["login"] for each in finance["people"]] == ["fay"]


def test_values_that_do_not_fit_are_findings(ask):
    found = ask("preview", values={"amount": "a lot", "ghost": 1})
    assert {(each["code"], each["at"]) for each in found["findings"]} == {
        ("form.bad_value", "/form/amount"),
        ("form.unknown_field", "/form/ghost"),
    }


@pytest.mark.parametrize(
    "members",
    [
        {"who": {"any_of": []}},
        {"who": {"any_of": [{"by": "user", "ids": ["ghost"]}]}},
        {"deadline": {"after": "PT1H", "then": {"goto": "finance"}}},
    ],
)
def test_what_is_half_done_has_a_way_already(ask, bao_api, members):
    document = a_document()
    document["steps"][0] |= members
    checked = bao_api.post("flows/validate", {"document": document, "form": a_form()}, key=None)
    assert not checked.json()["ok"]
    assert ask("preview", document=document)["steps"][0]["step"]["id"] == "lead"


@pytest.mark.parametrize(
    ("change", "status", "code", "at"),
    [
        ({"starter": "ghost"}, 422, "person.unknown", "/starter"),
        ({"starter": "eve"}, 422, "person.unknown", "/starter"),
        ({"values": []}, 400, "request.type", "/values"),
        ({"more": 1}, 400, "request.unknown", "/more"),
        ({"document": {"flowdoc": 1}}, 422, "doc.field_missing", "/document"),
        ({"document": 5}, 400, "request.type", "/document"),
        ({"form": None}, 422, "form.missing", "/form"),
    ],
)
@pytest.mark.parametrize("what", ["preview", "record"])
def test_what_cannot_be_tried_is_refused_with_its_place(ask, what, change, status, code, at):
    named = {"name": "One"} if what == "record" else {}
    errors = ask(what, status, **named, **change)["errors"]
    assert (code, at) in {(each["code"], each["at"]) for each in errors}


def test_the_draft_of_another_is_not_tried(api, people, draft, admin):
    for login in ("gus", "eve"):
        for what in ("preview", "record", "what-if"):
            path = f"design-drafts/{draft['id']}/{what}"
            api(people[login]).refused(path, 404, "not_found", {"document": {}}, key=None)


def test_what_is_filled_in_becomes_a_scenario_that_is_green(ask, bao_api):
    made = ask("record", name="Much", starter="ann", values=BIG)["scenario"]
    assert (made["name"], made["initiator"], made["form"]) == ("Much", "ann", BIG)
    assert made["expect"] == {"path": ["lead", "finance"], "ends": "approved"}
    assert [(each["as"], each["do"]) for each in made["clicks"]] == [
        ("chi", "approve"),
        ("fay", "approve"),
    ]
    body = {"document": a_document(), "form": a_form(), "scenarios": [made]}
    problems = bao_api.post("flows/validate", body, key=None).json()["problems"]
    assert not [each for each in problems if each["at"].startswith("/scenarios")]
    body["document"]["steps"][1]["branches"][0]["when"]["all"][0]["value"] = "20000"
    red = bao_api.post("flows/validate", body, key=None).json()["problems"][-1]
    assert (red["code"], red["at"], red["level"]) == ("scenario.red", "/scenarios/0", "warning")


def test_what_could_not_be_filed_makes_no_scenario(ask):
    found = ask("record", 422, name="Nothing", values={"amount": "a lot"})
    assert found["code"] == "form.invalid"
    assert "/values/amount" in {each["at"] for each in found["errors"]}


def test_a_draft_keeps_its_scenarios_until_it_is_published_with_them(ask, bao_api, draft):
    made = ask("record", name="Much", starter="ann", values=BIG)["scenario"]
    assert draft["scenarios"] is None
    saved = patch(bao_api, draft, {"scenarios": [made]})
    assert (saved.status_code, saved.json()["scenarios"]) == (200, [made])
    # A save that does not know of scenarios leaves them.
    assert patch(bao_api, draft, {"name": "Mine"}, 2).json()["scenarios"] == [made]
    answer = bao_api.post(PUBLISH, {"draft": draft["id"], "note": "", "require_green": True})
    assert answer.status_code == 200
    assert [each["green"] for each in answer.json()["scenarios"]] == [True]
    assert ScenarioSet.objects.get().scenarios == [made]
    changed = a_document()
    changed["steps"][1]["branches"][0]["when"]["all"][0]["value"] = "20000"
    assert patch(bao_api, draft, {"document": changed}, 3).status_code == 200
    bao_api.refused(PUBLISH, 422, "flow.invalid", {"draft": draft["id"], "note": ""})
    assert Version.objects.count() == 1


@pytest.mark.parametrize(
    ("scenarios", "status", "code", "at"),
    [
        ({}, 400, "request.type", "/scenarios"),
        ([{"name": "x"}], 422, "scenario.field_missing", "/scenarios/0"),
        ([5], 422, "scenario.bad_shape", "/scenarios/0"),
        ([{}] * 51, 422, "scenario.too_many", "/scenarios"),
    ],
)
def test_scenarios_of_no_shape_are_not_kept(bao_api, draft, scenarios, status, code, at):
    before = list(Draft.objects.values())
    answer = patch(bao_api, draft, {"scenarios": scenarios})
    assert answer.status_code == status
    assert (code, at) in {(each["code"], each["at"]) for each in answer.json()["errors"]}
    assert list(Draft.objects.values()) == before


@pytest.fixture
def past(published, ann, chi, fay, now):
    """Three requests: two large ones and a small one."""
    moments = count()

    def later():
        return now + timedelta(minutes=next(moments))

    filed = []
    for amount in ("12000", "12", "13000"):
        filed.append(flows.start(ann, now=later(), amount=amount, reason="Train"))
        flows.approve(chi, now=later())
        if amount != "12":
            flows.approve(fay, now=later())
    return filed


def test_past_requests_through_the_draft(ask, past):
    same = ask("what-if")
    assert (same["looked_at"], same["counts"]["same"], same["examples"]) == (3, 3, [])
    changed = a_document()
    changed["steps"][1]["branches"][0]["when"]["all"][0]["value"] = "12500"
    found = ask("what-if", document=changed, last=3)
    assert found["counts"] == {
        "same": 2,
        "other_path": 1,
        "other_people": 0,
        "cannot_decide": 0,
    }
    assert [
        (each["branch"]["name"], each["past"], each["candidate"]) for each in found["branches"]
    ] == [("Big", 2, 1), ("Small", 1, 2)]
    (example,) = found["examples"]
    assert (example["number"], example["url"]) == (past[0].number, f"/requests/{past[0].pk}/")
    assert example["comparison"] == "other_path"
    assert ask("what-if", document=changed, last=1)["looked_at"] == 1


def test_what_if_has_bounds_and_needs_a_published_process(ask):
    for last in (0, 201):
        found = ask("what-if", 400, last=last)
        assert [each["at"] for each in found["errors"]] == ["/last"]
    assert ask("what-if", 404, document=a_document(key="ghost"))["code"] == "flow.unknown"
    broken = a_document()
    broken["steps"][0]["who"] = {"any_of": []}
    assert ask("what-if", 422, document=broken)["code"] == "flow.invalid"


def test_what_if_tells_a_designer_nothing_who_does_not_manage(api, gus, published):
    role = Role.objects.create(tenant=gus.tenant, code="drawers", name="Drawers")
    RoleGrant.objects.create(role=role, permission=Permission.FLOW_DESIGN)
    RoleMember.objects.create(role=role, user=gus)
    caller = api(gus)
    mine = caller.post("design-drafts/", {"flow": "expense"}, key=None).json()
    body = {"document": a_document(), "form": a_form()}
    path = f"design-drafts/{mine['id']}/what-if"
    caller.refused(path, 403, "permission.denied", body, key=None)
    assert caller.post(f"design-drafts/{mine['id']}/preview", body, key=None).status_code == 200
