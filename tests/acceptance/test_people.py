"""Acceptance tests 29 to 40: dedupe, the initiator as approver, substitutes, leavers."""

from __future__ import annotations

import itertools
import json
from datetime import timedelta
from typing import Any

import pytest

from flowadmin.directory.models import RoleMember, Substitute
from tests.acceptance.acting import (
    approve,
    filed,
    fresh,
    give,
    human,
    in_box,
    open_now,
    task_of,
    waiting_jobs,
    work,
)
from tests.acceptance.acting import is_done_for as done_for
from tests.builders import a_person, a_role
from tests.directory.rows import away
from tests.engine import builders
from tests.engine.builders import drive, users
from tests.engine.test_blocks import one
from tests.engine.test_going_back import free, holders
from tests.notifications.told import to
from tests.workflow import flows, stories
from workflow.actions import administration
from workflow.engine.commands import AskSubstitute
from workflow.engine.events import Dropped, StepEntered, TaskApproved
from workflow.engine.rejections import Invalid
from workflow.engine.state import InstanceState, Reason
from workflow.models import Event, Instance, Task, Version
from workflow.runtime import steps as work_of_steps


def test_n29_only_approvals_since_the_last_return_count_again(org) -> None:
    """What somebody approved before the return does not pass a later step for him."""
    steps = one("bao"), free("chi"), builders.approve("again", users("bao"))
    policy = {"dedupe": "keep_first"}
    without = drive(org, *steps, policy=policy)
    without.start()
    without.approve("bao")
    without.approve("chi")
    assert without.state.status is InstanceState.APPROVED, "without a return it counts"
    request = drive(org, *steps, policy=policy)
    request.start()
    request.approve("bao")
    request.send_back("chi", "start", resume="here")
    request.complete("ann")
    request.approve("chi")
    assert holders(request) == ["bao"], "his approval is from before the return"


@pytest.mark.parametrize(
    ("policy", "who", "reason"),
    [
        ({"on_self": "skip"}, ("kim", "kim", "ann"), Reason.SELF_RULE),
        ({"dedupe": "adjacent"}, ("kim", "bao", "bao"), Reason.DEDUPE),
        ({"dedupe": "keep_first"}, ("bao", "kim", "bao"), Reason.DEDUPE),
    ],
)
def test_n30_three_rules_that_pass_a_person_over(org, policy, who, reason) -> None:
    """The approver is the initiator; is the one of the step before; or has approved already."""
    first, second, third = (
        builders.approve(f"s{number}", users(login)) for number, login in enumerate(who)
    )
    off = drive(org, first, second, third)
    off.start()
    for login in who:
        assert holders(off) == [login]
        off.approve(login)
    request = drive(org, first, second, third, policy=policy)
    request.start()
    request.approve(who[0])
    if holders(request):
        request.approve(who[1])
    assert request.state.status is InstanceState.APPROVED
    last = request.of(TaskApproved)[-1]
    assert (last.seat, last.reason) == (3, reason)


def test_n31_the_settings_that_approve_by_themselves_survive_publishing(ann, bao, later) -> None:
    """What was set is what is stored, read again, published again and carried out."""
    lead = human("lead", "bao", on_self="skip", repeat_skip="keep_first")
    ghost = human("ghost", "bao", on_empty={"do": "approve"})
    document = flows.a_document(
        lead, ghost, policy={"dedupe": "adjacent", "on_self": "head"}, form={"key": "expense"}
    )
    version = flows.publish(ann, document, now=later())
    stored = json.loads(Version.objects.get(pk=version.pk).document)
    assert stored["policy"] == {"dedupe": "adjacent", "on_self": "head"}
    assert (stored["steps"][0]["on_self"], stored["steps"][0]["repeat_skip"]) == (
        "skip", "keep_first"
    )  # fmt: skip
    assert stored["steps"][1]["on_empty"] == {"do": "approve"}
    assert flows.publish(ann, stored, now=later()) == version, "what was read is the same flow"
    instance = flows.start(ann, now=later())
    approve(bao, instance, now=later())
    assert fresh(instance).state == "approved", "the second step counts the first approval"
    assert Event.objects.filter(instance=instance, kind="task_approved").count() == 2


def test_n32_a_first_step_that_passes_itself_asks_the_second(ann, bao, later) -> None:
    """The request is with the second person at once, and the second step's task is real."""
    instance = filed(ann, human("mine", "ann", on_self="skip"), human("lead", "bao"), now=later())
    assert open_now(instance) == {"bao": "lead"}
    assert in_box(bao) == [instance.pk]
    mine = Task.objects.get(instance=instance, holder=ann)
    assert (mine.state, mine.reason) == ("approved", "self_rule")
    assert (to(ann), to(bao)) == ([], ["assigned"])


