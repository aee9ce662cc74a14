"""The inbox: who sees which tasks, what a row tells, and how the list says that it is not new."""

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
    rows,
    start,
)
from workflow.actions.requests import start_request

pytestmark = pytest.mark.django_db


@pytest.fixture
def expense(bao, now):
    return publish(bao, big_and_small() | {"summary": ["amount", "reason"]}, now=now)


def test_a_row_tells_what_is_asked_by_whom_and_for_how_long(client_of, expense, ann, bao, now):
    filed = start(ann, now=now, reason="A <new> desk")
    page = Page(client_of(bao).get("/inbox/"))
    assert page.heading == "Inbox"
    assert filed.title in page.text
    assert "Amount</span> 12,000.00" in page.text
    assert "Reason</span> A &lt;new&gt; desk" in page.text
    assert "Ann Lee" in page.text
    assert "Lead" in page.text
    assert f"/requests/{filed.pk}/?task={filed.pk * 100_000 + 1}" in page.links
    assert "1\u20131 of 1" in page.text


def test_a_summary_field_that_the_holder_may_not_see_is_not_in_the_row(client_of, ann, chi, now):
    step = approve_step("lead", "chi", fields={"set": {"secret": "hide"}})
    publish(ann, a_document(step, summary=["secret", "amount"]), now=now)
    start(ann, now=now, secret="planted-secret")
    text = client_of(chi).get("/inbox/").content.decode()
    assert "12,000.00" in text
    assert "planted-secret" not in text
    assert "Internal note" not in text


@pytest.mark.parametrize(
    ("box", "words"),
    [
        ("", "Nothing to do"),
        ("?box=done", "You have not decided anything yet"),
        ("?box=copied", "Nothing was copied to you"),
    ],
)
def test_each_empty_box_says_what_will_be_in_it(client_of, chi, box, words):
    page = Page(client_of(chi).get(f"/inbox/{box}"))
    assert words in page.text
    assert "<table" not in page.text


def test_an_empty_inbox_tells_of_the_own_requests_that_move(client_of, expense, ann, now):
    start(ann, now=now)
    start(ann, now=now)
    assert "2 of your requests are moving." in client_of(ann).get("/inbox/").content.decode()


def test_others_see_nothing_of_it(client_of, expense, ann, chi, eve, now):
    filed = start(ann, now=now)
    for person in (ann, chi, eve):
        for box in ("todo", "done", "copied"):
            assert filed.number not in client_of(person).get(f"/inbox/?box={box}").content.decode()


def test_signed_out_goes_to_the_sign_in_page_and_a_fragment_gets_401(client, db):
    assert client.get("/inbox/").headers["Location"] == "/login/?next=/inbox/"
    assert client.get("/inbox/", headers=HTMX).status_code == 401


def test_a_decision_is_done_at_once_and_a_colleagues_is_not_mine(client_of, ann, bao, chi, now):
    # approvals.md 4, tests 5 and 6.
    publish(bao, a_document(approve_step("lead", "bao", "chi")), now=now)
    first, second = start(ann, now=now), start(ann, now=now)
    reject(bao, now=now, comment="no")  # the newest: `second`
    done = {
        person: client_of(person).get("/inbox/?box=done").content.decode() for person in (bao, chi)
    }
    assert f">{second.number}<" in done[bao]
    assert "Rejected" in done[bao]
    assert f">{second.number}<" not in done[chi]
    assert f">{first.number}<" not in done[bao]
    assert f">{second.number}<" not in client_of(chi).get("/inbox/").content.decode()


def test_a_countersign_is_done_for_who_decided_and_to_do_for_the_other(
    client_of, ann, bao, chi, now
):
    publish(bao, a_document(approve_step("lead", "bao", "chi", decide={"mode": "all"})), now=now)
    filed = start(ann, now=now)
    approve(bao, now=now)
    assert filed.number in client_of(bao).get("/inbox/?box=done").content.decode()
    assert filed.number not in client_of(bao).get("/inbox/").content.decode()
    assert filed.number in client_of(chi).get("/inbox/").content.decode()


def test_pages_of_the_list(client_of, expense, ann, bao, now):
    filed = [start(ann, now=now) for _each in range(23)]
    client = client_of(bao)
    first, second = Page(client.get("/inbox/")), Page(client.get("/inbox/?page=2"))
    assert "1\u201320 of 23" in first.text
    assert "21\u201323 of 23" in second.text
    assert filed[-1].number in first.text
    assert filed[0].number in second.text
    # The list has become shorter meanwhile: the last page there is.
    assert "21\u201323 of 23" in client.get("/inbox/?page=9").content.decode()


