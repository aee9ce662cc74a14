"""Everything of a leaver goes to somebody else, task by task (approvals.md 4, test 39)."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from flowadmin.rest.problems import Problem
from tests.builders import a_person
from tests.workflow import flows
from workflow import queries
from workflow.actions import administration
from workflow.models import Event, Task


@pytest.fixture
def left(ann, bao, chi, dan, now):
    """Chi waits in two requests, and beside dan in a third; she has left."""
    flows.publish(ann, flows.a_document(flows.approve_step("lead", "chi"), key="one"), now=now)
    both = flows.approve_step("lead", "chi", "dan", decide={"mode": "all"})
    flows.publish(ann, flows.a_document(both, key="both"), now=now)
    for key in ("one", "both", "one"):
        flows.start(ann, key, now=now)
    chi.is_active = False
    chi.save()
    return chi


def run(*args):
    out = io.StringIO()
    call_command("hand_over", *args, stdout=out)
    return out.getvalue()


def test_each_task_goes_over_but_where_the_other_sits_already(left, dan, bao, now):
    results = list(administration.hand_over(leaver=left, to=dan, user=bao, reason="Left", now=now))
    assert [(each.ok, each.code) for each in results] == [
        (True, ""), (False, "person.already_holds"), (True, ""),
    ]  # fmt: skip
    assert queries.inbox_count(left) == 1
    assert queries.inbox_count(dan) == 3
    moved = Event.objects.filter(kind="task_reassigned")
    assert {each.actor_id for each in moved} == {bao.pk}
    # Done again it goes on with what is left.
    again = list(administration.hand_over(leaver=left, to=bao, user=bao, reason="Left", now=now))
    assert [each.ok for each in again] == [True]
    assert queries.inbox_count(left) == 0


def test_wrong_use_changes_nothing(left, dan, bao, eve, now):
    before = flows.everything()
    for to, reason, code in (
        (dan, " ", "reason.required"),
        (eve, "Left", "person.unknown"),
        (left, "Left", "person.unknown"),
    ):
        with pytest.raises(Problem) as refused:
            list(administration.hand_over(leaver=left, to=to, user=bao, reason=reason, now=now))
        assert refused.value.code == code
    with pytest.raises(Problem, match=r"person\.same"):
        list(administration.hand_over(leaver=dan, to=dan, user=bao, reason="x", now=now))
    assert flows.everything() == before


def test_the_command_lists_first(left, dan, bao):
    before = flows.everything()
    told = json.loads(run("chi", "dan", "--reason", "Left", "--dry-run", "--json"))
    assert (told["dry_run"], told["handed_over"], len(told["tasks"])) == (True, 0, 3)
    assert flows.everything() == before
    assert "3 tasks wait for them." in run("chi", "dan", "--reason", "Left", "--dry-run")


def test_the_command_says_what_could_not_be_done(left, dan, bao):
    with pytest.raises(CommandError, match="1 of 3") as failed:
        run("chi", "dan", "--reason", "Left", "--by", "bao")
    assert failed.value.returncode == 1
    told = json.loads(run("chi", "bao", "--reason", "Left", "--json"))
    assert (told["handed_over"], told["failed"]) == (1, 0)
    assert Task.objects.filter(holder=left, state="open").count() == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("nobody", "dan", "--reason", "x"), "There is no person"),
        (("chi", "nobody", "--reason", "x"), "There is no person"),
        (("chi", "dan"), "reason.required"),
        (("chi", "eve", "--reason", "x"), "person.unknown"),
        (("chi", "dan", "--reason", "x", "--by", "ann"), "does not manage"),
        (("chi", "dan", "--reason", "x", "--by", "boss"), "does not manage"),
        (("chi", "eve", "--reason", "x", "--dry-run"), "person.unknown"),
    ],
)
def test_the_command_refuses_wrong_use(left, dan, eve, args, message):
    boss = a_person(eve.tenant, "boss")
    assert boss.tenant_id != left.tenant_id
    before = flows.everything()
    with pytest.raises(CommandError, match=message) as refused:
        run(*args)
    assert refused.value.returncode == 2
    assert flows.everything() == before
