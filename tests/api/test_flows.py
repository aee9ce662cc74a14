"""`flows/`: what a person may start, the form to start it with, and its versions."""

from __future__ import annotations

from tests.api.caller import nothing_written
from tests.api.conftest import PLANTED, a_document, a_form
from tests.workflow import flows
from workflow.models import Definition


def only_for(*logins):
    return {"who": {"any_of": [{"by": "user", "ids": list(logins)}]}}


def test_only_what_one_may_start_is_listed(api, ann, chi, now):
    flows.publish(ann, flows.a_document(key="everybody"), now=now)
    flows.publish(ann, flows.a_document(key="ours", start=only_for("chi")), now=now)
    flows.publish(ann, flows.a_document(key="stopped"), now=now)
    Definition.objects.filter(key="stopped").update(state="suspended")
    assert api(ann).read("flows/") == {
        "count": 1,
        "next": None,
        "previous": None,
        "results": [
            {
                "key": "everybody",
                "version": 1,
                "name": "Everybody",
                "category": "",
                "favourite": False,
                "may_start": True,
            }
        ],
    }
    assert [row["key"] for row in api(chi).read("flows/")["results"]] == ["everybody", "ours"]


def test_a_process_is_arranged_once_for_a_key(api, bao, ann, now):
    for key in ("one", "two"):
        flows.publish(ann, flows.a_document(key=key), now=now)
        api(bao).post(f"flows/{key}/actions/arrange", {"category": "Money"})
    asked = {"position": 1}
    for _again in range(2):
        answer = api(bao).post("flows/two/actions/arrange", asked, key="once")
        assert answer.json() == {"key": "two", "category": "Money", "position": 1}
    with nothing_written():
        for body in ({}, {"category": 1}, {"position": "1"}, {"category": "x" * 41}):
            answer = api(bao).post("flows/two/actions/arrange", body)
            assert (answer.status_code, answer.json()["code"]) == (400, "request.invalid")
        answer = api(bao).post("flows/two/actions/arrange", {"category": "a\u200bb"})
        assert (answer.status_code, answer.json()["code"]) == (422, "category.invalid")


def test_a_favourite_is_told_to_whom_it_belongs(api, published, ann, chi):
    for on in (True, True, False):
        answer = api(ann).post("flows/expense/actions/favourite", {"on": on})
        assert answer.json() == {"key": "expense", "favourite": on}
        assert api(ann).read("flows/expense/")["favourite"] is on
        assert api(chi).read("flows/")["results"][0]["favourite"] is False


def test_pages_and_parameters(api, ann, now):
    for number in range(3):
        flows.publish(ann, flows.a_document(key=f"flow_{number}"), now=now)
    page = api(ann).read("flows/?page=2&page_size=2")
    assert [row["key"] for row in page["results"]] == ["flow_2"]
    assert (page["count"], page["next"]) == (3, None)
    assert api(ann).get("flows/?tenant=other").json()["code"] == "query.unknown"
    assert api(ann).get("flows/?page=0").status_code == 400


def test_the_form_of_a_flow_without_what_is_hidden(api, ann, published):
    answer = api(ann).get("flows/expense/")
    assert PLANTED not in answer.content.decode()
    assert "secret" not in answer.content.decode()
    found = answer.json()
    assert (found["key"], found["version"], found["name"]) == ("expense", 1, "Expense")
    assert found["may_start"] is True
    assert found["form"]["fields"][0] == {
        "id": "amount",
        "type": "amount",
        "label": "Amount",
        "help": "",
        "required": True,
        "right": "edit",
        "default": None,
        "limits": {},
        "options": [],
        "columns": [],
        "rows": [],
    }
    assert [field["id"] for field in found["form"]["fields"]] == ["amount", "reason"]


def test_labels_come_in_the_readers_language(api, ann, now):
    form = {
        "formdoc": 1,
        "fields": [
            {
                "id": "kind",
                "type": "choice",
                "label": {"en": "Kind", "zh-hans": "类别"},
                "options": [{"id": "a", "label": {"en": "Annual", "zh-hans": "年假"}}],
            }
        ],
    }
    flows.publish(ann, flows.a_document(key="leave"), form, now=now)
    english = api(ann).get("flows/leave/", **{"Accept-Language": "en"}).json()
    chinese = api(ann).get("flows/leave/", **{"Accept-Language": "zh-hans"}).json()
    assert english["form"]["fields"][0]["label"] == "Kind"
    assert chinese["form"]["fields"][0]["label"] == "类别"
    assert chinese["form"]["fields"][0]["options"] == [{"id": "a", "label": "年假"}]


def test_whom_it_is_not_for_learns_nothing_of_the_form(api, ann, bao, chi, now):
    flows.publish(ann, flows.a_document(key="ours", start=only_for("chi")), now=now)
    assert api(chi).read("flows/ours/")["may_start"] is True
    stranger = api(ann).read("flows/ours/")
    assert (stranger["may_start"], stranger["form"]) == (False, {"fields": []})
    designer = api(bao).read("flows/ours/")
    assert designer["may_start"] is False
    assert designer["form"]["fields"]


def test_a_suspended_flow_may_not_be_started(api, ann, published):
    Definition.objects.update(state="suspended")
    found = api(ann).read("flows/expense/")
    assert found["may_start"] is False
    assert found["form"]["fields"]


def test_another_tenant_sees_nothing(api, eve, published):
    assert api(eve).read("flows/")["results"] == []
    for path in ("flows/{}/", "flows/{}/versions/"):
        foreign = api(eve).get(path.format("expense"))
        missing = api(eve).get(path.format("nothing"))
        assert foreign.status_code == missing.status_code == 404
        assert body_of(foreign) == body_of(missing)


def body_of(answer):
    """A problem without the number of its request."""
    return answer.json() | {"instance": ""}


def test_versions_newest_first(api, ann, bao, published, now):
    flows.publish(ann, a_document(title="Second"), a_form(), now=now)
    page = api(bao).read("flows/expense/versions/")
    assert [row["version"] for row in page["results"]] == [2, 1]
    newest, oldest = page["results"]
    assert (newest["current"], oldest["current"]) == (True, False)
    assert newest["form_version"] == oldest["form_version"] == 1
    assert newest["published_by"] == {"login": "ann", "name": "Ann Lee"}
    assert newest["digest"] != oldest["digest"]


def test_versions_are_for_those_who_make_flows(api, ann, published):
    answer = api(ann).get("flows/expense/versions/")
    assert (answer.status_code, answer.json()["code"]) == (403, "permission.denied")
