"""Every refusal has one shape: a problem document below /api/, a page or a fragment elsewhere."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError, connection
from django.test import Client
from django.utils import translation

from flowadmin.rest import catalogue
from flowadmin.rest.problems import Problem, json_bytes, problem_of
from flowadmin.rest.request_ids import RequestIdFilter

if TYPE_CHECKING:
    from flowadmin.directory.models import User

MEMBERS = {"type", "title", "status", "detail", "instance", "code"}


def _problem(answer: Any, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["Cache-Control"] == "no-store"
    found: dict[str, Any] = answer.json()
    assert set(found) >= MEMBERS
    assert (found["status"], found["code"], found["type"]) == (status, code, f"/problems/{code}")
    assert found["instance"] == answer["X-Request-Id"]
    assert found["title"]
    return found


def test_members_and_findings(client: Client) -> None:
    found = _problem(client.get("/api/v1/refuse/broken/"), 422, "test.broken")
    assert found["errors"] == [
        {
            "code": "step.loop",
            "at": "/steps/3",
            "step": "s3",
            "level": "error",
            "args": {"times": 2},
            "message": "",
        }
    ]


def test_conflict_says_who_was_faster(client: Client) -> None:
    found = _problem(client.get("/api/v1/refuse/handled/"), 409, "test.handled")
    assert found["handled_by"] == "bao"
    assert found["handled_at"] == "2026-11-30T10:31:00Z"
    assert found["decision"] == "approved"


def test_too_soon_says_how_long(client: Client) -> None:
    answer = client.get("/api/v1/refuse/soon/")
    assert _problem(answer, 429, "test.soon")["retry_after"] == 321
    assert answer["Retry-After"] == "321"
    throttled = client.get("/api/v1/refuse/throttled/")
    assert _problem(throttled, 429, "rate.limited")["retry_after"] == 8
    assert throttled["Retry-After"] == "8"


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [("missing", 404, "not_found"), ("denied", 403, "permission.denied")],
)
def test_reasons_of_the_inside_are_not_told(
    client: Client, kind: str, status: int, code: str
) -> None:
    answer = client.get(f"/api/v1/refuse/{kind}/")
    _problem(answer, status, code)
    assert b"secret" not in answer.content
    assert b"tenant" not in answer.content


def test_busy_database_is_503(client: Client) -> None:
    answer = client.get("/api/v1/refuse/busy/")
    _problem(answer, 503, "database.busy")
    assert answer["Retry-After"] == "5"
    assert b"locked" not in answer.content


@pytest.mark.parametrize("path", ["/api/v1/refuse/mistake/", "/pages/refuse/mistake/"])
def test_a_mistake_of_ours_tells_nothing_but_its_number(
    path: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client(raise_request_exception=False)
    answer = client.get(path)
    assert answer.status_code == 500
    assert b"secret" not in answer.content
    assert b"Traceback" not in answer.content
    assert answer["X-Request-Id"].encode() in answer.content
    # The operator finds the whole of it in the log.
    assert any("secret inside" in str(record.exc_info) for record in caplog.records)


@pytest.mark.parametrize("path", ["/api/", "/api/v1/nothing", "/api/v1/nothing/7/", "/api/v9/"])
@pytest.mark.parametrize("method", ["get", "post", "delete"])
@pytest.mark.parametrize("debug", [False, True])
def test_unmatched_addresses_below_api(
    client: Client, settings: Any, path: str, method: str, *, debug: bool
) -> None:
    settings.DEBUG = debug
    _problem(getattr(client, method)(path), 404, "not_found")


def test_other_methods(client: Client) -> None:
    answer = client.get("/api/v1/echo/")
    _problem(answer, 405, "method.not_allowed")
    assert answer["Allow"] == "POST, OPTIONS"


def test_other_representations(client: Client) -> None:
    answer = client.post("/api/v1/echo/", headers={"Accept": "image/png"})
    _problem(answer, 406, "accept.unsupported")


def test_serializer_errors_are_findings_with_pointers(client: Client) -> None:
    body = b'{"name": "too long", "lines": [{"a": 1}, {"b": "x"}, 3]}'
    answer = client.post("/api/v1/checked/", data=body, content_type="application/json")
    found = _problem(answer, 400, "request.invalid")
    places = {(error["code"], error["at"]) for error in found["errors"]}
    assert places == {
        ("request.max_length", "/name"),
        ("request.invalid", "/lines/1/b"),
        ("request.not_a_dict", "/lines/2"),
    }
    assert all(error["message"] for error in found["errors"])


def test_missing_members_are_findings(client: Client) -> None:
    answer = client.post("/api/v1/checked/", content_type="application/json")
    found = _problem(answer, 400, "request.invalid")
    assert [error["at"] for error in found["errors"]] == ["/name", "/lines"]


@pytest.mark.django_db
def test_a_page_answers_a_page(client: Client) -> None:
    answer = client.get("/pages/refuse/handled/")
    text = answer.content.decode()
    assert answer.status_code == 409
    assert answer["Content-Type"].startswith("text/html")
    assert "HX-Request" in answer["Vary"]
    assert '<html lang="en"' in text
    assert "&lt;b&gt;Somebody&lt;/b&gt; was faster." in text
    assert "Decided by bao: approved." in text
    assert answer["X-Request-Id"] in text
    assert "/problems/test.handled" not in text


@pytest.mark.django_db
def test_a_page_of_a_signed_in_person_keeps_the_navigation(ann: User, client_of: Any) -> None:
    answer = client_of(ann).get("/pages/refuse/missing/")
    assert answer.status_code == 404
    assert ann.name in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "status", "words"),
    [
        ("moved", 412, "Changed by dan, now version 4."),
        ("soon", 429, "Try again in 321 seconds."),
        ("broken", 422, "/steps/3"),
        ("busy", 503, "Nothing was stored"),
    ],
)
def test_htmx_gets_a_fragment(client: Client, kind: str, status: int, words: str) -> None:
    answer = client.get(f"/pages/refuse/{kind}/", headers={"HX-Request": "true"})
    text = answer.content.decode()
    assert answer.status_code == status
    assert words in text
    assert "<html" not in text
    assert 'role="alert"' in text


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/nothing/", "/problems/nothing.known"])
def test_unmatched_page(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    text = answer.content.decode()
    assert "There is nothing at this address." in text
    assert '<a href="/problems/not_found">' in text


def test_busy_database_page_asks_no_database(client: Client) -> None:
    # No database mark: any query would fail the test.
    answer = client.get("/pages/refuse/busy/")
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert 'data-problem="database.busy"' in answer.content.decode()


@pytest.mark.django_db
def test_csrf_refusal_of_a_page(ann: User, client_of: Any) -> None:
    answer = client_of(ann, enforce_csrf_checks=True).post("/pages/command/", {"code": "x"})
    assert answer.status_code == 403
    assert 'data-problem="csrf.failed"' in answer.content.decode()


def test_words_follow_the_language(client: Client) -> None:
    with translation.override("zh-hans"):
        expected = str(catalogue.title_of("not_found", 404))
    answer = client.get("/api/v1/nothing", headers={"Accept-Language": "zh-hans"})
    found = _problem(answer, 404, "not_found")
    assert found["title"] == expected
    assert "Accept-Language" in answer["Vary"]


@pytest.mark.django_db
def test_every_code_has_its_page(client: Client) -> None:
    listed = client.get("/problems/").content.decode()
    for entry in catalogue.described():
        answer = client.get(f"/problems/{entry.code}")
        assert answer.status_code == 200
        assert str(entry.title) in answer.content.decode()
        assert f'href="/problems/{entry.code}"' in listed


def test_every_code_that_the_front_door_raises_is_described() -> None:
    from flowadmin import rest  # noqa: PLC0415 - only this test reads the sources

    pattern = re.compile(
        r'"((?:json|body|request|auth|csrf|precondition|idempotency|query|database|server)'
        r'\.[a-z_]+|not_found|permission\.denied)"'
    )
    used = {
        code
        for source in sorted(_folder(rest).glob("*.py"))
        if source.name not in {"catalogue.py", "models.py"}
        for code in pattern.findall(source.read_text(encoding="utf-8"))
    }
    assert len(used) > 20
    assert [code for code in sorted(used) if catalogue.description_of(code) is None] == []


def _folder(package: Any) -> Any:
    from pathlib import Path  # noqa: PLC0415 - only for the test above

    return Path(package.__file__).parent


def test_a_code_has_one_meaning() -> None:
    with pytest.raises(ValueError, match=r"json\.broken"):
        catalogue.describe("json.broken", "Another meaning")


def test_an_undescribed_code_has_the_title_of_its_status() -> None:
    assert catalogue.title_of("test.unknown", 409) == catalogue.title_of("", 409)
    assert catalogue.title_of("test.unknown", 418) == catalogue.title_of("", 400)
    assert catalogue.title_of("test.unknown", 599) == catalogue.title_of("", 500)


def test_the_number_of_a_request_is_ours(client: Client) -> None:
    numbers = {
        client.get("/api/v1/nothing", headers={"X-Request-Id": "theirs"})["X-Request-Id"]
        for _ in range(3)
    }
    assert len(numbers) == 3
    assert all(re.fullmatch("[0-9a-f]{16}", number) for number in numbers)


def test_log_lines_carry_the_number(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.addFilter(RequestIdFilter())
    answer = client.get("/api/v1/refuse/busy/")
    numbers = {record.__dict__["request_id"] for record in caplog.records}
    assert numbers == {answer["X-Request-Id"]}
    logging.getLogger("flowadmin").warning("outside of a request")
    assert caplog.records[-1].__dict__["request_id"] == "-"


def test_json_bytes_never_fail_on_text() -> None:
    assert json_bytes({"a": "名\ud800"}) == '{"a":"名\\ud800"}'.encode()


@pytest.mark.django_db
def test_a_wrong_statement_is_a_mistake_and_not_a_busy_database() -> None:
    with pytest.raises(Exception, match="no_such_table") as caught, connection.cursor() as cursor:
        cursor.execute("SELECT * FROM no_such_table")
    assert problem_of(caught.value) is None


@pytest.mark.parametrize(
    ("cause", "status"),
    [
        ({"sqlite_errorname": "SQLITE_BUSY_SNAPSHOT"}, 503),
        ({"sqlite_errorname": "SQLITE_FULL"}, 503),
        ({"sqlite_errorname": "SQLITE_IOERR_WRITE"}, 503),
        ({"sqlite_errorname": "SQLITE_ERROR"}, None),
        ({"sqlstate": "55P03"}, 503),
        ({"sqlstate": "40P01"}, 503),
        ({"sqlstate": "57P01"}, 503),
        ({"sqlstate": "42P01"}, None),
        ({"args": (1205, "Lock wait timeout")}, 503),
        ({"args": (2006, "Server has gone away")}, 503),
        ({"args": (1054, "Unknown column")}, None),
        ({"args": ("connection is bad",)}, 503),
        ({"args": ("no such column: x",)}, None),
    ],
)
def test_what_the_databases_say(cause: dict[str, Any], status: int | None) -> None:
    inner = Exception()
    for name, value in cause.items():
        setattr(inner, name, value)
    error = OperationalError("said")
    error.__cause__ = inner
    problem = problem_of(error)
    assert (problem.status if problem else None) == status


def test_other_exceptions() -> None:
    closed = problem_of(InterfaceError("connection already closed"))
    assert closed is not None
    assert closed.status == 503
    large = problem_of(RequestDataTooBig())
    assert large is not None
    assert large.status == 413
    assert problem_of(ValueError()) is None
    problem = Problem(409, "a.b", "c")
    assert problem_of(problem) is problem


def test_a_form_larger_than_the_limit_is_413_and_no_news_for_the_log(client, settings, caplog):
    body = "a=" + "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    answer = client.post("/login/", body, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 413
    assert not [record for record in caplog.records if record.exc_info]
