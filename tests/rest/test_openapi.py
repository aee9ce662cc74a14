"""The OpenAPI document: who may read it, and what it says about each operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from django.test import Client

    from flowadmin.directory.models import User


@pytest.fixture
def document(ann: User, client_of: Any) -> dict[str, Any]:
    found: dict[str, Any] = client_of(ann).get("/api/v1/schema/").json()
    return found


def test_only_for_people_who_are_signed_in(client: Client, db: None) -> None:
    answer = client.get("/api/v1/schema/")
    assert answer.status_code == 401
    assert answer.json()["code"] == "auth.required"


def test_yaml_on_request_and_nothing_else_by_query(ann: User, client_of: Any) -> None:
    client = client_of(ann)
    answer = client.get("/api/v1/schema/", headers={"Accept": "application/vnd.oai.openapi"})
    assert answer.content.startswith(b"openapi: 3.1.0")
    assert client.get("/api/v1/schema/?lang=../../x").json()["code"] == "query.unknown"


def test_every_operation_may_answer_a_problem(document: dict[str, Any]) -> None:
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    assert ("/api/v1/rows/", "get") in {(path, method) for path, method, _ in operations}
    for path, method, operation in operations:
        for status in ("401", "404", "503"):
            assert status in operation["responses"], (path, method)
        assert ("428" in operation["responses"]) is (method != "get"), (path, method)
    shape = document["components"]["responses"]["Problem"]["content"]
    assert list(shape) == ["application/problem+json"]
    assert document["components"]["schemas"]["Problem"]["properties"]["errors"]["items"] == {
        "$ref": "#/components/schemas/Finding"
    }


def test_headers_of_commands(document: dict[str, Any]) -> None:
    command = document["paths"]["/api/v1/commands/{code}/"]["post"]
    given = {each["name"]: each for each in command["parameters"] if each["in"] == "header"}
    assert set(given) == {"Idempotency-Key", "If-Match"}
    assert given["Idempotency-Key"]["required"] is True
    assert "required" not in given["If-Match"]
    assert set(command["responses"]["201"]["headers"]) == {"ETag", "Idempotency-Replayed"}
    rows = document["paths"]["/api/v1/rows/"]["get"]
    assert [each for each in rows.get("parameters", []) if each["in"] == "header"] == []


def test_ways_to_sign_in(document: dict[str, Any]) -> None:
    assert set(document["components"]["securitySchemes"]) == {"session", "token"}
    assert {"token": []} in document["paths"]["/api/v1/rows/"]["get"]["security"]
