"""Acceptance tests 41 to 44: a decision is taken back, and what is offered afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from tests.acceptance.acting import (
    ALL_ACTS,
    approve,
    filed,
    fresh,
    human,
    in_box,
    open_now,
    task_of,
)
from tests.engine import builders
from tests.engine.builders import drive, users
from tests.engine.test_blocks import one
from tests.engine.test_going_back import holders
from tests.engine.test_taking_back import ON, taking_back
from workflow.actions import administration
from workflow.engine.offers import VERBS
from workflow.engine.rejections import NotOpen

if TYPE_CHECKING:
    from workflow.models import Task

TAKE_BACK: dict[str, Any] = {"policy": {"take_back": {"on": True}}}


def path(task: Task, verb: str) -> str:
    return f"tasks/{task.pk}/actions/{verb}"


def test_n41_a_decision_is_taken_back_until_the_next_has_acted(
    ann, bao, chi, dan, api, later
) -> None:
    """While the next one has not decided, my decision can be undone; afterwards it stands."""
    steps = human("lead", "bao"), human("next", "chi"), human("last", "dan")
    instance = filed(ann, *steps, now=later(), **TAKE_BACK)
    decided = approve(bao, instance, now=later())
    answer = api(bao).post(path(decided, "take-back"), {"comment": "too fast"})
    assert answer.status_code == 200, answer.content
    assert answer.json()["task"]["state"] == "taken_back"
    assert open_now(instance) == {"bao": "lead"}
    assert in_box(chi) == []
    again = approve(bao, instance, now=later())
    approve(chi, instance, now=later())
    api(bao).refused(path(again, "take-back"), 409, "take_back.decided", {"comment": "too late"})
    assert open_now(instance) == {"dan": "last"}


def test_n41_one_of_several_who_are_next_has_acted_when_he_decided(org) -> None:
    """The next step waits for others still, but the first of them has decided: too late."""
    team = builders.approve("team", users("chi", "dan"), "all", acts={"delegate": True})
    request = drive(org, one("bao"), team, one("kim"), **ON)
    request.start()
    request.approve("bao")
    request.delegate("dan", "tom")
    request.give(taking_back(request, "bao"))
    assert holders(request) == ["bao"], "handing on is no decision"
    request.approve("bao")
    request.approve("chi")
    request.refused(taking_back(request, "bao"), NotOpen, "take_back.decided")
    assert holders(request) == ["dan"]


def test_n42_in_a_countersign_only_my_seat_opens_again(org) -> None:
    """Whoever of several takes back is asked again; the others' decisions stay as they are."""
    request = drive(
        org, builders.approve("team", users("bao", "chi", "dan"), "all"), one("kim"), **ON
    )
    request.start()
    request.approve("chi")
    request.approve("bao")
    request.approve("dan")
    assert holders(request) == ["kim"]
    request.give(taking_back(request, "dan"))
    assert holders(request) == ["dan"]
    assert {"bao": "approved", "chi": "approved", "dan": "open"}.items() <= request.seats().items()
    request.approve("dan")
    assert holders(request) == ["kim"]


def test_n43_moved_to_the_end_by_an_administrator_it_stays_there(
    ann, bao, chi, admin, api, later
) -> None:
    """An earlier approver cannot pull a request back that was moved on by hand."""
    steps = human("lead", "bao"), human("next", "chi"), human("last", "chi")
    instance = filed(ann, *steps, now=later(), **TAKE_BACK)
    decided = approve(bao, instance, now=later())
    administration.jump(instance=instance, to="last", user=admin, reason="urgent", now=later())
    api(bao).refused(path(decided, "take-back"), 409, "take_back.moved", {"comment": "no"})
    administration.jump(instance=instance, to="end", user=admin, reason="enough", now=later())
    api(bao).refused(path(decided, "take-back"), 409, "instance.not_running", {"comment": "no"})
    assert fresh(instance).state == "approved"


def good_bodies(task: Task) -> dict[str, dict[str, Any]]:
    """For each verb a body with which nothing but the verb itself can be refused."""
    version = {"task_version": task.version}
    return dict.fromkeys(VERBS, version) | {
        "return": version | {"to": "start"},
        "transfer": version | {"to": "gus"},
        "delegate": version | {"to": "gus"},
        "add-signer": version | {"people": ["gus"], "place": "with"},
        "remove-signer": {"task": str(task.pk)},
        "copy": version | {"people": ["gus"]},
        "comment": {"comment": "hm"},
        "take-back": {"comment": "wrong"},
        "snooze": version | {"until": None},
        "ask-substitute": version | {"comment": "away"},
    }


def accepted(caller, task: Task) -> set[str]:
    """The verbs that the API takes for this task; each is undone again."""
    found = set()
    for verb, body in good_bodies(task).items():
        with transaction.atomic():
            answer = caller.post(path(task, verb), body)
            if answer.status_code == 200:
                found.add(verb)
            transaction.set_rollback(True)
    return found


def test_n44_after_a_take_back_exactly_what_is_offered_is_accepted(
    ann, bao, chi, gus, api, later
) -> None:
    """Each verb that the answer names works, each that it does not name is refused."""
    steps = human("lead", "bao", acts=ALL_ACTS | {"send_copy": False}), human("next", "chi")
    instance = filed(ann, *steps, now=later(), **TAKE_BACK)
    decided = approve(bao, instance, now=later())
    detail = api(bao).read(f"tasks/{decided.pk}/")
    assert set(detail["actions"]) == accepted(api(bao), decided) == {"comment", "take-back"}
    assert api(bao).post(path(decided, "take-back"), {"comment": "oh"}).status_code == 200
    opened = task_of(bao, instance)
    offered = set(api(bao).read(f"tasks/{opened.pk}/")["actions"])
    assert offered == accepted(api(bao), opened)
    assert {"approve", "reject", "return", "transfer", "add-signer"} <= offered
    assert "copy" not in offered, "it is switched off here"
    decided.refresh_from_db()
    old = set(api(bao).read(f"tasks/{decided.pk}/")["actions"])
    assert old == accepted(api(bao), decided) == {"comment"}
