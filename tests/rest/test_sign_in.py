"""Who is calling: tokens of machines, sessions of browsers, and nobody."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command

from flowadmin.directory.models import ApiToken, Tenant, User

if TYPE_CHECKING:
    from django.test import Client

ROWS = "/api/v1/rows/"
COMMAND = "/api/v1/commands/fresh/"


def _token(login: str) -> str:
    out = StringIO()
    call_command("api_token", login, stdout=out)
    return out.getvalue().split()[-1]


def _refused(answer: Any, code: str) -> None:
    assert answer.status_code == 401
    assert answer.json()["code"] == code
    assert answer["WWW-Authenticate"].startswith("Token")


def test_a_token_signs_in(ann: User, client: Client) -> None:
    header = {"Authorization": f"Token {_token('ann')}"}
    assert client.get(ROWS, headers=header).status_code == 200
    # No session, no cookie, no CSRF for a machine.
    answer = client.post(
        COMMAND,
        content_type="application/json",
        headers=header | {"Idempotency-Key": "k1", "If-Match": '"1"'},
    )
    assert answer.status_code == 201
    assert not answer.cookies


def test_nobody_is_401(client: Client, db: None) -> None:
    _refused(client.get(ROWS), "auth.required")
    _refused(client.post(COMMAND, content_type="application/json"), "auth.required")
    assert not Tenant.objects.filter(code="fresh").exists()


def test_bad_tokens_are_refused_with_one_text(ann: User, client_of: Any) -> None:
    expired, idle = _token("ann"), _token("bao")
    past = datetime.now(UTC) - timedelta(seconds=1)
    ApiToken.objects.filter(user=ann).update(expires_at=past)
    User.objects.filter(login="bao").update(is_active=False)
    client = client_of(ann)
    details = set()
    for value in (
        f"Token {expired}",
        f"Token {idle}",
        "Token unknown",
        "Token",
        "Token a b",
        "Token \xff",
        "token \x00",
    ):
        # A session that would be good does not rescue a bad token.
        answer = client.get(ROWS, headers={"Authorization": value})
        _refused(answer, "auth.failed")
        details.add(answer.json()["detail"])
    assert len(details) == 1


@pytest.mark.parametrize("value", ["Bearer x", "Basic YTpi", "", "x"])
def test_other_schemes_are_nobody(client: Client, db: None, value: str) -> None:
    _refused(client.get(ROWS, headers={"Authorization": value}), "auth.required")


def test_a_session_needs_the_csrf_token(ann: User, client_of: Any) -> None:
    client = client_of(ann, enforce_csrf_checks=True)
    headers = {"Idempotency-Key": "k1", "If-Match": '"1"'}

    def send(**more: str) -> Any:
        return client.post(COMMAND, content_type="application/json", headers=headers | more)

    assert client.get(ROWS).status_code == 200
    for answer in (send(), send(**{"X-CSRFToken": "x" * 32})):
        assert answer.status_code == 403
        assert answer.json()["code"] == "csrf.failed"
    assert not Tenant.objects.filter(code="fresh").exists()
    client.cookies["csrftoken"] = "t" * 32
    foreign = send(**{"X-CSRFToken": "t" * 32, "Origin": "https://evil.example"})
    assert foreign.json()["code"] == "csrf.failed"
    assert not Tenant.objects.filter(code="fresh").exists()
    assert send(**{"X-CSRFToken": "t" * 32}).status_code == 201


def test_a_deactivated_person_is_nobody_at_once(ann: User, client_of: Any) -> None:
    client = client_of(ann)
    assert client.get(ROWS).status_code == 200
    User.objects.filter(pk=ann.pk).update(is_active=False)
    _refused(client.get(ROWS), "auth.required")
