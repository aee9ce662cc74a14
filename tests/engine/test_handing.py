"""A task goes to another person: transfer, delegation, and what must not come back."""

from __future__ import annotations

import pytest

from tests.engine.builders import a_field, approve, drive, users
from workflow.engine.commands import (
    Approve,
    Delegate,
    HandBack,
    Reject,
    Return,
    Transfer,
)
from workflow.engine.events import (
    FormChanged,
    GroupAdded,
    OpinionGiven,
    TaskHandedOn,
    TaskOpened,
    TaskReassigned,
)
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen, VersionMoved
from workflow.engine.state import InstanceState, Reason

ACTS = {
    "transfer": True,
    "delegate": True,
    "add_before": True,
    "add_with": True,
    "return_to": "any",
}


def request_of(org, *logins, mode="all", **members):
    members.setdefault("acts", ACTS)
    request = drive(org, approve("lead", users(*logins), mode, **members))
    request.start()
    return request


def test_after_two_transfers_the_whole_chain_is_kept(org):
    """Acceptance test 46."""
    request = request_of(org, "bao")
    request.transfer("bao", "chi", comment="yours")
    request.transfer("chi", "dan")
    seat = request.seat("dan")
    assert [org.login(user) for user in seat.chain] == ["bao", "chi"]
    assert (seat.number, seat.version) == (1, 3)
    first = request.of(TaskReassigned)[0]
    assert (first.reason, first.comment) == (Reason.HUMAN, "yours")


def test_a_transfer_does_not_come_back_to_somebody_who_had_it(org):
    request = request_of(org, "bao")
    request.transfer("bao", "chi")
    for to in ("bao", "chi"):
        request.refused(request.act(Transfer, "chi", to=org.id(to)), Invalid, "person.in_chain")


def test_who_cannot_get_a_task(org):
    org.disable("tom")
    request = request_of(org, "bao", "chi", "dan")
    request.approve("dan")
    for to, code in (
        (999, "person.unknown"),
        (org.id("tom"), "person.unknown"),
        (org.id("chi"), "person.already_holds"),
        (org.id("dan"), "person.already_decided"),
    ):
        for kind in (Transfer, Delegate):
            refusal = request.refused(request.act(kind, "bao", to=to), Invalid, code)
            assert [each.at for each in refusal.findings] == ["/to"]


def test_a_transfer_is_no_way_around_the_rules_about_who_decides(org):
    who = users("bao", without=[{"by": "user", "ids": ["pia"]}])
    request = drive(org, approve("lead", who, acts=ACTS, on_self="forbid"))
    request.start()
    to_initiator = request.act(Transfer, "bao", to=org.id("ann"))
    request.refused(to_initiator, Invalid, "person.is_initiator")
    to_excluded = request.act(Transfer, "bao", to=org.id("pia"))
    request.refused(to_excluded, Invalid, "person.excluded")
    # An opinion decides nothing.
    request.delegate("bao", "pia")


def test_the_old_holder_may_do_nothing_any_more(org):
    """Acceptance test 51."""
    request = request_of(org, "bao")
    old = request.act(Approve, "bao")
    request.transfer("bao", "chi")
    request.refused(old, NotAllowed, "task.not_yours")
    request.approve("chi")
    assert request.state.deciders == {"lead": [org.id("chi")]}


def test_a_delegate_gives_an_opinion_and_the_task_comes_back(org):
    """Acceptance test 47."""
    request = request_of(org, "bao", "chi", evidence={"files": "may", "signature": "may"})
    request.delegate("bao", "dan", comment="what do you think?", files=("f1",), signature="s1")
    assert request.seats() == {"bao": "handed_on", "chi": "open", "dan": "open"}
    assert request.of(TaskHandedOn)[0] == TaskHandedOn(
        seat=1, version=2, comment="what do you think?", files=("f1",), signature="s1"
    )
    assert request.of(GroupAdded)[0].place == "delegate"
    seat = request.seat("dan")
    assert (seat.origin, org.login(seat.by)) == ("delegated", "bao")
    run = request.hand_back("dan", "fine", files=("f2",), signature="s2")
    opinion = run.events[0]
    assert isinstance(opinion, OpinionGiven)
    assert (opinion.comment, opinion.files, opinion.signature) == ("fine", ("f2",), "s2")
    assert [type(each) for each in run.events] == [OpinionGiven, TaskOpened]
    assert request.seats() == {"bao": "open", "chi": "open", "dan": "opinion_given"}
    assert request.state.deciders == {}
    request.approve("bao")
    request.approve("chi")
    assert request.state.status is InstanceState.APPROVED


