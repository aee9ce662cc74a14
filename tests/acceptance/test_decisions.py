"""Acceptance tests 1 to 12: several people decide one step."""

from __future__ import annotations

import itertools
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from flowadmin.doctor import examine
from tests.acceptance.acting import (
    approve,
    fresh,
    human,
    in_box,
    is_done_for,
    open_now,
    reject,
)
from tests.acceptance.acting import filed as file_request
from tests.builders import a_role
from tests.engine import builders
from tests.engine.builders import a_field, by, choice, drive, users
from tests.engine.test_going_back import ANYWHERE, back_to, holders
from tests.engine.test_taking_back import ON, taking_back
from tests.workflow import flows
from workflow.engine.canonical import canonical_bytes
from workflow.engine.events import TaskClosed, TaskRejected
from workflow.engine.parsing import decode
from workflow.engine.rejections import NotOpen
from workflow.engine.state import InstanceState
from workflow.models import Instance, Task

HALF = {"mode": "vote", "need": {"num": 1, "den": 2}}


def lead(*logins: str, **members: Any) -> dict[str, Any]:
    return builders.approve("lead", users(*logins), **members)


def test_n01_vote_stays_open_until_passing_is_impossible(org) -> None:
    """Half of three votes are needed: one against leaves it open, the second one ends it.

    With ``any_one`` the first rejection is enough, whatever the share.
    """
    rule = {"counts": "cannot_pass"}
    request = drive(org, lead("bao", "chi", "dan", decide=HALF, reject=rule))
    request.start()
    request.reject("bao")
    assert holders(request) == ["chi", "dan"]
    request.approve("chi")
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED
    lost = drive(org, lead("bao", "chi", "dan", decide=HALF, reject=rule))
    lost.start()
    lost.reject("bao")
    lost.reject("chi")
    assert lost.state.status is InstanceState.REJECTED, "one of three is less than half"
    strict = drive(org, lead("bao", "chi", "dan", decide=HALF, reject={"counts": "any_one"}))
    strict.start()
    strict.reject("bao")
    assert strict.state.status is InstanceState.REJECTED


def test_n02_one_approval_of_three_does_not_advance_a_countersign(
    ann, bao, chi, dan, fay, later
) -> None:
    """Everybody has to approve: the next step is reached by the third approval, not before."""
    instance = file_request(
        ann, human("team", "bao", "chi", "dan", mode="all"), human("top", "fay"), now=later()
    )
    for person, others in ((bao, {"chi", "dan"}), (chi, {"dan"})):
        approve(person, instance, now=later())
        assert open_now(instance) == dict.fromkeys(others, "team")
        assert in_box(fay) == []
    approve(dan, instance, now=later())
    assert open_now(instance) == {"fay": "top"}
    assert in_box(fay) == [instance.pk]


@pytest.mark.parametrize(
    ("need", "people", "approvals", "result"),
    [
        ({"num": 1, "den": 2}, 2, 1, "approved"),
        ({"num": 2, "den": 3}, 3, 2, "approved"),
        ({"num": 67, "den": 100}, 3, 2, "rejected"),
        ({"num": 1, "den": 3}, 3, 1, "approved"),
        ({"num": 1, "den": 1}, 3, 2, "rejected"),
    ],
)
def test_n01_a_share_is_exact(org, need, people, approvals, result) -> None:
    """Half of two is one and two thirds of three are two, without rounding; 67 % are three."""
    logins = ["bao", "chi", "dan"][:people]
    vote = {"mode": "vote", "need": need, "early": False}
    request = drive(org, lead(*logins, decide=vote, reject={"counts": "cannot_pass"}))
    request.start()
    for number, login in enumerate(logins):
        if number < approvals:
            request.approve(login)
        else:
            request.reject(login)
    assert request.state.status.value == result


@pytest.mark.parametrize("order", list(itertools.permutations(["bao", "chi", "dan"])))
def test_n03_the_last_approval_always_moves_on(org, order) -> None:
    """Whoever is the last of a countersign: the request goes on, with nothing left behind."""
    top = builders.approve("top", users("kim"))
    request = drive(org, lead("bao", "chi", "dan", mode="all"), top)
    request.start()
    for login in order:
        request.approve(login)
    assert holders(request) == ["kim"]


def test_n03_a_request_that_nobody_can_move_is_found(ann, bao, now) -> None:
    """A running request without an open task, work or incident is a fault that is reported."""
    instance = file_request(ann, human("lead", "bao"), now=now)

    def stalls():
        [verdict] = [each for each in examine(now) if each.id == "I4"]
        return verdict.examples

    assert stalls() == ()
    Task.objects.filter(instance=instance).update(state="closed")
    assert stalls() == (f"running without anything to wait for: request {instance.pk}",)
    Task.objects.filter(instance=instance).update(state="open")


