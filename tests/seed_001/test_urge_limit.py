"""P5, P6: the initiator alone, while it runs, once in ten minutes by the notices themselves."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connections

from flowadmin import clock
from flowadmin.rest.problems import Problem
from notifications.actions.urging import urge
from notifications.models import Notice
from tests.acceptance.acting import ALL_ACTS, approve, filed, give, human, task_of
from tests.api.caller import Caller, nothing_written
from tests.notifications.told import to
from workflow.actions import administration, requests
from workflow.engine import commands
from workflow.models import Instance

SECOND = timedelta(seconds=1)


@pytest.fixture
def waiting(ann, now):
    step = human("both", "bao", "chi", mode="all", acts=ALL_ACTS)
    return filed(ann, step, policy={"initiator_cancel": "while_running"}, now=now)


def refused(instance, user, now, status, code):
    with nothing_written(), pytest.raises(Problem) as problem:
        urge(instance=instance, user=user, now=now)
    assert (problem.value.status, problem.value.code) == (status, code)
    return problem.value


def test_each_holder_of_that_moment_is_told(waiting, ann, bao, chi, dan, now):
    approve(bao, waiting, now=now)
    urged = urge(instance=waiting, user=ann, now=now)
    assert urged.people == (chi.name,)
    assert (to(bao, "urge"), to(chi, "urge")) == ([], [task_of(chi, waiting).pk])
    row = Notice.objects.get(kind="urge")
    assert (row.sender, row.status, row.created_at) == (ann, "SENT", now)


def test_599_and_600_seconds(waiting, ann, now):
    urge(instance=waiting, user=ann, now=now)
    early = refused(waiting, ann, now + 599 * SECOND, 429, "urge.too_soon")
    assert early.headers["Retry-After"] == "1"
    assert "1 second." in str(early.detail)
    assert refused(waiting, ann, now, 429, "urge.too_soon").members["retry_after"] == 600
    urge(instance=waiting, user=ann, now=now + 600 * SECOND)
    assert Notice.objects.filter(kind="urge").count() == 4


def test_an_urge_from_before_an_upgrade_counts(waiting, ann, bao, now):
    """A row as the older system left it: no sender, and nothing in the request's own row."""
    Notice.objects.create(
        tenant=ann.tenant, kind="urge", status="SENT", receiver=bao, instance=waiting,
        created_at=now, sent_at=now,
    )  # fmt: skip
    refused(waiting, ann, now + 60 * SECOND, 429, "urge.too_soon")


def test_nobody_to_urge_uses_nothing_up(ann, bao, now):
    """A delay holds the request; afterwards, at the same moment, it is possible."""
    delay = {"id": "wait", "kind": "delay", "name": "Wait", "for": "PT1H"}
    instance = filed(ann, delay, human("lead", "bao"), now=now)
    refused(instance, ann, now, 409, "urge.nobody")
    own = filed(ann, human("lead", "bao"), key="own", now=now)
    type(bao).objects.filter(pk=bao.pk).update(is_active=False)
    refused(own, ann, now, 409, "urge.nobody")
    type(bao).objects.filter(pk=bao.pk).update(is_active=True)
    urge(instance=own, user=ann, now=now)


def test_with_oneself_alone_there_is_nobody(waiting, ann, bao, now):
    give(task_of(bao, waiting), bao, commands.Return, to="start", now=now)
    refused(waiting, ann, now, 409, "urge.nobody")


def test_only_the_initiator_whatever_else_one_may_do(waiting, bao, admin, eve, now):
    for person in (bao, admin, eve):
        refused(waiting, person, now, 403, "urge.not_initiator")


def test_only_while_it_runs(waiting, ann, admin, now):
    administration.pause(instance=waiting, user=admin, reason="audit", now=now)
    refused(waiting, ann, now, 409, "urge.not_running")
    administration.resume(instance=waiting, user=admin, reason="", now=now)
    requests.withdraw(instance=waiting, user=ann, comment="", now=now)
    refused(waiting, ann, now, 409, "urge.not_running")


def test_a_clock_that_was_set_back_locks_nobody_out(waiting, ann, now):
    urge(instance=waiting, user=ann, now=now)
    urge(instance=waiting, user=ann, now=now - timedelta(days=1))


def test_by_rest(waiting, ann, bao, client_of):
    caller, address = Caller(client_of(ann)), f"instances/{waiting.pk}/actions/urge"
    first = caller.post(address, key="k1")
    assert (first.status_code, first.json()["urged"]) == (200, ["Bao Chen", "Chi Wang"])
    again = caller.post(address, key="k1")
    assert (again.content, again["Idempotency-Replayed"]) == (first.content, "true")
    with nothing_written():
        early = caller.post(address)
    assert (early.status_code, early.json()["code"]) == (429, "urge.too_soon")
    assert 590 < int(early["Retry-After"]) == early.json()["retry_after"] <= 600
    assert caller.post(address, key=None).json()["code"] == "idempotency.missing"
    assert Notice.objects.filter(kind="urge").count() == 2


def test_by_the_page_with_the_time_that_is_left(waiting, ann, bao, client_of):
    browser, page = client_of(ann), f"/requests/{waiting.pk}/"
    address = f"{page}urge/"
    for place in (page, "/mine/"):
        shown = browser.get(place).content.decode()
        assert f'action="{address}"' in shown
        assert "data-countdown" not in shown
    sent = {"idempotency_key": "k1", "back": "mine"}
    answer = browser.post(address, sent, follow=True)
    assert answer.redirect_chain == [("/mine/", 303)]
    assert "You urged Bao Chen, Chi Wang." in answer.content.decode()
    for place in (page, "/mine/"):
        assert 'disabled data-countdown="' in browser.get(place).content.decode()
    browser.post(address, sent)
    with nothing_written():
        early = browser.post(address, {"idempotency_key": "k2"}, follow=True)
    assert early.redirect_chain == [(page, 303)]
    assert "less than ten minutes ago" in early.content.decode()
    assert f'action="{address}"' not in client_of(bao).get(page).content.decode()
    assert browser.get(address).status_code == 405
    assert Notice.objects.filter(kind="urge").count() == 2


@pytest.mark.django_db(transaction=True)
def test_twenty_at_once_are_one(waiting, ann):
    """Real connections, each with a key of its own; the row of the request puts them in line."""
    gate, said = threading.Barrier(20), []
    instance = Instance.objects.get(pk=waiting.pk)

    def try_it():
        try:
            gate.wait()
            urge(instance=instance, user=ann, now=clock.now())
            said.append(200)
        except Problem as problem:
            said.append(problem.status)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=try_it) for _each in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == [200] + [429] * 19
    assert Notice.objects.filter(kind="urge").count() == 2, "one for each holder, once"
