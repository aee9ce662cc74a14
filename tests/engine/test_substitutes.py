"""Out of office: who stands in, how far, and what is recorded of it."""

from __future__ import annotations

import pytest

from tests.engine.builders import approve, drive, step, users
from workflow.engine.events import Chosen, StepEntered, TaskAssigned
from workflow.engine.substitutes import follow


def entered(request):
    return request.of(StepEntered)[-1]


def dropped(org, request):
    return {org.login(each.user): each.why for each in entered(request).dropped}


def test_the_substitute_gets_the_task_and_both_names_are_kept(org):
    """Acceptance tests 34 and 37."""
    org.absent = {"bao": "dan"}
    request = drive(org, approve("lead", users("bao", "chi")))
    request.start()
    assert request.seats() == {"dan": "open", "chi": "open"}
    seat = request.seat("dan")
    assert (seat.origin, org.login(seat.absent)) == ("substitute", "bao")
    assert entered(request).chosen[0] == Chosen(
        user=org.id("dan"), by="user", of="bao", instead_of=org.id("bao")
    )
    assert dropped(org, request) == {"bao": "absent"}
    request.approve("dan")
    assert request.state.deciders == {"lead": [org.id("dan")]}


def test_a_chain_is_followed_to_somebody_present(org):
    """Acceptance test 36."""
    org.absent = {"bao": "chi", "chi": "dan"}
    request = drive(org, approve("lead", users("bao")))
    request.start()
    assert list(request.seats()) == ["dan"]
    assert org.login(request.seat("dan").absent) == "bao"


def test_a_circle_stops_and_says_so(org):
    """Acceptance test 36."""
    org.absent = {"bao": "chi", "chi": "bao"}
    request = drive(org, approve("lead", users("bao")))
    request.start()
    assert list(request.seats()) == ["chi"]
    assert dropped(org, request) == {"bao": "absent_in_circle"}


@pytest.mark.parametrize(
    ("substitutes", "user", "why"),
    [
        ({1: 2}, 2, "absent"),
        ({1: 0}, None, "absent"),
        ({1: 2, 2: 0}, None, "absent"),
        ({1: 1}, None, "absent_in_circle"),
        ({1: 2, 2: 3, 3: 2}, 3, "absent_in_circle"),
        ({n: n + 1 for n in range(1, 6)}, 6, "absent"),
        ({n: n + 1 for n in range(1, 7)}, 6, "absent_chain_too_long"),
        ({n: n + 1 for n in range(1, 60)}, 6, "absent_chain_too_long"),
    ],
)
def test_how_far_a_chain_is_followed(substitutes, user, why):
    assert follow(1, substitutes) == (user, why)


@pytest.mark.parametrize("substitute", ["", "ghost"])
def test_without_anybody_the_empty_rule_decides(org, substitute):
    org.add("ghost")
    org.disable("ghost")
    org.absent = {"bao": substitute}
    request = drive(
        org,
        approve("lead", users("bao"), on_empty={"do": "people", "who": users("kim")}),
    )
    request.start()
    assert request.seats() == {"kim": "open"}
    assert dropped(org, request) == {"bao": "absent"}
    request = drive(org, approve("lead", users("bao")))
    request.start()
    assert request.state.held == "people.nobody"


def test_a_substitute_who_has_a_seat_already_gets_no_second_one(org):
    org.absent = {"bao": "dan", "chi": "dan"}
    request = drive(org, approve("lead", users("bao", "dan", "chi"), "all"))
    request.start()
    assert request.seats() == {"dan": "open"}
    assert request.seat("dan").origin == "designed"
    assert dropped(org, request) == {"bao": "absent", "chi": "absent"}
    request = drive(org, approve("lead", users("bao", "chi"), "all"))
    request.start()
    assert len(request.of(TaskAssigned)) == 1


def test_a_substitute_is_no_way_around_without_and_the_self_rule(org):
    org.absent = {"bao": "ann", "dan": "chi"}
    who = users("bao", "dan", "kim", without=[{"by": "user", "ids": ["chi"]}])
    request = drive(org, approve("lead", who, on_self="forbid"))
    request.start()
    assert list(request.seats()) == ["kim"]
    assert dropped(org, request) == {"bao": "absent", "dan": "absent", "ann": "is_initiator"}


def test_the_head_who_takes_the_initiators_place_may_be_absent_too(org):
    org.absent = {"bao": "dan"}
    request = drive(org, approve("lead", users("ann"), on_self="head"))
    request.start()
    assert list(request.seats()) == ["dan"]
    org.absent = {"bao": "ann"}
    request = drive(org, approve("lead", users("ann", "kim"), on_self="head"))
    request.start()
    assert list(request.seats()) == ["kim"]


def test_a_substitute_for_one_process_alone(org):
    org.absent = {"bao/other": "dan"}
    request = drive(org, approve("lead", users("bao")))
    request.start()
    assert list(request.seats()) == ["bao"]
    org.absent = {"bao/leave": "dan"}
    request = drive(org, approve("lead", users("bao")))
    request.start()
    assert list(request.seats()) == ["dan"]


def test_the_votes_weight_is_that_of_the_absent_one(org):
    org.absent = {"bao": "dan"}
    decide = {"mode": "vote", "need": {"num": 1, "den": 2}, "weights": {"bao": 5}}
    request = drive(org, approve("lead", users("bao", "chi")) | {"decide": decide})
    request.start()
    assert request.seat("dan").weight == 5


def test_who_is_back_is_asked_the_next_time(org):
    org.absent = {"bao": "dan"}
    request = drive(org, approve("lead", users("bao")), approve("top", users("bao")))
    request.start()
    org.absent = {}
    request.approve("dan")
    assert list(request.seats()) == ["bao"]


def test_work_is_done_by_the_substitute(org):
    org.absent = {"bao": "dan"}
    request = drive(org, step("todo", "work", who=users("bao"), decide={"mode": "any"}))
    request.start()
    request.complete("dan")
    assert request.state.status.value == "approved"
