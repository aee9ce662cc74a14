"""P4: an *assigned* notice whenever a task gets a new holder, and none to who did it himself."""

from __future__ import annotations

import pytest

from notifications.models import Notice
from tests.acceptance.acting import ALL_ACTS, approve, filed, give, human, reject, task_of
from tests.notifications.told import to
from workflow import access
from workflow.actions import administration, approvals
from workflow.engine import commands
from workflow.models import Task
from workflow.runtime import steps


@pytest.fixture
def lead(ann, now):
    return lambda *logins, **more: filed(
        ann, human("lead", *(logins or ["bao"]), acts=ALL_ACTS, **more), now=now
    )


def test_at_creation_with_who_caused_it(lead, ann, bao, now):
    instance = lead()
    [row] = Notice.objects.all()
    assert (row.kind, row.status, row.receiver, row.sender) == ("assigned", "SENT", bao, ann)
    assert (row.instance_id, row.task, row.tenant_id) == (
        instance.pk, task_of(bao, instance), ann.tenant_id,
    )  # fmt: skip
    assert (row.created_at, row.sent_at, row.read_at) == (now, now, None)


def test_the_next_step_and_one_by_one(ann, bao, chi, dan, now):
    lead = human("lead", "bao")
    instance = filed(ann, lead, human("order", "chi", "dan", mode="in_order"), now=now)
    assert (to(chi), to(dan)) == ([], [])
    approve(bao, instance, now=now)
    assert (to(chi), to(dan)) == (["assigned"], []), "whose turn it is not yet hears nothing"
    approve(chi, instance, now=now)
    assert (to(chi), to(dan)) == (["assigned"], ["assigned"])


def test_transfer_delegation_and_hand_back(lead, bao, chi, dan, now):
    instance = lead()
    give(task_of(bao, instance), bao, commands.Transfer, to=chi.pk, now=now)
    assert to(chi) == ["assigned"]
    give(task_of(chi, instance), chi, commands.Delegate, to=dan.pk, now=now)
    assert to(dan) == ["assigned"]
    give(task_of(dan, instance), dan, commands.HandBack, now=now, comment="fine")
    assert to(chi) == ["assigned", "assigned"]
    assert to(bao) == ["assigned"]


def test_an_added_signer_and_the_way_back(lead, bao, chi, now):
    instance = lead()
    add = {"people": (chi.pk,), "place": "before"}
    give(task_of(bao, instance), bao, commands.AddSigners, now=now, **add)
    assert (to(chi), to(bao)) == (["assigned"], ["assigned"])
    approve(chi, instance, now=now)
    assert to(bao) == ["assigned", "assigned"], "it waits for bao again"


def test_a_manager_and_a_deadline_give_it_to_somebody_else(ann, bao, chi, dan, admin, now):
    deadline = {"after": 60, "then": {"reassign": {"any_of": [{"by": "user", "ids": ["dan"]}]}}}
    instance = filed(ann, human("lead", "bao", deadline=deadline), now=now)
    task = access.task(admin, task_of(bao, instance).pk)
    administration.reassign(task=task, to=chi, user=admin, reason="away", now=now)
    assert to(chi) == ["assigned"]
    later = now.replace(hour=12)
    [job] = steps.due(later)
    claimed = steps.claim(job, "here", later)
    assert claimed is not None
    assert steps.carry_out(claimed, later)
    row = Notice.objects.get(receiver=dan, kind="assigned")
    assert (row.sender, row.task_id) == (None, task.pk)


def test_whoever_takes_it_himself_gets_none(lead, bao, chi, now):
    instance = lead("bao", "chi", mode="claim")
    assert (to(bao), to(chi)) == (["assigned"], ["assigned"])
    give(task_of(bao, instance), bao, commands.Claim, now=now)
    give(task_of(bao, instance), bao, commands.Release, now=now)
    assert (to(bao), to(chi)) == (["assigned"], ["assigned"])


def test_a_return_tells_the_initiator_and_a_new_round_tells_again(lead, ann, bao, now):
    instance = lead()
    give(task_of(bao, instance), bao, commands.Return, to="start", now=now)
    assert to(ann) == ["assigned"]
    give(task_of(ann, instance), ann, commands.Complete, now=now)
    assert len(set(to(bao, "assigned"))) == 2


def test_what_decides_itself_and_what_ends_tells_nobody(ann, bao, chi, now):
    """The initiator's own seat passes by the self rule; a rejection closes the colleague's."""
    own = human("own", "ann", on_self="skip")
    instance = filed(ann, own, human("both", "bao", "chi", mode="all"), now=now)
    reject(bao, instance, now=now)
    assert to(ann) == []
    assert (to(bao), to(chi)) == (["assigned"], ["assigned"])


def test_a_decision_that_is_taken_back_gives_the_colleague_his_task_again(ann, bao, chi, now):
    policy = {"take_back": {"on": True, "within": None}}
    step = human("both", "bao", "chi")
    instance = filed(ann, step, human("next", "dan"), policy=policy, now=now)
    decided = approve(bao, instance, now=now)
    approvals.take_back(task=access.own_task(bao, decided.pk), user=bao, comment="", now=now)
    assert to(chi) == ["assigned", "assigned"]
    assert to(bao) == ["assigned"], "who took it back knows"
    assert Task.objects.filter(instance=instance, state="open").count() == 2
