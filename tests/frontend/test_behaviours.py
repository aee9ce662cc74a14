"""The behaviours of app.js in a real browser, under the real content security policy."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.frontend import pages

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("path", ["/inbox/", "/form/", "/story/", "/sign-in/"])
def test_pages_fit_and_are_accessible(open_page, path, width, theme):
    page = open_page(path, width=width, theme=theme)
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0
    assert page.evaluate(f"{root}.dataset.bsTheme") == theme
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found] == []


def test_system_theme_follows_the_device(open_page):
    page = open_page("/inbox/", theme="system")
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-bs-theme=dark]")
    page.emulate_media(color_scheme="light")
    page.wait_for_selector("html[data-bs-theme=light]")


def test_post_carries_the_csrf_token(open_page):
    page = open_page("/inbox/")
    page.click("#post")
    page.wait_for_selector("#out:has-text('\"htmx\": true')")


def test_toast_from_a_header_is_text(open_page):
    page = open_page("/inbox/")
    page.click("#ask-200")
    expect(page.locator("#toasts .toast-note span")).to_have_text("Saved <b>x</b>")
    page.click("#toasts [data-dismiss]")
    expect(page.locator("#toasts .toast-note")).to_have_count(0)


@pytest.mark.parametrize("code", [409, 422])
def test_conflicts_are_swapped_into_their_place(open_page, code):
    page = open_page("/inbox/", expected=[str(code)])
    page.click(f"#ask-{code}")
    page.wait_for_selector(f"#out:has-text('answer {code}')")


def test_other_refusals_leave_the_page_and_go_to_the_problem_region(open_page):
    page = open_page("/inbox/", expected=["404"])
    page.click("#ask-404")
    page.wait_for_selector("#problem-region:has-text('answer 404')")
    expect(page.locator("#out")).to_be_empty()
    page.click("#ask-200")
    page.wait_for_selector("#out:has-text('answer 200')")
    expect(page.locator("#problem-region")).to_be_empty()


def test_server_error_is_said_and_not_swapped(open_page):
    page = open_page("/inbox/", expected=["500"])
    page.click("#ask-500")
    page.wait_for_selector("#toasts .toast-note:has-text('r-17')")
    expect(page.locator("#out")).to_be_empty()


def test_ended_session_opens_a_dialog_and_can_go_on(open_page):
    page = open_page("/inbox/", expected=["401"])
    page.click("#ask-401")
    page.wait_for_selector("#session-ended[open]")
    expect(page.locator("#session-ended a")).to_have_attribute("href", "/sign-in/")
    with page.expect_request("**/answer/401/"):
        page.click("[data-resume-request]")


def test_connection_lost_is_said(open_page):
    page = open_page("/inbox/", expected=["ERR_INTERNET_DISCONNECTED", "htmx:"])
    page.context.set_offline(True)
    page.click("#ask-200")
    page.wait_for_selector("#offline-bar:not([hidden])")
    page.context.set_offline(False)
    page.click("#ask-200")
    page.wait_for_selector("#offline-bar", state="hidden")


def test_a_form_is_sent_once_and_keeps_the_button_pressed(open_page):
    page = open_page("/form/", expected=["422"])
    pages.posted.clear()
    page.fill("#id_days", "2")
    page.evaluate("""() => {
        const button = document.querySelector('main .btn-primary');
        button.click();
        button.click();
    }""")
    page.wait_for_selector(".alert-danger")
    assert pages.posted == ["submit"]


def test_errors_take_the_focus_and_lead_to_the_field(open_page):
    page = open_page("/form/", expected=["422"])
    page.click("main .btn-primary")
    page.wait_for_selector(".alert-danger:focus")
    page.click(".alert-danger a[href='#id_days']")
    page.wait_for_selector("#id_days:focus")


def test_leaving_with_unsaved_input_asks(open_page):
    page = open_page("/form/")
    asked = []

    def note_and_dismiss(dialog):
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", note_and_dismiss)
    page.fill("#id_reason", "typed")
    with page.expect_event("dialog"):
        page.evaluate("location.href = '/story/'")
    assert asked == ["beforeunload"]
    assert page.url.endswith("/form/")
    page.fill("#id_reason", "")
    page.goto(page.url.replace("/form/", "/story/"))
    assert asked == ["beforeunload"]


def test_input_survives_a_reload_and_is_forgotten_once_accepted(open_page):
    page = open_page("/form/")
    page.on("dialog", lambda dialog: dialog.accept())
    page.fill("#id_reason", "for my parents")
    page.check("#id_when_0")
    page.reload()
    page.click("[data-recover-restore]")
    expect(page.locator("#id_reason")).to_have_value("for my parents")
    expect(page.locator("#id_when_0")).to_be_checked()
    page.select_option("#id_kind", "annual")
    page.fill("#id_days", "2")
    page.click("main .btn-primary")
    page.wait_for_url("**/story/")
    page.goto(page.url.replace("/story/", "/form/"))
    expect(page.locator("[data-recover-offer]")).to_be_hidden()


def test_signing_out_forgets_what_was_typed(open_page):
    page = open_page("/form/", expected=["404"])  # the JSON answer has no icon of its own
    page.on("dialog", lambda dialog: dialog.accept())
    page.fill("#id_reason", "private")
    assert "private" in page.evaluate("JSON.stringify(sessionStorage)")
    page.click(".top-bar .menu:last-of-type > summary")
    page.click("form[data-sign-out] button")
    page.wait_for_url("**/sign-out/")
    assert "private" not in page.evaluate("JSON.stringify(sessionStorage)")


def test_shortcuts_move_about_and_never_while_typing(open_page):
    page = open_page("/inbox/")
    page.keyboard.press("/")
    page.wait_for_selector("[data-search]:focus")
    page.keyboard.type("gmn?jk")
    expect(page.locator("[data-search]")).to_have_value("gmn?jk")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    page.wait_for_selector("#shortcuts[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("#shortcuts", state="hidden")
    page.keyboard.press("g")
    page.keyboard.press("m")
    page.wait_for_url("**/mine/")
    expect(page.locator("html[data-ready]")).to_have_count(1)
    page.keyboard.press("n")
    page.wait_for_url("**/start/")


def test_shortcuts_can_be_switched_off(open_page):
    page = open_page("/inbox/")
    page.keyboard.press("?")
    page.uncheck("[data-shortcuts-switch]")
    page.keyboard.press("Escape")
    expect(page.locator("#shortcuts")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.locator("[data-search]")).not_to_be_focused()


def test_lists_are_walked_with_keys(open_page):
    page = open_page("/inbox/")
    for key, title in (("j", "Leave of 2 days"), ("j", "A"), ("k", "Leave of 2 days")):
        page.keyboard.press(key)
        expect(page.locator(":focus")).to_have_text(title)
    page.keyboard.press("Enter")
    page.wait_for_url("**/form/?row=1")


def test_dialog_takes_and_returns_the_focus(open_page):
    page = open_page("/inbox/")
    page.focus("#ask")
    page.keyboard.press("Enter")
    page.wait_for_selector("#sure[open] textarea:focus")
    page.keyboard.press("Escape")
    page.wait_for_selector("#ask:focus")


def test_menu_closes_on_escape_and_on_a_click_elsewhere(open_page):
    page = open_page("/inbox/")
    menu = page.locator(".top-bar .menu").first
    menu.locator("summary").click()
    expect(menu).to_have_attribute("open", "")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    menu.locator("summary").click()
    page.click("h1")
    expect(menu).not_to_have_attribute("open", "")


def test_times_are_said_relatively_with_the_exact_time_beside(open_page):
    page = open_page("/inbox/", language="en")
    time = page.locator("time[data-relative]").first
    expect(time).to_have_attribute("title", re.compile("2026"))


def test_ticks_are_fired_on_the_body(open_page):
    page = open_page("/inbox/")
    page.evaluate("document.body.dispatchEvent(new CustomEvent('flow:tick', {bubbles: true}))")
    page.wait_for_selector("#out:has-text('answer 200')")


def test_sign_in_fills_a_demo_account_and_shows_the_password(open_page):
    page = open_page("/sign-in/")
    page.click("[data-fill-login=ann]")
    expect(page.locator("#name")).to_have_value("ann")
    page.click("[data-toggle-password]")
    expect(page.locator("#pass")).to_have_attribute("type", "text")
    expect(page.locator("[data-toggle-password]")).to_have_attribute("aria-pressed", "true")


def test_chinese_page_names_its_language(open_page):
    page = open_page("/inbox/", language="zh-hans")
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
