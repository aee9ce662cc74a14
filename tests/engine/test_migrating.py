"""Running requests are moved to another version of their process, and back again."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from tests.engine.builders import NOW, Driven, a_field, approve, by, define, drive, step, users
from tests.engine.test_blocks import block
from workflow.engine.commands import Migrate, UndoMigration
from workflow.engine.decide import decide
from workflow.engine.events import (
    Migrated,
    StepEnded,
    StepEntered,
    StepMoved,
    TaskClosed,
    WorkAsked,
)
from workflow.engine.migrating import plan_move
from workflow.engine.rejections import NotOpen
from workflow.engine.state import Reason

if TYPE_CHECKING:
    from workflow.engine.decision import Decision, Definition

OLD, NEW = 11, 12


def one(login: str, **members: Any) -> dict[str, Any]:
    return approve(f"by_{login}", users(login), **members)


def moving(to: Definition, **members: Any) -> Migrate:
    numbers = {"old": OLD, "new": NEW, "old_number": 1, "new_number": 2}
    return Migrate(definition=to, **(numbers | members))


def move(request: Driven, *steps: dict[str, Any], **members: Any) -> Decision:
    """Move the request to a process of these steps."""
    new = define(*steps, **members)
    run = request.give(moving(new, comment="better"))
    request.definition = new
    return run


def refused(request: Driven, *steps: dict[str, Any], why: str = "", **members: Any) -> None:
    before = request.state
    new = define(*steps, **members)
    with pytest.raises(NotOpen) as found:
        decide(request.definition, before, moving(new), request.org, NOW)
    assert request.state is before
    if why:
        assert (found.value.code, found.value.about["why"]) == ("migrate.stuck", why)
        fates = plan_move(request.definition, new, before).stuck
        assert why in [each.why for each in fates]
    else:
        assert found.value.code == "migrate.would_end"


def undo(request: Driven, old: Definition) -> None:
    request.give(undoing(request, old))
    request.definition = old


def undoing(request: Driven, old: Definition) -> UndoMigration:
    return UndoMigration(
        definition=old,
        old=OLD,
        new=NEW,
        old_number=1,
        new_number=2,
        history=tuple(request.events),
    )


def started(org: Any, *steps: dict[str, Any], **members: Any) -> Driven:
    request = drive(org, *steps, **members)
    request.start()
    return request


def plan_of(request: Driven, *steps: dict[str, Any], **members: Any) -> list[tuple[str, str, str]]:
    plan = plan_move(request.definition, define(*steps, **members), request.state)
    return [(each.step, each.what, each.why) for each in plan.fates]


# Kept --------------------------------------------------------------------------------------------


def test_a_half_finished_countersign_and_its_deadlines_stay(org) -> None:
    """approvals.md 4, 83: seats, votes, versions, deadlines and work are those of before."""
    deadline = {"after": "PT1H", "then": "approve"}
    three = approve("board", users("bao", "chi", "dan"), "all", deadline=deadline)
    request = started(org, three)
    request.approve("bao")
    before = request.state
    three_renamed = copy.deepcopy(three) | {"name": "The board"}
    run = move(request, three_renamed, one("kim"))
    assert request.state.activations == before.activations
    assert request.state.work == before.work
    assert [type(each) for each in run.events] == [Migrated]
    request.approve("chi")
    request.approve("dan")
    assert request.at() == "by_kim"


def test_no_completed_step_starts_again(org) -> None:
    """approvals.md 4, 84."""
    request = started(org, one("bao"), one("chi"), one("dan"))
    request.approve("bao")
    move(request, one("bao"), one("kim"), one("chi"), one("pia"), one("dan"))
    assert request.at() == "by_chi"
    request.approve("chi")
    assert request.at() == "by_pia"
    entered = [each.step for each in request.of(StepEntered)]
    assert entered == ["by_bao", "by_chi", "by_pia"]


def test_what_now_stands_before_the_request_is_told(org) -> None:
    request = started(org, one("bao"), one("chi"))
    request.approve("bao")
    new = define(one("bao"), one("kim"), one("chi"))
    (fate,) = plan_move(request.definition, new, request.state).fates
    assert (fate.what, fate.passed_over) == ("kept", ("by_kim",))


def test_a_finished_step_that_would_come_again_is_an_obstacle(org) -> None:
    request = started(org, one("bao"), one("chi"), one("dan"))
    request.approve("bao")
    refused(request, one("chi"), one("bao"), one("dan"), why="order_again")


def test_a_step_that_was_sent_back_may_be_asked_again(org) -> None:
    """In the old order it lies ahead too."""
    request = started(org, one("bao"), one("chi", acts={"return_to": "any"}), one("dan"))
    request.approve("bao")
    request.send_back("chi", "by_bao")
    move(request, one("bao"), one("chi"), one("kim"))
    request.approve("bao")
    assert request.at() == "by_chi"


def test_new_rules_count_the_seats_that_are_there(org) -> None:
    every = approve("board", users("bao", "chi", "dan"), "all")
    request = started(org, every, one("kim"))
    request.approve("bao")
    anyone = approve("board", users("bao", "chi", "dan"), "any")
    assert plan_of(request, anyone, one("kim")) == [("board", "re_evaluated", "rule_changed")]
    move(request, anyone, one("kim"))
    assert request.at() == "by_kim"
    assert [each.reason for each in request.of(TaskClosed)] == ["sibling_decided"] * 2


def test_one_by_one_becomes_all_at_once(org) -> None:
    request = started(org, approve("board", users("bao", "chi"), "in_order"))
    assert request.seats() == {"bao": "open", "chi": "blocked"}
    move(request, approve("board", users("bao", "chi"), "all"))
    assert request.seats() == {"bao": "open", "chi": "open"}


def test_other_people_leave_the_seats_as_they_are(org) -> None:
    request = started(org, one("bao"), one("kim"))
    assert plan_of(request, approve("by_bao", users("chi")), one("kim")) == [
        ("by_bao", "kept", "people_changed")
    ]
    move(request, approve("by_bao", users("chi")), one("kim"))
    assert request.seats() == {"bao": "open"}


def test_a_step_held_for_want_of_people_asks_those_of_the_new_version(org) -> None:
    held = approve("lead", by("role", ids=["nobody"]), on_empty={"do": "hold"})
    request = started(org, held, one("kim"))
    before = request.state
    assert before.held == "people.nobody"
    move(request, approve("lead", users("dan"), on_empty={"do": "hold"}), one("kim"))
    assert request.seats() == {"dan": "open"}
    assert request.state.held is None
    assert request.of(StepEntered)[-1].because is Reason.MIGRATED


def test_a_deadline_of_which_nothing_follows_any_more_is_not_watched(org) -> None:
    watched = one("bao", deadline={"after": "PT1H", "then": "reject"})
    request = started(org, watched)
    seat = request.seat("bao")
    move(request, one("bao", deadline={"after": "PT1H", "then": "none"}))
    assert request.state.work == ()
    assert request.seat("bao") == seat


# Removed -----------------------------------------------------------------------------------------


def test_a_request_on_a_removed_step_goes_on_at_the_next_one(org) -> None:
    """approvals.md 4, 82."""
    request = started(org, one("bao"), one("chi"), one("dan"), one("kim"))
    request.approve("bao")
    new = [one("bao"), one("kim")]
    assert plan_of(request, *new) == [("by_chi", "removed", "step_gone")]
    run = move(request, *new)
    assert request.seats() == {"kim": "open"}
    closed = [each for each in run.events if isinstance(each, TaskClosed | StepEnded)]
    assert {each.reason for each in closed} == {Reason.MIGRATED}
    assert run.events.index(closed[-1]) < run.events.index(request.of(Migrated)[0])


def test_nothing_follows_a_removed_last_step(org) -> None:
    request = started(org, one("bao"), one("chi"))
    request.approve("bao")
    refused(request, one("bao"), one("dan"), why="order_ends")


def test_a_move_that_would_end_the_request_is_refused(org) -> None:
    request = started(org, approve("board", users("bao", "chi"), "all"))
    request.approve("bao")
    refused(request, approve("board", users("bao", "chi"), "any"))


def test_another_kind_of_step_under_the_same_id_is_entered_anew(org) -> None:
    request = started(org, one("bao"), one("kim"))
    move(request, step("by_bao", "work", who=users("chi")), one("kim"))
    assert request.seats() == {"chi": "open"}
    request.complete("chi")
    assert request.at() == "by_kim"


def test_a_branch_whose_step_is_gone_arrives(org) -> None:
    old = block("both", [one("bao")], [one("chi"), one("dan")])
    request = started(org, old, one("kim"))
    request.approve("chi")
    move(request, block("both", [one("bao")], [one("chi")]), one("kim"))
    assert [each.step for each in request.state.activations] == ["both", "by_bao"]
    request.approve("bao")
    assert request.at() == "by_kim"


def test_a_branch_with_new_steps_cannot_just_arrive(org) -> None:
    request = started(org, block("both", [one("bao")], [one("chi")]), one("kim"))
    refused(
        request,
        block("both", [one("bao")], [one("dan")]),
        one("kim"),
        why="branch_new_steps",
    )


def test_a_join_that_asks_for_less_is_complete(org) -> None:
    request = started(org, block("both", [one("bao")], [one("chi")]), one("kim"))
    request.approve("bao")
    move(request, block("both", [one("bao")], [one("chi")], join="first"), one("kim"))
    assert request.at() == "by_kim"


# Blocks ------------------------------------------------------------------------------------------


def test_the_one_open_step_of_a_block_that_is_gone_stands_where_the_block_stood(org) -> None:
    old = block("both", [one("bao")], [approve("board", users("chi", "dan"), "all")])
    request = started(org, old, one("kim"))
    request.approve("bao")
    request.approve("chi")
    run = move(request, approve("board", users("chi", "dan"), "all"), one("kim"))
    assert request.seats() == {"chi": "approved", "dan": "open"}
    assert [each.within for each in request.of(StepMoved)] == [0]
    assert not [each for each in run.events if isinstance(each, StepEntered)]
    request.approve("dan")
    assert request.at() == "by_kim"


def test_a_finished_branch_would_come_again_behind_the_step_that_was_in_the_other(org) -> None:
    request = started(org, block("both", [one("bao")], [one("chi")]), one("kim"))
    request.approve("bao")
    refused(request, one("chi"), one("bao"), one("kim"), why="order_again")


def test_two_open_branches_cannot_stand_in_one_place(org) -> None:
    request = started(org, block("both", [one("bao")], [one("chi")]), one("kim"))
    refused(request, one("bao"), one("chi"), one("kim"), why="block_many")


def test_a_block_of_which_nothing_is_left_is_passed(org) -> None:
    request = started(org, block("both", [one("bao")], [one("chi")]), one("kim"))
    move(request, one("kim"))
    assert request.seats() == {"kim": "open"}


def test_a_step_that_stands_in_a_block_now_is_an_obstacle(org) -> None:
    request = started(org, one("bao"), one("kim"))
    refused(request, block("both", [one("bao")], [one("chi")]), one("kim"), why="step_elsewhere")


def test_a_block_of_another_kind_is_an_obstacle(org) -> None:
    request = started(org, block("both", [one("bao")], [one("chi")]), one("kim"))
    other = block("both", [one("bao")], [one("chi")])
    for branch in other["branches"]:
        branch["when"] = {"initiator": "is", "ids": ["ann"]}
    refused(request, other | {"kind": "inclusive"}, one("kim"), why="block_changed")


# The way back ------------------------------------------------------------------------------------


def test_a_request_with_its_initiator_leads_straight_back_to_a_step_that_is_still_there(
    org,
) -> None:
    back = {"do": "back", "to": "start", "resume": "here"}
    chi = one("chi", reject={"then": back})
    request = started(org, one("bao"), chi, one("dan"))
    request.approve("bao")
    request.reject("chi", "no")
    move(request, one("bao"), one("dan"))
    request.complete("ann")
    assert request.at() == "by_dan"


# The form ----------------------------------------------------------------------------------------


def test_values_of_fields_that_are_gone_stay_and_those_that_do_not_fit_go(org) -> None:
    old = [a_field("note"), a_field("sum"), a_field("gone")]
    new = [a_field("note"), a_field("sum", "integer"), a_field("fresh", default="x")]
    request = drive(org, one("bao"), form=old)
    request.start(note="n", sum="12", gone="g")
    move(request, one("bao"), form=new)
    assert request.state.values == {"note": "n", "gone": "g"}
    assert request.of(Migrated)[-1].emptied == ("sum",)
    undo(request, define(one("bao"), form=old))
    assert request.state.values == {"note": "n", "sum": "12", "gone": "g"}


# Undo --------------------------------------------------------------------------------------------


def test_what_was_closed_is_open_again(org) -> None:
    deadline = {"after": "PT1H", "then": "approve"}
    board = approve("board", users("bao", "chi"), "all", deadline=deadline)
    request = started(org, board, one("dan"))
    old, before = request.definition, request.state
    request.approve("bao")
    move(request, one("dan"))
    assert request.seats() == {"dan": "open"}
    undo(request, old)
    assert request.seats() == {"bao": "approved", "chi": "open"}
    (watch,) = request.state.work
    assert watch.seat == request.seat("chi").number
    dues = [each.due for each in request.of(WorkAsked)]
    assert dues[-1] == dues[1]
    assert before.activation(1) is not None
    request.approve("chi")
    assert request.at() == "by_dan"


@pytest.mark.parametrize("decided", [True, False])
def test_undone_only_while_nothing_was_decided(org, decided) -> None:
    request = started(org, one("bao"), one("chi"), one("dan"))
    old = request.definition
    move(request, one("chi"), one("dan"))
    request.comment("ann", "hm")
    if decided:
        request.approve("chi")
        request.refused(undoing(request, old), NotOpen, "migrate.decided")
    else:
        undo(request, old)
        assert request.seats() == {"bao": "open"}
        request.refused(undoing(request, old), NotOpen, "migrate.not_moved")


def test_a_request_that_was_never_moved(org) -> None:
    request = started(org, one("bao"))
    request.refused(undoing(request, request.definition), NotOpen, "migrate.not_moved")


def test_twice_moved_and_twice_undone(org) -> None:
    request = started(org, one("bao"), one("chi"), one("dan"))
    first = request.definition
    move(request, one("chi"), one("dan"))
    second = request.definition
    request.give(moving(define(one("dan")), old=NEW, new=13))
    request.definition = define(one("dan"))
    assert request.state.versions == (OLD, NEW)
    request.give(
        UndoMigration(
            definition=second,
            old=NEW,
            new=13,
            old_number=2,
            new_number=3,
            history=tuple(request.events),
        )
    )
    request.definition = second
    assert request.seats() == {"chi": "open"}
    undo(request, first)
    assert request.seats() == {"bao": "open"}
