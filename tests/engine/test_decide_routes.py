"""Where a request goes: choices, copies, automatic verdicts, the end, and what a replay gives."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.builders import Driven, a_field, approve, by, choice, drive, step, users
from workflow.engine.commands import Approve, FinishWork
from workflow.engine.events import (
    BranchTaken,
    CopySent,
    InstanceFinished,
    StepEnded,
    StepEntered,
    TaskAssigned,
    WorkAsked,
)
from workflow.engine.evolve import fold
from workflow.engine.rejections import NotOpen
from workflow.engine.state import InstanceState, Reason

AMOUNT = [a_field("amount", "amount"), a_field("sort", "text")]


def cond(op, value=None, field="amount"):
    return {"field": field, "op": op} | ({} if value is None else {"value": value})


def way(org, *ways, form=None, initiator="ann", **values):
    """The branch that is taken, and the questions that were asked on the way."""
    branches: list[Any] = [(when, []) for when in ways]
    request = drive(org, choice("size", *branches, (None, [])), form=form or AMOUNT)
    request.start(initiator, **values)
    (taken,) = request.of(BranchTaken)
    return taken.branch, taken.leaves


def test_an_empty_process_is_approved_at_once(org):
    request = drive(org)
    request.start()
    assert request.state.status is InstanceState.APPROVED
    assert request.events[-1].reason is Reason.AUTO_STEP


def test_a_process_without_a_form_can_be_started(org):
    """Acceptance test 74."""
    request = drive(org, approve("lead", users("bao")))
    request.start()
    assert request.state.values == {}
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED


def test_the_first_branch_that_holds_is_taken(org):
    ways = (cond("gt", "1000"), cond("gt", "10"), cond("gt", "1"))
    assert way(org, *ways, amount="5000")[0] == "way_0"
    assert way(org, *ways, amount="500")[0] == "way_1"
    assert way(org, *ways, amount="1")[0] == "way_3"


def test_the_questions_are_remembered_up_to_the_one_that_held(org):
    branch, leaves = way(org, cond("gt", "1000"), cond("gt", "10"), cond("gt", "1"), amount="500")
    assert branch == "way_1"
    assert [(leaf.op, leaf.expected, leaf.seen, leaf.held) for leaf in leaves] == [
        ("gt", "1000", "500.00", False),
        ("gt", "10", "500.00", True),
    ]


@pytest.mark.parametrize(
    ("when", "branch"),
    [
        (cond("gt", "1"), "way_1"),
        (cond("eq", "1"), "way_1"),
        (cond("ne", "1"), "way_0"),
        (cond("empty"), "way_0"),
        (cond("not_empty"), "way_1"),
        ({"not": cond("gt", "1")}, "way_0"),
    ],
)
def test_an_empty_value_has_a_stated_meaning(org, when, branch):
    """Acceptance test 68: false for everything but empty and ne, and the history says why."""
    taken, (leaf,) = way(org, when)
    assert taken == branch
    assert leaf.no_value
    assert leaf.seen == ""


@pytest.mark.parametrize(
    ("value", "expected"),
    [("a|b", "way_0"), ('say "no"', "way_1"), ("it's", "way_2"), ("a", "way_3")],
)
def test_a_bar_or_a_quote_in_a_compared_value_is_just_a_character(org, value, expected):
    """Acceptance test 75."""
    ways = [cond("eq", text, "sort") for text in ("a|b", 'say "no"', "it's")]
    assert way(org, *ways, sort=value)[0] == expected


def test_numbers_beyond_two_to_the_53_compare_exactly(org):
    """Acceptance test 75."""
    form = [a_field("big", "number")]
    big = cond("gt", "90071992547409930", "big")
    assert way(org, big, form=form, big="90071992547409930")[0] == "way_1"
    assert way(org, big, form=form, big="90071992547409931")[0] == "way_0"


def test_all_any_and_not(org):
    both = {"all": [cond("gt", "1"), cond("eq", "x", "sort")]}
    either = {"any": [cond("gt", "1"), cond("eq", "x", "sort")]}
    assert way(org, both, amount="2", sort="x")[0] == "way_0"
    assert way(org, both, amount="2", sort="y")[0] == "way_1"
    assert way(org, either, amount="0", sort="x")[0] == "way_0"
    assert way(org, {"not": either}, amount="0", sort="x")[0] == "way_1"


@pytest.mark.parametrize(
    ("kind", "ids", "initiator", "held"),
    [
        ("is", ["ann", "bao"], "ann", True),
        ("is", ["bao"], "ann", False),
        ("in_role", ["hr"], "pia", True),
        ("in_role", ["hr"], "ann", False),
        ("in_department", ["engineering"], "pia", True),
        ("in_department", ["finance"], "pia", False),
        ("in_department", ["finance"], "tom", False),
    ],
)
def test_questions_about_the_initiator(org, kind, ids, initiator, held):
    branch, (leaf,) = way(org, {"initiator": kind, "ids": ids}, initiator=initiator)
    assert branch == ("way_0" if held else "way_1")
    assert leaf.held is held


@pytest.mark.parametrize(
    ("who", "empty", "outcome"),
    [
        (users("bao"), {"do": "hold"}, "approved"),
        (by("role", ids=["nobody"]), {"do": "approve"}, "skipped"),
    ],
)
def test_a_condition_on_an_earlier_step(org, who, empty, outcome):
    asked = {"step": "lead", "outcome": outcome}
    request = drive(
        org,
        approve("lead", who, on_empty=empty),
        choice("how", (asked, []), (None, [step("stop", "finish", result="rejected")])),
    )
    request.start()
    if outcome == "approved":
        request.approve("bao")
    (taken,) = request.of(BranchTaken)
    assert taken.branch == "way_0"
    assert request.state.status is InstanceState.APPROVED


def test_branches_join_where_the_choice_goes_on(org):
    request = drive(
        org,
        choice(
            "size",
            (cond("gt", "10"), [approve("big", users("dan")), approve("bigger", users("kim"))]),
            (None, []),
        ),
        approve("last", users("bao")),
        form=AMOUNT,
    )
    other = Driven(request.definition, org)
    request.start(amount="11")
    assert request.at() == "big"
    request.approve("dan")
    assert request.at() == "bigger"
    request.approve("kim")
    assert request.at() == "last"
    other.start(amount="1")
    assert other.at() == "last"


def test_a_choice_sees_what_an_approver_changed(org):
    lead = approve("lead", users("bao"), fields={"default": "edit"})
    stop = step("stop", "finish", result="rejected")
    request = drive(org, lead, choice("size", (cond("gt", "10"), [stop]), (None, [])), form=AMOUNT)
    request.start(amount="1")
    request.approve("bao", amount="11")
    assert request.state.status is InstanceState.REJECTED
    (taken,) = request.of(BranchTaken)
    assert taken.leaves[0].seen == "11.00"


@pytest.mark.parametrize("result", ["approved", "rejected", "cancelled"])
def test_a_finish_ends_the_request_with_its_result(org, result):
    request = drive(org, approve("lead", users("bao")), step("end_it", "finish", result=result))
    request.start()
    request.approve("bao")
    assert request.state.status.value == result
    assert request.events[-1] == InstanceFinished(
        result=InstanceState(result), reason=Reason.AUTO_STEP
    )


# Automatic steps.


def test_a_copy_is_work_for_a_worker_and_then_seats_that_ask_nothing(org):
    request = drive(
        org,
        approve("lead", users("bao")),
        step("cc", "copy", who=users("chi", "dan")),
        approve("last", users("kim")),
    )
    request.start()
    request.approve("bao")
    assert request.at() == "cc"
    assert request.of(WorkAsked) == [WorkAsked(activation=2, kind="copy", job=1)]
    assert not request.of(CopySent)
    run = request.work()
    copies = [event for event in run.events if isinstance(event, CopySent)]
    assert [(org.login(each.holder), each.seat, each.why.by) for each in copies] == [
        ("chi", 2, "user"),
        ("dan", 3, "user"),
    ]
    assert request.at() == "last"
    assert request.state.last_seat == 4


def test_a_copy_for_nobody_is_no_incident(org):
    request = drive(org, step("cc", "copy", who=by("role", ids=["nobody"])))
    request.start()
    request.work()
    assert request.state.status is InstanceState.APPROVED
    assert request.state.held is None
    assert not request.of(CopySent)


def test_nobody_decides_a_copy(org):
    request = drive(org, step("cc", "copy", who=users("chi")), approve("last", users("kim")))
    request.start()
    request.work()
    request.refused(Approve(seat=1, by=org.id("chi"), version=1), NotOpen, "task.not_open")


def test_an_automatic_approval_goes_on_and_a_rejection_ends(org):
    request = drive(org, step("yes", "auto", verdict="approve"), approve("last", users("kim")))
    request.start()
    request.work()
    assert (request.at(), request.state.outcomes["yes"]) == ("last", "approved")

    request = drive(org, step("no", "auto", verdict="reject", reason="closed today"))
    request.start()
    request.work()
    assert request.state.status is InstanceState.REJECTED
    assert request.events[-1].comment == "closed today"
    assert request.events[-1].reason is Reason.AUTO_STEP


def test_work_is_carried_out_once(org):
    request = drive(org, step("yes", "auto", verdict="approve"), approve("last", users("kim")))
    request.start()
    first = request.activation().number
    request.work()
    request.refused(FinishWork(first), NotOpen, "work.not_open")
    # A step that asks people is no work, and neither is one that never was.
    request.refused(FinishWork(request.activation().number), NotOpen, "work.not_open")
    request.refused(FinishWork(99), NotOpen, "work.not_open")


def test_work_of_an_ended_request_is_over(org):
    request = drive(org, step("yes", "auto", verdict="approve"))
    request.start()
    number = request.activation().number
    request.terminate()
    request.refused(FinishWork(number), NotOpen, "work.not_open")


def test_a_first_step_that_passes_by_itself_still_advances(org):
    """Acceptance test 32, the part of the decision."""
    request = drive(
        org, approve("lead", users("ann"), on_self="skip"), approve("top", users("kim"))
    )
    request.start()
    assert (request.at(), request.seats()) == ("top", {"kim": "open"})


# Replay.


def test_every_prefix_of_a_history_is_a_state(org):
    request = drive(
        org,
        approve("lead", users("bao", "chi"), "all"),
        step("cc", "copy", who=users("dan")),
        approve("top", users("kim")),
    )
    request.start()
    request.approve("bao")
    request.reassign("chi", "dan")
    request.approve("dan")
    request.work()
    request.approve("kim")
    for length in range(1, len(request.events) + 1):
        assert fold(request.events[:length]).position == length
    assert fold(request.events) == request.state
    assert [event.activation for event in request.of(StepEntered)] == [1, 2, 3]
    assert len(request.of(StepEnded)) == 3
    assert [event.seat for event in request.of(TaskAssigned)] == [1, 2, 4]


def test_a_history_begins_with_its_start(org):
    request = drive(org, approve("lead", users("bao")))
    request.start()
    with pytest.raises(ValueError, match="instance_started"):
        fold([])
    with pytest.raises(ValueError, match="instance_started"):
        fold(request.events[1:])
