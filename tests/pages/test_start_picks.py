"""People picked for later steps: by the initiator when filing, by an approver when deciding."""

from __future__ import annotations

import pytest

from tests.builders import a_person
from tests.pages.reading import Page, decide_form
from tests.workflow.flows import a_document, approve_step, open_task, publish, rows, start
from workflow.models import Event, Instance, Task

pytestmark = pytest.mark.django_db


def picked(**members):
    return {"any_of": [{"by": "picked_at_start", **members}]}


def by_lead(**members):
    return {"any_of": [{"by": "picked_by", "step": "lead", **members}]}


def file_one(client, **fields):
    form = Page(client.get("/start/expense/")).form_with("version")
    return client.post("/start/expense/", {**form, "values-amount": "1", **fields})


def seen(text):
    """Who is offered on a page, of the people of the demo."""
    return {login for login in ("ann", "bao", "chi", "dan", "admin", "eve")
            if f'value="{login}"' in text}  # fmt: skip


def test_one_person_is_picked_of_everybody(client_of, ann, bao, now):
    publish(bao, a_document(approve_step("lead", who=picked())), now=now)
    client = client_of(ann)
    text = client.get("/start/expense/").content.decode()
    assert seen(text) == {"ann", "bao", "chi", "dan", "admin"}
    assert file_one(client, **{"picked-lead": "bao"}).status_code == 303
    assert open_task(bao).step == "lead"


def test_some_are_picked_of_a_few(client_of, ann, bao, chi, dan, now):
    few = {"any_of": [{"by": "user", "ids": ["chi", "dan", "bao"]}]}
    step = approve_step("lead", who=picked(**{"from": few, "min": 2, "max": 3}))
    publish(bao, a_document(step), now=now)
    client = client_of(ann)
    text = client.get("/start/expense/").content.decode()
    assert seen(text) == {"bao", "chi", "dan"}
    assert "Choose 2 to 3 people." in text
    assert file_one(client, **{"picked-lead": ["chi", "dan"]}).status_code == 303
    holders = Task.objects.filter(state="open").values_list("holder__login", flat=True)
    assert sorted(holders) == ["chi", "dan"]


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ([], "Choose the people of this step: at least 2."),
        (["chi"], "Too few people are chosen: at least 2."),
        (["chi", "ann"], "Somebody chosen here is not among those who may be chosen."),
        (["chi", "nobody"], "Somebody chosen here is not an active person"),
        (["chi", "eve"], "Somebody chosen here is not an active person"),
        (["chi", "a\x00b"], "There is no such active person."),
    ],
)
def test_wrong_picks_are_told_beside_the_step(client_of, ann, bao, now, sent, text):
    few = {"any_of": [{"by": "user", "ids": ["chi", "dan", "bao"]}]}
    step = approve_step("lead", who=picked(**{"from": few, "min": 2, "max": 3}))
    publish(bao, a_document(step), now=now)
    before = rows()
    answer = file_one(client_of(ann), **{"picked-lead": sent, "values-reason": "typed"})
    page = Page(answer)
    assert answer.status_code == 422
    assert text in page.text
    assert 'value="typed"' in page.text
    assert rows() == before


def test_people_for_a_step_that_is_not_asked_are_refused(client_of, ann, bao, now):
    steps = [approve_step("lead", who=picked()), approve_step("next", "dan")]
    publish(bao, a_document(*steps), now=now)
    before = rows()
    answer = file_one(client_of(ann), **{"picked-lead": "bao", "picked-next": "ann"})
    assert answer.status_code == 422
    assert "Nobody is to be chosen for this step now." in answer.content.decode()
    assert rows() == before


def test_wrong_values_and_wrong_picks_are_kept_together(client_of, ann, bao, now):
    publish(bao, a_document(approve_step("lead", who=picked())), now=now)
    answer = file_one(client_of(ann), **{"picked-lead": "chi", "values-amount": "much"})
    page = Page(answer)
    assert answer.status_code == 422
    assert '<option value="chi" selected>' in page.text


def test_an_approver_picks_for_the_next_step(client_of, ann, bao, chi, now):
    steps = [approve_step("lead", "bao"), approve_step("next", who=by_lead(max=2))]
    publish(bao, a_document(*steps), now=now)
    filed = start(ann, now=now)
    client, address = client_of(bao), f"/requests/{filed.pk}/"
    form = decide_form(client, address)
    assert 'name="picked-next"' in client.get(address).content.decode()
    before = rows()
    refused = client.post(address, {**form, "act": "approve", "comment": "typed"})
    assert refused.status_code == 422
    assert "Choose the people of this step: at least 1." in refused.content.decode()
    assert rows() == before
    rejected = {**form, "act": "approve", "picked-next": ["chi"]}
    assert client.post(address, rejected).status_code == 303
    assert open_task(chi).step == "next"
    assert "picked" in Event.objects.filter(instance=filed).values_list("kind", flat=True)


def test_whoever_rejects_picks_nobody(client_of, ann, bao, now):
    steps = [approve_step("lead", "bao"), approve_step("next", who=by_lead())]
    publish(bao, a_document(*steps), now=now)
    filed = start(ann, now=now)
    client, address = client_of(bao), f"/requests/{filed.pk}/"
    form = decide_form(client, address)
    assert client.post(address, {**form, "act": "reject"}).status_code == 303
    assert Instance.objects.get().state == "rejected"


def test_where_there_are_too_many_people_one_types_logins(client_of, ann, bao, chi, now):
    for number in range(200):
        a_person(ann.tenant, f"worker{number}")
    publish(bao, a_document(approve_step("lead", who=picked(max=2))), now=now)
    client = client_of(ann)
    text = client.get("/start/expense/").content.decode()
    assert "worker1" not in text
    assert file_one(client, **{"picked-lead": "bao, chi"}).status_code == 303
    holders = Task.objects.filter(state="open").values_list("holder__login", flat=True)
    assert sorted(holders) == ["bao", "chi"]
