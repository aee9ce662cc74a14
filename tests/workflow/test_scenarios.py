"""Scenarios of a process: stored with its version, played again, and green where that is asked."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from flowadmin.rest.problems import Problem
from tests.workflow import flows
from workflow.actions import publishing, scenarios
from workflow.models import ScenarioSet

pytestmark = pytest.mark.django_db


def a_scenario(name="big", amount="12000", path=("lead", "finance"), **members):
    clicks = [{"as": "bao", "do": "approve"}, {"as": "dan", "do": "approve"}]
    return {
        "name": name,
        "initiator": "ann",
        "at": "2026-03-02T09:00:00Z",
        "form": {"amount": amount},
        "clicks": clicks[: len(path)],
        "expect": {"path": list(path), "ends": "approved"},
    } | members


SMALL = a_scenario("small", "50", ("lead",))
RED = a_scenario("wrong", "50")


@pytest.fixture
def publish(admin, now):
    def with_scenarios(*told, document=None, **members):
        version, _new = publishing.publish(
            user=admin,
            document=document or flows.big_and_small(),
            form=flows.FORM,
            note="",
            now=now,
            scenarios=list(told) or None,
            **members,
        )
        return version

    return with_scenarios


def told(refused):
    """The problems of a refusal."""
    problems = refused.value.errors
    assert problems
    return problems


def test_they_are_stored_with_the_version_and_what_they_came_to(publish, admin, now):
    version = publish(a_scenario(), SMALL, RED)
    kept = scenarios.stored_with(version)
    assert kept.scenarios == [a_scenario(), SMALL, RED]
    assert (kept.changed_by_id, kept.changed_at) == (admin.pk, now)
    assert [each["green"] for each in kept.results] == [True, True, False]
    assert kept.results[2]["code"] == "scenario.other_path"
    assert kept.results[2]["at"] == "/expect/path/1"


def test_playing_writes_nothing_but_the_results(publish):
    before = flows.rows()
    publish(a_scenario(), SMALL)
    grown = {name for name, count in flows.rows().items() if count != before[name]}
    assert grown == {
        "flow_definition",
        "flow_version",
        "flow_scenarios",
        "flow_publication",
    }


def test_a_red_one_refuses_the_publication_where_green_is_asked_for(publish):
    before = flows.rows()
    with pytest.raises(Problem) as refused:
        publish(a_scenario(), RED, require_green=True)
    (problem,) = told(refused)
    assert (problem["code"], problem["at"]) == ("scenario.red", "/scenarios/1")
    assert problem["args"]["name"] == "wrong"
    assert problem["args"]["difference"] == "scenario.other_path"
    assert "“finance”" in problem["message"]
    assert flows.rows() == before


def test_the_next_version_takes_scenarios_and_the_demand_over(publish):
    first = publish(a_scenario(), SMALL, require_green=True)
    other = flows.a_document(flows.approve_step("lead", "bao"))
    with pytest.raises(Problem) as refused:
        publish(document=other)
    # One of the steps is gone, so the scenario cannot even be read.
    assert told(refused)[0]["code"] == "scenario.unknown_step"
    assert ScenarioSet.objects.count() == 1
    renamed = flows.big_and_small() | {"title": "{flow.name}"}
    second = publish(document=renamed)
    assert second.pk != first.pk
    kept = scenarios.stored_with(second)
    assert (kept.require_green, len(kept.scenarios)) == (True, 2)


def test_without_the_demand_scenarios_that_cannot_be_read_stop_nobody(publish):
    publish(a_scenario())
    version = publish(document=flows.a_document(flows.approve_step("lead", "bao")))
    kept = scenarios.stored_with(version)
    assert (kept.scenarios, kept.results) == ([a_scenario()], [])


def test_the_same_document_again_changes_the_scenarios_of_its_version(publish):
    first = publish(a_scenario())
    second = publish(SMALL)
    assert first.pk == second.pk
    (kept,) = ScenarioSet.objects.all()
    assert kept.scenarios == [SMALL]


def test_what_cannot_be_read_is_refused_with_its_position(publish):
    before = flows.rows()
    with pytest.raises(Problem) as refused:
        publish(a_scenario(), {"name": "x"})
    (problem,) = told(refused)
    assert (problem["code"], problem["at"]) == ("scenario.field_missing", "/scenarios/1")
    assert flows.rows() == before


def test_the_people_are_those_of_the_tenant(publish):
    with pytest.raises(Problem) as refused:
        publish(a_scenario(initiator="eve"), require_green=True)
    (problem,) = told(refused)
    assert problem["args"]["difference"] == "scenario.unknown_person"


def posted(client, path, body):
    return client.post(
        f"/api/v1/{path}",
        json.dumps(body),
        content_type="application/json",
        headers={"Idempotency-Key": "k-1"},
    )


def test_through_rest_they_are_published_and_validated(client_of, admin):
    client = client_of(admin)
    body = {"document": flows.big_and_small(), "form": flows.FORM, "scenarios": [SMALL, RED]}
    found = posted(client, "flows/validate", body).json()
    assert found["ok"] is True
    told = [(each["code"], each["at"], each["level"]) for each in found["problems"]]
    assert [each for each in told if each[0].startswith("scenario.")] == [
        ("scenario.red", "/scenarios/1", "warning")
    ]
    assert not ScenarioSet.objects.exists()
    refused = posted(client, "flows/expense/actions/publish", body | {"require_green": True})
    assert refused.status_code == 422
    assert [each["at"] for each in refused.json()["errors"]] == ["/scenarios/1"]
    body["scenarios"] = [SMALL]
    answer = client.post(
        "/api/v1/flows/expense/actions/publish",
        json.dumps(body | {"require_green": True}),
        content_type="application/json",
        headers={"Idempotency-Key": "k-2"},
    )
    assert answer.status_code == 201
    assert answer.json()["scenarios"] == [
        {"name": "small", "green": True, "path": ["lead"], "ends": "approved"}
    ]
    wrong = posted(client, "flows/validate", body | {"scenarios": {}}).json()
    assert [each["code"] for each in wrong["problems"] if each["level"] == "error"] == [
        "scenario.bad_value"
    ]


def test_require_green_is_a_truth_value(client_of, admin):
    body = {"document": flows.big_and_small(), "form": flows.FORM, "require_green": "yes"}
    answer = posted(client_of(admin), "flows/expense/actions/publish", body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["at"] == "/require_green"


def validated(*arguments):
    out = StringIO()
    try:
        call_command("flow_validate", *arguments, stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue()
    return 0, out.getvalue()


def test_the_command_plays_them_too(demo_tenant, ann, bao, dan, tmp_path):
    flow, told = tmp_path / "flow.json", tmp_path / "scenarios.json"
    flow.write_text(json.dumps({"document": flows.big_and_small(), "form": flows.FORM}))
    told.write_text(json.dumps({"scenarios": [a_scenario(), SMALL]}))
    both = (str(flow), "--scenarios", str(told))
    assert validated(*both, "--tenant", demo_tenant.code)[0] == 0
    assert validated(*both)[0] == 2
    told.write_text(json.dumps({"scenarios": [RED]}))
    code, out = validated(*both, "--tenant", demo_tenant.code)
    assert code == 1
    assert "[scenario.red]" in out
    told.write_text(json.dumps([]))
    assert validated(*both, "--tenant", demo_tenant.code)[0] == 2
