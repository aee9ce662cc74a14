"""Who need not be asked again: bound to this lap, to what was seen, and to what is certain."""

from __future__ import annotations

import pytest

from tests.engine.builders import a_field, approve, by, choice, drive, step, users
from workflow.engine.events import TaskApproved
from workflow.engine.state import InstanceState, Reason


def again(request):
    """The steps whose seat approved itself because of dedupe, with the earlier seat."""
    return [
        (each.seat, each.because, each.later)
        for each in request.of(TaskApproved)
        if each.reason is Reason.DEDUPE
    ]


def three(org, dedupe, *steps, **members):
    policy = {"dedupe": dedupe, **members.pop("policy", {})}
    request = drive(org, *steps, policy=policy, **members)
    request.start(**members.pop("values", {}))
    return request


CHAIN = (
    approve("first", users("bao")),
    approve("second", users("kim")),
    approve("third", users("bao")),
)


def test_off_asks_everybody_each_time(org):
    request = three(org, "off", *CHAIN)
    request.approve("bao")
    request.approve("kim")
    assert request.seats() == {"bao": "open"}
    assert not any(each.reusable for each in request.of(TaskApproved))


def test_keep_first_counts_any_earlier_approval(org):
    """Acceptance test 30."""
    request = three(org, "keep_first", *CHAIN)
    request.approve("bao")
    request.approve("kim")
    assert request.state.status is InstanceState.APPROVED
    assert again(request) == [(3, 1, "")]
    assert request.of(TaskApproved)[0].reusable


def test_adjacent_counts_only_the_step_before(org):
    """Acceptance test 30."""
    request = three(org, "adjacent", *CHAIN)
    request.approve("bao")
    request.approve("kim")
    assert request.seats() == {"bao": "open"}
    request = three(
        org, "adjacent", approve("a", users("bao")), approve("b", users("bao")),
        approve("c", users("bao")), approve("d", users("kim")),
    )  # fmt: skip
    request.approve("bao")
    assert request.at() == "d"
    assert again(request) == [(2, 1, ""), (3, 2, "")]


def test_adjacent_does_not_look_into_a_branch_beside(org):
    ways = [
        {"id": "left", "name": "Left", "steps": [approve("a", users("bao"))]},
        {"id": "right", "name": "Right", "steps": [
            approve("b", users("kim")), approve("c", users("bao"))]},
    ]  # fmt: skip
    request = three(org, "adjacent", step("both", "parallel", branches=ways, join="all"))
    request.approve("kim")
    assert not again(request)
    request = three(org, "adjacent", step("both", "parallel", branches=ways, join="all"))
    request.approve("bao")
    request.approve("kim")
    assert not again(request)
    assert {each.step for each in request.state.activations} >= {"c"}


def test_keep_last_leaves_it_to_the_later_step(org):
    request = three(org, "keep_last", *CHAIN)
    assert again(request) == [(1, 0, "third")]
    assert request.seats() == {"kim": "open"}
    request.approve("kim")
    assert request.seats() == {"bao": "open"}
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED


def test_only_the_repeated_person_is_passed_over(org):
    request = three(
        org,
        "keep_first",
        approve("first", users("bao")),
        approve("second", users("bao", "kim"), "all"),
    )
    request.approve("bao")
    assert request.seats() == {"bao": "approved", "kim": "open"}
    request.approve("kim")
    assert request.state.status is InstanceState.APPROVED


def test_in_a_row_the_next_one_is_asked(org):
    request = three(
        org,
        "keep_first",
        approve("first", users("bao")),
        approve("second", users("bao", "kim", "chi"), "in_order"),
    )
    request.approve("bao")
    assert request.seats() == {"bao": "approved", "kim": "open", "chi": "blocked"}


def test_a_step_may_say_otherwise(org):
    """Acceptance test 31 keeps the setting; here it is carried out."""
    request = three(
        org, "keep_first", *CHAIN[:2], approve("third", users("bao"), repeat_skip="off")
    )
    request.approve("bao")
    request.approve("kim")
    assert request.seats() == {"bao": "open"}
    request = three(
        org, "off", *CHAIN[:2], approve("third", users("bao"), repeat_skip="keep_first")
    )
    request.approve("bao")
    request.approve("kim")
    assert request.state.status is InstanceState.APPROVED


def test_what_was_approved_before_a_return_counts_for_nothing(org):
    """Acceptance tests 29 and 17."""
    steps = (
        approve("first", users("bao")),
        approve("second", users("kim"), acts={"return_to": "any"}),
        approve("third", users("bao")),
    )
    request = three(org, "keep_first", *steps)
    request.approve("bao")
    request.send_back("kim", "first")
    assert request.seats() == {"bao": "open"}
    assert not again(request)
    request.approve("bao")
    request.approve("kim")
    assert request.state.status is InstanceState.APPROVED
    assert len(again(request)) == 1


