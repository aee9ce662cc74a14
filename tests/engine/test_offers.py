"""What is offered is what is accepted: every verb in many situations, and evidence."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.engine.builders import NOW, approve, drive, step, users
from workflow.engine.commands import (
    AddSigners,
    Approve,
    AskSubstitute,
    Claim,
    Complete,
    Delegate,
    HandBack,
    Pause,
    Reject,
    Release,
    RemoveSigner,
    Return,
    SendCopy,
    Snooze,
    Transfer,
)
from workflow.engine.decide import decide
from workflow.engine.events import (
    CopySent,
    SubstituteAsked,
    TaskApproved,
    TaskCompleted,
    TaskRejected,
    TaskReturned,
    TaskSnoozed,
)
from workflow.engine.offers import VERBS, offered, offers
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen, Rejection
from workflow.engine.state import InstanceState

EVERYTHING = {
    "transfer": True,
    "delegate": True,
    "add_before": True,
    "add_after": True,
    "add_with": True,
    "remove_added": True,
    "send_copy": True,
    "give_back": True,
    "return_to": "any",
    "comment": True,
}


def offered_to(request, login, seat=None):
    """The offers for the task of this person, or for a seat that he looks at."""
    number = (seat or request.seat(login)).number
    activation, found = request.state.seat(number)
    return offers(request.definition, request.state, activation, found, request.org.id(login))


def command_for(offer, request, login) -> Any:
    """A command that is right in everything, where the offer says that it may be given."""
    tom = request.org.id("tom")
    if offer.verb == "remove-signer":
        others = [seat.number for seat in request.activation().seats]
        chosen = [*map(int, offer.choices), *others][0]
        return RemoveSigner(seat=chosen, by=request.org.id(login))
    kind, members = {
        "approve": (Approve, {}),
        "reject": (Reject, {}),
        "complete": (Complete, {}),
        "return": (Return, {"to": (*offer.choices, "start")[0]}),
        "transfer": (Transfer, {"to": tom}),
        "delegate": (Delegate, {"to": tom}),
        "hand-back": (HandBack, {}),
        "add-signer": (AddSigners, {"people": (tom,), "place": (*offer.choices, "before")[0]}),
        "copy": (SendCopy, {"to": (tom,)}),
        "claim": (Claim, {}),
        "release": (Release, {}),
        "snooze": (Snooze, {"until": NOW + timedelta(days=1)}),
        "ask-substitute": (AskSubstitute, {"comment": "I know nothing of it"}),
    }[offer.verb]
    return request.act(kind, login, **members)


def answer_to(request, command):
    """The code of the refusal; nothing when the command is accepted."""
    try:
        decide(request.definition, request.state, command, request.org, NOW)
    except Rejection as refusal:
        return refusal.code
    return ""


def check(request, login):
    """Each offer is accepted, and each verb that is not offered is refused with its code."""
    found = offered_to(request, login)
    assert [each.verb for each in found] == list(VERBS)
    for offer in found:
        if offer.verb in {"comment", "take-back"}:
            continue  # not commands on a task
        command = command_for(offer, request, login)
        answer = answer_to(request, command)
        assert (answer == "") is offer.allowed, (offer, answer)
        if offer.verb not in {"add-signer", "remove-signer"}:
            assert answer == offer.code
    return offered(found)


def situations(org):
    """Requests in many states, with who looks at what in each."""
    for acts in (EVERYTHING, {}, {"return_to": "previous", "add_after": True}):
        for mode in ("any", "all", "in_order", "claim"):
            request = drive(org, approve("lead", users("bao", "chi", "kim"), mode, acts=acts))
            request.start()
            yield request
        yield started(org, step("todo", "work", who=users("bao", "chi"), acts=acts))
        paused = started(org, approve("lead", users("bao", "chi"), acts=acts))
        paused.give(Pause(org.id("kim"), "wait"))
        yield paused
    pool = started(org, approve("lead", users("bao", "chi", "kim"), "claim", acts=EVERYTHING))
    pool.claim("chi")
    yield pool
    deep = started(org, approve("lead", users("bao"), acts=EVERYTHING))
    for login, to in (("bao", "chi"), ("chi", "dan"), ("dan", "kim")):
        deep.add(login, "before", to)
        yield deep
    mixed = started(org, approve("lead", users("bao", "pia"), "all", acts=EVERYTHING))
    mixed.delegate("bao", "chi")
    mixed.add("pia", "after", "dan")
    mixed.add("pia", "with", "kim")
    yield mixed


def started(org, *steps, **members):
    request = drive(org, *steps, **members)
    request.start()
    return request


def test_what_is_offered_is_accepted_and_what_is_not_is_refused(org):
    """Acceptance tests 44 and 72."""
    seen = set()
    for request in situations(org):
        for seat in request.activation().seats:
            if seat.waits:
                seen.update(check(request, org.login(seat.holder)))
    assert seen >= set(VERBS) - {"take-back"}


def test_an_approver_with_everything(org):
    request = started(org, approve("lead", users("bao"), acts=EVERYTHING))
    found = offered_to(request, "bao")
    assert offered(found) == (
        "approve",
        "reject",
        "return",
        "transfer",
        "delegate",
        "add-signer",
        "copy",
        "comment",
        "snooze",
        "ask-substitute",
    )
    choices = {each.verb: each.choices for each in found}
    assert choices["return"] == ("start",)
    assert choices["add-signer"] == ("before", "after", "with")


def test_an_approver_with_nothing(org):
    request = started(org, approve("lead", users("bao")))
    assert offered(offered_to(request, "bao")) == (
        "approve",
        "reject",
        "comment",
        "snooze",
        "ask-substitute",
    )
    silent = started(org, approve("lead", users("bao"), acts={"comment": False}))
    assert "comment" not in offered(offered_to(silent, "bao"))


def test_a_delegate_and_the_one_who_waits_for_him(org):
    request = started(org, approve("lead", users("bao"), acts=EVERYTHING))
    request.delegate("bao", "chi")
    assert set(offered(offered_to(request, "chi"))) == {
        "transfer",
        "delegate",
        "hand-back",
        "add-signer",
        "copy",
        "comment",
        "snooze",
        "ask-substitute",
    }
    assert offered(offered_to(request, "bao")) == ("remove-signer", "comment")


def test_a_stranger_and_a_reader_are_offered_nothing(org):
    request = started(org, approve("lead", users("bao"), acts=EVERYTHING))
    seat = request.seat("bao")
    assert offered(offered_to(request, "dan", seat)) == ()
    request.give(request.act(SendCopy, "bao", to=(org.id("dan"),)))
    (copy,) = request.of(CopySent)
    activation, reader = request.state.seat(copy.seat)
    found = offers(request.definition, request.state, activation, reader, org.id("dan"))
    assert offered(found) == ()


def test_the_initiator_with_his_request_back_sends_it_on(org):
    request = started(org, approve("lead", users("bao"), acts=EVERYTHING))
    request.send_back("bao", "start")
    found = offered_to(request, "ann")
    assert offered(found) == ("complete", "comment", "snooze")
    request.refused(request.act(Approve, "ann"), NotAllowed, "act.not_here")
    run = request.complete("ann", "please again")
    assert isinstance(run.events[0], TaskCompleted)
    assert run.events[0].comment == "please again"
    assert request.seats() == {"bao": "open"}


def test_taking_back_is_answered_by_the_history(org):
    request = started(org, approve("lead", users("bao")))
    activation, seat = request.state.seat(1)
    where = (request.definition, request.state, activation, seat, org.id("bao"))
    for answer, allowed, code in (
        (None, True, ""),
        (NotOpen("take_back.too_late"), False, "take_back.too_late"),
    ):
        (offer,) = [each for each in offers(*where, take_back=answer) if each.verb == "take-back"]
        assert (offer.allowed, offer.code) == (allowed, code)


# Returns.


def way(org, acts):
    steps = (approve("one", users("bao")), approve("two", users("chi")))
    request = started(org, *steps, approve("three", users("dan"), acts=acts))
    request.approve("bao")
    request.approve("chi")
    return request


@pytest.mark.parametrize(
    ("return_to", "targets"),
    [
        ("none", ()),
        ("previous", ("two",)),
        ("any", ("start", "one", "two")),
        (["one", "start"], ("start", "one")),
    ],
)
def test_where_a_task_may_be_returned_to(org, return_to, targets):
    """Acceptance tests 17, 18 and 20."""
    request = way(org, {"return_to": return_to})
    (offer,) = [each for each in offered_to(request, "dan") if each.verb == "return"]
    assert offer.choices == targets
    for to in ("start", "one", "two", "three", "ghost"):
        command = request.act(Return, "dan", to=to)
        if to in targets:
            other = way(org, {"return_to": return_to})
            other.send_back("dan", to, comment="again")
            (returned,) = other.of(TaskReturned)
            assert (returned.to, returned.comment) == (to, "again")
            assert other.at() == to
        elif return_to == "none":
            request.refused(command, NotAllowed, "act.switched_off")
        else:
            request.refused(command, Invalid, "return.bad_target")


def test_one_of_several_returns_it_for_all(org):
    """Acceptance tests 12 and 22."""
    request = started(
        org,
        approve("one", users("bao")),
        approve("two", users("chi", "dan"), "all", acts={"return_to": "any"}),
    )
    request.approve("bao")
    request.approve("chi")
    request.send_back("dan", "start")
    assert request.at() == "start"
    assert request.seats() == {"ann": "open"}


def test_straight_back_to_whoever_returned_it(org):
    """Acceptance test 19."""
    request = way(org, {"return_to": "any"})
    request.send_back("dan", "one", resume="here")
    request.approve("bao")
    assert request.at() == "three"


def test_a_rejection_that_asks_where_to(org):
    reject = {"then": {"do": "back", "to": "ask"}}
    acts = {"return_to": "any"}
    steps = (
        approve("one", users("bao")),
        approve("two", users("chi"), reject=reject, acts=acts),
    )
    request = started(org, *steps)
    request.approve("bao")
    for to in ("", "two", "ghost"):
        request.refused(request.act(Reject, "chi", to=to), Invalid, "return.bad_target")
    request.give(request.act(Reject, "chi", to="one"))
    assert request.of(TaskRejected)[0].to == "one"
    assert request.seats() == {"bao": "open"}
    request = started(org, approve("one", users("bao")))
    elsewhere = request.act(Reject, "bao", to="start")
    request.refused(elsewhere, Invalid, "return.bad_target")


# Evidence.


@pytest.mark.parametrize("name", ["signature", "files"])
@pytest.mark.parametrize("rule", ["no", "may", "must"])
def test_what_a_decision_may_and_must_bring_along(org, name, rule):
    given = {"signature": "s1"} if name == "signature" else {"files": ("f1", "f2")}
    for kind, event in ((Approve, TaskApproved), (Reject, TaskRejected), (Return, TaskReturned)):
        acts = {"return_to": "any"}
        to = {"to": "start"} if kind is Return else {}
        request = started(org, approve("lead", users("bao"), evidence={name: rule}, acts=acts))
        without = request.act(kind, "bao", **to)
        with_it = request.act(kind, "bao", **given, **to)
        if rule == "must":
            refusal = request.refused(without, Invalid, f"{name}.required")
            assert [each.at for each in refusal.findings] == [f"/{name}"]
        if rule == "no":
            request.refused(with_it, Invalid, f"{name}.not_taken")
            request.give(without)
        else:
            request.give(with_it)
            (recorded,) = request.of(event)
            assert getattr(recorded, name) == given[name]


def test_everything_that_is_missing_is_said_at_once(org):
    evidence = {"comment": "must", "signature": "must", "files": "must"}
    request = started(org, approve("lead", users("bao"), evidence=evidence))
    refusal = request.refused(request.act(Approve, "bao"), Invalid, "comment.required")
    assert [each.code for each in refusal.findings] == [
        "comment.required",
        "signature.required",
        "files.required",
    ]


def test_whoever_returns_says_why_where_a_rejection_must(org):
    policy = {"comment": "on_reject"}
    request = started(org, approve("lead", users("bao"), acts=EVERYTHING), policy=policy)
    request.refused(request.act(Return, "bao", to="start"), Invalid, "comment.required")
    request.send_back("bao", "start", comment="the receipt is missing")


# Beside the decision.


def test_others_get_a_copy_once(org):
    org.disable("pia")
    request = started(org, approve("lead", users("bao"), acts=EVERYTHING))
    for to, code, at in (
        ((), "people.required", "/to"),
        ((org.id("dan"), org.id("pia")), "person.unknown", "/to/1"),
        ((999,), "person.unknown", "/to/0"),
    ):
        refusal = request.refused(request.act(SendCopy, "bao", to=to), Invalid, code)
        assert [each.at for each in refusal.findings] == [at]
    dan, kim = org.id("dan"), org.id("kim")
    request.give(request.act(SendCopy, "bao", to=(dan, dan), comment="look"))
    request.refused(request.act(SendCopy, "bao", to=(dan,)), Invalid, "person.already_reads")
    request.give(request.act(SendCopy, "bao", to=(dan, kim)))
    assert [(each.holder, each.comment) for each in request.of(CopySent)] == [
        (dan, "look"),
        (kim, ""),
    ]
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED


@pytest.mark.parametrize("days", [-1, 0, 367])
def test_a_moment_that_cannot_be_meant(org, days):
    request = started(org, approve("lead", users("bao")))
    command = request.act(Snooze, "bao", until=NOW + timedelta(days=days))
    refusal = request.refused(command, Invalid, "snooze.bad_moment")
    assert [each.at for each in refusal.findings] == ["/until"]


def test_later_and_now_again(org):
    """Acceptance test 67."""
    request = started(org, approve("lead", users("bao")))
    request.give(request.act(Snooze, "bao", until=NOW + timedelta(hours=3)))
    request.give(request.act(Snooze, "bao", until=None))
    assert [each.until for each in request.of(TaskSnoozed)] == ["2026-03-02T12:00:00Z", ""]
    assert request.seats() == {"bao": "open"}


def test_asking_for_somebody_else_says_why(org):
    """Acceptance test 38."""
    request = started(org, approve("lead", users("bao")))
    request.refused(request.act(AskSubstitute, "bao"), Invalid, "comment.required")
    request.give(request.act(AskSubstitute, "bao", comment="my brother's request"))
    (asked,) = request.of(SubstituteAsked)
    assert asked.comment == "my brother's request"
    assert request.seats() == {"bao": "open"}
