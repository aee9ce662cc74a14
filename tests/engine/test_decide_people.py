"""Who is asked: sources, who is left out, order, nobody, and the initiator himself."""

from __future__ import annotations

import pytest

from tests.engine.builders import approve, by, drive, step, users
from workflow.engine.events import (
    InstanceHeld,
    InstanceReleased,
    StepEnded,
    StepEntered,
    TaskApproved,
    TaskAssigned,
)
from workflow.engine.rejections import Invalid
from workflow.engine.state import InstanceState, Reason

NOBODY = by("role", ids=["nobody"])


def asked(org, who, *, initiator="ann", **members):
    """The logins that get a seat, in order; nobody: an empty list."""
    request = drive(org, approve("lead", who, "all", **members))
    request.start(initiator)
    return [org.login(event.holder) for event in request.of(TaskAssigned)]


def reasons(org, who, *, initiator="ann", **members):
    """Why each was chosen, and why each was left out."""
    request = drive(org, approve("lead", who, "all", **members))
    request.start(initiator)
    (entered,) = request.of(StepEntered)
    return (
        {org.login(each.user): (each.by, each.of) for each in entered.chosen},
        {org.login(each.user): each.why for each in entered.dropped},
    )


def test_each_source_with_its_reason(org):
    who = {
        "any_of": [
            {"by": "user", "ids": ["tom"]},
            {"by": "role", "ids": ["auditors"]},
            {"by": "department", "ids": ["engineering"]},
            {"by": "head", "of": {"department": "engineering"}},
            {"by": "initiator"},
        ]
    }
    chosen, dropped = reasons(org, who)
    assert chosen == {
        "tom": ("user", "tom"),
        "kim": ("role", "auditors"),
        "dan": ("role", "auditors"),
        "ann": ("department", "engineering"),
        "bao": ("department", "engineering"),
    }
    assert dropped == {}
    assert reasons(org, by("initiator"))[0] == {"ann": ("initiator", "")}


def test_a_department_with_those_below(org):
    assert asked(org, by("department", ids=["engineering"])) == ["ann", "bao"]
    assert asked(org, by("department", ids=["engineering"], deep=True)) == ["ann", "bao", "pia"]


@pytest.mark.parametrize(
    ("within", "expected"),
    [("any", ["chi", "pia"]), ("initiator_department", []), ("same_branch", [])],
)
def test_a_role_near_the_initiator(org, within, expected):
    assert asked(org, by("role", ids=["hr"], within=within)) == expected


def test_a_role_in_the_initiators_branch_looks_upwards(org):
    who = by("role", ids=["hr", "auditors"], within="same_branch")
    assert asked(org, who) == ["kim"]
    who = by("role", ids=["hr", "auditors"], within="initiator_department")
    assert asked(org, who, initiator="pia") == ["pia"]


@pytest.mark.parametrize(
    ("initiator", "level", "missing", "expected"),
    [
        ("ann", 0, "climb", ["bao"]),
        ("ann", 1, "climb", ["kim"]),
        ("ann", 2, "climb", []),
        ("pia", 0, "climb", ["bao"]),
        ("pia", 0, "none", []),
        ("pia", 1, "none", ["bao"]),
        ("tom", 0, "climb", []),
    ],
)
def test_the_head_so_many_departments_up(org, initiator, level, missing, expected):
    who = by("head", level=level, missing=missing)
    assert asked(org, who, initiator=initiator) == expected


def test_a_disabled_head_is_climbed_past_or_not(org):
    org.disable("bao")
    assert asked(org, by("head")) == ["kim"]
    assert asked(org, by("head", missing="none")) == []


def test_the_head_of_a_named_department_and_of_an_earlier_decider(org):
    assert asked(org, by("head", of={"department": "finance"})) == ["dan"]
    request = drive(
        org,
        approve("lead", users("chi", "bao"), "all"),
        approve("top", by("head", of={"decider_of": "lead"})),
    )
    request.start()
    request.approve("bao")
    request.approve("chi")
    # The last who decided is the one who is meant.
    assert request.seats() == {"dan": "open"}


def test_disabled_people_are_left_out_and_named(org):
    org.disable("chi")
    chosen, dropped = reasons(org, users("chi", "dan"))
    assert list(chosen) == ["dan"]
    assert dropped == {"chi": "disabled"}


def test_unknown_logins_are_nobody(org):
    assert asked(org, users("ghost", "dan")) == ["dan"]


def test_without_leaves_out_and_says_so(org):
    who = by("department", ids=["finance"]) | {"without": [{"by": "role", "ids": ["auditors"]}]}
    chosen, dropped = reasons(org, who)
    assert list(chosen) == ["chi"]
    assert dropped == {"dan": "excluded"}


