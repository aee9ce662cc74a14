"""Language, appearance, signing out, and a session that ends while a page is open."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from flowadmin.directory.models import User
from tests.browser.people import EXPENSE, words_in
from tests.conftest import DEMO_PASSWORD
from workflow.models import Event, Instance, Task

HANDS = ["mouse", "keyboard"]


def choose(person, menu, entry):
    """Open one of the top bar's menus and press an entry."""
    opened = person.page.locator("details", has=person.page.get_by_text(menu, exact=True))
    person.hand.press(opened.locator("summary"))
    person.hand.press(opened.get_by_role("button", name=entry, exact=True))


def navigation(person):
    return person.page.locator("nav.side-nav")


@pytest.mark.parametrize("hand", HANDS)
def test_language_is_switched_and_stays_with_the_person(sit_down, hand):
    ann = sit_down("ann", hand=hand)
    expect(ann.heading).to_have_text("Home")
    choose(ann, "Language", "简体中文")
    expect(navigation(ann).get_by_role("link", name="我发起的")).to_be_visible()
    expect(ann.page.locator("html")).to_have_attribute("lang", "zh-Hans")
    assert User.objects.get(login="ann").language == "zh-hans"
    ann.open("/start/expense/")
    expect(ann.page.get_by_label("费用用途")).to_be_visible()

    elsewhere = sit_down("ann", hand=hand, language="en")
    expect(navigation(elsewhere).get_by_role("link", name="我发起的")).to_be_visible()
    choose(elsewhere, "语言", "English")
    expect(elsewhere.heading).to_have_text("Home")


def test_language_before_signing_in_is_that_of_the_browser_until_chosen(sit_down):
    nobody = sit_down(language="zh-hans")
    nobody.open("/login/")
    expect(nobody.heading).to_have_text("登录")
    choose(nobody, "语言", "English")
    expect(nobody.heading).to_have_text("Sign in")
    nobody.page.reload()
    expect(nobody.heading).to_have_text("Sign in")


@pytest.mark.parametrize("hand", HANDS)
def test_theme_is_switched_and_stays_with_the_person(sit_down, hand):
    ann = sit_down("ann", hand=hand)
    shown = "document.documentElement.dataset.bsTheme"
    background = "getComputedStyle(document.body).backgroundColor"
    light = ann.page.evaluate(background)
    assert ann.page.evaluate(shown) == "light"
    choose(ann, "Appearance", "Dark")
    ann.page.wait_for_selector("html[data-bs-theme=dark]")
    assert ann.page.evaluate(background) != light
    assert User.objects.get(login="ann").theme == "dark"
    elsewhere = sit_down("ann", hand=hand)
    assert elsewhere.page.evaluate(shown) == "dark"
    choose(elsewhere, "Appearance", "As the device")
    elsewhere.page.wait_for_selector("html[data-bs-theme=light]")


@pytest.mark.parametrize(("hand", "language"), [("mouse", "en"), ("keyboard", "zh-hans")])
def test_sign_out_and_in_again(sit_down, hand, language):
    word = words_in(language)
    ann = sit_down("ann", hand=hand, language=language)
    choose(ann, word("Account of"), word("Sign out"))
    expect(ann.heading).to_have_text(word("Sign in"))
    assert not Session.objects.exists()
    ann.page.go_back()
    expect(ann.heading).to_have_text(word("Sign in"))
    ann.open("/inbox/?box=done")
    ann.sees_message("Please sign in to go on.")
    ann.hand.fill(ann.page.get_by_label(word("Login name")), "ann")
    ann.hand.fill(ann.page.get_by_label(word("Password"), exact=True), DEMO_PASSWORD)
    ann.hand.press(ann.button("Sign in"))
    ann.page.wait_for_url("**/inbox/?box=done")


