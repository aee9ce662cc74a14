"""Reading a request: who may, what of it, and what the page offers to whom."""

from __future__ import annotations

import pytest

from tests.builders import a_role
from tests.pages.reading import HTMX, Page
from tests.workflow.flows import (
    a_document,
    approve,
    approve_step,
    big_and_small,
    open_task,
    publish,
    rows,
    start,
)
from workflow.actions import administration

pytestmark = pytest.mark.django_db


@pytest.fixture
def filed(ann, bao, now):
    publish(bao, big_and_small(), now=now)
    return start(ann, now=now, reason="A <b>new</b> desk")


def read(client_of, person, filed, query=""):
    return client_of(person).get(f"/requests/{filed.pk}/{query}")


def test_the_holder_gets_the_form_the_timeline_and_the_buttons(client_of, filed, bao):
    page = Page(read(client_of, bao, filed))
    assert page.heading == filed.title
    assert filed.number in page.text
    assert "12,000.00" in page.text
    assert "A &lt;b&gt;new&lt;/b&gt; desk" in page.text
    assert "Ann Lee filed the request" in page.text
    assert "Now with" in page.text
    assert 'value="approve"' in page.text
    assert 'value="reject"' in page.text
    form = page.form_with("task_version")
    assert form["task"] == str(filed.pk * 100_000 + 1)
    assert form["task_version"] == "1"


def test_the_initiator_reads_and_may_comment_but_not_decide(client_of, filed, ann):
    page = Page(read(client_of, ann, filed))
    assert "12,000.00" in page.text
    assert 'value="approve"' not in page.text
    assert 'value="comment"' in page.text


def test_who_decided_earlier_reads_on(client_of, filed, bao, dan, now):
    approve(bao, now=now, comment="fine")
    page = Page(read(client_of, bao, filed, f"?task={filed.pk * 100_000 + 1}"))
    assert "You approved this" in page.text
    assert "Dan Liu" in page.text
    assert 'value="approve"' not in page.text
    assert "fine" in Page(read(client_of, dan, filed)).text


def test_strangers_of_both_tenants_get_404_as_for_nothing(client_of, filed, chi, eve):
    for person in (chi, eve):
        answers = [
            client_of(person).get(f"/requests/{pk}/")
            for pk in (filed.pk, filed.pk + 999, "x", "0", "9" * 30, "\uff11", f"{filed.pk}%00")
        ]
        assert [answer.status_code for answer in answers[:-1]] == [404] * 6
        assert answers[-1].status_code in {400, 404}
        assert "12,000.00" not in answers[0].content.decode()


def test_managers_and_auditors_read_it_without_buttons(client_of, filed, admin, dan):
    for person in (admin, dan):
        page = Page(read(client_of, person, filed))
        assert "12,000.00" in page.text
        assert 'value="approve"' not in page.text


def test_signed_out(client, filed):
    answer = client.get(f"/requests/{filed.pk}/")
    assert answer.headers["Location"] == f"/login/?next=/requests/{filed.pk}/"
    assert client.get(f"/requests/{filed.pk}/", headers=HTMX).status_code == 401


def test_nothing_of_a_hidden_field_is_anywhere(client_of, ann, bao, chi, now):
    branch = {
        "id": "size",
        "kind": "choice",
        "name": "Size",
        "branches": [
            {
                "id": "odd",
                "name": "Odd",
                "when": {"field": "secret", "op": "eq", "value": "planted-secret"},
                "steps": [approve_step("lead", "chi", fields={"set": {"secret": "hide"}})],
            },
            {"id": "rest", "name": "Rest", "otherwise": True, "steps": []},
        ],
    }
    publish(bao, a_document(branch, summary=["secret"]), now=now)
    filed = start(ann, now=now, secret="planted-secret")
    for headers in ({}, HTMX):
        for address in (
            f"/requests/{filed.pk}/",
            "/inbox/",
            "/mine/",
            "/start/",
            "/inbox/?box=done",
        ):
            text = client_of(chi).get(address, headers=headers).content.decode()
            assert "planted-secret" not in text
            assert "values-secret" not in text
            if address != "/start/":
                assert "Internal note" not in text
    assert "planted-secret" in read(client_of, ann, filed).content.decode()


