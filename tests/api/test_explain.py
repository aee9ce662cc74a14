"""`instances/{id}/explain/`: stable codes, sentences in the caller's language, nothing hidden."""

from __future__ import annotations

import json

from tests.api.caller import nothing_written
from tests.workflow import flows
from workflow.models import SPAN


def explain(api, user, instance, **headers):
    with nothing_written():
        answer = api(user).get(f"instances/{instance.pk}/explain/", **headers)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_request_that_waits(api, request_of_ann, ann, chi):
    told = explain(api, ann, request_of_ann)
    assert (told["id"], told["ended"]) == (str(request_of_ann.pk), None)
    (lead,) = told["steps"]
    assert lead["step"] == {"id": "lead", "name": "Lead", "kind": "approve"}
    assert (lead["activation"], lead["round"], lead["within"]) == (1, 1, None)
    assert lead["because"] == {"code": "filed", "message": "The request was filed"}
    assert lead["people"] == [
        {
            "code": "user",
            "person": {"login": "chi", "name": chi.name},
            "task": str(request_of_ann.pk * SPAN + 1),
            "args": {"of": "chi"},
            "message": f"{chi.name}: named in the process",
            "stands_in_for": None,
            "held_before": [],
            "state": "open",
            "state_text": "To do",
        }
    ]
    assert lead["votes"]["needed"] == 1
    assert lead["ended"] is None


def test_what_is_hidden_from_the_caller_is_only_said_to_be_hidden(
    api, request_of_ann, ann, bao, chi, now
):
    flows.approve(chi, now=now)
    asked = explain(api, ann, request_of_ann)["steps"][1]["conditions"][0]
    assert asked["code"] == "branch_taken"
    assert asked["branch"] == {"id": "big", "name": "Big"}
    assert [each.get("hidden", False) for each in asked["questions"]] == [False, True]
    assert asked["questions"][1] == {
        "kind": "field",
        "hidden": True,
        "message": "A condition on a field that you may not see.",
    }
    assert "secret" not in json.dumps(explain(api, ann, request_of_ann))
    # A manager reads everything.
    assert (
        explain(api, bao, request_of_ann)["steps"][1]["conditions"][0]["questions"][1]["asked"]
        == "secret"
    )


def test_how_it_ended(api, request_of_ann, ann, chi, now):
    flows.reject(chi, now=now, comment="no")
    told = explain(api, ann, request_of_ann)
    assert (told["ended"]["state"], told["ended"]["reason"]) == ("rejected", "human")
    (lead,) = told["steps"]
    assert lead["ended"]["state"] == "refused"
    assert lead["ended"]["task"] == str(request_of_ann.pk * SPAN + 1)
    assert lead["people"][0]["state"] == "rejected"


def test_in_the_callers_language(api, request_of_ann, ann):
    english = explain(api, ann, request_of_ann)
    chinese = explain(api, ann, request_of_ann, accept_language="zh-hans")
    assert english["steps"][0]["people"][0]["message"].endswith(": named in the process")
    people = chinese["steps"][0]["people"][0]
    assert people["code"] == "user"
    assert "named in the process" not in people["message"]


def test_who_may_not_know_of_it_and_wrong_questions(api, request_of_ann, people):
    path = f"instances/{request_of_ann.pk}/explain/"
    for login in ("eve", "gus"):
        with nothing_written():
            assert api(people[login]).get(path).status_code == 404
    assert api(people["ann"]).get("instances/nothing/explain/").status_code == 404
    assert api(people["ann"]).get(path + "?step=lead").status_code == 400


def test_the_history_hides_the_same(api, request_of_ann, ann, chi, now):
    flows.approve(chi, now=now)
    told = api(ann).get(f"instances/{request_of_ann.pk}/history/").json()
    (taken,) = [each for each in told["results"] if each["kind"] == "branch_taken"]
    assert taken["data"]["leaves"][1] == {"kind": "field", "hidden": True}
    (entered, *_rest) = [each for each in told["results"] if each["kind"] == "step_entered"]
    assert entered["data"]["chosen"] == [
        {"user": {"login": "chi", "name": chi.name}, "by": "user", "of": "chi"}
    ]
    assert "secret" not in json.dumps(told)
