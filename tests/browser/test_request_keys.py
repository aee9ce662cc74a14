"""The page of a request and the lists by keys: tabs, the next to-do, the keys of a row."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from notifications.models import Notice
from tests.browser.looking import look_at
from workflow.models import Instance

pytestmark = pytest.mark.slow


def test_tabs_keep_what_was_typed_and_the_buttons(sit_down, file_expense):
    filed = file_expense("Chairs")
    bao = sit_down("bao", hand="keyboard")
    bao.open(f"/requests/{filed.pk}/")
    page, keys = bao.page, bao.keys
    tabs = page.get_by_role("navigation", name="Parts of the request")
    form = page.locator("#tab-home")
    page.get_by_label("Comment").fill("Half of an answer")
    bao.hand._stop_typing()
    keys.press("2")
    expect(page.get_by_role("heading", name="The way of the request")).to_be_visible()
    expect(form).to_be_hidden()
    expect(tabs.locator("[aria-current]")).to_have_text("Flow picture")
    expect(bao.button("Approve")).to_be_visible()
    found = []
    keys.press("3")
    expect(page.get_by_role("heading", name="Records")).to_be_visible()
    expect(page.get_by_role("heading", name="The way of the request")).to_have_count(0)
    found += look_at(bao, "request-records")
    keys.press("/")
    keys.type("zebra")
    keys.press("Enter")
    expect(page.get_by_text("Nothing matches the filter")).to_be_visible()
    bao.hand._stop_typing()
    keys.press("4")
    expect(page.get_by_text("No comments yet")).to_be_visible()
    expect(page).to_have_url(
        f"{bao.site}/requests/{filed.pk}/comments/?task={page.locator('[name=task]').first.input_value()}"
    )
    keys.press("1")
    expect(form).to_be_visible()
    expect(page.get_by_text("No comments yet")).to_have_count(0)
    expect(page.get_by_label("Comment")).to_have_value("Half of an answer")
    assert not found, "\n".join(found)


def test_the_keys_of_lists(sit_down, file_expense):
    titles = [f"Expense: {purpose}" for purpose in ("Chairs", "Desks")]
    chairs, desks = [file_expense(title.removeprefix("Expense: ")) for title in titles]
    bao = sit_down("bao", hand="keyboard")
    page, keys = bao.page, bao.keys
    # The menu of a row, and from task to task.
    bao.open("/inbox/?q=expense")
    focused = page.locator("[data-list-item]:focus")
    keys.press("j")
    expect(focused).to_have_text("Expense: Desks")
    keys.press(".")
    expect(page.locator("details[open] .menu-item:focus")).to_have_text("Open")
    found = look_at(bao, "inbox-row-menu")
    keys.press("Enter")
    expect(bao.heading).to_have_text("Expense: Desks")
    keys.press("]")
    expect(bao.heading).to_have_text("Expense: Chairs")
    keys.press("[")
    expect(bao.heading).to_have_text("Expense: Desks")
    # A notice is marked as read, as unread, and stays the one in hand.
    bao.open("/notices/")
    row = page.locator("tr[data-row-id]").first
    expect(row).to_have_class("is-unread")
    keys.press("j")
    keys.press("u")
    expect(row).not_to_have_class("is-unread")
    expect(row.locator("[data-list-item]")).to_be_focused()
    keys.press("u")
    expect(row).to_have_class("is-unread")
    assert Notice.objects.filter(instance=desks.pk, read_at=None, receiver__login="bao").exists()
    # My requests: urge, withdraw.
    ann = sit_down("ann", hand="keyboard")
    ann.open("/mine/")
    line = ann.page.locator(f"tr[data-row-id='{desks.pk}']")
    ann.hand.reach(line.locator("[data-list-item]"))
    ann.keys.press("u")
    expect(ann.page.get_by_text("You urged")).to_be_visible()
    expect(line.locator("[data-list-item]")).to_be_focused()
    ann.keys.press("w")
    panel = ann.page.get_by_role("group", name="Withdraw")
    expect(panel).to_be_visible()
    ann.hand.reach(panel.get_by_role("textbox"))
    ann.keys.press("Control+Enter")
    ann.sees_state("Withdrawn")
    assert Instance.objects.get(pk=desks.pk).state == Instance.State.CANCELLED
    assert Instance.objects.get(pk=chairs.pk).state == Instance.State.RUNNING
    assert not found, "\n".join(found)
