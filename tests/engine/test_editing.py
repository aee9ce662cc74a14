"""What lies ahead of one request is edited: what may be, what becomes of it, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.engine.builders import Driven, a_field, approve, choice, drive, step, users
from tests.engine.test_blocks import block
from workflow.engine.commands import Migrate
from workflow.engine.editing import Edited, Wanted, edited
from workflow.engine.events import Migrated, StepEntered
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.future import editing_seats, future_of, marks, why_no_edit
from workflow.engine.migrating import plan_move
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen

if TYPE_CHECKING:
    from workflow.engine.decision import Definition

OLD, OWN = 11, 12
FLAG = {"edit_future": True}


def one(login: str, **members: Any) -> dict[str, Any]:
    return approve(f"by_{login}", users(login), **members)


def started(org: Any, *steps: dict[str, Any], **members: Any) -> Driven:
    request = drive(org, *steps, **members)
    request.start()
    return request


def insert(request: Driven, after: str, *logins: str, name: str = "Look", **more: Any) -> Wanted:
    ids = tuple(request.org.id(each) for each in logins)
    return Wanted("insert_approve", after=after, name=name, people=ids, **more)


def people(request: Driven, step_id: str, *logins: str) -> Wanted:
    ids = tuple(request.org.id(each) for each in logins)
    return Wanted("set_people", step=step_id, people=ids)


def edit(request: Driven, *wanted: Wanted, base: Definition | None = None, **more: Any) -> Edited:
    """Edit, and go on by the edited process; nothing that is open may have changed."""
    found = edited(
        request.definition, request.state, wanted, request.org,
        base=base or request.definition, **more,
    )  # fmt: skip
    plan = plan_move(request.definition, found.definition, request.state)
    assert {each.what for each in plan.fates} <= {"kept"}
    before = request.state.activations
    run = request.give(
        Migrate(
            definition=found.definition, old=OLD, new=OWN, old_number=1, new_number=1,
            comment="because", edits=found.record,
        )
    )  # fmt: skip
    assert [type(each) for each in run.events] == [Migrated]
    assert request.state.activations == before
    request.definition = found.definition
    return found


def refused(request: Driven, wanted: Wanted, code: str, at: str, **more: Any) -> None:
    before = request.state
    with pytest.raises(Invalid) as caught:
        edited(
            request.definition, request.state, [wanted], request.org,
            **({"base": request.definition} | more),
        )  # fmt: skip
    assert caught.value.code == "edit.invalid"
    assert [(each.code, each.at) for each in caught.value.findings] == [(code, f"/edits/0{at}")]
    assert request.state is before


def path(request: Driven) -> list[str]:
    return [each.step for each in request.of(StepEntered)]


# Steps put in ------------------------------------------------------------------------------------


def test_a_step_put_in_behind_the_open_one_comes_next(org) -> None:
    request = started(org, one("bao"), one("dan"))
    found = edit(request, insert(request, "by_bao", "chi", "pia", decide="all"))
    (record,) = found.record
    assert (record.step, record.after, record.decide) == ("added_1", "by_bao", "all")
    request.approve("bao")
    request.approve("chi")
    request.approve("pia")
    request.approve("dan")
    assert path(request) == ["by_bao", "added_1", "by_dan"]


def test_several_behind_one_step_keep_their_order(org) -> None:
    request = started(org, one("bao"), one("dan"))
    edit(request, *(insert(request, "by_bao", login) for login in ("chi", "pia")))
    for login in ("bao", "chi", "pia", "dan"):
        request.approve(login)
    assert path(request) == ["by_bao", "added_1", "added_2", "by_dan"]


def test_what_was_edited_is_kept_when_the_request_comes_by_again(org) -> None:
    """approvals.md 5, idea 13: kept through returns."""
    request = started(org, one("bao"), one("dan", acts={"return_to": "any"}))
    edit(request, insert(request, "by_bao", "chi"))
    request.approve("bao")
    request.approve("chi")
    request.send_back("dan", "by_bao")
    for login in ("bao", "chi", "dan"):
        request.approve(login)
    assert path(request) == ["by_bao", "added_1", "by_dan"] * 2


def test_with_the_initiator_a_step_is_put_in_at_the_beginning(org) -> None:
    request = started(org, one("bao", acts={"return_to": "any"}))
    request.send_back("bao", "start")
    edit(request, insert(request, "start", "chi"))
    request.complete("ann")
    assert request.at() == "added_1"


def test_inside_a_branch_the_step_stands_in_that_branch(org) -> None:
    request = started(org, block("p", [one("bao")], [one("chi")]), one("dan"))
    edit(request, insert(request, "by_bao", "pia"), insert(request, "p", "kim"))
    request.approve("bao")
    request.approve("chi")
    request.approve("pia")
    assert request.at() == "added_2"


def test_what_is_hidden_in_the_step_before_is_hidden_in_the_one_put_in(org) -> None:
    form = [a_field("a"), a_field("b")]
    rights = {"default": "edit", "set": {"b": "hide"}}
    request = started(org, one("bao", fields=rights), one("dan"), form=form)
    edit(request, insert(request, "by_bao", "chi"))
    assert dict(request.definition.rights_at("added_1")) == {"a": "read", "b": "hide"}


# Other people -----------------------------------------------------------------------------------


def test_other_people_are_asked_and_who_is_left_out_stays_out(org) -> None:
    out = {"by": "initiator"}
    request = started(org, one("bao"), approve("last", users("dan") | {"without": [out]}, "all"))
    edit(request, people(request, "last", "ann", "chi"))
    request.approve("bao")
    request.approve("chi")
    assert request.state.status == "approved"


def test_only_what_an_edit_put_in_is_taken_out_again(org) -> None:
    request = started(org, one("bao"), one("dan"))
    base = request.definition
    edit(request, insert(request, "by_bao", "chi"), insert(request, "by_dan", "pia"))
    assert marks(base, request.definition) == {"added_1": "added", "added_2": "added"}
    refused(request, Wanted("remove", step="by_dan"), "edit.designed", "/step", base=base)
    edit(request, Wanted("remove", step="added_1"), people(request, "by_dan", "kim"), base=base)
    assert marks(base, request.definition) == {"by_dan": "people", "added_2": "added"}
    request.approve("bao")
    assert request.at() == "by_dan"


# Refused ----------------------------------------------------------------------------------------


def test_what_was_passed_or_is_open_is_not_edited(org) -> None:
    request = started(org, one("bao"), one("chi"), one("dan"))
    request.approve("bao")
    refused(request, insert(request, "by_bao", "pia"), "edit.passed", "/after")
    refused(request, people(request, "by_bao", "pia"), "edit.passed", "/step")
    refused(request, people(request, "by_chi", "pia"), "edit.open", "/step")
    refused(request, insert(request, "start", "pia"), "edit.passed", "/after")
    refused(request, insert(request, "nowhere", "pia"), "edit.unknown_step", "/after")


def test_a_branch_that_was_not_taken_cannot_be_reached(org) -> None:
    always = {"initiator": "is", "ids": ["ann"]}
    ways = choice("c", (always, [one("bao"), one("chi")]), (None, [one("pia")]))
    request = started(org, ways, one("dan"))
    future = future_of(request.definition, request.state, request.definition)
    assert future.insert_after == ("by_bao", "by_chi", "by_dan")
    assert future.set_people == ("by_chi", "by_dan")
    refused(request, people(request, "by_pia", "kim"), "edit.passed", "/step")


def test_a_request_that_leads_straight_back_passes_over_what_lies_between(org) -> None:
    last = one("dan", acts={"return_to": "any"})
    request = started(org, one("bao"), one("chi"), last, one("pia"))
    request.approve("bao")
    request.approve("chi")
    request.send_back("dan", "by_bao", resume="here")
    future = future_of(request.definition, request.state, request.definition)
    assert future.insert_after == ("by_dan", "by_pia")
    refused(request, insert(request, "by_bao", "kim"), "edit.passed", "/after")


@pytest.mark.parametrize(
    ("wanted", "code", "at"),
    [
        (Wanted("insert_approve", after="by_bao", name=" ", people=(4,)), "edit.name", "/name"),
        (
            Wanted("insert_approve", after="by_bao", name="x" * 49, people=(4,)),
            "edit.name",
            "/name",
        ),
        (Wanted("insert_approve", after="by_bao", name="x"), "people.required", "/who"),
        (
            Wanted("insert_approve", after="by_bao", name="x", people=(4, 999)),
            "person.unknown",
            "/who/1",
        ),
        (Wanted("set_people", step="w", people=(4,)), "edit.asks_nobody", "/step"),
        (Wanted("insert_approve", after="f", name="x", people=(4,)), "edit.nothing_follows",
         "/after"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_where_it_stands(org, wanted, code, at) -> None:
    end = choice(
        "c", ({"initiator": "is", "ids": ["tom"]}, [step("f", "finish", result="rejected")]),
        (None, []),
    )  # fmt: skip
    wait = step("w", "delay", **{"for": "PT1H"})
    request = started(org, one("bao"), wait, end, one("dan"))
    refused(request, wanted, code, at)


def test_whoever_was_let_off_because_of_a_step_has_to_be_asked_there(org) -> None:
    request = started(org, one("bao"), one("dan"))
    relied_on = frozenset({"by_dan"})
    refused(
        request, people(request, "by_dan", "kim"), "edit.relied_on", "/step", relied_on=relied_on
    )


def test_an_edit_may_not_make_the_process_invalid(org) -> None:
    """by_dan picks the people of a step that asks nobody else any more."""
    picked = approve("last", {"any_of": [{"by": "picked_by", "step": "by_dan"}]})
    request = started(org, one("bao"), one("dan"), picked)
    edit(request, people(request, "last", "chi"))
    for login in ("bao", "dan", "chi"):
        request.approve(login)
    assert request.state.status == "approved"


# Who may ----------------------------------------------------------------------------------------


def test_managers_and_holders_of_a_step_that_lets_them(org) -> None:
    request = started(org, one("bao", acts=FLAG | {"delegate": True}), one("dan"))

    def why(login: str, *, manager: bool = False) -> object:
        return why_no_edit(request.definition, request.state, org.id(login), manager=manager)

    assert why("bao") is None
    assert why("kim", manager=True) is None
    assert isinstance(why("dan"), NotAllowed)
    request.delegate("bao", "chi")
    assert isinstance(why("chi"), NotAllowed)
    assert editing_seats(request.definition, request.state, org.id("bao")) == ()
    request.hand_back("chi", "fine")
    request.approve("bao")
    assert isinstance(why("bao"), NotAllowed)
    request.approve("dan")
    assert isinstance(why("kim", manager=True), NotOpen)


def test_every_step_that_asks_people_ahead_is_a_human_one(org) -> None:
    copy = step("c", "copy", who=users("kim"))
    request = started(org, one("bao"), copy, one("dan"))
    edit(request, people(request, "c", "pia"))
    assert not isinstance(request.definition.plan.steps["c"].step, HumanStep)
    assert marks(request.definition, request.definition) == {}


def test_a_choice_that_still_asks_its_rules_leads_into_its_branches(org) -> None:
    org.rules = {"app/chain": 1}
    asks = {"rule": "app/chain", "version": 1, "is": True}
    ways = choice("c", (asks, [one("chi")]), (None, [one("pia")]))
    request = started(org, one("bao"), ways, one("dan"))
    request.approve("bao")
    assert request.at() == "c"
    future = future_of(request.definition, request.state, request.definition)
    assert future.set_people == ("by_chi", "by_pia", "by_dan")
    edit(request, insert(request, "by_chi", "kim"), insert(request, "c", "tom"))
    assert request.at() == "c"