def test_the_fragment_is_the_inside_of_the_page(client_of, filed, bao):
    part = client_of(bao).get(f"/requests/{filed.pk}/", headers=HTMX)
    assert "<!doctype html>" not in part.content.decode()
    assert Page(part).heading == filed.title
    assert "HX-Request" in part.headers["Vary"]


def test_a_person_with_two_tasks_of_one_request_opens_the_one_they_clicked(
    client_of, ann, bao, chi, now
):
    # approvals.md 4, test 54: the second task comes when the first was decided.
    publish(bao, a_document(approve_step("first", "chi"), approve_step("second", "chi")), now=now)
    filed = start(ann, now=now)
    approve(chi, now=now)
    first, second = filed.pk * 100_000 + 1, filed.pk * 100_000 + 2
    page = Page(read(client_of, chi, filed, f"?task={first}"))
    assert "You approved this" in page.text
    assert f"/requests/{filed.pk}/?task={second}" in page.links
    assert "task_version" not in page.text
    chosen = Page(read(client_of, chi, filed, f"?task={second}")).form_with("task_version")
    assert chosen["task"] == str(second)
    assert Page(read(client_of, chi, filed)).form_with("task_version")["task"] == str(second)


def test_somebody_elses_task_in_the_address_gives_no_buttons(client_of, filed, ann):
    page = Page(read(client_of, ann, filed, f"?task={filed.pk * 100_000 + 1}"))
    assert 'value="approve"' not in page.text
    assert read(client_of, ann, filed, "?task=x").status_code == 404


def test_it_says_whom_it_takes(client_of, ann, bao, now):
    publish(bao, a_document(approve_step("lead", "bao", "chi", "dan")), now=now)
    assert "any one of 3" in read(client_of, ann, start(ann, now=now)).content.decode()
    everybody = approve_step("lead", "bao", "chi", decide={"mode": "all"})
    publish(bao, a_document(everybody), now=now)
    filed = start(ann, now=now)
    approve(bao, now=now)
    assert "all of 2, 1 approved" in read(client_of, ann, filed).content.decode()


def test_the_process_own_words_and_note(client_of, ann, bao, now):
    step = approve_step(
        "lead",
        "bao",
        note="Look <twice>.",
        acts={"labels": {"approve": "I agree", "reject": "<No>"}},
    )
    publish(bao, a_document(step), now=now)
    text = read(client_of, bao, start(ann, now=now)).content.decode()
    assert "I agree" in text
    assert "&lt;No&gt;" in text
    assert "Look &lt;twice&gt;." in text


def test_a_held_request_says_so(client_of, ann, bao, now):
    step = approve_step("lead", who={"any_of": [{"by": "role", "ids": ["nobody"]}]})
    a_role(ann.tenant, "nobody")
    publish(bao, a_document(step), now=now)
    text = read(client_of, ann, start(ann, now=now)).content.decode()
    assert 'data-state="held"' in text
    assert "a manager has to name somebody" in text


def test_an_ended_request_takes_no_words_any_more(client_of, filed, ann, bao, admin, now):
    administration.terminate(instance=filed, user=admin, reason="Moved to another budget", now=now)
    page = Page(read(client_of, ann, filed))
    assert 'data-state="terminated"' in page.text
    assert "Moved to another budget" in page.text
    assert "act" not in {name for form in page.forms for name in form["fields"]}
    past = Page(read(client_of, bao, filed, f"?task={filed.pk * 100_000 + 1}"))
    assert "Your decision is no longer needed: Administrator ended it" in past.text


def test_reading_writes_nothing_and_other_methods_are_refused(client_of, filed, bao):
    before = rows()
    assert read(client_of, bao, filed).status_code == 200
    assert client_of(bao).put(f"/requests/{filed.pk}/").status_code == 405
    assert rows() == before


def test_the_statements_of_the_page_do_not_grow_with_the_history(
    client_of, ann, bao, chi, dan, now, django_assert_max_num_queries
):
    publish(bao, a_document(*(approve_step(f"s{n}", "chi") for n in range(6))), now=now)
    filed = start(ann, now=now)
    client = client_of(ann)
    client.get(f"/requests/{filed.pk}/")
    for _each in range(5):
        # One of them asks a server's clock; the number beside the drafts is another one.
        with django_assert_max_num_queries(16):
            client.get(f"/requests/{filed.pk}/")
        approve(chi, now=now)
    assert open_task(chi).step == "s5"
