"""The inbox by keys alone: walk, look, choose, decide together, open a row and come back to it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from workflow.models import Instance, Task


def test_an_inbox_is_worked_with_the_keyboard(sit_down, file_expense):
    for purpose in ("Chairs", "Desks", "Lamps"):
        file_expense(purpose)
    bao = sit_down("bao", hand="keyboard")
    bao.open("/inbox/?q=expense")
    page, keys = bao.page, bao.keys
    rows = page.locator("tr[data-row-id]")
    focused = page.locator("[data-list-item]:focus")

    # j and k walk, and the row in hand is shown beside the list.
    keys.press("j")
    expect(focused).to_have_text("Expense: Lamps")
    expect(page.locator("#peek h2")).to_have_text("Expense: Lamps")
    keys.press("j")
    expect(page.locator("#peek h2")).to_have_text("Expense: Desks")

    # Enter opens a row; Back leads to the same one, and so does the arrow of the page.
    keys.press("Enter")
    expect(bao.heading).to_have_text("Expense: Desks")
    page.go_back()
    expect(focused).to_have_text("Expense: Desks")
    keys.press("Enter")
    bao.hand.press(page.locator("a[data-back]"))
    expect(page).to_have_url(re.compile(r"/inbox/\?q=expense$"))
    expect(focused).to_have_text("Expense: Desks")

    # x chooses, Shift+x all from there; a asks, and one reason goes along.
    keys.press("k")
    keys.press("x")
    keys.press("j")
    keys.press("Shift+X")
    expect(page.locator("[data-pick]:checked")).to_have_count(2)
    keys.press("a")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text("Approve 2 requests")
    keys.press("Escape")
    expect(dialog).to_have_count(0)
    keys.press("a")
    expect(dialog.get_by_label("One reason for all of them")).to_be_focused()
    keys.type("Agreed in spring.")
    bao.hand.press(dialog.get_by_role("button", name="Approve 2 requests"))
    expect(page.get_by_role("status").filter(has_text="2 approved")).to_be_visible()
    expect(rows.get_by_role("link", name="Expense: Desks", exact=True)).to_have_count(0)
    # The numbers of the navigation, outside what was made anew, have moved too.
    todo = str(Task.objects.filter(holder__login="bao", state="open").count())
    expect(page.locator(".side-nav [data-counter=todo] .nav-count")).to_have_text(todo)

    # The row that took their place is next; with nothing chosen, r is about the row in hand.
    count = rows.count()
    expect(focused).to_have_count(1)
    keys.press("r")
    expect(dialog.get_by_role("heading")).to_have_text("Reject 1 request")
    expect(rows).to_have_count(count)
    decided = Instance.objects.filter(title__in=["Expense: Lamps", "Expense: Desks"])
    assert not decided.filter(tasks__holder__login="bao", tasks__state="open").exists()
