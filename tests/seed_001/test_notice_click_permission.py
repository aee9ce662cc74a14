"""P3: a click leads to the task's page with its own permission check, and marks the notice."""

from __future__ import annotations

import pytest

from notifications.models import Notice
from tests.acceptance.acting import approve, filed, human, task_of
from workflow import access
from workflow.actions import administration


@pytest.fixture
def waiting(ann, now):
    return filed(ann, human("lead", "bao"), now=now)


def notice_of(user):
    return Notice.objects.get(receiver=user)


def test_to_the_task_and_read(waiting, client_of, bao):
    browser, notice = client_of(bao), notice_of(bao)
    assert browser.head(f"/notices/{notice.pk}/").status_code == 303
    assert notice_of(bao).read_at is None, "a look ahead by a browser is no look"
    answer = browser.get(f"/notices/{notice.pk}/", follow=True)
    assert answer.redirect_chain == [
        (f"/requests/{waiting.pk}/?task={task_of(bao, waiting).pk}", 303)
    ]
    assert notice_of(bao).read_at is not None


def test_an_old_notice_of_a_finished_task(waiting, client_of, bao, now):
    approve(bao, waiting, now=now)
    answer = client_of(bao).get(f"/notices/{notice_of(bao).pk}/", follow=True)
    assert answer.status_code == 200
    assert "You approved this" in answer.content.decode()


def test_an_old_notice_of_a_task_that_went_to_somebody_else(
    waiting, client_of, bao, chi, admin, now
):
    """A manager gave it away, so the person before never had a part in the request."""
    task = access.task(admin, task_of(bao, waiting).pk)
    administration.reassign(task=task, to=chi, user=admin, reason="away", now=now)
    administration.reassign(
        task=access.task(admin, task.pk), to=bao, user=admin, reason="back", now=now
    )
    answer = client_of(chi).get(f"/notices/{notice_of(chi).pk}/", follow=True)
    assert answer.redirect_chain == [("/notices/", 303)]
    assert "is not open to you any more" in answer.content.decode()
    assert notice_of(chi).read_at is not None


def test_somebody_elses_notice_is_not_there(waiting, client_of, ann, bao, eve):
    pk = notice_of(bao).pk
    for person in (ann, eve):
        browser = client_of(person)
        for address in (f"/notices/{pk}/", f"/notices/{pk + 1}/", "/notices/x/"):
            assert browser.get(address).status_code == 404
        for mark in ("read", "unread"):
            assert browser.post(f"/notices/{pk}/{mark}/").status_code == 404
        browser.post("/notices/read/")
    assert notice_of(bao).read_at is None


def test_marked_by_hand_and_back(waiting, client_of, bao):
    browser, pk = client_of(bao), notice_of(bao).pk
    assert "Mark all as read" in browser.get("/notices/").content.decode()
    assert browser.post(f"/notices/{pk}/read/?kind=assigned&page=1&next=//evil").url == (
        "/notices/?kind=assigned&page=1"
    )
    assert notice_of(bao).read_at is not None
    assert "Mark all as read" not in browser.get("/notices/").content.decode()
    browser.post(f"/notices/{pk}/unread/")
    assert notice_of(bao).read_at is None
    browser.post("/notices/read/")
    assert notice_of(bao).read_at is not None
    assert browser.post(f"/notices/{pk}/away/").status_code == 404


def test_the_list_says_what_is_unread_and_filters(waiting, client_of, bao):
    browser = client_of(bao)
    page = browser.get("/notices/").content.decode()
    assert page.count('class="is-unread"') == 1
    assert "through Ann Lee" in page
    assert 'class="is-unread"' not in browser.get("/notices/?kind=urge").content.decode()
    assert browser.get("/notices/?kind=x").status_code == 400