@pytest.mark.parametrize(
    "query", ["box=all", "page=0", "page=x", "page=1&page=2", "page_size=101"]
)
def test_an_address_that_cannot_be_read_is_400(client_of, bao, query):
    assert client_of(bao).get(f"/inbox/?{query}").status_code == 400


def test_the_fragment_is_the_inside_of_the_page(client_of, expense, ann, bao, now):
    start(ann, now=now)
    whole, part = client_of(bao).get("/inbox/"), client_of(bao).get("/inbox/", headers=HTMX)
    assert "<!doctype html>" in whole.content.decode()
    assert "<!doctype html>" not in part.content.decode()
    assert Page(part).heading == "Inbox"
    assert "HX-Request" in whole.headers["Vary"]
    assert "HX-Request" in part.headers["Vary"]


def test_the_statements_of_the_list_do_not_grow_with_it(
    client_of, expense, ann, bao, now, django_assert_max_num_queries
):
    client = client_of(bao)
    for count in (1, 20):
        for _each in range(count):
            start(ann, now=now)
        client.get("/inbox/")  # the published version is read once by each process
        with django_assert_max_num_queries(12):
            client.get("/inbox/")
        with django_assert_max_num_queries(12):
            client.get("/inbox/?box=done")


# News -----------------------------------------------------------------------------------------


def news(client, page, etag=None):
    [address] = [part.split('"')[0] for part in page.text.split('hx-get="')[1:2]]
    headers = {"If-None-Match": etag} if etag else {}
    return client.get(address.replace("&amp;", "&"), headers=HTMX | headers)


def test_the_list_says_what_came_and_what_went_instead_of_moving(client_of, ann, bao, chi, now):
    publish(bao, a_document(approve_step("lead", "bao", "chi")), now=now)
    start(ann, now=now)
    client = client_of(bao)
    page = Page(client.get("/inbox/"))
    quiet = news(client, page)
    assert quiet.status_code == 200
    assert "news-line" not in quiet.content.decode()
    assert news(client, page, quiet.headers["ETag"]).status_code == 304

    start(ann, now=now)
    start(ann, now=now)
    told = news(client, page, quiet.headers["ETag"])
    assert "2 new" in told.content.decode()
    assert news(client, page, told.headers["ETag"]).status_code == 304

    page = Page(client.get("/inbox/"))
    approve(chi, now=now)
    assert "1 no longer waits for you" in news(client, page).content.decode()


@pytest.mark.parametrize("query", ["count=x", "count=1&shown=1,x", "shown=%00", "count=-1"])
def test_news_of_an_address_that_cannot_be_read(client_of, bao, query):
    assert client_of(bao).get(f"/inbox/news/?{query}").status_code in {400, 404}


def test_news_tells_nothing_of_other_peoples_tasks(client_of, expense, ann, bao, eve, now):
    filed = start(ann, now=now)
    task = filed.pk * 100_000 + 1
    told = client_of(eve).get(f"/inbox/news/?count=1&shown={task}").content.decode()
    unknown = client_of(eve).get("/inbox/news/?count=1&shown=999").content.decode()
    assert told.replace(str(task), "999") == unknown


def test_reading_writes_nothing(client_of, expense, ann, bao, now):
    start(ann, now=now)
    before = rows()
    for address in ("/inbox/", "/inbox/?box=done", "/inbox/news/?count=0&shown="):
        assert client_of(bao).get(address).status_code == 200
        assert client_of(bao).post(address).status_code in {403, 405}
    assert rows() == before


def test_a_process_without_a_form_has_a_row_too(client_of, ann, bao, now):
    document = a_document(approve_step("lead", "bao"))
    del document["form"]
    publish(bao, document, None, now=now)
    start_request(user=ann, flow="expense", values={}, now=now)
    assert "Ann Lee" in client_of(bao).get("/inbox/").content.decode()


def test_a_process_that_there_is_not_is_no_empty_list(client_of, bao, ann, now):
    publish(bao, big_and_small(), now=now)
    client = client_of(bao)
    for box in ("todo", "done", "copied"):
        unknown = client.get(f"/inbox/?box={box}&flow=expence")
        assert unknown.status_code == 200
        assert "There is no such process." in unknown.content.decode()
        known = client.get(f"/inbox/?box={box}&flow=expense").content.decode()
        assert "There is no such process." not in known
        assert "Nothing matches the filter" in known
    assert client.get("/inbox/export/?format=csv&flow=expence").status_code == 404
