"""What is offered is what is accepted, for everybody; and a repeated act is done once."""

from __future__ import annotations

import pytest
from django.db import transaction

from tests.api import situations
from tests.api.caller import nothing_written
from tests.api.test_operations import address
from tests.builders import a_person
from workflow.engine.offers import VERBS
from workflow.models import Task

SITUATIONS = (
    "approve", "complete", "claim", "release", "hand-back", "remove-signer", "take-back",
    "resubmit", "resume",
)  # fmt: skip


@pytest.mark.parametrize("situation", SITUATIONS)
def test_exactly_what_is_offered_is_accepted(api, people, now, situation):
    """Tests 44 and 72: every verb, every task of a request, everybody who may know of it."""
    found = situations.make(situation, people, now)
    tasks = list(Task.objects.filter(instance=found.instance).order_by("pk"))
    for person in (people[login] for login in ("ann", "bao", "chi", "fay", "gus", "dan")):
        caller = api(person)
        for task in tasks:
            answer = caller.get(f"tasks/{task.pk}/")
            if answer.status_code == 404:
                continue
            _compare(caller, task, answer.json(), person.login)


def _compare(caller, task, detail, login):
    offered = {each["verb"]: each for each in detail["offers"]}
    assert tuple(offered) == VERBS
    assert detail["actions"] == [verb for verb in VERBS if offered[verb]["allowed"]]
    for verb in VERBS:
        with transaction.atomic():
            answer = caller.post(address(task, verb), _body(verb, task, offered[verb]))
            transaction.set_rollback(True)
        accepted = answer.status_code == 200
        assert accepted is offered[verb]["allowed"], (login, task.pk, verb, answer.content)
        if not accepted:
            assert answer.status_code in {403, 409}, (login, verb, answer.content)


def _body(verb, task, offer):
    """A body that only the state of things can refuse."""
    version = {"task_version": task.version, "comment": "Because"}
    choice = next(iter(offer["choices"]), "")
    return {
        "comment": {"comment": "Hm."},
        "return": version | {"to": choice or "start"},
        "transfer": version | {"to": "ida"},
        "delegate": version | {"to": "ida"},
        "add-signer": version | {"people": ["ida"], "place": choice or "with"},
        "remove-signer": {"task": choice or str(task.pk)},
        "copy": version | {"people": ["ida"]},
        "take-back": {"comment": "Wrong"},
        "snooze": version | {"until": None},
    }.get(verb, version)


@pytest.fixture(autouse=True)
def _ida(demo_tenant):
    """Somebody who has no part in anything and may get one in everything."""
    return a_person(demo_tenant, "ida", name="Ida Moss")


def test_the_lists_offer_what_the_detail_offers(api, people, now):
    for situation in ("remove-signer", "take-back", "release"):
        situations.make(situation, people, now)
    for person in people.values():
        for box in ("todo", "done", "copied"):
            for row in api(person).read(f"tasks/?box={box}")["results"]:
                detail = api(person).read(f"tasks/{row['id']}/")
                assert row["actions"] == detail["actions"], (person.login, box)


def test_nothing_is_written_by_reading(api, people, now):
    """Whether a decision can be taken back is found by trying; nothing of that stays."""
    found = situations.make("take-back", people, now)
    with nothing_written():
        assert "take-back" in api(people["chi"]).read(f"tasks/{found.task.pk}/")["actions"]
        api(people["chi"]).read("tasks/?box=done")


# Keys -----------------------------------------------------------------------------------------

ON_REQUESTS = {
    "withdraw": "ann",
    "resubmit": "ann",
    "suspend": "bao",
    "resume": "bao",
    "jump": "bao",
}


@pytest.mark.parametrize("verb", [*VERBS, *ON_REQUESTS])
def test_a_repeated_act_gets_its_first_answer(api, people, now, verb):
    """Also where the first call has taken the task, or the right to it, away from the caller."""
    found = situations.make(verb, people, now)
    caller = api(people[ON_REQUESTS.get(verb, "chi")])
    body = situations.body(verb, found)
    path = address(found.task, verb)
    if verb in ON_REQUESTS:
        path = f"instances/{found.instance.pk}/actions/{verb}"
    first = caller.post(path, body, key="once")
    assert first.status_code == 200, first.content
    with nothing_written():
        again = caller.post(path, body, key="once")
    assert (again.status_code, again.content) == (200, first.content)
    assert again["Idempotency-Replayed"] == "true"
    assert again.get("ETag") == first.get("ETag")
