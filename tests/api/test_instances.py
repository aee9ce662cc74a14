"""`instances/`: filing, lists, one request with its timeline, and its history."""

from __future__ import annotations

import pytest

from tests.api.conftest import PLANTED
from tests.api.test_flows import body_of, only_for
from tests.workflow import flows
from workflow.models import Definition, Instance

GOOD = {"flow": "expense", "form": {"amount": "12000", "reason": "Train"}}


# Filing ---------------------------------------------------------------------------------------


def test_filing_a_request(api, ann, published):
    answer = api(ann).post("instances/", GOOD)
    assert answer.status_code == 201
    instance = Instance.objects.get()
    found = answer.json()
    assert found | {"started_at": ""} == {
        "id": str(instance.pk),
        "flow": "expense",
        "version": 1,
        "number": "000001",
        "title": "Ann Lee Expense",
        "state": "running",
        "held": False,
        "paused": False,
        "initiator": {"login": "ann", "name": "Ann Lee"},
        "started_at": "",
        "ended_at": None,
    }
    assert found["started_at"].endswith("Z")
    assert answer["Location"] == f"/api/v1/instances/{instance.pk}/"
    assert api(ann).client.get(answer["Location"]).json()["id"] == found["id"]
    assert instance.initiator == ann


def test_a_held_request_says_so(api, ann, now):
    nobody = {
        "any_of": [{"by": "role", "ids": ["hr"]}],
        "without": [{"by": "user", "ids": ["admin"]}],
    }
    flows.publish(ann, flows.a_document(flows.approve_step("lead", who=nobody)), now=now)
    found = api(ann).post("instances/", GOOD).json()
    assert (found["state"], found["held"]) == ("running", True)
    listed = api(ann).read("instances/?held=true")["results"]
    assert [row["id"] for row in listed] == [found["id"]]
    assert listed[0]["held"] is True
    assert api(ann).read("instances/?held=false")["results"] == []


@pytest.mark.parametrize(
    ("form", "at", "code"),
    [
        ({}, "/form/amount", "form.required"),
        ({"amount": True}, "/form/amount", "form.type_mismatch"),
        ({"amount": "12.345"}, "/form/amount", "form.too_many_decimals"),
        ({"amount": "1", "secret": "x"}, "/form/secret", "form.unknown_field"),
        ({"amount": "1", "a/b": 1}, "/form/a~1b", "form.unknown_field"),
    ],
)
def test_wrong_values_are_told_where_they_stand(api, ann, published, form, at, code):
    body = {"flow": "expense", "form": form}
    problem = api(ann).refused("instances/", 422, "form.invalid", body)
    (error,) = problem["errors"]
    assert error["at"] == at
    assert error["code"] == code
    assert error["message"] != error["code"]


def test_unknown_foreign_suspended_and_not_allowed(api, ann, eve, chi, published, now):
    api(ann).refused("instances/", 404, "flow.unknown", {"flow": "nothing"})
    api(eve).refused("instances/", 404, "flow.unknown", GOOD)
    flows.publish(ann, flows.a_document(key="ours", start=only_for("chi")), now=now)
    api(ann).refused("instances/", 403, "start.not_allowed", {"flow": "ours", "form": {"x": 1}})
    Definition.objects.filter(key="expense").update(state="suspended")
    api(ann).refused("instances/", 409, "flow.suspended", GOOD)


def test_picking_people_is_refused_after_what_one_may_know(api, ann, eve, chi, published):
    body = GOOD | {"picked": {"lead": ["chi"]}}
    problem = api(ann).refused("instances/", 422, "picked.invalid", body)
    found = [(each["at"], each["code"]) for each in problem["errors"]]
    assert found == [("/picked/lead", "picked.not_asked")]
    api(eve).refused("instances/", 404, "flow.unknown", body)
    for wrong in ({"lead": "chi"}, {"lead": [1]}, {"lead": None}, ["chi"], {"lead": ["c" * 151]}):
        api(ann).refused("instances/", 400, "request.invalid", GOOD | {"picked": wrong})
    assert api(ann).post("instances/", GOOD | {"picked": {}}).status_code == 201


@pytest.mark.parametrize("member", ["initiator", "tenant", "user", "title"])
def test_nobody_files_for_somebody_else(api, ann, published, member):
    problem = api(ann).refused("instances/", 400, "request.invalid", GOOD | {member: "bao"})
    assert problem["errors"][0]["at"] == f"/{member}"


# Lists ----------------------------------------------------------------------------------------


def ids(api, person, query=""):
    return [row["id"] for row in api(person).read(f"instances/{query}")["results"]]


