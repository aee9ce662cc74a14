"""Work that is taken out of a pool and given back."""

from __future__ import annotations

import pytest

from tests.engine.builders import a_field, approve, drive, step, users
from workflow.engine.commands import Approve, Claim, Release
from workflow.engine.events import FormChanged, TaskBlocked, TaskClaimed, TaskOpened
from workflow.engine.rejections import NotAllowed, NotOpen, VersionMoved
from workflow.engine.state import InstanceState

POOL = users("bao", "chi", "dan")


def pool(org, **members):
    members.setdefault("acts", {"give_back": True})
    request = drive(org, approve("lead", POOL, "claim", **members))
    request.start()
    return request


def test_whoever_claims_has_it_and_the_others_wait(org):
    request = pool(org)
    assert request.seats() == {"bao": "open", "chi": "open", "dan": "open"}
    request.claim("chi")
    assert request.seats() == {"bao": "blocked", "chi": "open", "dan": "blocked"}
    assert request.activation().claimed == request.seat("chi").number
    request.approve("chi")
    assert request.state.status is InstanceState.APPROVED
    assert request.state.deciders == {"lead": [org.id("chi")]}


def test_the_second_is_told_who_was_first(org):
    """Acceptance test 7."""
    request = pool(org)
    late = request.act(Claim, "bao")
    request.claim("chi")
    refusal = request.refused(late, NotOpen, "task.claimed")
    assert refusal.about["by"] == org.id("chi")
    deciding = request.act(Approve, "dan")
    request.refused(deciding, NotOpen, "task.claimed")


def test_claiming_twice_is_refused(org):
    request = pool(org)
    request.claim("chi")
    request.refused(request.act(Claim, "chi"), NotOpen, "task.claimed")


@pytest.mark.parametrize("login", ["bao", "chi", "dan"])
def test_whoever_decides_first_has_taken_it(org, login):
    request = pool(org)
    seat = request.seat(login)
    run = request.reject(login)
    assert TaskClaimed(seat=seat.number, version=2) in run.events
    assert request.state.status is InstanceState.REJECTED


def test_the_rejection_of_the_one_who_took_it_is_enough(org):
    request = pool(org, reject={"counts": "cannot_pass"})
    request.claim("chi")
    request.reject("chi")
    assert request.state.status is InstanceState.REJECTED


def test_given_back_it_is_open_to_all_again(org):
    request = pool(org)
    request.claim("chi")
    before = request.seat("bao").version
    run = request.release("chi")
    assert request.seats() == {"bao": "open", "chi": "open", "dan": "open"}
    assert [each.seat for each in run.events if isinstance(each, TaskOpened)] == [1, 3]
    assert request.seat("bao").version > before, "an old page is stale"
    request.claim("bao")
    assert request.seats() == {"bao": "open", "chi": "blocked", "dan": "blocked"}


def test_only_what_was_taken_is_given_back_and_only_where_it_may_be(org):
    request = pool(org)
    request.refused(request.act(Release, "chi"), NotOpen, "task.not_claimed")
    request.claim("bao")
    request.refused(request.act(Release, "chi"), NotOpen, "task.not_claimed")
    strict = pool(org, acts={})
    strict.claim("bao")
    refusal = strict.refused(strict.act(Release, "bao"), NotAllowed, "act.switched_off")
    assert refusal.about["act"] == "release"


def test_elsewhere_there_is_nothing_to_claim(org):
    request = drive(org, approve("lead", POOL, "any"))
    request.start()
    request.refused(request.act(Claim, "bao"), NotAllowed, "act.not_here")
    request.refused(request.act(Release, "bao"), NotAllowed, "act.not_here")


def test_a_claim_from_an_old_page_is_refused(org):
    request = pool(org)
    old = request.act(Claim, "bao")
    request.claim("bao")
    request.release("bao")
    request.refused(old, VersionMoved, "task.version_moved")


def test_changes_that_come_with_a_claim_are_kept(org):
    request = drive(
        org,
        approve("lead", POOL, "claim", fields={"default": "edit"}),
        form=[a_field("days", "integer")],
    )
    request.start(days=1)
    request.give(request.act(Claim, "bao", changes={"days": 2}))
    assert request.of(FormChanged) == [FormChanged(changes={"days": 2})]


def test_the_work_of_a_pool_can_be_done_by_somebody_it_was_handed_to(org):
    acts = {"transfer": True, "add_with": True}
    request = drive(org, step("todo", "work", who=POOL, decide={"mode": "claim"}, acts=acts))
    request.start()
    request.claim("bao")
    request.transfer("bao", "kim")
    assert request.seats() == {"kim": "open", "chi": "blocked", "dan": "blocked"}
    request.add("kim", "with", "tom")
    assert request.seats() == {
        "kim": "open",
        "chi": "blocked",
        "dan": "blocked",
        "tom": "open",
    }
    assert not any(isinstance(each, TaskBlocked) and each.seat == 4 for each in request.events)
    request.complete("tom")
    assert request.state.status is InstanceState.APPROVED
