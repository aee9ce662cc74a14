"""Acceptance tests 13 to 28: returns, rejections, parallel branches and loops."""

from __future__ import annotations

from typing import Any

import pytest

from flowadmin.directory.models import RoleMember
from notifications.models import Callback
from tests.acceptance.acting import (
    ALL_ACTS,
    approve,
    block,
    filed,
    fresh,
    give,
    human,
    in_box,
    open_now,
    reject,
    task_of,
    work,
)
from tests.builders import a_role
from tests.engine import builders
from tests.engine import test_blocks as blocks
from tests.engine.builders import a_field, by, choice, drive, step, users
from tests.engine.test_blocks import ended, one, open_steps
from tests.engine.test_going_back import back_to, free, holders
from tests.notifications import posted
from tests.workflow import stories
from workflow import queries
from workflow.engine import going_back
from workflow.engine.commands import Approve, Jump, Return
from workflow.engine.events import StepEntered, TaskApproved, TaskClosed
from workflow.engine.rejections import Invalid
from workflow.engine.state import InstanceState, Reason
from workflow.models import Instance, Task


@pytest.mark.parametrize("mode", ["all", "any"])
def test_n13_a_step_of_several_is_open_for_all_of_them_again(
    ann, bao, chi, dan, later, mode
) -> None:
    """After a return to a countersign or an or-sign, everybody there has it in the inbox."""
    team = human("team", "bao", "chi", mode=mode)
    instance = filed(ann, team, human("top", "dan", acts=ALL_ACTS), now=later())
    before = set(Task.objects.filter(instance=instance).values_list("pk", flat=True))
    approve(bao, instance, now=later())
    if mode == "all":
        approve(chi, instance, now=later())
    give(task_of(dan, instance), dan, Return, to="team", now=later())
    assert open_now(instance) == {"bao": "team", "chi": "team"}
    assert in_box(bao) == in_box(chi) == [instance.pk]
    assert in_box(dan) == []
    opened = Task.objects.filter(instance=instance, state="open")
    assert not before & set(opened.values_list("pk", flat=True)), "new tasks, not the old ones"


def test_n14_out_of_a_branch_only_to_what_every_way_passes(org) -> None:
    """From inside a parallel branch: before the block, or earlier in the branch; never beside."""
    request = drive(
        org, one("bao"), blocks.block("p", [one("chi"), free("dan")], [one("pia"), one("tom")])
    )
    request.start()
    request.approve("bao")
    request.approve("chi")
    request.approve("pia")
    at = next(each for each in request.state.activations if each.step == "by_dan")
    allowed = going_back.targets(request.definition.plan, request.state, at)
    assert allowed == ("start", "by_bao", "by_chi")
    for beside in ("by_pia", "by_tom", "p", "by_dan"):
        request.refused(request.act(Return, "dan", to=beside), Invalid, "return.bad_target")
    request.send_back("dan", "by_chi")
    assert sorted(open_steps(request)) == ["by_chi", "by_tom"], "the other branch goes on"


def test_n15_the_join_counts_the_new_round_only(org) -> None:
    """A branch that had arrived before the return has to arrive again; then it goes on."""
    request = drive(
        org, one("bao"), blocks.block("p", [one("chi")], [free("dan")], [one("pia")]), one("kim")
    )
    request.start()
    request.approve("bao")
    request.approve("chi")
    request.approve("pia")
    request.send_back("dan", "by_bao")
    request.approve("bao")
    assert open_steps(request) == ["by_chi", "by_dan", "by_pia"]
    request.approve("dan")
    assert open_steps(request) == ["by_chi", "by_pia"], "two of the old round count for nothing"
    request.approve("pia")
    request.approve("chi")
    assert open_steps(request) == ["by_kim"]
    request.approve("kim")
    assert request.state.status is InstanceState.APPROVED


def test_n16_a_rejection_ends_the_other_branches_with_a_reason(ann, bao, chi, dan, later) -> None:
    """``whole_flow``: nobody keeps a task of a request that a colleague has rejected."""
    ways = [human("a", "bao")], [human("b", "chi"), human("c", "bao")], [human("d", "dan")]
    instance = filed(ann, block("p", *ways, branch_reject="whole_flow"), now=later())
    rejected = reject(chi, instance, now=later())
    assert fresh(instance).state == "rejected"
    for person in (bao, dan):
        assert in_box(person) == []
        closed = Task.objects.get(instance=instance, holder=person)
        assert (closed.state, closed.closed_by) == ("closed", rejected.pk)
        assert closed.reason == "cancelled", "in words: the request ended"
    told = [entry.text for entry in stories.told(instance)]
    assert any("rejected" in text.lower() for text in told)


