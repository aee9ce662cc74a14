"""Filing a request on a page: the catalogue, the form, and one request for one form."""

from __future__ import annotations

import pytest

from tests.builders import a_role
from tests.pages.reading import HTMX, Page
from tests.workflow.flows import FORM, a_document, approve_step, big_and_small, publish, rows
from workflow.models import Definition, Instance

pytestmark = pytest.mark.django_db

VALUES = {"values-amount": "12000", "values-reason": "A <b>desk</b>"}


@pytest.fixture
def expense(bao, now):
    return publish(bao, big_and_small(), now=now)


def form_of(client, key="expense"):
    return Page(client.get(f"/start/{key}/")).form_with("version")


def file_one(client, headers=None, **values):
    return client.post("/start/expense/", form_of(client) | VALUES | values, headers=headers)


# The catalogue ----------------------------------------------------------------------------------


def test_the_catalogue_shows_what_this_person_may_start(client_of, expense, ann, bao, eve, now):
    only_bao = {"who": {"any_of": [{"by": "user", "ids": ["bao"]}]}}
    publish(bao, a_document(key="secret_plan", name="Plan <X>", start=only_bao), FORM, now=now)
    mine, his = Page(client_of(ann).get("/start/")), Page(client_of(bao).get("/start/"))
    assert "/start/expense/" in mine.links
    assert "/start/secret_plan/" not in mine.links
    assert "Plan" not in mine.text
    assert "/start/secret_plan/" in his.links
    assert "Plan &lt;X&gt;" in his.text
    strange = Page(client_of(eve).get("/start/"))
    assert "/start/expense/" not in strange.links
    assert "There is nothing that you may start" in strange.text


def test_the_search(client_of, expense, ann):
    client = client_of(ann)
    assert "/start/expense/" in Page(client.get("/start/?q=EXP")).links
    nothing = Page(client.get("/start/?q=<zzz>", headers=HTMX))
    assert "/start/expense/" not in nothing.links
    assert "Nothing is called “&lt;zzz&gt;”" in nothing.text
    assert "/start/" in nothing.links
    assert client.get("/start/?q=" + "x" * 5000).status_code == 200


def test_a_suspended_process_is_greyed_and_cannot_be_started(client_of, expense, ann):
    form = form_of(client_of(ann))
    Definition.objects.update(state=Definition.State.SUSPENDED)
    page = Page(client_of(ann).get("/start/"))
    assert "/start/expense/" not in page.links
    assert "Accepts no new requests now" in page.text
    assert client_of(ann).get("/start/expense/").status_code == 409
    before = rows()
    answer = client_of(ann).post("/start/expense/", form | VALUES)
    assert answer.status_code == 409
    assert "This process accepts no new requests now." in answer.content.decode()
    assert "A &lt;b&gt;desk&lt;/b&gt;" in answer.content.decode()
    assert rows() == before


# The form ---------------------------------------------------------------------------------------


def test_the_form_has_one_control_for_each_field_that_may_be_filled_in(client_of, ann, bao, now):
    start = {"fields": {"set": {"secret": "hide", "reason": "read"}}}
    publish(bao, a_document(start=start), now=now)
    page = Page(client_of(ann).get("/start/expense/"))
    assert page.heading == "Expense"
    assert "values-amount" in page.text
    assert "values-reason" not in page.text
    assert "secret" not in page.text
    assert "Internal note" not in page.text


@pytest.mark.parametrize("headers", [None, HTMX])
def test_filing_leads_to_the_request(client_of, expense, ann, headers):
    client = client_of(ann)
    answer = file_one(client, headers)
    [filed] = Instance.objects.all()
    goal = answer.headers["HX-Redirect" if headers else "Location"]
    assert answer.status_code == (204 if headers else 303)
    assert goal == f"/requests/{filed.pk}/"
    assert filed.initiator_id == ann.pk
    page = Page(client.get(goal))
    assert "A &lt;b&gt;desk&lt;/b&gt;" in page.text
    assert "Bao Chen" in page.text


def test_two_clicks_file_one_request(client_of, expense, ann, bao, now):
    client = client_of(ann)
    form = form_of(client) | VALUES
    first = client.post("/start/expense/", form)
    second = client.post("/start/expense/", form)
    # Also when the process was published anew between the two.
    publish(bao, a_document(approve_step("other", "dan")), now=now)
    third = client.post("/start/expense/", form)
    assert {each.headers["Location"] for each in (first, second, third)} == {
        first.headers["Location"]
    }
    assert Instance.objects.count() == 1