def test_boxes(api, people, ann, gus, published, now):
    first, second = (str(flows.start(ann, now=now).pk) for _ in range(2))
    third = str(flows.start(gus, now=now).pk)
    assert ids(api, ann) == [second, first]
    assert ids(api, people["chi"]) == []
    assert ids(api, people["chi"], "?box=involved") == [third, second, first]
    assert ids(api, people["fay"], "?box=involved") == []
    assert ids(api, people["fay"], "?box=all") == []
    # Managers and auditors read everything of their tenant.
    assert ids(api, people["bao"], "?box=all") == [third, second, first]
    assert ids(api, people["dan"], "?box=all") == [third, second, first]
    assert ids(api, ann, "?box=all") == [second, first]
    assert ids(api, people["eve"], "?box=all") == []


def test_filters(api, ann, chi, published, now):
    one = flows.start(ann, now=now, amount="1")
    two = flows.start(ann, now=now, amount="2")
    flows.approve(chi, now=now)
    assert ids(api, ann, "?state=approved") == [str(two.pk)]
    assert ids(api, ann, "?state=running") == [str(one.pk)]
    assert ids(api, ann, "?flow=expense&ordering=id") == [str(one.pk), str(two.pk)]
    assert ids(api, ann, "?ordering=-started_at") == [str(two.pk), str(one.pk)]
    answer = api(ann).get("instances/?flow=other")
    assert (answer.status_code, answer.json()["code"]) == (404, "flow.unknown")
    assert api(ann).get("tasks/?flow=other").json()["code"] == "flow.unknown"
    assert api(ann).read("tasks/?flow=expense")["count"] == 0
    assert ids(api, ann, f"?search={one.number[-3:]}") == [str(one.pk)]
    assert ids(api, ann, "?search=%25") == []
    assert ids(api, ann, "?held=false&search=LEE") == [str(two.pk), str(one.pk)]


@pytest.mark.parametrize(
    "query",
    [
        "?box=theirs",
        "?box=mine&box=all",
        "?state=open",
        "?held=1",
        "?ordering=title",
        "?ordering=initiator__password",
        "?initiator=bao",
        "?tenant=other",
        "?search=" + "a" * 101,
        "?page=x",
        "?page_size=101",
    ],
)
def test_what_a_list_does_not_know_is_refused(api, ann, published, query):
    assert api(ann).get(f"instances/{query}").status_code == 400


def test_pages_of_requests(api, ann, published, now):
    for _ in range(3):
        flows.start(ann, now=now)
    page = api(ann).read("instances/?page=2&page_size=2")
    assert (page["count"], len(page["results"]), page["next"]) == (3, 1, None)
    assert "page=1" in page["previous"]


def test_a_list_costs_the_same_however_long(api, ann, published, now, django_assert_num_queries):
    def cost():
        caller = api(ann)
        caller.read("instances/")
        from django.db import connection  # noqa: PLC0415 - after Django's set-up
        from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

        with CaptureQueriesContext(connection) as captured:
            caller.read("instances/")
        return len(captured)

    flows.start(ann, now=now)
    one = cost()
    for _ in range(10):
        flows.start(ann, now=now)
    assert cost() == one


# One request ----------------------------------------------------------------------------------


def test_one_request(api, ann, chi, request_of_ann):
    found = api(ann).read(f"instances/{request_of_ann.pk}/")
    assert found["values"] == {"amount": "12000.00", "reason": "Train to Kyoto"}
    assert [field["right"] for field in found["form"]["fields"]] == ["read", "read"]
    assert (found["actions"], found["jump_targets"]) == (["withdraw", "urge"], [])
    (task,) = found["tasks"]
    assert (task["holder"]["login"], task["state"], task["actions"]) == (
        "chi",
        "open",
        ["comment"],
    )
    assert [entry["kind"] for entry in found["timeline"]] == ["instance_started", "step_entered"]
    assert found["timeline"][1]["current"] is True
    assert "Chi Wang" in found["timeline"][1]["text"]


def test_managers_see_what_they_may_do(api, ann, bao, chi, request_of_ann, now):
    path = f"instances/{request_of_ann.pk}/"
    found = api(bao).read(path)
    assert found["actions"] == ["cancel", "reassign", "suspend", "jump", "edit-future"]
    names = [(each["id"], each["name"]) for each in found["jump_targets"]]
    assert names == [
        ("start", "Initiator"), ("lead", "Lead"), ("size", "Size"), ("finance", "Finance"),
        ("end", "End"),
    ]  # fmt: skip
    flows.reject(chi, now=now)
    assert api(bao).read(path)["actions"] == []
    # What has ended is urged by nobody, and nobody urges himself.
    assert api(ann).read(path)["actions"] == []
    flows.publish(bao, flows.a_document(flows.approve_step("own", "ann"), key="own"), now=now)
    own = flows.start(ann, now=now, flow="own")
    assert api(ann).read(f"instances/{own.pk}/")["actions"] == ["withdraw"]


