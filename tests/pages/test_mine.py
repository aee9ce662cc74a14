"""My requests: only mine, by state, with who has them now."""

from __future__ import annotations

import pytest

from tests.pages.reading import HTMX, Page
from tests.workflow.flows import (
    a_document,
    approve,
    approve_step,
    big_and_small,
    publish,
    reject,
    start,
)
from workflow.actions import administration

pytestmark = pytest.mark.django_db


@pytest.fixture
def expense(bao, now):
    return publish(bao, big_and_small(), now=now)


def text_of(client, tab="running", **headers):
    return client.get(f"/mine/?tab={tab}", **headers).content.decode()


def test_each_tab_has_its_requests(client_of, expense, ann, bao, admin, now):
    rejected = start(ann, now=now)
    reject(bao, now=now, comment="no")
    approved = start(ann, amount="5", now=now)
    approve(bao, now=now)
    ended = start(ann, now=now)
    administration.terminate(instance=ended, user=admin, reason="over", now=now)
    running = start(ann, now=now)
    shown = {
        "running": {running},
        "finished": {approved, ended},
        "rejected": {rejected},
        "all": {running, approved, ended, rejected},
    }
    client = client_of(ann)
    for tab, expected in shown.items():
        text = text_of(client, tab)
        found = {each for each in shown["all"] if each.number in text}
        assert found == expected, tab


def test_a_row_says_who_has_it_and_how_many_it_takes(client_of, ann, bao, now):
    publish(bao, a_document(approve_step("lead", "bao", "chi", "dan")), now=now)
    filed = start(ann, now=now)
    page = Page(client_of(ann).get("/mine/"))
    assert page.heading == "My requests"
    assert f"/requests/{filed.pk}/" in page.links
    for words in ("Bao Chen", "Chi Wang", "Dan Liu", "any one of 3", "Lead", "In progress"):
        assert words in page.text


def test_nobody_sees_the_requests_of_others(client_of, expense, ann, bao, admin, eve, now):
    filed = start(ann, now=now)
    for person in (bao, admin, eve):
        assert filed.number not in text_of(client_of(person), "all")


def test_the_two_empty_lists_differ(client_of, expense, ann, now):
    client = client_of(ann)
    assert "You have not started anything" in text_of(client)
    start(ann, now=now)
    text = text_of(client, "rejected")
    assert "No request of yours is in this state" in text
    assert 'href="/mine/?tab=all"' in text


def test_pages_keep_the_tab(client_of, expense, ann, now):
    for _each in range(21):
        start(ann, now=now)
    page = Page(client_of(ann).get("/mine/?tab=all"))
    assert "1\u201320 of 21" in page.text
    assert "?tab=all&page=2" in page.links
    assert "21\u201321 of 21" in text_of(client_of(ann), "all&page=2")


def test_the_statements_do_not_grow_with_the_list(
    client_of, expense, ann, now, django_assert_max_num_queries
):
    client = client_of(ann)
    for count in (1, 19):
        for _each in range(count):
            start(ann, now=now)
        client.get("/mine/")
        # One of them asks a server's clock; the number beside the drafts is another one.
        with django_assert_max_num_queries(15):
            client.get("/mine/")


def test_fragment_wrong_tab_and_signed_out(client_of, client, expense, ann):
    part = client_of(ann).get("/mine/", headers=HTMX)
    assert "<!doctype html>" not in part.content.decode()
    assert "HX-Request" in part.headers["Vary"]
    assert client_of(ann).get("/mine/?tab=none").status_code == 400
    assert client_of(ann).post("/mine/").status_code == 405
    assert client.get("/mine/").status_code == 302