@pytest.mark.parametrize("to", ["start", "previous"])
def test_n17_back_needs_no_modelling_and_the_initiator_is_really_asked(org, to) -> None:
    """Neither the self rule nor dedupe passes the initiator's step over after a return."""
    policy = {"on_self": "skip", "dedupe": "keep_first"}
    mine = builders.approve("mine", users("ann"))
    request = drive(org, mine, one("chi", reject=back_to(to)), policy=policy)
    request.start()
    assert request.at() == "by_chi", "on_self skips the own step on the way forward"
    request.reject("chi", "not like this")
    at = {"start": "start", "previous": "mine"}[to]
    assert (request.at(), holders(request)) == (at, ["ann"])
    assert request.state.status is InstanceState.RUNNING
    if to == "start":
        request.complete("ann")
    else:
        request.approve("ann")
    assert holders(request) == ["chi"]


def test_n18_only_steps_that_were_really_visited_are_offered(org) -> None:
    """A branch not taken and a step that nobody had to decide are no places to return to."""
    sizes = choice(
        "size", ({"field": "n", "op": "ge", "value": 5}, [one("bao")]), (None, [one("pia")])
    )
    empty = builders.approve("ghost", by("role", ids=["nobody"]), on_empty={"do": "approve"})
    request = drive(
        org, one("tom"), sizes, empty, free("chi"), one("kim"), form=[a_field("n", "integer")]
    )
    request.start(n=1)
    request.approve("tom")
    request.approve("pia")
    offered = going_back.targets(request.definition.plan, request.state, request.activation())
    assert "start" in offered
    assert "by_tom" in offered
    assert not {"by_bao", "ghost", "by_kim", "size", "by_chi"} & set(offered)
    for never in ("by_bao", "ghost", "by_kim"):
        request.refused(request.act(Return, "chi", to=never), Invalid, "return.bad_target")


@pytest.mark.parametrize(("resume", "next_one"), [("here", "chi"), ("forward", "bao")])
def test_n19_straight_back_to_whoever_returned_it_can_be_chosen(org, resume, next_one) -> None:
    """Resubmitting leads to the one who returned it, or through all steps again, as asked."""
    for chosen in (free("chi"), one("chi", reject=back_to("start", resume))):
        request = drive(org, one("bao"), one("dan"), chosen)
        request.start()
        request.approve("bao")
        request.approve("dan")
        if chosen.get("acts"):
            request.send_back("chi", "start", resume=resume)
        else:
            request.reject("chi")
        request.complete("ann")
        assert holders(request) == [next_one]


@pytest.mark.parametrize(("changed", "asked"), [(False, "kim"), (True, "dan")])
def test_n20_a_changed_form_needs_the_later_approvals_again(org, changed, asked) -> None:
    """An approval counts again only while everything that its giver saw is unchanged.

    Here nothing went back: dan has approved, and is asked once more only if bao changed the form.
    """
    steps = (one("dan"), one("bao", fields={"default": "edit"}),
             builders.approve("again", users("dan")), one("kim"))  # fmt: skip
    request = drive(org, *steps, form=[a_field("sum", "integer")], policy={"dedupe": "keep_first"})
    request.start(sum=5)
    request.approve("dan")
    request.give(request.act(Approve, "bao", changes={"sum": 9} if changed else {}))
    assert holders(request) == [asked]


def test_n20_after_a_return_to_any_step_everybody_behind_it_is_asked_again(org) -> None:
    """Returned to an earlier step: what was approved before counts for nothing afterwards."""
    request = drive(
        org, one("bao"), one("dan"), free("chi"),
        form=[a_field("sum", "integer")], policy={"dedupe": "keep_first"},
    )  # fmt: skip
    request.start(sum=5)
    request.approve("bao")
    request.approve("dan")
    request.send_back("chi", "by_bao")
    request.approve("bao")
    assert holders(request) == ["dan"]
    request.approve("dan")
    assert holders(request) == ["chi"]