@pytest.mark.parametrize("counts", ["any_one", "cannot_pass"])
@pytest.mark.parametrize("mode", ["any", "all", "in_order"])
@pytest.mark.parametrize("then", [{"do": "end"}, {"do": "back", "to": "start"}])
def test_n04_one_rejection_among_several_always_ends_somewhere(org, mode, counts, then) -> None:
    """Whoever decides how: when all have spoken, the step is over and the outcome has a name."""
    request = drive(org, lead("bao", "chi", mode=mode, reject={"counts": counts, "then": then}))
    request.start()
    request.reject("bao")
    if "chi" in holders(request):
        request.approve("chi")
    if mode == "any" and counts == "cannot_pass":
        assert request.state.status is InstanceState.APPROVED, "the other one is enough"
    elif then["do"] == "end":
        assert request.state.status is InstanceState.REJECTED
    else:
        assert (request.state.status, holders(request)) == (InstanceState.RUNNING, ["ann"])


def test_n05_a_colleagues_rejection_is_not_in_my_done_list(ann, bao, chi, dan, later) -> None:
    """Or-sign: what another decided is neither to do nor done for me; my seat says it closed."""
    instance = file_request(ann, human("team", "bao", "chi", "dan"), now=later())
    rejected = reject(bao, instance, now=later())
    assert is_done_for(bao) == [(instance.pk, "rejected")]
    for colleague in (chi, dan):
        assert is_done_for(colleague) == []
        assert in_box(colleague) == []
        closed = Task.objects.get(instance=instance, holder=colleague)
        assert (closed.state, closed.reason) == ("closed", "sibling_decided")
        assert closed.closed_by == rejected.pk


def test_n06_my_countersign_is_done_for_me_at_once(ann, bao, chi, later) -> None:
    """While the others still decide, what I decided is in my done list and not in my inbox."""
    instance = file_request(ann, human("team", "bao", "chi", mode="all"), now=later())
    approve(bao, instance, now=later())
    assert is_done_for(bao) == [(instance.pk, "approved")]
    assert in_box(bao) == []
    assert in_box(chi) == [instance.pk]


VOTE_OF_TWO = {"mode": "vote", "need": {"count": 2}}


@pytest.mark.parametrize("first", ["bao", "chi", "dan"])
@pytest.mark.parametrize(
    "decide", [{"mode": "all"}, {"mode": "any"}, {"mode": "claim"}, VOTE_OF_TWO]
)
def test_n07_whoever_is_first_the_result_is_the_same(org, decide, first) -> None:
    """A role whose three members decide in any way: the order they come in changes nothing."""
    org.roles["board"] = ["bao", "chi", "dan"]
    request = drive(org, builders.approve("lead", by("role", ids=["board"]), decide=decide))
    request.start()
    waiting = [first, *(each for each in ("dan", "chi", "bao") if each != first)]
    if decide["mode"] == "claim":
        request.claim(first)
        waiting = [first]
    for login in waiting:
        if login in holders(request):
            request.approve(login)
    assert request.state.status is InstanceState.APPROVED
    assert request.state.outcomes == {"lead": "approved"}
    approved = {"all": 3, "any": 1, "claim": 1, "vote": 2}[decide["mode"]]
    assert len(request.state.deciders["lead"]) == approved


@pytest.mark.parametrize("login", ["bao", "chi", "dan"])
def test_n07_in_order_only_the_one_whose_turn_it_is_decides(org, login) -> None:
    """One after the other: whoever is not the first is told that it is not his turn."""
    request = drive(org, lead("bao", "chi", "dan", mode="in_order"))
    request.start()
    if login == "bao":
        request.approve(login)
        assert holders(request) == ["chi"]
    else:
        request.refused(request.approving(login), NotOpen, "task.not_open")


@pytest.mark.django_db(transaction=True)
def test_n07_a_hundred_starts_at_once_make_a_hundred_numbers(ann, bao, now) -> None:
    """Filing at the same moment gives each request a number of its own, and none is lost."""
    flows.publish(ann, flows.a_document(), now=now)
    gate = threading.Barrier(20)

    def five(_which: int) -> list[int]:
        gate.wait(60)
        try:
            return [flows.start(ann, now=now).pk for _each in range(5)]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        made = [pk for each in pool.map(five, range(20)) for pk in each]
    assert len(set(made)) == 100
    assert len(set(Instance.objects.values_list("number", flat=True))) == 100
    assert len(in_box(bao)) == 100