def test_a_form_that_changed_is_approved_anew(org):
    """Acceptance test 20."""
    form = [a_field("amount", "amount"), a_field("secret")]
    steps = (
        approve("first", users("bao"), fields={"default": "read", "set": {"secret": "hide"}}),
        approve("second", users("kim"), fields={"default": "edit"}),
        approve("third", users("bao")),
    )
    for changes, skipped in (({"amount": "9"}, False), ({"secret": "x"}, True), ({}, True)):
        request = drive(org, *steps, form=form, policy={"dedupe": "keep_first"})
        request.start(amount="5")
        request.approve("bao")
        request.approve("kim", **changes)
        assert bool(again(request)) is skipped, changes


def test_what_the_person_changed_himself_was_seen_by_him(org):
    form = [a_field("amount", "amount")]
    steps = (
        approve("first", users("bao"), fields={"default": "edit"}),
        approve("second", users("bao")),
    )
    request = drive(org, *steps, form=form, policy={"dedupe": "adjacent"})
    request.start(amount="5")
    request.approve("bao", amount="6")
    assert request.state.status is InstanceState.APPROVED


def test_the_initiators_own_seat_is_no_approval_of_his(org):
    """approvals.md 2.4: filing is not approving, and neither is the self rule."""
    steps = (
        approve("first", users("ann"), on_self="skip"),
        approve("second", users("ann"), on_self="allow"),
    )
    request = three(org, "keep_first", *steps)
    assert request.seats() == {"ann": "open"}


def test_work_is_done_each_time(org):
    request = three(
        org, "keep_first", approve("first", users("bao")), step("todo", "work", who=users("bao"))
    )
    request.approve("bao")
    assert request.seats() == {"bao": "open"}


def test_an_approval_that_was_taken_over_belongs_to_whoever_gave_it(org):
    request = three(org, "keep_first", *CHAIN)
    request.reassign("bao", "dan")
    request.approve("dan")
    request.approve("kim")
    assert request.seats() == {"bao": "open"}


MUCH = {"field": "amount", "op": "gt", "value": "100"}


@pytest.mark.parametrize(
    ("between", "skipped"),
    [
        ([], True),
        ([approve("mid", users("kim"))], True),
        # Nobody changes the field any more: the way is certain.
        ([choice("size", (MUCH, []), (None, [step("stop", "finish", result="approved")]))], True),
        ([choice("size", (MUCH, [step("stop", "finish", result="approved")]), (None, []))], False),
        # Somebody may still change it.
        (
            [
                approve("mid", users("kim"), fields={"default": "edit"}),
                choice("size", (MUCH, []), (None, [step("stop", "finish", result="approved")])),
            ],
            False,
        ),
        (
            [
                step("set_it", "set", changes=[{"field": "amount", "to": "1"}]),
                choice("size", (MUCH, []), (None, [step("stop", "finish", result="approved")])),
            ],
            False,
        ),
        # It depends on how somebody decides.
        (
            [
                approve("mid", users("kim"), on_empty={"do": "approve"}),
                choice(
                    "how",
                    ({"step": "mid", "outcome": "approved"}, []),
                    (None, [step("stop", "finish", result="approved")]),
                ),
            ],
            False,
        ),
        (
            [
                approve("mid", users("kim")),
                step("back", "goto", to="mid", when=MUCH, max=1),
            ],
            False,
        ),
        ([step("no", "copy", who=users("chi"))], True),
    ],
)
def test_keep_last_only_where_the_later_step_is_certain(org, between, skipped):
    steps = (approve("first", users("bao")), *between, approve("last", users("bao", "dan"), "all"))
    request = drive(
        org, *steps, form=[a_field("amount", "amount")], policy={"dedupe": "keep_last"}
    )
    request.start(amount="500")
    assert bool(again(request)) is skipped


@pytest.mark.parametrize(
    ("last", "skipped"),
    [
        (approve("last", users("bao")), True),
        (approve("last", users("bao", "dan"), "draw"), False),
        (approve("last", by("deciders_of", step="first")), False),
        (approve("last", by("form_users", field="who")), True),
        (approve("last", users("dan")), False),
        (approve("last", users("bao"), on_self="forbid"), True),
    ],
)
def test_keep_last_only_where_the_person_is_certain(org, last, skipped):
    form = [a_field("who", "user")]
    request = drive(
        org, approve("first", users("bao")), last, form=form, policy={"dedupe": "keep_last"}
    )
    request.start(who="bao")
    assert bool(again(request)) is skipped


def test_keep_last_looks_out_of_a_branch_and_past_a_block(org):
    ways = [
        {"id": "left", "name": "Left", "steps": [approve("a", users("bao"))]},
        {"id": "right", "name": "Right", "steps": [approve("b", users("kim"))]},
    ]
    request = three(
        org,
        "keep_last",
        step("both", "parallel", branches=ways, join="all"),
        approve("last", users("bao", "kim"), "all"),
    )
    assert [later for _, _, later in again(request)] == ["last", "last"]
    assert request.at() == "last"