def everywhere() -> list[dict[str, Any]]:
    """A process with a countersign, a choice, a block and a role, and chi behind all of it."""
    inner = choice("c", ({"field": "n", "op": "ge", "value": 5}, [one("pia")]), (None, []))
    return [
        one("bao"),
        builders.approve("team", users("dan", "tom"), "all"),
        inner,
        builders.approve("role", by("role", ids=["auditors"]), "all"),
        free("chi"),
    ]


@pytest.mark.parametrize("to", ["start", "by_bao", "team", "role"])
def test_n21_after_any_return_somebody_holds_the_request(org, to) -> None:
    """Wherever it is sent back to, a named person has it and the request is running."""
    request = drive(org, *everywhere(), form=[a_field("n", "integer")])
    request.start(n=7)
    for login in ("bao", "dan", "tom", "pia", "dan", "kim"):
        request.approve(login)
    request.send_back("chi", to)
    assert holders(request)
    assert "chi" not in holders(request)
    assert request.state.status is InstanceState.RUNNING


def test_n21_returned_to_a_role_that_nobody_has_any_more_it_is_held_by_name(
    ann, bao, chi, admin, demo_tenant, later
) -> None:
    """If nobody is found now, that is an incident which managers see; never a silent wait."""
    role = a_role(demo_tenant, "keepers", members=[bao])
    keepers = human("keepers", who={"any_of": [{"by": "role", "ids": ["keepers"]}]})
    instance = filed(ann, keepers, human("top", "chi", acts=ALL_ACTS), now=later())
    approve(bao, instance, now=later())
    RoleMember.objects.filter(role=role).delete()
    give(task_of(chi, instance), chi, Return, to="keepers", now=later())
    assert fresh(instance).held
    assert list(Instance.objects.filter(held__isnull=False)) == [instance]


def test_n22_a_return_out_of_a_countersign_closes_the_others_tasks(
    ann, bao, chi, dan, later
) -> None:
    """Who had not decided yet has nothing to do any more, and reads why."""
    team = human("team", "bao", "chi", "dan", mode="all", acts=ALL_ACTS)
    instance = filed(ann, team, now=later())
    approve(bao, instance, now=later())
    returned = give(task_of(chi, instance), chi, Return, to="start", now=later())
    assert open_now(instance) == {"ann": "start"}
    assert in_box(bao) == in_box(chi) == in_box(dan) == []
    left = Task.objects.get(instance=instance, holder=dan)
    assert (left.state, left.reason, left.closed_by) == ("closed", "returned", returned.pk)


def test_n23_moved_out_of_a_parallel_countersign_nothing_is_double(org) -> None:
    """A jump out of a block closes all of it once; the vote it leads to counts as it should."""
    vote = builders.approve(
        "vote", users("bao", "chi", "dan"),
        decide={"mode": "vote", "need": {"num": 2, "den": 3}}, reject={"counts": "cannot_pass"},
    )  # fmt: skip
    team = builders.approve("team", users("bao", "chi"), "all")
    request = drive(org, blocks.block("p", [team], [one("pia")]), vote)
    request.start()
    request.approve("bao")
    request.give(Jump("vote", org.id("kim"), "the block is not needed"))
    assert open_steps(request) == ["vote"]
    assert holders(request) == ["bao", "chi", "dan"]
    assert ended(request, "team") == ["closed"]
    assert ended(request, "by_pia") == ["closed"]
    assert len(request.of(TaskClosed)) == 2, "chi and pia, each once"
    request.reject("chi")
    assert holders(request) == ["bao", "dan"]
    request.approve("bao")
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED


@pytest.mark.parametrize("place", ["before", "after", "with"])
def test_n24_an_added_persons_rejection_counts_and_says_why(ann, bao, chi, later, place) -> None:
    """Whoever was added and says no ends the step as any other; the reason can be read."""
    from workflow.engine.commands import AddSigners  # noqa: PLC0415 - used once

    instance = filed(ann, human("lead", "bao", mode="all", acts=ALL_ACTS), now=later())
    give(task_of(bao, instance), bao, AddSigners, people=(chi.pk,), place=place, now=later())
    if place == "after":
        approve(bao, instance, now=later())
    reject(chi, instance, comment="the supplier is blocked", now=later())
    assert fresh(instance).state == "rejected"
    entries = stories.told(instance)
    said = [entry for entry in entries if entry.comment == "the supplier is blocked"]
    assert len(said) == 1
    assert chi.name in said[0].text


