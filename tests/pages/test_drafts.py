"""The pages of both boxes of drafts, and the form of a new request with a draft behind it."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from flowadmin import clock
from tests.api.caller import nothing_written
from tests.workflow import flows
from workflow import access
from workflow.actions import application_drafts, design_drafts
from workflow.models import Draft, Instance, Version

HTMX = {"HX-Request": "true"}


@pytest.fixture
def published(bao, now):
    return flows.publish(bao, flows.a_document(), now=now)


@pytest.fixture
def browser(client_of, ann, published):
    return client_of(ann)


@pytest.fixture
def draft(ann, published, now):
    return application_drafts.create(
        user=ann,
        definition=access.definition(ann, "expense"),
        values={"amount": "12,0x", "reason": "<b>Train</b>"},
        picked={},
        now=now,
    )


@pytest.fixture
def design(bao, published, now):
    return design_drafts.from_version(user=bao, version=published, now=now)


def hidden(html, name):
    [value] = re.findall(rf'name="{name}" value="([^"]*)"', html)[:1]
    return value


def form(html, **fields):
    """What the page would send: its hidden fields and what was typed."""
    names = ("version", "idempotency_key", "draft", "draft_version")
    kept = {name: hidden(html, name) for name in names if f'name="{name}" value=' in html}
    return kept | {f"values-{name}": text for name, text in fields.items()}


# The form of a new request --------------------------------------------------------------------


def test_it_is_resumed_as_it_was_typed(browser, draft):
    html = browser.get(f"/start/expense/?draft={draft.pk}").content.decode()
    assert 'value="12,0x"' in html
    assert "&lt;b&gt;Train&lt;/b&gt;" in html
    assert "Please check your input" not in html
    assert (hidden(html, "draft"), hidden(html, "draft_version")) == (str(draft.pk), "1")


def test_saving_swaps_only_what_is_said_of_the_draft(browser):
    html = browser.get("/start/expense/").content.decode()
    sent = form(html, reason="x") | {"act": "save"}
    answer = browser.post("/start/expense/", sent, headers=HTMX)
    assert answer.status_code == 200
    assert answer.content.decode().lstrip().startswith('<div id="draft-state"')
    made = Draft.objects.get()
    assert answer["HX-Replace-Url"] == f"/start/expense/?draft={made.pk}"
    assert made.parts() == {
        "values": {"amount": None, "reason": "x", "secret": None},
        "picked": {},
    }
    without = browser.post("/start/expense/", form(html, reason="y") | {"act": "save"})
    assert (without.status_code, Draft.objects.count()) == (303, 2)


def test_submitting_takes_the_draft_along(browser, draft):
    html = browser.get(f"/start/expense/?draft={draft.pk}").content.decode()
    sent = form(html, amount="12000")
    assert browser.post("/start/expense/", sent | {"values-amount": "x"}).status_code == 422
    assert Draft.objects.get().version == 1
    answer = browser.post("/start/expense/", sent)
    request = Instance.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/requests/{request.pk}/")
    assert not Draft.objects.exists()
    again = browser.post("/start/expense/", sent)
    assert (again.status_code, again["Location"]) == (303, f"/requests/{request.pk}/")
    other = browser.post("/start/expense/", sent | {"idempotency_key": "another"})
    assert (other.status_code, Instance.objects.count()) == (409, 1)
    text = other.content.decode()
    assert "The draft is not there any more" in text
    assert 'value="12000"' in text


@pytest.mark.parametrize("act", ["", "save", "overwrite"])
def test_another_window_is_not_overwritten(browser, draft, now, act):
    html = browser.get(f"/start/expense/?draft={draft.pk}").content.decode()
    application_drafts.save_draft(draft=draft, version=1, values={"reason": "Theirs"}, now=now)
    sent = form(html, amount="5", reason="Mine") | ({"act": act} if act else {})
    before = list(Draft.objects.values())
    for headers in ({}, HTMX):
        answer = browser.post("/start/expense/", sent, headers=headers)
        text = answer.content.decode()
        assert (answer.status_code, "Theirs" in text, "Mine" in text) == (412, True, True)
    assert list(Draft.objects.values()) == before
    assert not Instance.objects.exists()
    sure = sent | {"act": "overwrite", "sure": "on", "theirs": "2"}
    assert browser.post("/start/expense/", sure, headers=HTMX).status_code == 200
    assert Draft.objects.get().version == 3


def test_what_was_typed_into_an_earlier_form_is_kept_with_it(browser, bao, now):
    html = browser.get("/start/expense/").content.decode()
    amount = {"id": "amount", "type": "amount", "label": "Amount", "required": True}
    form_doc = {"formdoc": 1, "fields": [amount]}
    flows.publish(bao, flows.a_document(), form_doc, now=now)
    answer = browser.post("/start/expense/", form(html, reason="Old") | {"act": "save"})
    made = Draft.objects.get()
    assert (answer.status_code, made.based_on) == (303, 1)
    text = browser.get(f"/start/expense/?draft={made.pk}").content.decode()
    assert "Your draft of v1" in text
    assert re.search(r"No longer asked for:</strong>\s*Reason", text)
    assert 'value="Old"' not in text


def test_nobody_opens_the_draft_of_another(client_of, chi, draft):
    with nothing_written():
        answer = client_of(chi).get(f"/start/expense/?draft={draft.pk}")
        html = client_of(chi).get("/start/expense/").content.decode()
        sent = form(html, reason="x") | {"draft": str(draft.pk), "draft_version": "1"}
        filed = client_of(chi).post("/start/expense/", sent)
    assert (answer.status_code, filed.status_code) == (404, 409)


# The boxes ------------------------------------------------------------------------------------


def test_drafts_are_listed_deleted_and_put_back(browser, draft, client_of, chi, bao, now):
    flows.publish(bao, flows.a_document(title="Changed"), now=now)
    text = browser.get("/drafts/").content.decode()
    assert "Older: v1 → v2" in text
    assert "12,0x" in text
    answer = browser.post("/drafts/", {"one": str(draft.pk)})
    assert answer["Location"] == f"/drafts/?deleted={draft.pk}"
    text = browser.get(answer["Location"]).content.decode()
    assert "1 draft was deleted." in text
    assert "No drafts" in text
    gone = browser.get(f"/start/expense/?draft={draft.pk}")
    assert (gone.status_code, "deleted in another window" in gone.content.decode()) == (404, True)
    client_of(chi).post("/drafts/", {"act": "undo", "ids": [str(draft.pk)]})
    assert Draft.objects.get().deleted_at is not None
    browser.post("/drafts/", {"act": "undo", "ids": [str(draft.pk)]})
    assert Draft.objects.get().deleted_at is None
    client_of(chi).post("/drafts/", {"ids": [str(draft.pk)]})
    assert Draft.objects.get().deleted_at is None


def test_a_deletion_of_long_ago_stays(browser, draft):
    Draft.objects.update(deleted_at=clock.now() - timedelta(minutes=2))
    browser.post("/drafts/", {"act": "undo", "ids": [str(draft.pk)]})
    assert Draft.objects.get().deleted_at is not None
    assert browser.get("/drafts/?deleted=x").status_code == 404


def test_designs_are_begun_and_copied_once(client_of, bao, design):
    page = client_of(bao)
    text = page.get("/design/drafts/").content.decode()
    assert "v1" in text
    assert f'href="/design/{design.pk}/"' in text
    sent = {"copy": str(design.pk), "idempotency_key": hidden(text, "idempotency_key")}
    for _again in range(2):
        assert page.post("/design/drafts/", sent)["Location"] == "/design/drafts/"
    assert Draft.objects.count() == 2
    answer = page.post("/design/drafts/", {"template": "leave", "idempotency_key": "n"})
    assert answer["Location"] == f"/design/{Draft.objects.latest('pk').pk}/"
    assert (
        page.post("/design/drafts/", {"template": "x", "idempotency_key": "m"}).status_code == 400
    )


def test_designs_need_their_permissions(client_of, ann, chi, design):
    with nothing_written():
        for address in ("", f"{design.pk}/compare/", f"{design.pk}/publish/"):
            found = client_of(chi).get(f"/design/drafts/{address}").status_code
            assert found == (404 if address else 403)
        assert client_of(ann).post("/design/drafts/", {"template": "blank"}).status_code == 403


def test_a_draft_is_published_with_a_note_over_what_was_seen(client_of, bao, design, now):
    page, address = client_of(bao), f"/design/drafts/{design.pk}/publish/"
    design_drafts.save_draft(
        draft=design, version=1, now=now, document=flows.a_document(title="Mine")
    )
    text = page.get(address).content.decode()
    sent = {name: hidden(text, name) for name in ("version", "over", "idempotency_key")}
    with nothing_written():
        assert page.post(address, sent | {"note": " "}).status_code == 422
    flows.publish(bao, flows.a_document(title="Theirs"), now=now)
    with nothing_written():
        answer = page.post(address, sent | {"note": "Titles"})
    text = answer.content.decode()
    assert (answer.status_code, "v2 was published by" in text) == (412, True)
    sent = {name: hidden(text, name) for name in ("version", "over", "idempotency_key")}
    answer = page.post(address, sent | {"note": "Titles"})
    assert (answer.status_code, answer["Location"]) == (303, "/processes/expense/")
    assert Version.objects.latest("number").note == "Titles"
    assert Draft.objects.get().based_on == 3
    assert "No differences" in page.get(f"/design/drafts/{design.pk}/compare/").content.decode()
