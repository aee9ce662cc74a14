"""The lists: filters in the address, saved views, files, the preview and the home page."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import timedelta

import pytest

from tests.pages.reading import HTMX, Page
from tests.workflow import flows, outside
from tests.workflow.flows import a_document, approve, approve_step, publish, start
from workflow.actions import administration
from workflow.models import SavedView, Task
from workflow.pages.tables import harmless

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(ann, bao, now):
    """An expense of Ann's that is due in an hour, and a trip of Bao's own that is overdue."""
    publish(bao, a_document(approve_step("lead", "bao"), title="Books {number}"), now=now)
    trip = a_document(approve_step("board", "bao"), key="trip", title="Rome {number}")
    publish(bao, trip, now=now)
    return start(ann, now=now), start(bao, "trip", now=now)


def shown(client, query=""):
    text = client.get(f"/inbox/?{query}").content.decode()
    return {word for word in ("Books ", "Rome ") if f">{word}" in text}


def test_each_filter_narrows_the_list(client_of, two, bao):
    from django.utils import timezone  # noqa: PLC0415 - due times are seen from this moment

    books, rome = two
    soon, over = timezone.now() + timedelta(hours=1), timezone.now() - timedelta(hours=1)
    Task.objects.filter(instance=books).update(due_at=soon)
    Task.objects.filter(instance=rome).update(due_at=over)
    client = client_of(bao)
    assert shown(client) == {"Books ", "Rome "}
    for query, expected in {
        "flow=trip": {"Rome "},
        "step=Lead": {"Books "},
        "from=ann": {"Books "},
        "q=rome": {"Rome "},
        f"q={books.title.lower()}": {"Books "},
        "due=overdue": {"Rome "},
        "due=soon": {"Books ", "Rome "},
        "since=2026-03-02&until=2026-03-02": {"Books ", "Rome "},
        "until=2026-03-01": set(),
        "flow=trip&from=ann": set(),
        "flow=&q=": {"Books ", "Rome "},
    }.items():
        assert shown(client, query) == expected, query
    empty = client.get("/inbox/?flow=nothing").content.decode()
    assert "There is no such process." in empty
    assert "Clear the filter" in empty


@pytest.mark.parametrize(
    "query", ["due=late", "since=yesterday", "since=0001-01-01", "q=%00", "flow=" + "x" * 255]
)
def test_a_filter_that_cannot_be_read_is_400(client_of, bao, query):
    assert client_of(bao).get(f"/inbox/?{query}").status_code == 400
    assert client_of(bao).get(f"/inbox/export/?{query}").status_code == 400


def test_the_pager_keeps_the_filter(client_of, ann, bao, now):
    publish(bao, a_document(approve_step("lead", "bao")), now=now)
    for _each in range(21):
        start(ann, now=now)
    page = Page(client_of(bao).get("/inbox/?flow=expense"))
    assert "1\u201320 of 21" in page.text
    assert any("flow=expense" in link and "page=2" in link for link in page.links if link)


# Saved views ----------------------------------------------------------------------------------


def keep(client, name="Trips", back="flow=trip"):
    return client.post("/inbox/views/", {"name": name, "back": back})


def test_a_view_is_kept_used_replaced_and_deleted(client_of, two, bao):
    client = client_of(bao)
    assert keep(client).headers["Location"] == "/inbox/?flow=trip"
    keep(client, back="flow=trip&due=overdue")
    view = SavedView.objects.get()
    assert (view.tenant_id, view.query) == (bao.tenant_id, "flow=trip&due=overdue")
    page = Page(client.get("/inbox/"))
    assert "/inbox/?flow=trip&due=overdue" in page.links
    assert client.post(f"/inbox/views/{view.pk}/forget/").status_code == 303
    assert not SavedView.objects.exists()


@pytest.mark.parametrize(
    ("name", "back"), [("", "flow=trip"), ("x" * 61, "flow=trip"), ("All", ""), ("A\x00", "q=a")]
)
def test_a_view_without_a_name_or_a_filter_is_not_kept(client_of, bao, name, back):
    assert keep(client_of(bao), name, back).status_code == 303
    assert not SavedView.objects.exists()


def test_nobody_touches_anothers_view(client_of, two, bao, chi, eve):
    keep(client_of(bao))
    view = SavedView.objects.get()
    for person in (chi, eve):
        assert client_of(person).post(f"/inbox/views/{view.pk}/forget/").status_code == 404
        assert "Trips" not in client_of(person).get("/inbox/").content.decode()
    assert SavedView.objects.get() == view


def test_at_most_thirty_views_are_kept(client_of, bao):
    client = client_of(bao)
    for number in range(31):
        keep(client, f"View {number}")
    assert SavedView.objects.count() == 30
    assert "You keep 30 views already" in client.get("/inbox/").content.decode()


# Rows -----------------------------------------------------------------------------------------


def test_facts_are_names_and_a_paused_request_says_so(client_of, ann, bao, chi, admin, now):
    form = {
        "formdoc": 1,
        "fields": [
            {"id": "who", "type": "user", "label": "Cover"},
            {"id": "unit", "type": "department", "label": "Unit"},
        ],
    }
    document = a_document(approve_step("lead", "bao"), summary=["who", "unit"])
    publish(bao, document, form, now=now)
    from workflow.actions.requests import start_request  # noqa: PLC0415 - another form

    values = {"who": "chi", "unit": "finance"}
    filed = start_request(user=ann, flow="expense", values=values, now=now).outcome.instance_id
    text = client_of(bao).get("/inbox/").content.decode()
    assert "Chi Wang" in text
    assert "Finance" in text
    assert "Paused" not in text
    instance = Task.objects.get(instance_id=filed).instance
    administration.pause(instance=instance, user=admin, reason="wait", now=now)
    text = client_of(bao).get("/inbox/").content.decode()
    assert "Paused" in text
    assert "This request is paused." in text
    assert 'name="task"' not in text
    assert "Paused" in client_of(ann).get("/mine/").content.decode()


def test_a_row_that_cannot_be_decided_with_others_says_why(client_of, ann, bao, now):
    step = approve_step("lead", "bao", evidence={"signature": "must"})
    publish(bao, a_document(step), now=now)
    start(ann, now=now)
    page = Page(client_of(bao).get("/inbox/"))
    assert "This one needs a signature or files; open it." in page.text
    assert 'name="task"' not in page.text


# Preview --------------------------------------------------------------------------------------


def test_the_preview_reads_as_the_page_does(client_of, ann, chi, eve, now):
    step = approve_step("lead", "chi", fields={"set": {"secret": "hide"}})
    publish(ann, a_document(step), now=now)
    filed = start(ann, now=now, secret="planted")
    text = client_of(chi).get(f"/requests/{filed.pk}/peek/", headers=HTMX).content.decode()
    assert "12,000.00" in text
    assert "planted" not in text
    assert "ask:approve" in text
    assert "planted" in client_of(ann).get(f"/requests/{filed.pk}/peek/").content.decode()
    assert client_of(eve).get(f"/requests/{filed.pk}/peek/").status_code == 404


# Files ----------------------------------------------------------------------------------------


def body(answer):
    return b"".join(answer.streaming_content)


def test_a_list_as_csv_has_all_rows_of_the_filter_and_no_formula(client_of, ann, bao, now):
    document = a_document(approve_step("lead", "bao"), title="{form.reason}")
    publish(bao, document, now=now)
    for _each in range(25):
        start(ann, now=now, reason='=HYPERLINK("http://x")')
    answer = client_of(bao).get("/inbox/export/?flow=expense&page=2")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="inbox-todo.csv"'
    head, *rows = csv.reader(io.StringIO(body(answer).decode("utf-8-sig")))
    assert head[:4] == ["Number", "Title", "Process", "Step"]
    assert len(rows) == 25
    assert rows[0][1] == '\'=HYPERLINK("http://x")'
    assert rows[0][5] == "2026-03-02 17:00"  # nine in UTC, by the clocks of the tenant
    assert body(client_of(ann).get("/inbox/export/")).count(b"\n") == 1


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", "\r=1"])
def test_what_looks_like_a_formula_is_text(text):
    assert harmless(text) == f"'{text}"
    assert harmless("plain 1-2") == "plain 1-2"


def test_a_list_as_a_workbook(client_of, ann, bao, now):
    document = a_document(approve_step("lead", "bao"), title="{form.reason}")
    publish(bao, document, now=now)
    filed = start(ann, now=now, reason="=1+1")
    answer = client_of(ann).get("/mine/export/?format=xlsx&tab=all")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="requests-all.xlsx"'
    book = zipfile.ZipFile(io.BytesIO(body(answer)))
    sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert (
        filed.number in sheet + book.read("xl/sharedStrings.xml").decode()
        if ("xl/sharedStrings.xml" in book.namelist())
        else filed.number in sheet
    )
    assert "<f>" not in sheet
    assert "Bao Chen (Lead)" in sheet
    for query in ("format=pdf", "tab=x"):
        assert client_of(ann).get(f"/mine/export/?{query}").status_code == 400


def test_a_file_holds_nothing_of_others(client_of, two, chi, eve):
    for person in (chi, eve):
        for address in ("/inbox/export/", "/mine/export/?tab=all"):
            assert body(client_of(person).get(address)).count(b"\n") == 1


# My requests, and again -----------------------------------------------------------------------


def test_an_ended_request_is_filed_again_with_its_values(client_of, ann, bao, chi, now):
    publish(bao, a_document(approve_step("lead", "bao")), now=now)
    filed = start(ann, now=now, amount="77.50", reason="Chairs")
    address = f"/start/expense/?again={filed.pk}"
    assert address not in Page(client_of(ann).get("/mine/?tab=all")).links
    flows.reject(bao, now=now, comment="no")
    assert address in Page(client_of(ann).get("/mine/?tab=rejected")).links
    assert address in Page(client_of(ann).get(f"/requests/{filed.pk}/")).links
    page = Page(client_of(ann).get(address))
    fields = next(each["fields"] for each in page.forms if "values-amount" in each["fields"])
    assert fields["values-amount"]["value"] == "77.50"
    assert fields["values-reason"]["value"] == "Chairs"
    # Whoever only decided it does not file it again, and knows nothing of it as a stranger.
    for person in (bao, chi):
        assert client_of(person).get(address).status_code == 404
    assert client_of(ann).get("/start/expense/?again=x").status_code == 404


def test_a_running_request_can_be_called_off_from_the_list(client_of, ann, bao, now):
    publish(bao, a_document(approve_step("lead", "bao")), now=now)
    filed = start(ann, now=now)
    page = Page(client_of(ann).get("/mine/"))
    assert f"/requests/{filed.pk}/acts/withdraw/" in page.links
    approve(bao, now=now)
    assert "/acts/withdraw/" not in client_of(ann).get("/mine/?tab=all").content.decode()


# Home -----------------------------------------------------------------------------------------


def test_home_has_counters_what_is_next_and_what_is_mine(client_of, two, ann, bao):
    page = Page(client_of(bao).get("/"))
    assert page.heading == "Home"
    for link in ("/inbox/", "/mine/", "/start/trip/"):
        assert link in page.links
    assert "Books " in page.text
    assert "Rome " in page.text
    assert "What you start often" in page.text
    assert "/start/expense/" not in page.links
    assert "Nothing to do" in client_of(ann).get("/").content.decode()


def test_home_on_the_first_day(client_of, two, chi, eve):
    page = Page(client_of(chi).get("/"))
    assert "Start your first request" in page.text
    assert "/start/expense/" in page.links
    assert "Books " not in page.text
    assert "/start/expense/" not in Page(client_of(eve).get("/")).links


def test_home_goes_to_the_sign_in_page(client, db):
    assert client.get("/").headers["Location"] == "/login/?next=/"


# What is typed --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("12,000.50", "12000.50"),
        ("1,234,567", "1234567.00"),
        ("12 000", "12000.00"),
        ("12\uff0c000.5", "12000.50"),
        ("-1,000", "-1000.00"),
        ("12,5", None),
        ("1,23,456", None),
        ("12,000,5", None),
        ("1,000 000", None),
    ],
)
def test_thousands_may_be_typed_where_they_can_mean_nothing_else(
    client_of, ann, bao, now, typed, stored
):
    publish(bao, a_document(approve_step("lead", "bao")), now=now)
    client = client_of(ann)
    form = Page(client.get("/start/expense/")).forms[-1]
    data = {name: field.get("value", "") for name, field in form["fields"].items()}
    answer = client.post("/start/expense/", data | {"values-amount": typed, "act": ""})
    if stored is None:
        assert answer.status_code == 422
        assert "an amount such as 12.50" in answer.content.decode()
        assert not Task.objects.exists()
    else:
        assert answer.status_code == 303
        assert Task.objects.get().instance.snapshot["values"]["amount"] == stored


# Steps of a worker ----------------------------------------------------------------------------


def test_the_attempts_of_a_call_are_told_and_not_where_it_leads(client_of, ann, bao, now):
    with outside.listening(outside.answer(503)) as receiver:
        step = outside.http_step(receiver.url, body="{form.reason}")
        publish(bao, a_document(step, approve_step("lead", "bao")), now=now)
        filed = start(ann, now=now, reason="planted-body")
        outside.go()
        for address in (f"/requests/{filed.pk}/", "/mine/"):
            text = client_of(ann).get(address).content.decode()
            assert "1 attempt, the last one: HTTP 503" in text
            assert "next try" in text
            assert receiver.url not in text
            assert "/hook/" not in text
