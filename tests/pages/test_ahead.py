"""The way ahead as a fragment: beside the form being filled in, and of a request that runs."""

from __future__ import annotations

import pytest

from tests.pages.reading import HTMX, Page
from tests.workflow import flows

pytestmark = pytest.mark.django_db


@pytest.fixture
def expense(bao, now):
    return flows.publish(bao, flows.big_and_small(), now=now)


def ahead(client, **values):
    before = flows.rows(), flows.everything()
    answer = client.post("/start/expense/ahead/", values, headers=HTMX)
    assert answer.status_code == 200
    assert (flows.rows(), flows.everything()) == before
    assert "<html" not in answer.content.decode()
    return Page(answer).text


def test_it_follows_the_form(client_of, expense, ann, bao, dan):
    client = client_of(ann)
    empty = ahead(client)
    assert bao.name in empty
    assert "Depends on the field “Amount”" in empty
    big = ahead(client, **{"values-amount": "12000"})
    assert dan.name in big
    assert "Not taken: Small" in big
    small = ahead(client, **{"values-amount": "12"})
    assert dan.name not in small
    assert "Path updated: 1 step" in small


def test_what_was_typed_is_escaped_and_faults_are_no_error(client_of, expense, ann):
    text = ahead(client_of(ann), **{"values-amount": "<b>much</b>", "values-ghost": "1"})
    assert "<b>" not in text
    assert "Depends on the field “Amount”" in text


def test_it_asks_again_only_when_the_form_changes(client_of, expense, ann):
    text = ahead(client_of(ann))
    assert 'hx-post="/start/expense/ahead/"' in text
    assert "load" not in text.split("hx-trigger")[1].split(">")[0]


def test_who_may_not_start_it(client_of, ann, bao, eve, now):
    only_bao = {"who": {"any_of": [{"by": "user", "ids": ["bao"]}]}}
    flows.publish(bao, flows.a_document(start=only_bao), now=now)
    for user, status in ((ann, 403), (eve, 404)):
        answer = client_of(user).post("/start/expense/ahead/", headers=HTMX)
        assert answer.status_code == status
        assert bao.name not in answer.content.decode().replace(str(user.name), "")


def test_what_comes_next_on_a_request(client_of, expense, ann, bao, dan, eve, now):
    instance = flows.start(ann, now=now)
    path = f"/requests/{instance.pk}/ahead/"
    text = Page(client_of(ann).get(path)).text
    assert "Lead" in text
    assert dan.name in text
    assert client_of(eve).get(path).status_code == 404
    flows.reject(bao, now=now)
    assert "Nothing comes after this." in Page(client_of(ann).get(path)).text
