"""Language, theme, and what a fragment gets when the session ended."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client

from flowadmin.directory.models import User

HTMX = {"HX-Request": "true"}


def test_a_visitor_chooses_a_language_by_cookie(client, demo_tenant):
    answer = client.post("/set-language/", {"language": "zh-hans", "next": "/login/"})
    assert answer.headers["Location"] == "/login/"
    assert answer.cookies[settings.LANGUAGE_COOKIE_NAME].value == "zh-hans"
    assert client.get("/login/").headers["Content-Language"] == "zh-hans"
    assert set(User.objects.values_list("language", flat=True)) == {""}


def test_a_persons_language_follows_them_to_another_browser(client_of, ann):
    client_of(ann).post("/set-language/", {"language": "zh-hans"})
    assert User.objects.get(pk=ann.pk).language == "zh-hans"
    page = client_of(ann, headers={"accept-language": "en"}).get("/inbox/")
    assert page.headers["Content-Language"] == "zh-hans"
    assert (
        Client(headers={"accept-language": "en"}).get("/login/").headers["Content-Language"]
        == "en"
    )


def test_one_persons_language_does_not_leak_into_the_next_answer(client_of, ann, bao):
    User.objects.filter(pk=ann.pk).update(language="zh-hans")
    chinese, other = client_of(ann), client_of(bao)
    for _round in range(3):
        assert chinese.get("/inbox/").headers["Content-Language"] == "zh-hans"
        assert other.get("/inbox/").headers["Content-Language"] == "en"


@pytest.mark.parametrize("stored", ["", "tlh", "../en"])
def test_a_language_that_is_not_spoken_falls_back(client_of, ann, stored):
    User.objects.filter(pk=ann.pk).update(language=stored)
    assert client_of(ann).get("/inbox/").headers["Content-Language"] == "en"


def test_a_theme_is_kept_with_the_person_and_in_a_cookie(client_of, ann):
    answer = client_of(ann).post("/set-theme/", {"theme": "dark", "next": "/inbox/"})
    assert answer.headers["Location"] == "/inbox/"
    assert answer.cookies["theme"].value == "dark"
    assert User.objects.get(pk=ann.pk).theme == "dark"


def test_a_visitors_theme_is_a_cookie_only(client, demo_tenant):
    answer = client.post("/set-theme/", {"theme": "light"})
    assert answer.cookies["theme"].value == "light"
    assert set(User.objects.values_list("theme", flat=True)) == {"system"}


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("/set-theme/", {"theme": "pink"}),
        ("/set-theme/", {}),
        ("/set-language/", {"language": "tlh"}),
        ("/set-language/", {"language": "zh-hans\n"}),
        ("/set-language/", {}),
    ],
)
def test_what_is_not_offered_is_refused_and_not_kept(client_of, ann, address, body):
    answer = client_of(ann).post(address, body)
    assert answer.status_code == 400
    assert not answer.cookies
    user = User.objects.get(pk=ann.pk)
    assert (user.theme, user.language) == ("system", "")


@pytest.mark.parametrize("address", ["/set-theme/", "/set-language/"])
def test_choices_are_posts_with_csrf(client_of, ann, address):
    strict = client_of(ann, enforce_csrf_checks=True)
    assert strict.get(address).status_code == 405
    assert strict.post(address, {"theme": "dark", "language": "zh-hans"}).status_code == 403
    user = User.objects.get(pk=ann.pk)
    assert (user.theme, user.language) == ("system", "")


@pytest.mark.parametrize("address", ["/inbox/", "/admin/"])
def test_a_fragment_without_a_session_is_401_and_a_page_goes_to_sign_in(client, db, address):
    fragment = client.get(address, headers=HTMX)
    assert fragment.status_code == 401
    assert not fragment.content
    assert "Location" not in fragment.headers
    page = client.get(address)
    assert page.status_code == 302
    assert "/login/" in page.headers["Location"]
    for answer in (fragment, page):
        assert "HX-Request" in answer.headers["Vary"]


def test_other_redirects_of_fragments_stay(client_of, ann):
    answer = client_of(ann).get("/login/", headers=HTMX)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")


@pytest.mark.parametrize(
    ("cookie", "kept", "shown"),
    [("dark", None, "dark"), ("pink", None, "system"), ("dark", "light", "light")],
)
def test_the_page_knows_the_theme(client_of, ann, cookie, kept, shown):
    browser = client_of(ann) if kept else Client()
    User.objects.filter(pk=ann.pk).update(theme=kept or "system")
    browser.cookies["theme"] = cookie
    answer = browser.get("/inbox/" if kept else "/login/")
    assert vars(answer.wsgi_request)["theme"] == shown
