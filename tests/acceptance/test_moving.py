"""Acceptance tests 80 to 84: publishing back, and moving running requests to another version."""

from __future__ import annotations

import pytest

from tests.acceptance.acting import approve, filed, fresh, human, open_now
from tests.engine import builders
from tests.engine import test_blocks as blocks
from tests.engine.builders import define, drive, users
from tests.engine.test_blocks import one, open_steps
from tests.engine.test_going_back import holders
from tests.engine.test_migrating import move, moving, undo
from tests.pages.reading import Page
from tests.workflow import flows
from workflow.actions import administration
from workflow.engine.events import StepEntered, TaskAssigned
from workflow.engine.migrating import plan_move
from workflow.engine.rejections import NotOpen
from workflow.engine.state import InstanceState
from workflow.models import Version


def test_n80_publishing_an_older_version_again_makes_it_current(ann, bao, chi, later) -> None:
    """One step back: what is filed from now on runs on the older document again.

    Two equal documents never make two versions (flowdoc, invariant 12), so no number is spent:
    the pointer moves, and requests under way stay where they are.
    """
    old, new = flows.a_document(human("lead", "bao")), flows.a_document(human("lead", "chi"))
    first = flows.publish(ann, old, now=later())
    second = flows.publish(ann, new, now=later())
    running = flows.start(ann, now=later())
    assert (first.number, second.number) == (1, 2)
    assert flows.publish(ann, old, now=later()) == first
    assert Version.objects.count() == 2
    assert open_now(flows.start(ann, now=later())) == {"bao": "lead"}
    assert open_now(running) == {"chi": "lead"}
    assert fresh(running).version == second


def test_n80_and_it_is_one_click(ann, bao, api, later) -> None:
    """The last publication is taken back with a reason; nothing has to be sent again."""
    flows.publish(ann, flows.a_document(human("lead", "bao")), now=later())
    flows.publish(ann, flows.a_document(human("lead", "chi")), now=later())
    answer = api(bao).post("flows/expense/actions/undo-publish", {"reason": "too early"})
    assert (answer.status_code, answer.json()["version"]) == (200, 1)
    assert open_now(flows.start(ann, now=later())) == {"bao": "lead"}


def test_n81_a_running_request_moves_by_a_checked_plan(org) -> None:
    """Where each open step goes is known before; what cannot go is named and stays untouched."""
    request = drive(org, one("bao"), one("chi"), one("dan"))
    request.start()
    request.approve("bao")
    good = define(one("bao"), one("chi"), one("kim"))
    plan = plan_move(request.definition, good, request.state)
    assert [(each.step, each.what) for each in plan.fates] == [("by_chi", "kept")]
    bad = define(one("chi"), one("bao"))
    stuck = plan_move(request.definition, bad, request.state).stuck
    assert [(each.step, each.why) for each in stuck] == [("by_chi", "order_again")]
    refusal = request.refused(moving(bad), NotOpen, "migrate.stuck")
    assert refusal.about["why"] == "order_again"
    assert holders(request) == ["chi"]
    move(request, one("bao"), one("chi"), one("kim"))
    request.approve("chi")
    assert holders(request) == ["kim"], "the new version's next step"


def test_n81_a_move_is_undone_while_nothing_was_decided(org) -> None:
    """Back to the version before, with the same people at the same step."""
    request = drive(org, one("bao"), one("chi"), one("dan"))
    request.start()
    request.approve("bao")
    old, before = request.definition, holders(request)
    move(request, one("bao"), one("dan"))
    assert holders(request) == ["dan"]
    undo(request, old)
    assert holders(request) == before == ["chi"]
    request.approve("chi")
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED


def test_n82_a_request_on_a_step_that_was_removed_opens_and_can_be_moved(
    ann, chi, admin, api, client_of, later
) -> None:
    """The next version has the step no more: the request is readable, decidable and movable."""
    instance = filed(ann, human("odd", "chi"), human("last", "chi"), now=later())
    flows.publish(ann, flows.a_document(human("other", "chi")), now=later())
    page = Page(client_of(chi).get(f"/requests/{instance.pk}/"))
    assert page.heading == instance.title
    assert "Odd" in page.text
    [row] = api(chi).read("tasks/")["results"]
    assert row["step"] == {"id": "odd", "name": "Odd"}
    administration.jump(instance=instance, to="last", user=admin, reason="gone", now=later())
    assert open_now(instance) == {"chi": "last"}
    approve(chi, instance, now=later())
    assert fresh(instance).state == "approved"


def test_n82_moved_off_a_removed_step_it_goes_on_at_the_next_one(org) -> None:
    """The step is closed with a reason, and the request stands where the order leads."""
    request = drive(org, one("bao"), one("chi"), one("dan"))
    request.start()
    request.approve("bao")
    move(request, one("bao"), one("dan"))
    assert (open_steps(request), holders(request)) == (["by_dan"], ["dan"])


@pytest.mark.parametrize("mode", ["all", "vote"])
def test_n83_a_move_keeps_timers_and_half_finished_votes(org, mode) -> None:
    """Who has decided need not again; who has not keeps the seat, its version and its moment."""
    decide = {"mode": "all"} if mode == "all" else {
        "mode": "vote", "need": {"num": 2, "den": 3}}  # fmt: skip
    team = builders.approve(
        "team", users("bao", "chi", "dan"), decide=decide,
        deadline={"after": "PT1H", "then": "approve"}, reject={"counts": "cannot_pass"},
    )  # fmt: skip
    request = drive(org, team, one("kim"))
    request.start()
    request.approve("bao")
    seats, work = request.activation().seats, request.state.work
    assert all(seat.due for seat in seats)
    move(request, team | {"name": "The whole team"}, one("tom"))
    assert request.activation().seats == seats
    assert request.state.work == work
    request.approve("chi")
    if mode == "all":
        assert holders(request) == ["dan"]
        request.approve("dan")
    assert holders(request) == ["tom"]


def test_n84_after_a_move_no_completed_step_runs_again(org) -> None:
    """Steps put in before the present place are passed over; nobody is asked a second time."""
    request = drive(org, one("bao"), blocks.block("p", [one("chi")], [one("pia")]), one("dan"))
    request.start()
    request.approve("bao")
    request.approve("chi")
    move(
        request, one("tom"), one("bao"), blocks.block("p", [one("chi")], [one("pia")]), one("dan")
    )
    assert open_steps(request) == ["by_pia"]
    request.approve("pia")
    assert open_steps(request) == ["by_dan"]
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED
    entered = [each.step for each in request.of(StepEntered) if each.step.startswith("by_")]
    assert entered == ["by_bao", "by_chi", "by_pia", "by_dan"]
    assert len(request.of(TaskAssigned)) == 4