@pytest.mark.parametrize(
    ("decide", "counts", "refused"),
    [("all", "any_one", True), ("any", "any_one", True), ("any", "cannot_pass", False)],
)
def test_n08_an_added_group_follows_its_own_reject_rule(org, decide, counts, refused) -> None:
    """People added before a task decide by the rule they were added with, not by the step's."""
    step = lead("bao", acts={"add_before": True}, reject={"counts": "any_one"})
    request = drive(org, step)
    request.start()
    request.add("bao", "before", "chi", "dan", decide=decide, counts=counts)
    request.reject("chi")
    if refused:
        assert request.state.status is InstanceState.REJECTED
    else:
        assert holders(request) == ["dan"], "the other of the group may still say yes"
        request.approve("dan")
        assert holders(request) == ["bao"]


A = {"field": "a", "op": "is", "value": True}
B = {"field": "b", "op": "is", "value": True}
C = {"field": "c", "op": "is", "value": True}
GROUPS: list[tuple[dict[str, Any], Any]] = [
    ({"all": [A, B]}, lambda a, b, c: a and b),
    ({"any": [A, B]}, lambda a, b, c: a or b),
    ({"all": [A, {"any": [B, C]}]}, lambda a, b, c: a and (b or c)),
    ({"any": [A, {"all": [B, C]}]}, lambda a, b, c: a or (b and c)),
    ({"not": {"all": [A, B]}}, lambda a, b, c: not (a and b)),
    ({"not": {"any": [A, B]}}, lambda a, b, c: not (a or b)),
    ({"all": [{"not": A}, {"any": [B, {"not": C}]}]}, lambda a, b, c: not a and (b or not c)),
]


@pytest.mark.parametrize(("group", "meaning"), GROUPS)
def test_n09_and_or_mean_what_they_say(org, group, meaning) -> None:
    """``all`` is and, ``any`` is or, in each nesting; stored and read again they say the same."""
    step = choice("way", (group, [builders.approve("yes", users("bao"))]), (None, []))
    raw = builders.document(step, form={"key": "leave", "version": 1})
    doc = decode(raw).doc
    assert doc is not None
    assert decode(json.loads(canonical_bytes(doc))).doc == doc
    form = [a_field(name, "bool") for name in "abc"]
    for a, b, c in itertools.product([True, False], repeat=3):
        request = drive(org, step, form=form)
        request.start(a=a, b=b, c=c)
        assert (request.at() == "yes") is bool(meaning(a, b, c)), (group, a, b, c)


def test_n10_the_same_person_twice_is_one_seat(ann, bao, chi, demo_tenant, later) -> None:
    """Named twice, by login and by two roles: one task, one vote, and nothing breaks."""
    a_role(demo_tenant, "one", members=[bao, chi])
    a_role(demo_tenant, "two", members=[bao])
    sources = [
        {"by": "user", "ids": ["bao", "bao"]},
        {"by": "role", "ids": ["one", "two"]},
        {"by": "user", "ids": ["bao"]},
    ]
    team = human("team", mode="all", who={"any_of": sources})
    instance = file_request(ann, team, now=later())
    assert sorted(open_now(instance)) == ["bao", "chi"]
    assert in_box(bao) == [instance.pk]
    approve(bao, instance, now=later())
    approve(chi, instance, now=later())
    assert fresh(instance).state == "approved"


def test_n11_one_rejection_after_an_approval_and_no_way_back(org) -> None:
    """Countersign: one approves, the other rejects for all. It is one rejection, by the other.

    What was approved before cannot be taken back out of a request that has ended.
    """
    request = drive(org, lead("bao", "chi", "dan", mode="all"), **ON)
    request.start()
    request.approve("bao")
    request.reject("chi", "no money")
    assert request.state.status is InstanceState.REJECTED
    (rejected,) = request.of(TaskRejected)
    assert rejected.comment == "no money"
    (closed,) = request.of(TaskClosed)
    assert closed.by_seat == rejected.seat
    request.refused(taking_back(request, "bao"), NotOpen, "instance.not_running")


def test_n12_one_of_a_countersign_returns_it_to_the_initiator(org) -> None:
    """The return takes effect at once: it does not wait for, nor go on to, anybody else."""
    step = lead("bao", "chi", mode="all", acts=ANYWHERE)
    request = drive(org, step, builders.approve("top", users("kim")))
    request.start()
    request.approve("bao")
    request.send_back("chi", "start", comment="which project?")
    assert (request.at(), holders(request)) == ("start", ["ann"])
    request.complete("ann")
    assert holders(request) == ["bao", "chi"], "both are asked anew"
    by_rule = drive(org, lead("bao", "chi", mode="all", reject=back_to("start")))
    by_rule.start()
    by_rule.approve("bao")
    by_rule.reject("chi")
    assert (by_rule.at(), holders(by_rule)) == ("start", ["ann"])
