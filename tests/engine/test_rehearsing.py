"""Past requests replayed through another version of their process, and where the two part."""

from __future__ import annotations

from hypothesis import HealthCheck, event, given, settings

from tests.engine.builders import NOW, a_field, approve, choice, define, drive, step, users
from tests.engine.histories import WISHES, live, organisations, processes
from workflow.engine.evolve import fold
from workflow.engine.past_inputs import inputs_of
from workflow.engine.rehearsing import rehearse
from workflow.engine.state import InstanceState

AMOUNT = a_field("amount", "amount")
MUCH = {"field": "amount", "op": "gt", "value": "100"}
FORM = [AMOUNT, a_field("note", "text")]


def through(driven, *steps, form=FORM, **members):
    """What another version makes of this request."""
    candidate = define(*steps, form=form, **members)
    return rehearse(candidate, inputs_of(driven.events), driven.org, NOW)


def a_request(org, *steps, amount="500", **members):
    driven = drive(org, *steps, form=FORM, **members)
    driven.start("ann", amount=amount)
    return driven


def big_or_small(limit="100"):
    when = {"field": "amount", "op": "gt", "value": limit}
    return choice("size", (when, [approve("dan", users("dan"))]), (None, []))


# The four outcomes.


def test_the_same_document_does_the_same(org):
    steps = (approve("lead", users("bao")), big_or_small())
    driven = a_request(org, *steps)
    driven.approve("bao")
    driven.approve("dan")
    found = through(driven, *steps)
    assert (found.comparison, found.trace.result) == ("same", "approved")
    assert found.trace.branches == ("size/way_0",)


def test_another_limit_is_another_path(org):
    driven = a_request(org, approve("lead", users("bao")), big_or_small())
    driven.approve("bao")
    driven.approve("dan")
    found = through(driven, approve("lead", users("bao")), big_or_small("1000"))
    assert (found.comparison, found.step) == ("other_path", "dan")
    assert found.trace.path == ("lead",)


def test_other_people_in_the_same_step(org):
    driven = a_request(org, approve("lead", users("bao")))
    driven.approve("bao")
    found = through(driven, approve("lead", users("bao", "dan"), "all"))
    assert (found.comparison, found.step) == ("other_people", "lead")
    assert found.trace.result == "approved"


def test_nobody_in_the_new_version_cannot_be_decided(org):
    driven = a_request(org, approve("lead", users("bao")))
    driven.approve("bao")
    found = through(driven, approve("lead", users("ghost")))
    assert (found.comparison, found.step, found.code) == ("cannot_decide", "lead", "people.nobody")


def test_a_field_that_only_the_new_version_needs(org):
    driven = a_request(org, approve("lead", users("bao")))
    driven.approve("bao")
    form = [AMOUNT, a_field("centre", required=True)]
    found = through(driven, approve("lead", users("bao")), form=form)
    assert (found.comparison, found.code, found.about) == (
        "cannot_decide",
        "form.invalid",
        "centre",
    )


# What the past brought in.


def test_a_step_that_the_past_never_had_is_approved(org):
    driven = a_request(org, approve("lead", users("bao")))
    driven.approve("bao")
    found = through(driven, approve("first", users("dan")), approve("lead", users("bao")))
    assert found.comparison == "other_path"
    assert found.trace.path == ("first", "lead")
    assert found.trace.result == "approved"


def test_a_rejection_stays_one(org):
    driven = a_request(org, approve("lead", users("bao")), approve("next", users("dan")))
    driven.reject("bao", "no")
    same = through(driven, approve("lead", users("bao")), approve("next", users("dan")))
    assert (same.comparison, same.trace.result) == ("same", "rejected")


def test_a_request_that_still_waits_is_compared_as_far_as_it_has_come(org):
    steps = (approve("lead", users("bao")), approve("next", users("dan")))
    driven = a_request(org, *steps)
    driven.approve("bao")
    found = through(driven, *steps)
    assert (found.comparison, found.trace.path) == ("same", ("lead", "next"))
    assert found.trace.result == ""