def test_n25_a_rejection_leaves_readers_their_copies(ann, bao, chi, dan, later) -> None:
    """A copy that was sent stays readable when the request is rejected for all."""
    tell = {"id": "tell", "kind": "copy", "name": "Tell", "who": {
        "any_of": [{"by": "user", "ids": ["chi"]}]}}  # fmt: skip
    instance = filed(ann, tell, human("team", "bao", "dan", mode="all"), now=later())
    moment = later()
    assert work(moment) == 1
    reject(bao, instance, now=later())
    assert fresh(instance).state == "rejected"
    [copied] = queries.task_lines(queries.copied_tasks(chi))
    assert (copied.instance_id, copied.state) == (instance.pk, "done")


def test_n26_what_follows_an_approval_does_not_happen_on_a_rejection(org) -> None:
    """A change that stands behind a step is made when it was approved, and only then."""
    stamp = step("stamp", "set", changes=[{"field": "ok", "to": "yes"}])
    approved = drive(org, one("bao"), stamp, form=[a_field("ok")])
    approved.start()
    approved.approve("bao")
    approved.work()
    assert approved.state.values == {"ok": "yes"}
    rejected = drive(org, one("bao"), stamp, form=[a_field("ok")])
    rejected.start()
    rejected.reject("bao")
    assert not rejected.state.work
    assert rejected.state.values.get("ok") is None


@pytest.mark.django_db
def test_n26_what_is_posted_on_an_approval_is_not_on_a_rejection(ann, bao, later) -> None:
    """An event of a step is posted for the decision that it names, and for no other."""
    posted.target(ann.tenant, "https://erp.example/")
    rejected = posted.filed(ann, posted.lead("approved"), now=later())
    posted.reject(bao, rejected, now=later())
    assert not Callback.objects.exists()
    approved = posted.filed(ann, posted.lead("approved"), key="again", now=later())
    posted.approve(bao, approved, now=later())
    assert [each.instance_id for each in Callback.objects.all()] == [approved.pk]


@pytest.mark.django_db
def test_n27_an_earlier_opinion_is_offered_on_the_page(ann, bao, chi, client_of, later) -> None:
    """As a button beside the empty field: whoever wants the words takes them by a click."""
    steps = human("lead", "bao"), human("next", "chi", acts={"return_to": "any"})
    instance = filed(ann, *steps, now=later())
    page = client_of(bao).get(f"/requests/{instance.pk}/").content.decode()
    assert "Use my earlier words" not in page
    approve(bao, instance, now=later(), comment="fine <b>by me</b>")
    give(task_of(chi, instance), chi, Return, to="lead", comment="look again", now=later())
    page = client_of(bao).get(f"/requests/{instance.pk}/").content.decode()
    assert "Use my earlier words" in page
    assert 'data-fill="comment" value="fine &lt;b&gt;by me&lt;/b&gt;"' in page
    field = page[page.index('id="comment"') :]
    assert field[field.index(">") : field.index("</textarea>")] == ">", "nothing is filled in"


def test_n27_an_earlier_opinion_is_never_submitted_silently(org) -> None:
    """Asked a second time, a person's earlier words are not his words of now."""
    request = drive(org, one("bao"), free("chi"))
    request.start()
    request.approve("bao", comment="fine by me")
    request.send_back("chi", "by_bao")
    assert holders(request) == ["bao"], "asked, although he has approved before"
    request.approve("bao")
    first, second = request.of(TaskApproved)
    assert (first.comment, second.comment) == ("fine by me", "")
    assert second.reason is Reason.HUMAN


@pytest.mark.parametrize("most", [1, 3])
def test_n28_a_loop_ends_at_its_limit_with_an_incident(org, most) -> None:
    """It is taken so often and no more; then a manager has to say where it goes."""
    again = step(
        "again", "goto", to="by_bao", when={"field": "n", "op": "ge", "value": 1}, max=most
    )
    request = drive(org, one("bao"), again, one("chi"), form=[a_field("n", "integer")])
    request.start(n=1)
    for _ in range(most + 1):
        assert request.state.held is None
        request.approve("bao")
    assert request.state.held == "goto.limit"
    assert request.state.status is InstanceState.RUNNING
    entered = [each for each in request.of(StepEntered) if each.step == "by_bao"]
    assert len(entered) == most + 1
    request.give(Jump("by_chi", org.id("kim"), "go on"))
    assert (request.state.incidents, holders(request)) == ({}, ["chi"])
