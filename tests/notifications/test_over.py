"""Notices of tasks that are over: no news to whoever ended them, and told in the past."""

from __future__ import annotations

from datetime import timedelta

import pytest

from notifications.actions.reminding import send_due
from notifications.models import Notice
from notifications.queries import sent_to, shown, unread_count
from notifications.wording import sentence_of
from tests.acceptance.acting import ALL_ACTS, approve, filed, give, human, reject, task_of
from tests.notifications.told import all_rows
from workflow.engine import commands

HOUR = timedelta(hours=1)


def sentences(user):
    return [sentence_of(each) for each in shown(sent_to(user)).order_by("id")]


def test_whoever_ends_his_task_has_read_of_it(ann, bao, chi, now):
    """Both are told and reminded; the one who decides has nothing new, the other one has."""
    step = human("lead", "bao", "chi", mode="all", deadline={"after": 60, "remind": [{}]})
    instance = filed(ann, step, now=now)
    other = filed(ann, human("lead", "bao"), key="other", now=now)
    send_due(now + HOUR)
    assert (unread_count(bao), unread_count(chi)) == (3, 2)
    approve(bao, instance, now=now + 2 * HOUR)
    assert (unread_count(bao), unread_count(chi)) == (1, 2)
    read = Notice.objects.filter(receiver=bao, read_at=now + 2 * HOUR)
    assert set(read.values_list("instance", flat=True)) == {instance.pk}
    assert sorted(sentences(bao)) == [
        "“Lead” had not been decided by then",
        "“Lead” is with you now, through Ann Lee",
        "“Lead” was with you; you approved it",
    ]
    assert "“Lead” has not been decided yet" in sentences(chi)
    before = all_rows()
    assert reject(chi, instance, now=now + 3 * HOUR).state == "rejected"
    assert unread_count(chi) == 0
    assert [row for row in all_rows() if row["receiver_id"] != chi.pk] == [
        row for row in before if row["receiver_id"] != chi.pk
    ]
    assert Notice.objects.filter(receiver=bao, instance=other.pk, read_at=None).count() == 1


def test_what_others_ended_is_news_and_says_who(ann, bao, chi, dan, now):
    first = filed(ann, human("lead", "bao", "chi", acts=ALL_ACTS), now=now)
    approve(chi, first, now=now)
    assert sentences(bao) == ["“Lead” was with you; Chi Wang ended it"]
    assert unread_count(bao) == 1
    second = filed(ann, human("lead", "bao", acts=ALL_ACTS), key="other", now=now)
    give(task_of(bao, second), bao, commands.Transfer, to=dan.pk, now=now)
    assert sentences(bao)[1] == "“Lead” was with you; it went to somebody else"
    assert sentences(dan) == ["“Lead” is with you now, through Bao Chen"]
    assert (unread_count(bao), unread_count(dan)) == (1, 1)


def test_a_decision_that_is_undone_leaves_them_unread(ann, bao, now, monkeypatch):
    instance = filed(ann, human("lead", "bao"), now=now)
    before = all_rows()

    def failing(_happened):
        message = "on purpose"
        raise RuntimeError(message)

    monkeypatch.setattr("notifications.subscriptions.callbacks_of", failing)
    with pytest.raises(RuntimeError, match="on purpose"):
        approve(bao, instance, now=now)
    assert all_rows() == before