def test_the_applicant_can_be_excluded_and_then_the_empty_rule_fires(org):
    """Acceptance test 33."""
    who = users("ann") | {"without": [{"by": "initiator"}]}
    request = drive(org, approve("lead", who, on_empty={"do": "people", "who": users("kim")}))
    request.start()
    assert request.seats() == {"kim": "open"}


def test_cap_keeps_the_first_and_names_the_others(org):
    chosen, dropped = reasons(org, users("dan", "bao", "chi", cap=2))
    assert list(chosen) == ["dan", "bao"]
    assert dropped == {"chi": "beyond_cap"}


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("given", ["tom", "kim", "dan", "bao"]),
        ("name", ["bao", "dan", "kim", "tom"]),
        ("near_first", ["bao", "kim", "tom", "dan"]),
    ],
)
def test_the_order_of_people(org, order, expected):
    assert asked(org, users("tom", "kim", "dan", "bao", order=order)) == expected


def test_the_order_comes_before_the_cap(org):
    assert asked(org, users("tom", "kim", "bao", order="near_first", cap=1)) == ["bao"]


# Nobody is found.


def test_nobody_and_approve_passes_over(org):
    request = drive(
        org,
        approve("lead", NOBODY, on_empty={"do": "approve"}),
        approve("top", users("kim")),
    )
    request.start()
    (ended,) = request.of(StepEnded)
    assert (ended.state, ended.reason, ended.outcome) == ("skipped", "empty_rule", "skipped")
    assert request.at() == "top"


def test_nobody_and_reject_ends_the_request(org):
    request = drive(org, approve("lead", NOBODY, on_empty={"do": "reject"}))
    request.start()
    assert request.state.status is InstanceState.REJECTED
    assert request.events[-1].reason is Reason.EMPTY_RULE
    assert not request.of(TaskAssigned)


def test_nobody_and_hold_is_an_incident_until_a_manager_names_somebody(org):
    """Acceptance test 3: never a silent wait."""
    request = drive(org, approve("lead", NOBODY))
    request.start()
    assert request.state.held == "people.nobody"
    assert request.state.status is InstanceState.RUNNING
    (held,) = request.of(InstanceHeld)
    assert held.activation == request.activation().number
    released = request.name("dan").state
    assert released.held is None
    assert request.of(InstanceReleased)
    assert request.approve("dan").state.status is InstanceState.APPROVED


def test_nobody_and_refuse_start_files_nothing(org):
    request = drive(org, approve("lead", NOBODY, on_empty={"do": "refuse_start"}))
    refused = request.refused(request.starting(), Invalid, "people.nobody")
    assert refused.about["step"] == "lead"


def test_refuse_start_later_holds(org):
    """When the request runs already, a start cannot be refused any more."""
    request = drive(
        org,
        approve("lead", users("bao")),
        approve("top", NOBODY, on_empty={"do": "refuse_start"}),
    )
    request.start()
    request.approve("bao")
    assert (request.at(), request.state.held) == ("top", "people.nobody")


def test_refuse_start_looks_past_what_passes_by_itself(org):
    request = drive(
        org,
        approve("lead", NOBODY, on_empty={"do": "approve"}),
        approve("top", NOBODY, on_empty={"do": "refuse_start"}),
    )
    request.refused(request.starting(), Invalid, "people.nobody")


def test_nobody_and_other_people_with_their_own_last_word(org):
    empty = {
        "do": "people",
        "who": NOBODY,
        "then": {"do": "people", "who": users("dan"), "then": {"do": "reject"}},
    }
    request = drive(org, approve("lead", NOBODY, on_empty=empty))
    request.start()
    assert request.seats() == {"dan": "open"}
    (entered,) = request.of(StepEntered)
    assert (entered.when_empty, entered.chosen[0].by) == ("people", "user")

    org.disable("dan")
    request = drive(org, approve("lead", NOBODY, on_empty=empty))
    request.start()
    assert request.state.status is InstanceState.REJECTED


def test_nobody_and_the_managers(org):
    managers = users("kim")
    request = drive(org, approve("lead", NOBODY, on_empty={"do": "managers"}), managers=managers)
    request.start()
    assert request.seats() == {"kim": "open"}
    org.disable("kim")
    request = drive(org, approve("lead", NOBODY, on_empty={"do": "managers"}), managers=managers)
    request.start()
    assert request.state.held == "people.nobody"
    # The history does not say that managers were asked when there were none.
    (entered,) = request.of(StepEntered)
    assert entered.when_empty == "hold"
    assert [(org.login(each.user), each.why) for each in entered.dropped] == [("kim", "disabled")]


