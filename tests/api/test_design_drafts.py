"""`design-drafts/`, and publishing what stands in one."""

from __future__ import annotations

import json

import pytest

from tests.api.caller import BASE, JSON, nothing_written
from tests.api.conftest import a_document, a_form
from tests.workflow import flows
from workflow.models import Definition, Draft, Version

HALF = {"flowdoc": 1, "key": "half", "name": "Half", "steps": [{"id": "a", "kind": "approve"}]}


def save(caller, draft, body, *, version=None, method="put"):
    """PUT or PATCH against a version, the draft's own unless another is given."""
    seen = draft["version"] if version is None else version
    return getattr(caller.client, method)(
        f"{BASE}design-drafts/{draft['id']}/",
        data=json.dumps(body),
        content_type=JSON,
        headers={} if seen == "" else {"If-Match": f'"{seen}"'},
    )


@pytest.fixture
def bao_api(api, bao):
    return api(bao)


@pytest.fixture
def draft(bao_api):
    """A draft of bao's that has problems."""
    answer = bao_api.post("design-drafts/", {"document": HALF}, key=None)
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_a_half_done_process_is_kept_as_it_is(bao_api, draft):
    found = bao_api.get(f"design-drafts/{draft['id']}/")
    assert found["ETag"] == '"1"'
    read = found.json()
    assert read["document"] == HALF
    assert read["problem_count"] == len([p for p in read["problems"] if p["level"] == "error"])
    assert read["problem_count"] > 0
    assert (read["flow"], read["based_on"], read["live"]) == ("half", None, None)
    assert bao_api.read("design-drafts/")["results"][0]["id"] == draft["id"]
    assert not Definition.objects.filter(key="half").exists()


def test_each_save_is_one_version_more(bao_api, draft):
    body = {"name": "Mine", "document": HALF | {"name": "Whole"}, "form": a_form(), "view": {}}
    answer = save(bao_api, draft, body)
    assert (answer.status_code, answer["ETag"]) == (200, '"2"')
    answer = save(bao_api, answer.json(), {"view": {"folded": ["a"]}}, method="patch")
    read = answer.json()
    assert (read["version"], read["name"], read["view"]) == (3, "Mine", {"folded": ["a"]})
    assert (read["document"]["name"], read["form"]) == ("Whole", a_form())


@pytest.mark.parametrize(
    ("body", "version", "status", "code"),
    [
        ({"document": HALF}, "", 428, "precondition.missing"),
        ({"document": HALF}, 7, 412, "draft.version_moved"),
        ({"document": 5}, 1, 400, "request.invalid"),
        ({}, 1, 400, "request.invalid"),
        ({"document": {"flowdoc": 2}}, 1, 422, "draft.invalid"),
        ({"document": HALF, "view": {"x": "y" * 40_000}}, 1, 422, "draft.invalid"),
    ],
)
def test_a_refused_save_leaves_the_draft(bao_api, draft, body, version, status, code):
    before = list(Draft.objects.values())
    answer = save(bao_api, draft, body, version=version)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert list(Draft.objects.values()) == before


@pytest.mark.parametrize(
    "body",
    [{}, {"template": "blank", "flow": "expense"}, {"template": "nothing"}, {"document": {}}],
)
def test_a_new_draft_begins_with_one_thing(bao_api, body):
    with nothing_written():
        answer = bao_api.post("design-drafts/", body, key=None)
    assert answer.status_code in {400, 422}


def test_drafts_of_templates_versions_and_drafts(bao_api, published):
    made = [
        bao_api.post("design-drafts/", body, key=None).json()
        for body in ({"template": "leave"}, {"template": "leave"}, {"flow": "expense"})
    ]
    assert [each["flow"] for each in made] == ["leave", "leave_2", "expense"]
    assert made[0]["problem_count"] == 0
    assert (made[2]["based_on"], made[2]["moved"], made[2]["changes"]) == (1, False, {})
    copy = bao_api.post("design-drafts/", {"draft": made[2]["id"], "name": "Copy"}, key=None)
    assert (copy.json()["based_on"], copy.json()["name"]) == (1, "Copy")
    assert published.number == 1


