"""The catalogue by keys and with its stars, and charts of which one fails and is tried again."""

from __future__ import annotations

from playwright.sync_api import expect

from workflow.models import Favourite


def test_alt_and_an_arrow_move_a_process_and_the_focus_stays(sit_down):
    admin = sit_down("admin", hand="keyboard")
    admin.open("/processes/")
    page, names = admin.page, admin.page.locator("#processes tbody [data-list-item]")
    expect(names).to_have_text(["Expense", "Leave", "Purchase"])
    link = page.locator("#flow-expense")
    link.focus()
    admin.keys.press("Alt+ArrowDown")
    expect(names).to_have_text(["Leave", "Expense", "Purchase"])
    expect(page.locator("#flow-expense")).to_be_focused()
    admin.keys.press("Alt+ArrowUp")
    expect(names).to_have_text(["Expense", "Leave", "Purchase"])
    expect(page.locator("#flow-expense")).to_be_focused()
    page.locator("#down-leave").press("Enter")
    expect(names).to_have_text(["Expense", "Purchase", "Leave"])
    expect(page.locator("#down-leave")).to_be_focused()


def test_a_star_brings_a_process_to_the_top(sit_down):
    ann = sit_down("ann")
    ann.open("/start/")
    names = ann.page.locator("#tiles .tile-name")
    expect(names).to_have_text(["Expense", "Leave", "Purchase"])
    star = ann.page.get_by_role("button", name="Favourite: Purchase")
    star.click()
    expect(names).to_have_text(["Purchase", "Expense", "Leave"])
    expect(ann.page.get_by_role("heading", name="Favourites")).to_be_visible()
    expect(star).to_have_attribute("aria-pressed", "true")
    expect(star).to_be_focused()
    assert Favourite.objects.get().definition.key == "purchase"
    star.click()
    expect(star).to_have_attribute("aria-pressed", "false")
    expect(names).to_have_text(["Expense", "Leave", "Purchase"])


def test_a_chart_that_fails_says_so_and_the_others_stay(sit_down):
    bao = sit_down("bao", expected=["500"])
    page = bao.page
    page.route("**/charts/times/", lambda route: route.fulfill(status=500, body=""))
    bao.open("/")
    failed = page.locator("[data-slot]", has=page.get_by_role("button", name="Try again"))
    expect(failed).to_have_count(1)
    expect(failed.get_by_role("alert")).to_have_text("This could not be loaded.Try again")
    expect(page.locator("#chart-handled")).to_be_visible()
    expect(page.locator("#chart-backlog")).to_be_visible()
    expect(bao.heading).to_have_text("Home")
    page.unroute("**/charts/times/")
    failed.get_by_role("button", name="Try again").click()
    expect(page.locator("#chart-times")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_designer_begins_with_a_template(sit_down):
    admin = sit_down("admin", language="zh-hans")
    admin.open("/process-templates/seal/")
    expect(admin.heading).to_have_text("用印")
    admin.page.locator("button[name=template]").click()
    admin.page.wait_for_url("**/design/*/")
    expect(admin.page.locator("[data-card=stamp]")).to_contain_text("盖章")