@pytest.mark.parametrize("headers", [None, HTMX])
def test_wrong_values_are_422_and_stay_in_the_form(client_of, expense, ann, headers):
    before = rows()
    answer = file_one(client_of(ann), headers, **{"values-amount": "12,5x"})
    page = Page(answer)
    assert answer.status_code == 422
    assert 'value="12,5x"' in page.text
    assert "A &lt;b&gt;desk&lt;/b&gt;" in page.text
    assert "data-take-focus" in page.text
    assert "#id_values-amount" in page.links
    assert 'aria-invalid="true"' in page.text
    assert rows() == before


@pytest.mark.parametrize("value", ["a\x00b", "x" * 501])
def test_texts_that_no_database_takes_are_422(client_of, expense, ann, value):
    before = rows()
    assert file_one(client_of(ann), **{"values-reason": value}).status_code == 422
    assert rows() == before


@pytest.mark.parametrize("field", ["secret", "nothing"])
def test_a_field_that_was_not_offered_is_refused(client_of, ann, bao, now, field):
    publish(bao, a_document(start={"fields": {"set": {"secret": "hide"}}}), now=now)
    before = rows()
    answer = file_one(client_of(ann), **{f"values-{field}": "1"})
    assert answer.status_code == 422
    assert "There is no such field here." in answer.content.decode()
    assert "secret" not in answer.content.decode()
    assert rows() == before


def test_a_process_published_meanwhile_is_409_and_keeps_the_input(
    client_of, expense, ann, bao, now
):
    client = client_of(ann)
    form = form_of(client) | VALUES
    publish(bao, a_document(approve_step("other", "dan")), now=now)
    before = rows()
    answer = client.post("/start/expense/", form)
    page = Page(answer)
    assert answer.status_code == 409
    assert "was published anew" in page.text
    assert "A &lt;b&gt;desk&lt;/b&gt;" in page.text
    assert page.form_with("version")["version"] == "2"
    assert rows() == before


def test_nobody_to_decide_refuses_the_start(client_of, ann, bao, now):
    a_role(ann.tenant, "empty")
    step = approve_step(
        who={"any_of": [{"by": "role", "ids": ["empty"]}]}, on_empty={"do": "refuse_start"}
    )
    publish(bao, a_document(step), now=now)
    before = rows()
    answer = file_one(client_of(ann))
    assert answer.status_code == 422
    assert "Nobody was found who could decide this step." in answer.content.decode()
    assert "A &lt;b&gt;desk&lt;/b&gt;" in answer.content.decode()
    assert rows() == before


def test_a_process_without_a_form_is_submitted_as_it_is(client_of, ann, bao, now):
    document = a_document()
    del document["form"]
    publish(bao, document, None, now=now)
    client = client_of(ann)
    answer = client.post("/start/expense/", form_of(client))
    assert answer.status_code == 303
    assert Instance.objects.count() == 1


def test_who_may_not_start_it_is_told_so_and_strangers_know_nothing(client_of, ann, bao, eve, now):
    only_bao = {"who": {"any_of": [{"by": "user", "ids": ["bao"]}]}}
    publish(bao, a_document(start=only_bao), now=now)
    form = form_of(client_of(bao)) | VALUES
    before = rows()
    for person, status in ((ann, 403), (eve, 404)):
        assert client_of(person).get("/start/expense/").status_code == status
        assert client_of(person).post("/start/expense/", form).status_code == status
    assert client_of(bao).get("/start/nothing/").status_code == 404
    assert client_of(bao).get("/start/%F0%9F%92%A9/").status_code == 404
    assert rows() == before


def test_without_the_token_of_our_own_page_nothing_is_filed(client_of, expense, ann):
    form = form_of(client_of(ann)) | VALUES
    del form["csrfmiddlewaretoken"]
    before = rows()
    answer = client_of(ann, enforce_csrf_checks=True).post("/start/expense/", form)
    assert answer.status_code == 403
    assert rows() == before


@pytest.mark.parametrize("change", [{"version": ""}, {"version": "-1"}, {"idempotency_key": ""}])
def test_a_form_that_was_bent_is_400(client_of, expense, ann, change):
    form = form_of(client_of(ann)) | VALUES | change
    before = rows()
    assert client_of(ann).post("/start/expense/", form).status_code == 400
    assert rows() == before


def test_signed_out(client, expense):
    assert client.get("/start/").status_code == 302
    assert client.get("/start/expense/").status_code == 302
    assert client.post("/start/expense/", {}, headers=HTMX).status_code == 401
