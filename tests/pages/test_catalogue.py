"""The catalogue, its categories and order, favourites, the gallery of templates, and home."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api.caller import nothing_written
from tests.builders import a_role
from tests.pages.reading import HTMX, Page
from tests.workflow.flows import a_document, approve, approve_step, publish, start
from workflow import workload
from workflow.actions import arranging
from workflow.catalogue import in_order
from workflow.models import Definition, Draft, Favourite
from workflow.pages.answers import new_key
from workflow.process_templates.documents import NAMES

pytestmark = pytest.mark.django_db
NAMED = {"alpha": "Alpha", "beta": "Beta", "gamma": "Gamma"}


@pytest.fixture
def three(bao, now):
    """Three processes that everybody may start."""
    for key, name in NAMED.items():
        publish(bao, a_document(approve_step("lead", "bao"), key=key, name=name), now=now)
    return {flow.key: flow for flow in Definition.objects.filter(tenant=bao.tenant)}


def standing(tenant):
    """Category and key of the processes in the order in which people see them."""
    rows = Definition.objects.filter(tenant=tenant)
    return [(flow.category, flow.key) for flow in in_order(rows)]


def order_of(page):
    """The keys of the processes in the order in which a page links to them."""
    found = [str(link).split("/")[2] for link in page.links if str(link).count("/") == 3]
    return [key for key in found if key in NAMED]


# Categories and order ---------------------------------------------------------------------------


def test_a_process_is_put_into_a_category_and_at_a_place(three, bao):
    for key in ("gamma", "alpha"):
        arranging.arrange(definition=three[key], category=" Money ")
    assert standing(bao.tenant) == [("Money", "gamma"), ("Money", "alpha"), ("", "beta")]
    # Other capitals are no other category.
    arranging.arrange(definition=three["beta"], category="money", position=2)
    assert standing(bao.tenant) == [("Money", each) for each in ("gamma", "beta", "alpha")]
    arranging.arrange(definition=three["beta"], position=99)
    arranging.arrange(definition=three["alpha"], position=0)
    assert [key for _name, key in standing(bao.tenant)] == ["alpha", "gamma", "beta"]
    arranging.arrange(definition=three["alpha"], category="")
    assert standing(bao.tenant) == [("Money", "gamma"), ("Money", "beta"), ("", "alpha")]


def test_managers_move_a_process_up_and_down(client_of, three, bao, ann, eve):
    client = client_of(bao)
    assert order_of(Page(client.get("/processes/"))) == ["alpha", "beta", "gamma"]
    sent = {"down": "alpha", "idempotency_key": new_key()}
    for _click in range(2):  # one key, one move
        page = Page(client.post("/process-order/", sent, headers=HTMX))
        assert order_of(page) == ["beta", "alpha", "gamma"]
    answer = client.post("/process-order/", {"up": "gamma", "idempotency_key": new_key()})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/processes/")
    client.post("/process-order/", {"up": "beta", "idempotency_key": new_key()})
    assert order_of(Page(client.get("/processes/"))) == ["beta", "gamma", "alpha"]
    a_role(eve.tenant, members=[eve], grants=("flow.manage",))
    with nothing_written():
        for person, fields, status in (
            (ann, {"up": "alpha"}, 403),
            (eve, {"up": "alpha"}, 404),
            (bao, {"up": "nothing"}, 404),
            (bao, {}, 400),
        ):
            sent = {"idempotency_key": new_key(), **fields}
            assert client_of(person).post("/process-order/", sent).status_code == status


def test_the_category_is_set_on_the_page_of_a_process(client_of, three, bao, chi, ann):
    client = client_of(bao)
    address = "/processes/alpha/category/"
    answer = client.post(address, {"category": "People <&>"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/processes/alpha/")
    page = Page(client.get("/processes/beta/"))
    assert 'value="People &lt;&amp;&gt;"' in page.text
    assert "People &lt;&amp;&gt;" in Page(client.get("/processes/")).text
    a_role(chi.tenant, members=[chi], grants=("flow.design",))
    assert address not in client_of(chi).get("/processes/alpha/").content.decode()
    with nothing_written():
        refused = Page(client.post(address, {"category": "x" * 41}))
        assert "at most 40 characters" in refused.text
        assert 'aria-invalid="true"' in refused.text
        assert client.post(address, {"category": "a\x00b"}).status_code == 422
        for person in (chi, ann):
            assert client_of(person).post(address, {"category": "x"}).status_code == 403


# The catalogue ----------------------------------------------------------------------------------


def test_favourites_come_first_and_are_of_one_person(client_of, three, ann, bao, eve):
    arranging.arrange(definition=three["alpha"], category="Money")
    client = client_of(ann)
    assert order_of(Page(client.get("/start/"))) == ["alpha", "beta", "gamma"]
    client.post("/start/gamma/favourite/", {"on": "1"})
    page = Page(client.post("/start/gamma/favourite/", {"on": "1"}, headers=HTMX))
    assert order_of(page) == ["gamma", "alpha", "beta"]
    assert page.text.index("Favourites") < page.text.index("Money")
    assert Favourite.objects.count() == 1
    assert order_of(Page(client_of(bao).get("/start/"))) == ["alpha", "beta", "gamma"]
    assert "/start/gamma/" in Page(client.get("/")).links
    with nothing_written():
        assert client_of(eve).post("/start/gamma/favourite/", {"on": "1"}).status_code == 404
        assert client.post("/start/gamma/favourite/", {"on": "2"}).status_code == 400
    assert client.post("/start/gamma/favourite/", {"on": "0"}).headers["Location"] == "/start/"
    assert not Favourite.objects.exists()


def test_the_search_finds_categories_and_what_a_form_asks(client_of, three, ann):
    arranging.arrange(definition=three["alpha"], category="Money")
    client = client_of(ann)
    assert order_of(Page(client.get("/start/?q=mon"))) == ["alpha"]
    assert order_of(Page(client.get("/start/?q=REASON"))) == ["alpha", "beta", "gamma"]


# Templates --------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_looked_at_and_becomes_a_draft(client_of, bao, ann, name, language):
    client = client_of(bao, headers={"Accept-Language": language})
    gallery = Page(client.get("/process-templates/"))
    address = f"/process-templates/{name}/"
    assert address in gallery.links
    look = Page(client.get(address))
    # The demo organisation has a cashier, and no other post that a template asks for.
    asks = {"leave": 0, "expense": 1, "purchase": 2, "seal": 2, "onboarding": 4}[name]
    assert ("alert-warning" in look.text) == (asks > 0)
    assert not Draft.objects.exists()
    client.post("/design/drafts/", {"template": name, "idempotency_key": new_key()})
    draft = Draft.objects.get()
    # What stands in the way of publishing is only that posts have to be chosen.
    assert (draft.user_id, draft.problems) == (bao.pk, asks)
    assert any("\u4e00" <= each <= "\u9fff" for each in draft.name) == (language == "zh-hans")
    with nothing_written():
        assert client.get("/process-templates/nothing/").status_code == 404
        assert client_of(ann).get(address).status_code == 403
        assert client_of(ann).get("/process-templates/").status_code == 403


# Home -------------------------------------------------------------------------------------------


def chart_of(client, name):
    return Page(client.get(f"/charts/{name}/", headers=HTMX)).text


def test_charts_say_what_was_handled_and_what_waits(client_of, three, ann, bao, now):
    for _each in range(2):
        start(ann, flow="alpha", now=now)
    approve(bao, now=now + timedelta(hours=3))
    handled = workload.handled_per_day(bao, now + timedelta(days=1), now.tzinfo)
    assert handled[-2:] == [(now.date(), 1), (now.date() + timedelta(days=1), 0)]
    assert len(handled) == 14
    assert workload.handled_per_day(bao, now + timedelta(days=30), now.tzinfo)[0][1] == 0
    [time] = workload.handling_times(bao)
    assert (time.flow, time.count, time.median) == ("Alpha", 1, timedelta(hours=3))
    assert workload.own_by_state(ann) == {"running": 1, "approved": 1}
    assert workload.own_by_state(bao) == {}
    assert "2 requests of yours." in chart_of(client_of(ann), "states")
    assert "“Alpha” waits longest for you" in chart_of(client_of(bao), "times")


def test_who_leads_people_sees_what_waits_for_them(client_of, three, ann, bao, chi, admin, now):
    publish(bao, a_document(approve_step("see", "ann"), key="alpha", name="Alpha"), now=now)
    start(bao, flow="alpha", now=now)
    slot = "/charts/backlog/"
    assert slot in client_of(bao).get("/").content.decode()
    assert slot not in client_of(ann).get("/").content.decode()
    assert "1 task waits." in chart_of(client_of(bao), "backlog")
    assert workload.backlog_of(workload.team_of(bao))[0][0::2] == ("Alpha", 1)
    # Chi leads nobody; dan leads chi, who has nothing to do.
    assert workload.team_of(ann) == []
    assert workload.backlog_of(workload.team_of(chi)) == []
    assert client_of(ann).get("/charts/nothing/").status_code == 404


def test_a_chart_has_a_page_of_its_own_where_there_is_no_script(client_of, ann, client):
    page = Page(client_of(ann).get("/charts/handled/"))
    assert page.heading == "Handled per day"
    assert client.get("/charts/handled/").status_code == 302


def test_home_invites_designers_to_a_template(client_of, bao, ann):
    assert "/process-templates/" in Page(client_of(bao).get("/")).links
    assert "/process-templates/" not in Page(client_of(ann).get("/")).links


def test_drafts_have_their_number_in_the_navigation(client_of, three, ann, now):
    assert 'data-counter="drafts"' in client_of(ann).get("/mine/").content.decode()
    Draft.objects.create(
        tenant=ann.tenant, user=ann, kind=Draft.Kind.APPLICATION, content="{}",
        created_at=now, updated_at=now,
    )  # fmt: skip
    text = client_of(ann).get("/mine/").content.decode()
    entry = text[text.index('data-counter="drafts"') :].partition("</a>")[0]
    assert '<span class="nav-count">1</span>' in entry


@pytest.mark.parametrize("address", ["/", "/start/", "/processes/"])
def test_the_pages_cost_the_same_however_much_there_is(client_of, three, ann, bao, now, address):
    client = client_of(bao)

    def statements():
        client.get(address)  # what is decoded once is decoded now
        with CaptureQueriesContext(connection) as found:
            assert client.get(address).status_code == 200
        return len(found)

    start(ann, flow="alpha", now=now)
    few = statements()
    for number in range(5):
        key = f"more_{number}"
        publish(bao, a_document(approve_step("lead", "bao"), key=key, name=key), now=now)
        start(ann, flow=key, now=now)
        arranging.set_favourite(user=bao, definition=Definition.objects.get(key=key), on=True)
    assert statements() <= few + 1


@pytest.mark.skipif(connection.vendor != "sqlite", reason="reads SQLite's own plans")
def test_no_figure_reads_a_whole_table(ann, bao, now):
    with CaptureQueriesContext(connection) as asked:
        workload.handled_per_day(bao, now, now.tzinfo)
        workload.handling_times(bao)
        workload.own_by_state(bao)
        workload.backlog_of(workload.team_of(bao))
    with connection.cursor() as cursor:
        for each in asked.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {each['sql']}")
            plan = " | ".join(row[3] for row in cursor.fetchall())
            assert "SCAN" not in plan, each["sql"]