def test_a_delegate_does_not_decide_and_the_one_who_asked_waits(org):
    request = request_of(org, "bao")
    request.delegate("bao", "dan")
    for kind in (Approve, Reject):
        request.refused(request.act(kind, "dan"), NotAllowed, "act.not_here")
    request.refused(request.act(Return, "dan", to="start"), NotAllowed, "act.not_here")
    request.refused(request.adding("dan", "with", "tom"), NotAllowed, "act.not_here")
    request.refused(request.act(Approve, "bao"), NotOpen, "task.not_open")
    request.refused(request.act(HandBack, "bao"), NotAllowed, "act.not_here")


def test_a_delegate_may_be_recalled_by_whoever_asked(org):
    request = request_of(org, "bao")
    request.delegate("bao", "dan")
    request.refused(request.removing("dan", "chi"), NotAllowed, "signer.not_yours")
    request.remove("dan", "bao")
    assert request.seats() == {"bao": "open", "dan": "closed"}
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED


def test_opinions_nest_to_three_and_the_chain_does_not_come_back(org):
    request = request_of(org, "bao")
    request.delegate("bao", "chi")
    request.refused(request.act(Delegate, "chi", to=org.id("bao")), Invalid, "person.in_chain")
    request.delegate("chi", "dan")
    request.delegate("dan", "kim")
    request.refused(request.act(Delegate, "kim", to=org.id("pia")), Invalid, "people.too_deep")
    assert request.seats() == {
        "bao": "handed_on",
        "chi": "handed_on",
        "dan": "handed_on",
        "kim": "open",
    }
    for login in ("kim", "dan", "chi"):
        request.hand_back(login)
    assert request.seats()["bao"] == "open"


def test_the_same_delegate_may_be_asked_again(org):
    request = request_of(org, "bao")
    for _ in range(2):
        request.delegate("bao", "chi")
        request.hand_back("chi", "still fine")
    assert [group.number for group in request.activation().groups] == [1, 2]
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED


def test_the_decision_of_another_closes_the_delegation_too(org):
    request = request_of(org, "bao", "chi", mode="any")
    request.delegate("bao", "dan")
    late = request.act(HandBack, "dan")
    request.approve("chi")
    assert request.state.status is InstanceState.APPROVED
    request.refused(late, NotOpen, "task.not_open")


@pytest.mark.parametrize(
    ("kind", "members"), [(Transfer, {"to": 4}), (Delegate, {"to": 4}), (HandBack, {})]
)
def test_the_form_of_whoever_hands_on_is_kept(org, kind, members):
    """approvals.md 2.5: all of the caller's data are saved in every path."""
    request = drive(
        org,
        approve(
            "lead", users("bao"), acts=ACTS, fields={"default": "read", "set": {"days": "must"}}
        ),
        form=[a_field("days", "integer"), a_field("note")],
    )
    request.start(days=1)
    login = "bao"
    if kind is HandBack:
        request.delegate("bao", "dan")
        login = "dan"
    wrong = request.act(kind, login, changes={"note": "x"}, **members)
    request.refused(wrong, Invalid, "form.invalid")
    request.give(request.act(kind, login, changes={"days": 5}, **members))
    assert request.of(FormChanged) == [FormChanged(changes={"days": 5})]


def test_what_is_switched_off_is_refused_whatever_the_page_shows(org):
    """Acceptance test 72."""
    request = request_of(org, "bao", acts={})
    for command, act in (
        (request.act(Transfer, "bao", to=org.id("dan")), "transfer"),
        (request.act(Delegate, "bao", to=org.id("dan")), "delegate"),
        (request.act(Return, "bao", to="start"), "return"),
        (request.adding("bao", "before", "dan"), "add_before"),
    ):
        refusal = request.refused(command, NotAllowed, "act.switched_off")
        assert refusal.about["act"] == act


def test_the_tests_come_in_the_contracts_order(org):
    request = request_of(org, "bao", "chi")
    seat = request.seat("bao")
    everything = {"seat": seat.number, "version": 9, "to": 999, "files": ("x",)}
    stranger = Transfer(by=org.id("dan"), **everything)
    request.refused(stranger, NotAllowed, "task.not_yours")
    mine = Transfer(by=org.id("bao"), **everything)
    request.refused(mine, VersionMoved, "task.version_moved")
    current = Transfer(by=org.id("bao"), **everything | {"version": 1})
    request.refused(current, Invalid, "files.not_taken")
    clean = Transfer(by=org.id("bao"), **everything | {"version": 1, "files": ()})
    request.refused(clean, Invalid, "person.unknown")
    request.approve("bao")
    request.refused(mine, NotOpen, "task.not_open")
