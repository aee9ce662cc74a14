"""The OpenAPI document: valid, without a warning, and true to the addresses and the answers."""

from __future__ import annotations

import re

import pytest
import yaml
from django.core.management import call_command

from tests.api import situations
from tests.api.test_permission_matrix import routes
from tests.files import uploads
from tests.workflow import flows
from workflow.engine.offers import VERBS

ON_TASKS = VERBS
ON_INSTANCES = ("withdraw", "resubmit", "suspend", "resume", "jump")


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    """The document, made by the command that fails on a warning."""
    file = tmp_path_factory.mktemp("schema") / "openapi.yaml"
    call_command("spectacular", validate=True, fail_on_warn=True, file=str(file))
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def operations(document):
    return {
        f"{method.upper()} {path.removeprefix('/api/v1/')}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_every_address_is_described_under_a_name_of_its_own(document):
    served = {
        re.sub(r"<str:(\w+)>", r"{\1}", route).replace("{pk}", "{id}") for route in routes()
    } - {"GET schema/"}
    described = operations(document)
    assert set(described) == served
    names = [operation["operationId"] for operation in described.values()]
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(
            r"(files|flows|instances|tasks|notices|callbacks|me|http_replies|\w+_drafts)_[a-z_]+",
            name,
        )
    for each in described.values():
        assert each["description"]


def test_commands_declare_their_headers(document):
    for row, operation in operations(document).items():
        headers = {
            each["name"] for each in operation.get("parameters", []) if each["in"] == "header"
        }
        is_command = row.startswith("POST") and row not in {
            "POST flows/validate",
            "POST flows/{key}/preview",
            "POST http-replies/{token}/",
            "POST notices/{id}/actions/read",
            "POST notices/actions/read-all",
            "POST design-drafts/{id}/preview",
            "POST design-drafts/{id}/record",
            "POST design-drafts/{id}/what-if",
        }
        assert ("Idempotency-Key" in headers) is is_command, row
        # Trying a draft out changes nothing.
        of_a_draft = "drafts/{id}/" in row and not row.startswith("GET")
        of_a_draft &= not row.endswith(("/preview", "/record", "/what-if"))
        names_a_version = (
            of_a_draft
            or row.endswith(("/resubmit", "/actions/publish"))
            or (
                row.startswith("POST tasks/{id}/actions/")
                and not row.endswith(("/comment", "/take-back", "/remove-signer"))
            )
        )
        assert ("If-Match" in headers) is names_a_version, row


def test_words_have_names_that_stay(document):
    schemas = document["components"]["schemas"]
    assert schemas["InstanceState"]["enum"] == [
        "running", "approved", "rejected", "cancelled", "terminated",
    ]  # fmt: skip
    assert not [name for name in schemas if re.search(r"Enum$", name)]


def resolved(schema, document):
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "allOf" in schema and len(schema["allOf"]) == 1:
        return resolved(schema["allOf"][0], document)
    if "oneOf" in schema:
        return resolved(schema["oneOf"][0], document)
    return schema


def hold(value, schema, document, at=""):
    """Assert that a value has exactly the members that the schema tells, all the way down."""
    schema = resolved(schema, document)
    if isinstance(value, list) and "items" in schema:
        for index, each in enumerate(value):
            hold(each, schema["items"], document, f"{at}/{index}")
    elif isinstance(value, dict) and "properties" in schema:
        assert set(value) == set(schema["properties"]), at
        assert set(schema["required"]) == set(schema["properties"]), at
        for name, below in value.items():
            hold(below, schema["properties"][name], document, f"{at}/{name}")
    elif "enum" in schema:
        assert value in schema["enum"], at


def test_answers_are_as_described(document, api, ann, bao, chi, request_of_ann, now):
    task = request_of_ann.tasks.get()
    described = operations(document)

    def check(row, answer, status="200"):
        assert answer.status_code == int(status)
        schema = described[row]["responses"][status]["content"]["application/json"]["schema"]
        hold(answer.json(), schema, document, row)

    check("GET me", api(ann).get("me"))
    check("POST files/", uploads.upload(api(ann).client), "201")
    check("GET flows/", api(ann).get("flows/"))
    check("GET flows/{key}/", api(ann).get("flows/expense/"))
    check("GET flows/{key}/versions/", api(bao).get("flows/expense/versions/"))
    check("GET tasks/", api(chi).get("tasks/"))
    check("GET tasks/{id}/", api(chi).get(f"tasks/{task.pk}/"))
    check("GET instances/", api(ann).get("instances/"))
    check("GET instances/{id}/", api(ann).get(f"instances/{request_of_ann.pk}/"))
    check("GET instances/{id}/history/", api(ann).get(f"instances/{request_of_ann.pk}/history/"))
    check("GET instances/{id}/explain/", api(ann).get(f"instances/{request_of_ann.pk}/explain/"))
    started = api(ann).post("instances/", {"flow": "expense", "form": {"amount": "1"}})
    check("POST instances/", started, "201")
    body = {"document": flows.a_document(key="x"), "form": flows.FORM}
    check("POST flows/validate", api(bao).post("flows/validate", body, key=None))
    check(
        "POST flows/{key}/actions/publish", api(bao).post("flows/x/actions/publish", body), "201"
    )
    moved = {"task": str(task.pk), "to": "bao", "reason": "x"}
    path = f"instances/{request_of_ann.pk}/actions/"
    for row, answer in (
        ("reassign", api(bao).post(path + "reassign", moved)),
        ("cancel", api(bao).post(path + "cancel", {"reason": "x"})),
    ):
        check(f"POST instances/{{id}}/actions/{row}", answer)
    other = flows.open_task(chi)
    for verb in ("comment", "approve"):
        body = {"comment": "x", "task_version": 1}
        answer = api(chi).post(f"tasks/{other.pk}/actions/{verb}", body)
        check(f"POST tasks/{{id}}/actions/{verb}", answer)


def test_drafts_are_as_described(document, api, bao, published):
    described, caller = operations(document), api(bao)
    bodies = {
        "design-drafts/": {"flow": "expense"},
        "application-drafts/": {"flow": "expense", "values": {"amount": "1"}},
    }
    for box, body in bodies.items():
        made = caller.post(box, body, key=None)
        for row, answer, status in (
            (f"POST {box}", made, "201"),
            (f"GET {box}", caller.get(box), "200"),
            (f"GET {box}{{id}}/", caller.get(f"{box}{made.json()['id']}/"), "200"),
        ):
            content = described[row]["responses"][status]["content"]
            hold(answer.json(), content["application/json"]["schema"], document, row)


@pytest.mark.parametrize("verb", [*ON_TASKS, *ON_INSTANCES])
def test_acts_are_as_described(document, api, people, now, verb):
    """Bodies have no member that is not described, and the answers are as they are told."""
    found = situations.make(verb, people, now)
    on_request = verb in ON_INSTANCES
    place, pk = ("instances", found.instance.pk) if on_request else ("tasks", found.task.pk)
    login = "chi"
    if on_request:
        login = "ann" if verb in {"withdraw", "resubmit"} else "bao"
    body = situations.body(verb, found)
    answer = api(people[login]).post(f"{place}/{pk}/actions/{verb}", body)
    assert answer.status_code == 200, answer.content
    operation = operations(document)[f"POST {place}/{{id}}/actions/{verb}"]
    told = operation["responses"]["200"]["content"]["application/json"]["schema"]
    hold(answer.json(), told, document, verb)
    asked = resolved(operation["requestBody"]["content"]["application/json"]["schema"], document)
    assert set(body) <= set(asked["properties"])
    if not on_request:
        detail = api(people["chi"]).get(f"tasks/{pk}/")
        if detail.status_code == 200:
            schema = operations(document)["GET tasks/{id}/"]["responses"]["200"]
            hold(detail.json(), schema["content"]["application/json"]["schema"], document)


def test_a_bulk_answer_is_as_described(document, api, people, request_of_ann):
    rows = [{"task": str(request_of_ann.tasks.get().pk), "task_version": 1}]
    rows.append({"task": "9", "task_version": 1})
    answer = api(people["chi"]).post("tasks/bulk-actions", {"action": "approve", "items": rows})
    told = operations(document)["POST tasks/bulk-actions"]["responses"]["200"]
    hold(answer.json(), told["content"]["application/json"]["schema"], document)
