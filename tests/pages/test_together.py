"""Deciding several tasks of the inbox at once: asked first, each by itself, told one by one."""

from __future__ import annotations

import pytest

from tests.pages.reading import HTMX, Page
from tests.workflow.flows import a_document, approve, approve_step, everything, publish, start
from workflow.models import Instance, Task

pytestmark = pytest.mark.django_db


@pytest.fixture
def three(ann, bao, now):
    publish(bao, a_document(approve_step("lead", "bao", "chi"), title="Desk {number}"), now=now)
    return [start(ann, now=now) for _each in range(3)]


def chosen(user, *instances):
    rows = Task.objects.filter(holder=user.pk, instance__in=instances).order_by("pk")
    return [f"{task.pk}:{task.version}" for task in rows]


def ask(client, tasks, act="approve", **more):
    return client.post(
        "/inbox/together/", {"task": tasks, "act": f"ask:{act}", "back": ""} | more, headers=HTMX
    )


def decide(client, tasks, act="approve", headers=HTMX, **more):
    data = {"task": tasks, "act": act, "back": "", "idempotency_key": "k1"} | more
    return client.post("/inbox/together/", data, headers=headers)


def states():
    return list(Instance.objects.order_by("pk").values_list("state", flat=True))


def test_the_dialog_lists_what_goes_along_and_writes_nothing(client_of, three, bao):
    before = everything()
    text = ask(client_of(bao), chosen(bao, *three)).content.decode()
    assert "Approve 3 requests" in text
    assert text.count('name="task"') == 3
    assert everything() == before


def test_one_reason_goes_to_each_and_the_rest_of_the_list_stays(client_of, three, ann, bao):
    client = client_of(bao)
    answer = decide(client, chosen(bao, *three[:2]), comment="as agreed", back="flow=expense")
    page = Page(answer)
    assert "2 approved" in page.text
    assert three[2].title in page.text
    for instance in three[:2]:  # gone from the list, and named with a link in what became of them
        [link] = [each for each in page.links if f"/requests/{instance.pk}/" in (each or "")]
        assert link is not None
        assert "task=" in link
        assert page.text.count(instance.title) == 1
    assert states() == ["approved", "approved", "running"]
    for instance in three[:2]:
        text = client_of(ann).get(f"/requests/{instance.pk}/").content.decode()
        assert "as agreed" in text


def test_whoever_was_faster_is_named_and_the_failed_row_is_told(client_of, three, bao, chi, now):
    tasks = chosen(bao, *three)
    approve(chi, now=now)  # the newest
    page = Page(decide(client_of(bao), tasks))
    assert "2 approved · 1 not decided" in page.text
    assert "Approved by Chi Wang" in page.text
    assert states() == ["approved"] * 3


def test_what_failed_stays_chosen(client_of, ann, bao, now):
    step = approve_step("lead", "bao", evidence={"comment": "must"})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)
    before = everything()
    page = Page(decide(client_of(bao), chosen(bao, filed)))
    assert "0 approved · 1 not decided" in page.text
    assert "checked" in page.forms[-1]["fields"]["task"]
    assert everything() == before


def test_the_same_key_decides_once(client_of, three, ann, bao, now):
    client, tasks = client_of(bao), chosen(bao, three[0])
    decide(client, tasks)
    version = Instance.objects.get(pk=three[0].pk).position
    assert "1 approved" in decide(client, tasks).content.decode()
    assert Instance.objects.get(pk=three[0].pk).position == version


def test_a_row_that_cannot_go_along_says_why_and_is_left(client_of, ann, bao, now):
    publish(bao, a_document(approve_step("lead", "bao")), now=now)
    easy = start(ann, now=now)
    hard_step = approve_step("lead", "bao", evidence={"files": "must"})
    publish(bao, a_document(hard_step, key="hard"), now=now)
    hard = start(ann, "hard", now=now)
    text = ask(client_of(bao), chosen(bao, easy, hard)).content.decode()
    assert "Approve 1 request" in text
    assert "1 does not go along:" in text
    assert "This one needs a signature or files; open it." in text
    page = Page(decide(client_of(bao), chosen(bao, easy, hard)))
    assert "1 approved · 1 not decided" in page.text
    assert Instance.objects.get(pk=hard.pk).state == "running"


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"act": "cancel"}, 400),
        ({"task": ["1"]}, 400),
        ({"task": ["x:1"]}, 404),
        ({"back": "due=late"}, 400),
        ({"idempotency_key": ""}, 400),
        ({"comment": "\x00"}, 400),
    ],
)
def test_a_form_that_was_bent_writes_nothing(client_of, three, bao, more, status):
    before = everything()
    client = client_of(bao)
    data = {"task": chosen(bao, three[0]), "act": "approve", "idempotency_key": "k", "back": ""}
    assert client.post("/inbox/together/", data | more).status_code == status
    assert client.get("/inbox/together/").status_code == 405
    assert everything() == before


def test_nobody_decides_what_is_anothers(client_of, three, bao, dan, eve):
    before = everything()
    for person in (dan, eve):
        text = decide(client_of(person), chosen(bao, *three)).content.decode()
        assert "0 approved" in text
        assert three[0].title not in text
    assert everything() == before


def test_more_than_fifty_are_not_decided_together(client_of, ann, bao, now):
    publish(bao, a_document(approve_step("lead", "bao")), now=now)
    filed = [start(ann, now=now) for _each in range(51)]
    client, tasks = client_of(bao), chosen(bao, *filed)
    assert "At most 50 requests" in ask(client, tasks).content.decode()
    assert decide(client, tasks).status_code == 422
    assert set(states()) == {"running"}


def test_without_a_script_it_is_asked_on_the_page_and_told_on_the_next(client_of, three, bao):
    client = client_of(bao)
    data = {"task": chosen(bao, three[0]), "act": "ask:reject", "back": ""}
    page = Page(client.post("/inbox/together/", data))
    assert "Reject 1 request" in page.text
    answer = decide(client, chosen(bao, three[0]), "reject", headers={}, comment="no")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/inbox/")
    told = Page(client.get("/inbox/"))
    assert "1 rejected" in told.text
    assert any(f"/requests/{three[0].pk}/" in (link or "") for link in told.links)
    assert states() == ["rejected", "running", "running"]
