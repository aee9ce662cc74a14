"""Signing in and out, as a browser does it."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth import hashers
from django.contrib.sessions.models import Session
from django.db import connections
from django.test import Client, override_settings
from django.utils import timezone

from flowadmin.directory.lockout import client_address
from flowadmin.directory.models import User
from tests.builders import a_person, a_tenant
from tests.conftest import DEMO_PASSWORD

ARGON2 = override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.Argon2PasswordHasher"])


def sign_in(client, login="ann", password=DEMO_PASSWORD, **more):
    address = more.pop("address", "192.0.2.1")
    agent = more.pop("agent", "test")
    return client.post(
        "/login/",
        {"username": login, "password": password, **more},
        REMOTE_ADDR=address,
        headers={"user-agent": agent},
    )


def signed_in(client):
    cookie = client.cookies.get(settings.SESSION_COOKIE_NAME)
    return bool(cookie and cookie.value) and "_auth_user_id" in client.session


def test_the_page_has_a_real_form_and_nothing_inline(client, demo_tenant):
    page = client.get("/login/?next=/inbox/")
    text = page.content.decode()
    assert page.status_code == 200
    assert 'autocomplete="username"' in text
    assert 'autocomplete="current-password"' in text
    assert 'name="next" value="/inbox/"' in text
    assert "Please sign in to go on." in text
    assert not re.search(r"<script>|<style|\sstyle=|\son\w+=", text)


def test_the_right_password_goes_home_with_a_new_session(client, ann):
    client.get("/login/")
    session = client.session
    session["before"] = "x"
    session.save()
    fixed = session.session_key
    client.cookies[settings.SESSION_COOKIE_NAME] = fixed
    answer = sign_in(client)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    cookie = answer.cookies[settings.SESSION_COOKIE_NAME]
    assert cookie.value != fixed
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert not Session.objects.filter(session_key=fixed).exists()
    assert signed_in(client)


def test_how_the_login_is_typed_does_not_matter(client, ann):
    assert sign_in(client, " ANN ").status_code == 302


@pytest.mark.parametrize(
    ("login", "password"),
    [("ann", "wrong"), ("nobody", DEMO_PASSWORD), ("gone", DEMO_PASSWORD), ("ann", "x" * 128)],
)
def test_each_failure_has_the_same_words(client, ann, login, password):
    a_person(ann.tenant, "gone", password=DEMO_PASSWORD, is_active=False)
    answer = sign_in(client, login, password)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "The login name or the password is not right." in text
    assert "You can try 4 more times before a wait of 15 minutes." in text
    assert not signed_in(client)
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"username": "", "password": ""},
        {"username": "ann\0", "password": "x"},
        {"username": "a" * 65, "password": "x"},
        {"username": "ann", "password": "x" * 1025},
        {},
    ],
)
def test_bad_input_is_told_and_costs_no_hash(client, ann, fields):
    answer = client.post("/login/", fields)
    assert answer.status_code == 422
    assert b"is-invalid" in answer.content
    assert not AccessAttempt.objects.exists()
    assert not signed_in(client)


def test_five_tries_then_a_wait(client, ann):
    for left in (4, 3, 2, 1):
        answer = sign_in(client, password="wrong", agent=f"browser {left}")
        assert answer.status_code == 422
        assert f"You can try {left} more time" in answer.content.decode()
    fifth = sign_in(client, password="wrong")
    assert fifth.status_code == 429
    assert 840 < int(fifth.headers["Retry-After"]) <= 900
    assert "Wait 15 minutes" in fifth.content.decode()
    assert sign_in(client).status_code == 429
    assert not signed_in(client)


def test_the_owner_can_still_sign_in_from_another_address(client, ann):
    for _try in range(5):
        sign_in(client, password="wrong")
    assert sign_in(client).status_code == 429
    assert sign_in(client, "bao").status_code == 302
    assert sign_in(Client(), address="192.0.2.2").status_code == 302


def test_tries_while_waiting_do_not_lengthen_the_wait(client, ann):
    for _try in range(5):
        sign_in(client, password="wrong")
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=10))
    answer = sign_in(client)
    assert answer.status_code == 429
    assert 240 < int(answer.headers["Retry-After"]) <= 300
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert sign_in(client).status_code == 302
    assert not AccessAttempt.objects.exists()


def test_success_forgets_the_failures(client, ann):
    for _try in range(4):
        sign_in(client, password="wrong")
    assert sign_in(client).status_code == 302
    assert "You can try 4 more" in sign_in(Client(), password="wrong").content.decode()


def test_no_password_is_kept_in_the_record_of_tries(client, ann):
    sign_in(client, password="my secret")
    (row,) = AccessAttempt.objects.all()
    assert "my secret" not in str(vars(row))


def test_a_failure_is_logged_without_forging_a_line(client, ann, caplog):
    sign_in(client, "ann\nINFO all is well", "wrong")
    lines = [record.getMessage() for record in caplog.records if "failed" in record.getMessage()]
    assert lines
    assert all("\n" not in line for line in lines)
    assert any("ann\\ninfo" in line for line in lines)


class CountingHasher(hashers.MD5PasswordHasher):
    """Counts how often a password is really looked at."""

    algorithm = "counting"
    checks: list[int] = []

    def verify(self, password, encoded):
        self.checks.append(1)
        return super().verify(password, encoded)


@pytest.mark.django_db(transaction=True)
def test_a_hundred_tries_at_once_cost_five_hash_checks():
    with override_settings(PASSWORD_HASHERS=[f"{__name__}.CountingHasher"]):
        a_person(a_tenant(), "ann", password=DEMO_PASSWORD)
        CountingHasher.checks.clear()

        def attempt(number):
            try:
                return sign_in(Client(), password="wrong", agent=f"a{number}").status_code
            finally:
                connections.close_all()

        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(attempt, range(100)))
    assert len(CountingHasher.checks) == 5
    assert set(answers) <= {422, 429}
    assert answers.count(422) <= 5


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example",
        "\\\\evil.example",
        "/\\evil.example",
        "http:evil.example",
        "https://evil.example/",
        "http://testserver@evil.example/",
        "//testserver@evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        "%2f%2fevil.example",
        " //evil.example",
        "///evil.example",
    ],
)
def test_next_never_leaves_the_host(ann, client_of, client, target):
    moves = [
        sign_in(client, next=target),
        client_of(ann).get("/login/", {"next": target}),
        client_of(ann).post("/set-theme/", {"theme": "dark", "next": target}),
        client_of(ann).post("/set-language/", {"language": "en", "next": target}),
        client_of(ann).post("/logout/", {"next": target}),
    ]
    for answer in moves:
        assert answer.status_code == 302
        place = answer.headers["Location"]
        assert "evil" not in place or place.startswith(("/login", "%2f", "/%2f")), place
        assert not place.startswith(("//", "\\", "/\\", "http", "javascript"))


def test_next_of_our_own_is_followed(client, ann):
    assert sign_in(client, next="/inbox/?box=done").headers["Location"] == "/inbox/?box=done"


def test_who_is_signed_in_goes_home(client_of, ann):
    answer = client_of(ann).get("/login/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")


def test_the_door_checks_csrf(ann):
    strict = Client(enforce_csrf_checks=True)
    assert sign_in(strict).status_code == 403
    assert not signed_in(strict)
    assert not AccessAttempt.objects.exists()


def test_signing_out_kills_the_session_and_needs_a_post(client_of, ann):
    browser = client_of(ann)
    assert browser.get("/logout/").status_code == 405
    assert signed_in(browser)
    old = browser.cookies[settings.SESSION_COOKIE_NAME].value
    answer = browser.post("/logout/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/login/")
    thief = Client()
    thief.cookies[settings.SESSION_COOKIE_NAME] = old
    assert thief.get("/inbox/").status_code == 302


@pytest.mark.parametrize("change", ["password", "deactivated"])
def test_an_old_session_dies_with_the_account(client_of, ann, change):
    browser = client_of(ann)
    assert browser.get("/inbox/").status_code == 200
    user = User.objects.get(pk=ann.pk)
    if change == "password":
        user.set_password("another password")
    else:
        user.is_active = False
    user.save()
    assert browser.get("/inbox/").status_code == 302


@ARGON2
def test_passwords_are_kept_as_argon2(client, db):
    a_person(a_tenant(), "ann", password="pässwörd 密码")
    assert User.objects.get().password.startswith("argon2$argon2id$")
    assert sign_in(client, password="pässwörd 密码").status_code == 302


def test_demo_accounts_are_offered_only_on_a_demo(client, demo_tenant):
    with override_settings(ENVIRONMENT=_environment(demo=True)):
        shown = client.get("/login/").content.decode()
    with override_settings(ENVIRONMENT=_environment(demo=False)):
        hidden = client.get("/login/").content.decode()
    assert 'data-fill-login="ann"' in shown
    assert DEMO_PASSWORD not in shown
    assert "data-fill-login" not in hidden


def test_an_installation_of_ones_own_shows_no_accounts(client, db):
    a_person(a_tenant("mine"), "ann")
    with override_settings(ENVIRONMENT=_environment(demo=True)):
        assert "data-fill-login" not in client.get("/login/").content.decode()


def _environment(**changes):
    return replace(settings.ENVIRONMENT, **changes)


def test_the_administration_has_no_door_of_its_own(client, client_of, ann, admin):
    answer = client.get("/admin/")
    assert answer.status_code == 302
    answer = client.get(answer.headers["Location"])
    assert answer.headers["Location"] == "/login/?next=%2Fadmin%2F"
    assert client.post("/admin/login/", {"username": "admin", "password": "x"}).status_code == 302
    assert not AccessAttempt.objects.exists()
    assert client_of(ann).get("/admin/", follow=True).status_code == 403
    assert client_of(admin).get("/admin/").status_code == 200
    assert client_of(admin).get("/admin/login/").headers["Location"] == "/admin/"


@pytest.mark.parametrize(
    ("https", "forwarded", "counted"),
    [
        (False, "203.0.113.9", "127.0.0.1"),
        (True, "", "127.0.0.1"),
        (True, "203.0.113.9, not an address", "127.0.0.1"),
        (True, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
    ],
)
def test_tries_are_counted_by_the_address_that_our_proxy_saw(
    rf, settings, https, forwarded, counted
):
    """What the caller writes into the header himself never decides."""
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, https=https)
    request = rf.post("/login/", headers={"X-Forwarded-For": forwarded} if forwarded else {})
    assert client_address(request) == counted
