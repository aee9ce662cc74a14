"""Every page in both languages, both themes and three widths: accessible, and nothing too wide."""

from __future__ import annotations

import pytest
from django.urls import Resolver404
from playwright.sync_api import expect

from flowadmin.directory.models import User
from tests.browser import addresses
from tests.browser.addresses import DATA, FILE, NOT_PAGES, PAGES, PART, SENT, WAY
from tests.browser.furnished import furnish
from tests.browser.looking import look_at
from workflow.models import Instance

RULES = {"en": "all", "zh-hans": "none"}

in_both_languages = pytest.mark.parametrize("language", list(RULES))
# What a browser tells in its console about pages that are refusals.
EXPECTED = ["403", "404", "409", "422"]


@pytest.fixture
def numbers(site):
    """The numbers of requests, drafts and notices that stand in addresses."""
    return furnish()


def test_no_page_is_forgotten():
    """A new address has to be looked at here, or has to say what it is instead of a page."""
    looked_at = set()
    for pages in PAGES.values():
        for address in pages.values():
            try:
                looked_at.add(addresses.name_of(address))
            except Resolver404:
                assert address == "/nothing-here/"
    ours = addresses.names() - addresses.names("admin/") | {"login", "logout"}
    assert looked_at | set(NOT_PAGES) == ours
    assert not looked_at & set(NOT_PAGES)
    for name, (_kind, address) in NOT_PAGES.items():
        assert addresses.name_of(address) == name


def test_what_is_no_page(demo, client_of):
    """Parts, files, data and what is only sent are what they are said to be."""
    numbers = furnish()
    of_admin = ("designer-live", "run-export", "process-export", "directory-search", "metrics")
    others = dict.fromkeys(of_admin, "admin")
    others["notice"] = "dan"
    logins = ("ann", "dan", "admin")
    clients = {login: client_of(User.objects.get(login=login)) for login in logins}
    wrong = []
    for name, (kind, address) in NOT_PAGES.items():
        login = others.get(name, "ann")
        answer = clients[login].get(
            address.format_map(numbers), headers={"HX-Request": "true"} if kind == PART else {}
        )
        content = b"".join(answer) if answer.streaming else answer.content
        is_page = b"<html" in content
        told = answer.headers.get("Content-Type", "")
        right = {
            SENT: answer.status_code == 405,
            WAY: answer.status_code == 303,
            PART: answer.status_code in {200, 204} and not is_page,
            FILE: answer.status_code == 200
            and answer.headers.get("Content-Disposition", "").startswith("attachment"),
            DATA: answer.status_code == 200 and not told.startswith("text/html"),
        }[kind]
        wrong += [] if right else [(name, kind, answer.status_code, told)]
    assert not wrong


@pytest.mark.slow
@in_both_languages
@pytest.mark.parametrize("login", list(PAGES))
def test_pages(sit_down, numbers, login, language):
    person = sit_down(login, language=language, expected=EXPECTED)
    found = []
    for name, address in PAGES[login].items():
        person.open(address.format_map(numbers))
        expect(person.heading).to_be_visible()
        found += look_at(person, name, rules=RULES[language])
    assert not found, "\n".join(found)


@pytest.mark.slow
@in_both_languages
def test_refused_forms_and_the_shortcuts(sit_down, language):
    found = []
    nobody = sit_down(language=language, expected=EXPECTED)
    nobody.open("/login/")
    nobody.button("Sign in").click()
    expect(nobody.page.locator("[aria-invalid=true]").first).to_be_visible()
    found += look_at(nobody, "sign-in-refused", rules=RULES[language])
    ann = sit_down("ann", language=language, expected=EXPECTED)
    ann.open("/start/expense/")
    ann.button("Submit").click()
    expect(ann.summary).to_be_focused()
    found += look_at(ann, "start-expense-refused", rules=RULES[language])
    ann.open("/mine/")
    ann.keys.press("?")
    expect(ann.page.get_by_role("dialog")).to_be_visible()
    found += look_at(ann, "shortcuts", rules=RULES[language])
    assert not found, "\n".join(found)


@pytest.mark.slow
@in_both_languages
def test_beside_and_above_the_inbox(sit_down, language):
    bao = sit_down("bao", language=language)
    bao.open("/inbox/")
    bao.keys.press("j")
    expect(bao.page.locator("#peek .story").first).to_be_visible()
    found = look_at(bao, "inbox-preview", rules=RULES[language])
    bao.keys.press("a")
    expect(bao.page.get_by_role("dialog")).to_be_visible()
    found += look_at(bao, "together", rules=RULES[language])
    assert not found, "\n".join(found)


@pytest.mark.slow
@in_both_languages
def test_task_that_somebody_else_decided(sit_down, language):
    title = "Expense: Workshop room for two days"
    address = f"/requests/{Instance.objects.get(title=title).pk}/"
    bao = sit_down("bao", language=language, expected=["409"])
    again = bao.in_another_tab()
    bao.open(address)
    again.open(address)
    bao.approve("Fine.")
    bao.sees_message("You approved “%(title)s”.", title=title)
    again.reject("Too large a room.")
    expect(again.page.get_by_label(again.word("Your comment"))).to_be_visible()
    found = look_at(bao, "after-deciding", rules=RULES[language])
    found += look_at(again, "decided-meanwhile", rules=RULES[language])
    assert not found, "\n".join(found)