def test_wrong_password_is_refused_without_saying_what_was_wrong(sit_down):
    texts = []
    for login in ("ann", "nobody"):
        person = sit_down(expected=["422"])
        person.open("/login/")
        person.page.get_by_label("Login name").fill(login)
        person.page.get_by_label("Password", exact=True).fill("not this one")
        person.button("Sign in").click()
        expect(person.page.get_by_label("Login name")).to_have_value(login)
        refused = person.page.locator("#sign-in-errors")
        expect(refused).to_be_visible()
        texts.append(refused.inner_text())
    assert texts[0] == texts[1]
    assert not Session.objects.exists()


def answer_slowly(page):
    """As over a long line: the pressed button is disabled and has lost the focus by then."""
    page.context.new_cdp_session(page).send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 200, "downloadThroughput": -1, "uploadThroughput": -1},
    )


@pytest.mark.parametrize(("hand", "language"), [("mouse", "en"), ("keyboard", "zh-hans")])
def test_ended_session_loses_nothing_that_was_typed(sit_down, hand, language):
    """Signed out in another tab while a form is open; in again there, and on here."""
    ann = sit_down("ann", hand=hand, language=language, expected=["401"])
    ann.to_form_of("Expense")
    ann.fill_in("expense", {"purpose": "Typed before"} | EXPENSE)
    Session.objects.all().delete()
    ann.hand.press(ann.button("Submit"))
    dialog = ann.page.get_by_role("dialog", name=ann.word("You were signed out"))
    expect(dialog).to_be_visible()
    assert not Instance.objects.filter(title="Expense: Typed before").exists()
    with ann.page.context.expect_page() as opened:
        ann.hand.press(dialog.get_by_role("link", name=ann.word("Sign in")))
    again = ann.in_tab(opened.value)
    again.hand.fill(again.page.get_by_label(again.word("Login name")), "ann")
    again.hand.fill(again.page.get_by_label(again.word("Password"), exact=True), DEMO_PASSWORD)
    again.hand.press(again.button("Sign in"))
    expect(again.heading).to_have_text(again.word("Home"))
    again.page.close()

    for field, value in ({"purpose": "Typed before"} | EXPENSE).items():
        expect(ann.field("expense", field)).to_have_value(value)
    ann.hand.press(ann.button("I am signed in: go on"))
    expect(ann.heading).to_have_text("Expense: Typed before")
    assert Instance.objects.filter(title="Expense: Typed before").count() == 1


def test_ended_session_while_deciding_keeps_button_and_comment(sit_down, file_expense):
    instance = file_expense("Lamp")
    bao = sit_down("bao", expected=["401"])
    bao.open_task(instance.title)
    answer_slowly(bao.page)
    Session.objects.all().delete()
    events = Event.objects.count()
    bao.reject("We have lamps.")
    dialog = bao.page.get_by_role("dialog", name="You were signed out")
    expect(dialog).to_be_visible()
    assert Event.objects.count() == events
    expect(bao.comment).to_have_value("We have lamps.")
    again = bao.in_another_tab()
    again.sign_in("bao", DEMO_PASSWORD)
    bao.button("I am signed in: go on").click()
    bao.sees_message("You rejected “%(title)s”.", title=instance.title)
    task = Task.objects.get(instance=instance)
    assert (task.state, Instance.objects.get(pk=instance.pk).state) == ("rejected", "rejected")


def test_a_plain_link_after_the_session_ended_leads_back_after_signing_in(sit_down, file_expense):
    instance = file_expense("Lamp")
    ann = sit_down("ann")
    ann.open("/drafts/")  # what the home page loads by itself would be refused too
    Session.objects.all().delete()
    ann.open(f"/requests/{instance.pk}/")
    ann.sees_message("Please sign in to go on.")
    assert "Lamp" not in ann.page.content()
    ann.page.get_by_label("Login name").fill("ann")
    ann.page.get_by_label("Password", exact=True).fill(DEMO_PASSWORD)
    ann.button("Sign in").click()
    expect(ann.heading).to_have_text(instance.title)