def test_a_request_that_was_ended_by_a_person_too(org):
    steps = (approve("lead", users("bao")), approve("next", users("dan")))
    driven = a_request(org, *steps)
    driven.approve("bao")
    driven.terminate()
    assert through(driven, *steps).comparison == "same"


def test_returns_and_what_was_changed_are_walked_again(org):
    lead = approve("lead", users("bao"), acts={"return_to": "any"})
    driven = a_request(org, lead, big_or_small())
    driven.send_back("bao", "start", comment="too much")
    driven.complete("ann", amount="50")
    driven.approve("bao")
    assert driven.state.status is InstanceState.APPROVED
    found = through(driven, lead, big_or_small())
    assert (found.comparison, found.trace.path) == ("same", ("lead", "start", "lead"))
    found = through(driven, lead, big_or_small("10"))
    assert (found.comparison, found.step) == ("other_path", "dan")
    # Where the new version allows no return, the past cannot be repeated.
    found = through(driven, approve("lead", users("bao")), big_or_small())
    assert (found.comparison, found.code, found.step) == (
        "cannot_decide",
        "act.switched_off",
        "lead",
    )


def test_parallel_branches_interleave_by_chance(org):
    """The order in which people of different branches decide is no other path."""
    block = step(
        "both",
        "parallel",
        join="all",
        branches=[
            {
                "id": f"way_{who}",
                "name": who,
                "steps": [approve(f"a_{who}", users(who)), approve(f"b_{who}", users(who))],
            }
            for who in ("bao", "dan")
        ],
    )
    driven = a_request(org, block, approve("last", users("kim")))
    for who in ("dan", "bao", "bao", "dan", "kim"):
        driven.approve(who)
    found = through(driven, block, approve("last", users("kim")))
    assert found.comparison == "same"
    assert found.trace.path == ("both", "a_bao", "b_bao", "a_dan", "b_dan", "last")
    assert through(driven, block).comparison == "other_path"


def test_a_comment_that_only_the_new_version_wants_is_no_obstacle(org):
    driven = a_request(org, approve("lead", users("bao")))
    driven.approve("bao")
    must = {"comment": "must", "signature": "must", "files": "must"}
    assert through(driven, approve("lead", users("bao"), evidence=must)).comparison == "same"


def test_a_step_that_asks_outside_gets_the_answer_of_the_past_or_none(org):
    ask = step("ask", "http", method="GET", url="https://example.com/rate")
    driven = a_request(org, approve("lead", users("bao")))
    driven.approve("bao")
    found = through(driven, approve("lead", users("bao")), ask)
    assert (found.comparison, found.code, found.step) == ("cannot_decide", "asks_outside", "ask")


def test_a_request_that_a_manager_moved_cannot_be_repeated(org):
    from workflow.engine.commands import Jump  # noqa: PLC0415 - used once

    steps = (approve("lead", users("bao")), approve("next", users("dan")))
    driven = a_request(org, *steps)
    driven.give(Jump("next", org.id("kim"), "hurry"))
    found = through(driven, *steps)
    assert (found.comparison, found.code) == ("cannot_decide", "jumped")


def test_somebody_a_manager_named_is_named_again(org):
    steps = (approve("lead", users("ghost")), approve("next", users("dan")))
    driven = a_request(org, *steps)
    driven.name("bao")
    driven.approve("bao")
    driven.approve("dan")
    assert through(driven, *steps).comparison == "same"


def test_whatever_the_form_no_longer_has_is_left_out(org):
    driven = a_request(org, approve("lead", users("bao")))
    driven.approve("bao")
    assert through(driven, approve("lead", users("bao")), form=[a_field("other")]).comparison == (
        "same"
    )


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)
@given(processes(), organisations(), WISHES)
def test_any_past_through_any_version_gives_an_answer(definition, org, wishes):
    """Nothing raises, nothing of the past is touched, and the answer is always the same."""
    life = live(definition, org, wishes)
    if life.state is None:
        return
    before = list(life.events)
    past = inputs_of(life.events)
    found = rehearse(definition, past, org, NOW)
    event(found.comparison)
    assert rehearse(definition, inputs_of(life.events), org, NOW) == found
    assert life.events == before
    assert fold(life.events) == life.state
    assert found.comparison != "cannot_decide" or found.code
