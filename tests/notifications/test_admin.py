"""The administration reads notices and urges; who filed a request may urge from there, too."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from flowadmin import clock
from notifications.actions.urging import urge
from notifications.models import Notice
from tests.acceptance.acting import filed, human
from tests.api.caller import nothing_written

LISTS = ("admin:notifications_notice_changelist", "admin:notifications_urge_changelist")


@pytest.fixture
def urged(ann, now):
    at = clock.now() - timedelta(hours=1)
    instance = filed(ann, human("lead", "bao", deadline={"after": 60}), now=at)
    urge(instance=instance, user=ann, now=at)
    return instance


def test_the_lists_show_and_change_nothing(urged, admin, ann, client_of):
    browser = client_of(admin)
    for name in LISTS:
        page = browser.get(reverse(name)).content.decode()
        assert urged.title in page
        assert browser.get(reverse(name.replace("changelist", "add"))).status_code == 403
    states = browser.get(reverse(LISTS[0]) + "?status__exact=PENDING")
    assert states.content.decode().count('class="field-request_title"') == 1
    for row in Notice.objects.all():
        change = reverse("admin:notifications_notice_change", args=[row.pk])
        assert browser.get(change).status_code == 200
        with nothing_written():
            assert browser.post(change, {"status": "SENT"}).status_code == 403
    assert client_of(ann).get(reverse(LISTS[0])).status_code == 302


def test_urging_again_takes_the_same_gate(urged, admin, ann, client_of):
    row = Notice.objects.get(kind="urge")
    sent = {"action": "urge_again", "_selected_action": [row.pk]}
    with nothing_written():
        answer = client_of(admin).post(reverse(LISTS[1]), sent, follow=True)
    assert "Only whoever filed the request may urge." in answer.content.decode()
    type(ann).objects.filter(pk=ann.pk).update(is_staff=True, is_superuser=True)
    browser = client_of(type(ann).objects.get(pk=ann.pk))
    answer = browser.post(reverse(LISTS[1]), sent, follow=True)
    assert "you urged Bao Chen" in answer.content.decode()
    with nothing_written():
        answer = browser.post(reverse(LISTS[1]), sent, follow=True)
    assert "less than ten minutes ago" in answer.content.decode()