def test_n32_also_when_the_worker_dies_in_between(ann, bao, later, now) -> None:
    """An automatic first step whose worker was killed is carried out by the next one, once."""
    auto = {"id": "auto", "kind": "auto", "name": "Auto", "verdict": "approve"}
    instance = filed(ann, auto, human("lead", "bao"), now=later())
    [job] = waiting_jobs(instance)
    assert in_box(bao) == []
    dead = work_of_steps.claim(job.pk, "killed", later())
    assert dead is not None
    after = later() + work_of_steps.LEASE
    assert work(after) == 1
    assert in_box(bao) == [instance.pk]
    assert work_of_steps.carry_out(dead, after + timedelta(minutes=1)) is False
    assert in_box(bao) == [instance.pk]
    assert Event.objects.filter(instance=instance, kind="task_assigned").count() == 1
    assert to(bao) == ["assigned"]


@pytest.mark.parametrize(
    ("on_empty", "result", "who"),
    [
        ({"do": "approve"}, InstanceState.APPROVED, []),
        ({"do": "reject"}, InstanceState.REJECTED, []),
        ({"do": "hold"}, InstanceState.RUNNING, []),
        ({"do": "people", "who": users("kim")}, InstanceState.RUNNING, ["kim"]),
    ],
)
def test_n33_without_the_applicant_the_empty_rule_decides(org, on_empty, result, who) -> None:
    """``forbid`` takes the initiator out; if nobody is left, the step says what follows."""
    alone = builders.approve("lead", users("ann"), on_self="forbid", on_empty=on_empty)
    request = drive(org, alone)
    request.start("ann")
    assert (request.state.status, holders(request)) == (result, who)
    assert (request.state.held is not None) is (on_empty["do"] == "hold")
    (entered,) = request.of(StepEntered)
    assert Dropped(user=org.id("ann"), why="is_initiator") in entered.dropped
    together = drive(org, builders.approve("lead", users("ann", "bao"), on_self="forbid"))
    together.start("ann")
    assert holders(together) == ["bao"], "the others decide without him"


def test_n33_refuse_start_does_not_even_file_it(org) -> None:
    """``refuse_start``: a request that nobody could decide is not filed."""
    alone = builders.approve(
        "lead", users("ann"), on_self="forbid", on_empty={"do": "refuse_start"}
    )
    request = drive(org, alone)
    request.refused(request.starting("ann"), Invalid, "people.nobody")


def test_n34_the_substitute_gets_the_task_and_the_notice(ann, bao, dan, api, later) -> None:
    """Out of office: the task is in the substitute's inbox and counters, not in the absent one's.

    So are the notice, and later the reminder.
    """
    away(bao, dan)
    instance = filed(ann, human("lead", "bao"), now=later())
    assert in_box(bao) == []
    assert in_box(dan) == [instance.pk]
    assert api(dan).read("me")["counters"]["todo"] == 1
    assert api(bao).read("me")["counters"]["todo"] == 0
    assert (to(bao), to(dan)) == ([], ["assigned"])
    [row] = api(dan).read("tasks/")["results"]
    task = api(dan).read(f"tasks/{row['id']}/")
    assert task["stands_in_for"] == {"login": "bao", "name": bao.name}


def test_n35_an_administrator_enters_an_absence_for_another(
    ann, bao, dan, admin, client_of, later, now
) -> None:
    """The person need not do it: whoever keeps the directory can, and it takes effect."""
    client = client_of(admin)
    answer = client.post(
        "/admin/directory/substitute/add/",
        {
            "tenant": bao.tenant_id,
            "person": bao.pk,
            "substitute": dan.pk,
            "starts_at_0": "2026-03-01", "starts_at_1": "00:00:00",
            "ends_at_0": "2026-03-08", "ends_at_1": "00:00:00",
            "process": "",
        },
    )  # fmt: skip
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    row = Substitute.objects.get()
    assert (row.person, row.substitute, row.created_by) == (bao, dan, admin)
    instance = filed(ann, human("lead", "bao"), now=later())
    assert open_now(instance) == {"dan": "lead"}


def test_n36_a_chain_is_bounded_and_a_circle_stops(ann, bao, chi, dan, demo_tenant, later) -> None:
    """A→B→C is followed; A→B→A stops at the last present one; six links are too many."""
    away(bao, chi)
    away(chi, dan)
    assert open_now(filed(ann, human("lead", "bao"), now=later())) == {"dan": "lead"}
    away(dan, bao)
    circle = filed(ann, human("lead", "bao"), now=later())
    assert len(open_now(circle)) == 1
    entered = Event.objects.get(instance=circle, kind="step_entered")
    assert "absent_in_circle" in entered.payload
    people = [a_person(demo_tenant, f"long-{number}") for number in range(8)]
    for person, substitute in itertools.pairwise(people):
        away(person, substitute)
    long = filed(ann, human("lead", people[0].login), now=later())
    [holder] = open_now(long)
    assert people.index(next(each for each in people if each.login == holder)) <= 5