def test_a_key_makes_a_draft_once(bao_api, published, api, ann):
    for path, body, other in (
        ("design-drafts/", {"template": "leave"}, {"template": "blank"}),
        ("application-drafts/", {"flow": "expense"}, {"flow": "expense", "name": "Other"}),
    ):
        first = bao_api.post(path, body, key="once-and-only")
        before = Draft.objects.count()
        again = bao_api.post(path, body, key="once-and-only")
        assert (first.status_code, again.status_code) == (201, 201)
        assert "Idempotency-Replayed" not in first.headers
        assert again["Idempotency-Replayed"] == "true"
        assert again.json() == first.json()
        assert (again["ETag"], again["Location"]) == (first["ETag"], first["Location"])
        bao_api.refused(path, 422, "idempotency.other_body", other, key="once-and-only")
        bao_api.refused(path, 400, "idempotency.bad", body, key="two words")
        assert Draft.objects.count() == before
        # A key is the caller's own, and without one each call makes a draft.
        bao_api.post(path, body, key=None)
        assert Draft.objects.count() == before + 1


def test_what_was_published_meanwhile_is_told(bao_api, published, bao, ann, admin, api, now):
    mine = bao_api.post("design-drafts/", {"flow": "expense"}, key=None).json()
    api(admin).post("design-drafts/", {"flow": "expense"}, key=None)
    flows.publish(ann, a_document(title="Changed"), a_form(), now=now)
    read = bao_api.read(f"design-drafts/{mine['id']}/")
    assert (read["moved"], read["based_on"], read["live"]["version"]) == (True, 1, 2)
    assert read["changes"] == {"changed": 1}
    assert [each["owner"]["login"] for each in read["others"]] == ["admin"]


def test_a_draft_is_published_and_stands_on_its_version(bao_api, published):
    mine = bao_api.post("design-drafts/", {"flow": "expense"}, key=None).json()
    path = "flows/expense/actions/publish"
    save(bao_api, mine, {"document": mine["document"] | {"title": "New"}}, method="patch")
    bao_api.refused(path, 412, "draft.version_moved", {"draft": mine["id"]}, if_match='"1"')
    bao_api.refused(path, 412, "flow.version_moved", {"draft": mine["id"], "over": 0})
    body = {"draft": mine["id"], "note": "Titles", "over": 1}
    answer = bao_api.post(path, body, if_match='"2"')
    assert (answer.status_code, answer.json()["version"]) == (201, 2)
    assert Version.objects.get(number=2).note == "Titles"
    read = bao_api.read(f"design-drafts/{mine['id']}/")
    assert (read["version"], read["based_on"], read["moved"]) == (2, 2, False)


def test_a_draft_with_problems_is_not_published(bao_api, draft):
    path = "flows/half/actions/publish"
    found = bao_api.refused(path, 422, "flow.invalid", {"draft": draft["id"]})
    assert {each["level"] for each in found["errors"]} == {"error"}
    bao_api.refused("flows/other/actions/publish", 422, "flow.invalid", {"draft": draft["id"]})


def test_nobody_knows_of_the_draft_of_another(api, bao_api, draft, admin, gus, eve):
    for somebody in (admin, gus, eve):
        caller = api(somebody)
        with nothing_written():
            answers = [
                caller.get(f"design-drafts/{draft['id']}/"),
                save(caller, draft, {"document": HALF}),
                caller.client.delete(
                    f"{BASE}design-drafts/{draft['id']}/", headers={"If-Match": '"1"'}
                ),
            ]
        assert [answer.status_code for answer in answers] == [404] * 3
    with nothing_written():
        assert api(gus).get("design-drafts/").status_code == 403
    found = api(admin).post("flows/half/actions/publish", {"draft": draft["id"]})
    assert (found.status_code, found.json()["code"]) == (404, "not_found")


def test_a_deleted_draft_says_so(bao_api, draft):
    address = f"{BASE}design-drafts/{draft['id']}/"
    assert bao_api.client.delete(address).status_code == 428
    assert bao_api.client.delete(address, headers={"If-Match": '"1"'}).status_code == 204
    found = bao_api.get(f"design-drafts/{draft['id']}/").json()
    assert (found["status"], found["code"]) == (404, "draft.deleted")
    assert found["deleted_at"]
    assert save(bao_api, draft, {"document": HALF}).json()["code"] == "draft.deleted"
    assert bao_api.read("design-drafts/")["count"] == 0
