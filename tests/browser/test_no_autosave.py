"""Seed 001, P12: nothing that is typed reaches the database without an explicit save."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from django.apps import apps
from playwright.sync_api import expect

from flowadmin import clock
from flowadmin.directory.models import User
from tests.browser.hands import settled
from workflow.actions import design_drafts
from workflow.models import Draft

# What a visit itself leaves, whatever is typed in it.
OF_VISITS = {"django_session"}
LONG_ENOUGH = 120_000  # milliseconds: any timer of a form would have gone off


def counts():
    """How many rows every table holds."""
    return {
        model._meta.db_table: model._default_manager.count()
        for model in apps.get_models()
        if model._meta.managed and model._meta.db_table not in OF_VISITS
    }


def everything():
    """Every value of every draft."""
    return list(Draft.objects.order_by("pk").values())


def wait_long(page):
    """Let two minutes go by in the page, all its timers with them; what it sent to be stored.

    The page's clock is turned on, so nobody has to wait; a tick of the page (30 s) must be seen,
    or the clock was not turned. The way ahead is asked for by POST because a form is long.
    """
    sent = []

    def note(request):
        sent.append((request.method, urlsplit(request.url).path))

    page.on("request", note)
    page.clock.fast_forward(LONG_ENOUGH)
    page.wait_for_timeout(100)  # milliseconds: what a timer sent is on its way by now
    settled(page)
    page.remove_listener("request", note)
    assert "GET" in {method for method, _path in sent}
    return [each for each in sent if each[0] != "GET" and not each[1].endswith("/ahead/")]


@pytest.mark.parametrize("hand", ["mouse", "keyboard"])
def test_typing_into_a_request_writes_nothing(sit_down, hand):
    ann = sit_down("ann", hand=hand)
    ann.page.clock.install()
    ann.to_form_of("Expense")
    before = counts()
    ann.fill_in("expense", {"purpose": "Unsaved words", "amount": "12,x", "details": "More"})
    assert not wait_long(ann.page)
    assert counts() == before
    ann.page.reload()  # leaves with unsaved input, and asks before it does
    assert counts() == before

    ann.fill_in("expense", {"purpose": "Saved words", "amount": "12,x"})
    if hand == "keyboard":
        ann.keys.press("Control+s")
    else:
        ann.hand.press(ann.button("Save draft"))
    expect(ann.page.locator("#draft-state")).to_contain_text("revision 1")
    changed = {name: number for name, number in counts().items() if number != before[name]}
    assert changed == {"flow_draft": before["flow_draft"] + 1}
    assert Draft.objects.get().parts()["values"]["amount"] == "12,x"
    kept = everything()
    ann.fill_in("expense", {"purpose": "Words after it"})
    assert not wait_long(ann.page)
    assert everything() == kept


def test_changing_a_design_writes_nothing(sit_down):
    admin = User.objects.get(login="admin")
    draft = design_drafts.from_template(user=admin, template="leave", now=clock.now())
    person = sit_down("admin")
    person.page.clock.install()
    person.open(f"/design/{draft.pk}/")
    save = person.button("Save")
    expect(save).to_be_disabled()  # nothing is unsaved
    before, kept = counts(), everything()
    person.page.get_by_label("Fields not listed").select_option(index=1)
    expect(save).to_be_enabled()
    assert not wait_long(person.page)
    assert (counts(), everything()) == (before, kept)