def test_n36_from_and_until_count_to_the_minute(ann, bao, dan, later, now) -> None:
    """``[from, until)``: present a minute before, absent at the first, present at the last."""
    start, end = now + timedelta(hours=1), now + timedelta(hours=2)
    away(bao, dan, start, end)
    minute = timedelta(minutes=1)
    flows.publish(ann, flows.a_document(human("lead", "bao")), now=now)
    for moment, holder in (
        (start - minute, "bao"),
        (start, "dan"),
        (end - minute, "dan"),
        (end, "bao"),
    ):
        assert open_now(flows.start(ann, now=moment)) == {holder: "lead"}, moment


def test_n37_the_trail_names_both_the_approver_and_who_acted(ann, bao, dan, later) -> None:
    """The story says who decided, and in whose place."""
    away(bao, dan)
    instance = filed(ann, human("lead", "bao"), now=later())
    approve(dan, instance, now=later())
    assigned, decided = stories.told(instance)[1:3]
    assert assigned.text == f"Lead → {dan.name}"
    assert f"stands in for {bao.name}" in assigned.why[0]
    assert dan.name in decided.text
    assert decided.why == (f"In place of {bao.name}",)
    task = Task.objects.get(instance=instance)
    assert (task.holder, task.decided_by) == (dan, dan)
    assigned_event = Event.objects.get(instance=instance, kind="task_assigned")
    assert json.loads(assigned_event.payload)["absent"] == bao.pk


def test_n38_a_person_asks_for_somebody_else_for_one_task(
    ann, bao, chi, dan, admin, later
) -> None:
    """The request says so to the managers, who can give that task to another; others stay."""
    one_task = filed(ann, human("lead", "chi"), now=later())
    other = flows.start(ann, now=later())
    give(task_of(chi, one_task), chi, AskSubstitute, comment="my cousin's firm", now=later())
    assert in_box(chi) == [other.pk, one_task.pk], "it stays with the person until then"
    assert any(entry.comment == "my cousin's firm" for entry in stories.told(one_task))
    administration.reassign(
        task=task_of(chi, one_task), to=dan, user=admin, reason="conflict", now=later()
    )
    assert open_now(one_task) == {"dan": "lead"}
    assert open_now(other) == {"chi": "lead"}


def test_n39_everything_of_a_leaver_is_listed_and_handed_over(
    ann, bao, chi, dan, admin, later
) -> None:
    """All waiting tasks of a person go to another in one act, each with its own result.

    Drafts that depend on the person come with the drafts.
    """
    first = filed(ann, human("lead", "chi"), now=later())
    second = flows.start(ann, now=later())
    both = filed(ann, human("team", "chi", "dan", mode="all"), key="both", now=later())
    others = filed(ann, human("lead", "bao"), key="other", now=later())
    listed = {task.instance_id for task in administration.waiting_tasks(chi)}
    assert listed == {first.pk, second.pk, both.pk}
    chi.is_active = False
    chi.save()
    results = list(
        administration.hand_over(leaver=chi, to=dan, user=admin, reason="has left", now=later())
    )
    assert {each.instance: each.code for each in results} == {
        first.pk: "", second.pk: "", both.pk: "person.already_holds",
    }  # fmt: skip
    assert open_now(first) == open_now(second) == {"dan": "lead"}
    assert open_now(others) == {"bao": "lead"}
    assert {task.instance_id for task in administration.waiting_tasks(chi)} == {both.pk}


def test_n40_other_people_in_a_flow_change_nothing_of_the_past(
    ann, bao, chi, dan, demo_tenant, later
) -> None:
    """Neither a new version nor another head of a role touches decisions and their dates."""
    role = a_role(demo_tenant, "deciders", members=[bao])
    by_role: dict[str, Any] = {"any_of": [{"by": "role", "ids": ["deciders"]}]}
    instance = filed(ann, human("lead", who=by_role), human("top", "chi"), now=later())
    approve(bao, instance, now=later())

    def past():
        rows = Task.objects.filter(instance=instance).exclude(decided_at=None)
        events = Event.objects.filter(instance=instance)
        return list(rows.order_by("pk").values()), list(events.order_by("pk").values())

    before = past()
    RoleMember.objects.filter(role=role).update(user=dan)
    flows.publish(ann, flows.a_document(human("lead", "dan"), human("last", "dan")), now=later())
    bao.name = "Bao Chen-Li"
    bao.save()
    assert past() == before
    assert fresh(instance).version.number == 1
    approve(chi, instance, now=later())
    assert fresh(instance).state == "approved"
    assert Instance.objects.count() == 1
    assert done_for(bao) == [(instance.pk, "approved")]