def test_hidden_values_never_leave_the_server(api, ann, bao, chi, fay, request_of_ann, now):
    flows.approve(chi, now=now)
    flows.approve(fay, now=now, form={"secret": PLANTED + "-changed"})
    pk = request_of_ann.pk
    task_of_chi = request_of_ann.tasks.get(holder=chi).pk
    for person in (ann, chi):
        for path in (f"instances/{pk}/", f"instances/{pk}/history/", f"tasks/{task_of_chi}/"):
            text = api(person).get(path).content.decode()
            assert '"id":' in text or '"results":' in text
            assert PLANTED not in text
            assert "secret" not in text
    for person in (fay, bao):
        assert PLANTED + "-changed" in api(person).get(f"instances/{pk}/").content.decode()
        assert PLANTED in api(person).get(f"instances/{pk}/history/").content.decode()


def test_strangers_and_missing_requests_answer_alike(api, gus, eve, ann, request_of_ann):
    paths = ("instances/{}/", "instances/{}/history/")
    for person in (gus, eve):
        for path in paths:
            foreign = api(person).get(path.format(request_of_ann.pk))
            missing = api(person).get(path.format(request_of_ann.pk + 1000))
            assert foreign.status_code == missing.status_code == 404
            assert body_of(foreign) == body_of(missing)


@pytest.mark.parametrize(
    "pk",
    ["0", "-1", "1.0", "x", "9" * 19, "9" * 400, "%00", "%ED%A0%80", "%D9%A1", "1%20", "%2e%2e"],
)
def test_ids_that_are_none(api, ann, request_of_ann, pk):
    assert api(ann).get(f"instances/{pk}/").status_code in {400, 404}
    assert api(ann).get(f"tasks/{pk}/").status_code in {400, 404}
    answer = api(ann).post(f"tasks/{pk}/actions/approve", {"task_version": 1})
    assert answer.status_code in {400, 404}


# History --------------------------------------------------------------------------------------


def test_the_history_says_who_when_what_and_why(api, ann, chi, fay, bao, request_of_ann, now):
    flows.approve(chi, now=now, comment="Fine.", form={"reason": "Bus"})
    events = api(ann).read(f"instances/{request_of_ann.pk}/history/")["results"]
    by_kind = {event["kind"]: event for event in events}
    assert by_kind["instance_started"]["data"]["values"] == {
        "amount": "12000.00",
        "reason": "Train to Kyoto",
    }
    approved = by_kind["task_approved"]
    assert approved["actor"] == {"login": "chi", "name": "Chi Wang"}
    assert approved["data"] == {
        "task": str(request_of_ann.tasks.get(holder=chi).pk),
        "version": 2,
        "reason": "human",
        "comment": "Fine.",
    }
    assert by_kind["form_changed"]["data"] == {"changes": {"reason": "Bus"}}
    assert by_kind["branch_taken"]["data"]["branch"] == "big"
    leaves = by_kind["branch_taken"]["data"]["leaves"]
    assert leaves[0]["asked"] == "amount"
    assert leaves[1] == {"kind": "field", "hidden": True}
    assert by_kind["step_entered"]["data"]["chosen"] == [
        {"user": {"login": "fay", "name": "Fay Sun"}, "by": "user", "of": "fay"}
    ]
    seen_by_manager = api(bao).read(f"instances/{request_of_ann.pk}/history/")["results"]
    digest = next(each for each in seen_by_manager if each["kind"] == "task_approved")
    assert len(digest["data"]["form"]) == 64


def test_a_change_of_hidden_fields_alone_did_not_happen(
    api, ann, bao, chi, fay, request_of_ann, now
):
    flows.approve(chi, now=now)
    flows.approve(fay, now=now, form={"secret": "other"})
    path = f"instances/{request_of_ann.pk}/history/"
    kinds = [event["kind"] for event in api(ann).read(path)["results"]]
    assert "form_changed" not in kinds
    assert "form_changed" in [event["kind"] for event in api(bao).read(path)["results"]]


def test_the_history_comes_in_pages(api, ann, chi, request_of_ann, now):
    flows.approve(chi, now=now)
    whole = api(ann).read(f"instances/{request_of_ann.pk}/history/")["results"]
    path, seen = f"instances/{request_of_ann.pk}/history/?page_size=2", []
    while path:
        page = api(ann).read(path)
        assert len(page["results"]) <= 2
        seen += page["results"]
        path = page["next"] and page["next"].partition("/api/v1/")[2]
    assert seen == whole
    assert [event["position"] for event in whole] == sorted({event["position"] for event in whole})
    assert api(ann).get(f"instances/{request_of_ann.pk}/history/?cursor=x").status_code == 400
    assert api(ann).get(f"instances/{request_of_ann.pk}/history/?page=2").status_code == 400
