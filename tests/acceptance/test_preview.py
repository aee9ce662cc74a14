"""Acceptance tests 69, 70 and 77: the way ahead, with what nobody can know yet."""

from __future__ import annotations

from typing import Any

import pytest

from tests.acceptance.acting import approve, block, filed, human, open_now
from tests.api.caller import nothing_written
from tests.outbound.receivers import network_calls
from tests.workflow import flows
from workflow.models import Event, Task

PATH = "flows/expense/preview"
TELL = {
    "id": "tell",
    "kind": "copy",
    "name": "Tell",
    "who": {"any_of": [{"by": "user", "ids": ["chi"]}]},
}


def sizes(*big: dict[str, Any], small: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """A choice by the amount."""
    when = {"field": "amount", "op": "gt", "value": "10000"}
    return {"id": "size", "kind": "choice", "name": "Size", "branches": [
        {"id": "big", "name": "Big", "when": when, "steps": list(big)},
        {"id": "small", "name": "Small", "otherwise": True, "steps": list(small)},
    ]}  # fmt: skip


@pytest.fixture
def preview(api):
    """Ask where a request would go: nothing is written, and nobody outside is asked."""

    def ask(user, **body) -> dict[str, Any]:
        with nothing_written(), network_calls() as calls:
            answer = api(user).post(PATH, body, key=None)
        assert calls == []
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    return ask


def flat(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All steps with those inside branches that are or may be taken, in order."""
    found = []
    for each in steps:
        found.append(each)
        for branch in each["branches"]:
            if branch["taken"] is not False:
                found += flat(branch["steps"])
    return found


def asked(found: dict[str, Any]) -> dict[str, list[str]]:
    """The logins of each step that people are asked or told in."""
    return {
        each["step"]["id"]: [one["person"]["login"] for one in each["people"]]
        for each in flat(found["steps"])
        if each["people"]
    }


@pytest.mark.parametrize(
    ("amount", "people"),
    [
        ("12000", {"lead": ["bao"], "board": ["dan"], "tell": ["chi"]}),
        ("12", {"lead": ["bao"], "tell": ["chi"]}),
    ],
)
def test_n69_the_preview_goes_through_branches_and_lists_readers(
    ann, preview, later, amount, people
) -> None:
    """With the form filled in it shows the way that is then taken, and who gets a copy of it."""
    steps = human("lead", "bao"), sizes(human("board", "dan")), TELL
    flows.publish(ann, flows.a_document(*steps), now=later())
    found = preview(ann, form={"amount": amount})
    assert asked(found) == people
    assert all(each["sure"] for each in flat(found["steps"]))


@pytest.mark.parametrize("amount", ["12000", "12"])
def test_n69_what_is_foreseen_is_what_happens(
    ann, bao, chi, dan, fay, preview, later, amount
) -> None:
    """Filled in completely: driven to its end, the request asks these people in these steps."""
    ways = block("p", [human("left", "chi", "dan", mode="all")], [human("right", "fay")])
    steps = human("lead", "bao"), sizes(ways, human("last", "dan")), human("end_of_it", "fay")
    flows.publish(ann, flows.a_document(*steps), now=later())
    foreseen = asked(preview(ann, form={"amount": amount}))
    instance = flows.start(ann, now=later(), amount=amount)
    people = {"bao": bao, "chi": chi, "dan": dan, "fay": fay}
    while waiting := open_now(instance):
        approve(people[next(iter(waiting))], instance, now=later())
    happened: dict[str, list[str]] = {}
    for step, login in (
        Task.objects.filter(instance=instance).order_by("pk").values_list("step", "holder__login")
    ):
        happened.setdefault(step, []).append(login)
    assert foreseen == happened


@pytest.mark.parametrize("form", [{}, {"reason": "Train"}, {"amount": "not a number"}])
def test_n70_before_the_form_is_complete_it_says_what_the_way_depends_on(
    ann, preview, later, form
) -> None:
    """Both branches are shown with the field that decides between them; never an error."""
    steps = human("lead", "bao"), sizes(human("board", "dan"), small=(human("desk", "chi"),))
    flows.publish(ann, flows.a_document(*steps), now=later())
    found = preview(ann, form=form)
    [size] = [each for each in found["steps"] if each["step"]["id"] == "size"]
    big, small = size["branches"]
    assert (big["taken"], small["taken"]) == (None, None)
    assert [each["args"]["field"] for each in big["depends_on"]] == ["amount"]
    assert asked(found) == {"lead": ["bao"], "board": ["dan"], "desk": ["chi"]}
    assert not any(each["sure"] for each in flat(found["steps"]) if each["step"]["id"] == "board")


def test_n70_people_from_a_field_or_a_choice_are_unknown_until_then(ann, preview, later) -> None:
    """Who is picked when filing, and who decides earlier, is told as not known yet."""
    picked = human("picked", who={"any_of": [{"by": "picked_at_start", "min": 1, "max": 2}]})
    again = human("again", who={"any_of": [{"by": "deciders_of", "step": "lead"}]})
    flows.publish(ann, flows.a_document(human("lead", "bao"), picked, again), now=later())
    found = {each["step"]["id"]: each for each in preview(ann, form={"amount": "1"})["steps"]}
    assert found["picked"]["unknown"]
    assert found["picked"]["people"] == []
    assert found["lead"]["unknown"] == []
    known = preview(ann, form={"amount": "1"}, picked={"picked": ["chi"]})
    assert asked(known)["picked"] == ["chi"]


def test_n77_a_dry_run_writes_nothing_and_sends_nothing(ann, bao, preview, later) -> None:
    """Of a process with a request to another system and a copy: no row and no connection."""
    call = {"id": "call", "kind": "http", "name": "Call", "method": "POST",
            "url": "https://example.com/x", "mode": "need_2xx"}  # fmt: skip
    instance = filed(ann, human("lead", "bao"), call, TELL, now=later())
    events = Event.objects.count()
    found = preview(ann, form={"amount": "1"})
    assert [each["step"]["id"] for each in found["steps"]] == ["lead", "call", "tell"]
    assert Event.objects.count() == events
    assert open_now(instance) == {"bao": "lead"}