# The initiator is among those who are asked.


def test_self_allow_lets_the_initiator_decide(org):
    assert asked(org, users("ann", "dan"), on_self="allow") == ["ann", "dan"]


def test_self_forbid_removes_and_names(org):
    chosen, dropped = reasons(org, users("ann", "dan"), on_self="forbid")
    assert list(chosen) == ["dan"]
    assert dropped == {"ann": "is_initiator"}


def test_self_forbid_with_nobody_left_is_nobody(org):
    """Acceptance test 33."""
    request = drive(
        org, approve("lead", users("ann"), on_self="forbid", on_empty={"do": "reject"})
    )
    request.start()
    assert request.state.status is InstanceState.REJECTED


def test_self_forbid_holds_for_the_people_of_the_empty_rule_too(org):
    empty = {"do": "people", "who": users("ann", "dan")}
    assert asked(org, NOBODY, on_self="forbid", on_empty=empty) == ["dan"]


@pytest.mark.parametrize(("mode", "passes"), [("any", True), ("all", False), ("in_order", False)])
def test_self_skip_approves_the_own_seat_by_itself(org, mode, passes):
    request = drive(org, approve("lead", users("ann", "dan"), mode, on_self="skip"))
    request.start()
    (approved,) = request.of(TaskApproved)
    assert (approved.seat, approved.reason) == (1, Reason.SELF_RULE)
    if passes:
        assert request.state.status is InstanceState.APPROVED
        assert request.of(StepEnded)[0].reason is Reason.SELF_RULE
        return
    assert request.seats() == {"ann": "approved", "dan": "open"}
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED
    assert request.of(StepEnded)[0].reason is Reason.HUMAN


@pytest.mark.parametrize("mode", ["all", "in_order"])
def test_self_skip_as_the_last_of_several_is_carried_by_people(org, mode):
    request = drive(org, approve("lead", users("dan", "ann"), mode, on_self="skip"))
    request.start()
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED
    assert request.of(StepEnded)[0].reason is Reason.HUMAN


def test_a_step_that_approved_itself_was_decided_by_nobody(org):
    request = drive(
        org,
        approve("lead", users("ann"), on_self="skip"),
        approve("top", by("head", of={"decider_of": "lead"})),
    )
    request.start()
    assert (request.at(), request.state.held) == ("top", "people.nobody")
    assert request.state.outcomes["lead"] == "approved"


def test_self_head_takes_the_initiators_place(org):
    chosen, dropped = reasons(org, users("chi", "ann", "tom"), on_self="head")
    assert list(chosen) == ["chi", "bao", "tom"]
    assert chosen["bao"] == ("head_instead_of_initiator", "engineering")
    assert dropped == {"ann": "is_initiator"}


def test_self_head_of_a_head_is_the_next_one_up(org):
    assert asked(org, by("head"), initiator="bao", on_self="head") == ["kim"]
    assert asked(org, by("head"), initiator="kim", on_self="head") == []


def test_self_head_who_is_asked_already_gets_one_seat(org):
    assert asked(org, users("ann", "bao"), on_self="head") == ["bao"]


def test_self_head_passes_over_disabled_heads(org):
    org.disable("bao")
    assert asked(org, users("ann"), on_self="head") == ["kim"]


def test_self_head_brings_back_nobody_who_is_excluded(org):
    who = users("ann") | {"without": [{"by": "user", "ids": ["bao"]}]}
    assert asked(org, who, on_self="head") == ["kim"]


def test_self_head_whom_the_cap_had_left_out_is_not_named_as_left_out(org):
    chosen, dropped = reasons(org, users("ann", "bao", cap=1), on_self="head")
    assert list(chosen) == ["bao"]
    assert dropped == {"ann": "is_initiator"}


def test_the_policy_says_it_for_every_step_that_says_nothing(org):
    policy = {"on_self": "forbid"}
    request = drive(
        org,
        approve("lead", users("ann", "dan")),
        approve("top", users("ann", "kim"), on_self="allow"),
        policy=policy,
    )
    request.start()
    assert request.seats() == {"dan": "open"}
    request.approve("dan")
    assert request.seats() == {"ann": "open", "kim": "open"}


def test_what_happened_stays_when_the_organisation_changes(org):
    """Acceptance test 40."""
    request = drive(org, approve("lead", by("head")), step("cc", "copy", who=by("head")))
    request.start()
    before = list(request.events)
    org.heads["engineering"] = "tom"
    org.disable("bao")
    assert request.seats() == {"bao": "open"}
    request.approve("bao")
    assert request.events[: len(before)] == before
    request.work()
    assert org.login(request.events[-3].holder) == "tom"
