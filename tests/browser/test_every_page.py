"""Every page in both languages, both themes and three widths: accessible, and nothing too wide."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.looking import look_at
from workflow.models import Event, Instance, Job, Task, Version

RULES = {"en": "all", "zh-hans": "none"}
RULES_OF_ADMIN = {"en": "wcag", "zh-hans": "none"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("language", list(RULES)),
]


def titled(start):
    """The number of the demo's request with this title."""
    return Instance.objects.get(title__startswith=start).pk


def open_request(title):
    return f"/requests/{titled(title)}/"


def test_pages_before_signing_in(sit_down, language):
    nobody = sit_down(language=language, expected=["422", "404"])
    found = []
    for name, address in {
        "sign-in": "/login/",
        "sign-in-to-go-on": "/login/?next=/inbox/",
        "missing": "/nothing-here/",
        "problem-codes": "/problems/",
        "problem-code": "/problems/task.closed",
    }.items():
        nobody.open(address)
        found += look_at(nobody, name, rules=RULES[language])
    nobody.open("/login/")
    nobody.button("Sign in").click()
    expect(nobody.page.locator("[aria-invalid=true]").first).to_be_visible()
    found += look_at(nobody, "sign-in-refused", rules=RULES[language])
    assert not found, "\n".join(found)


def test_pages_of_an_initiator(sit_down, language):
    ann = sit_down("ann", language=language, expected=["422", "404"])
    found = []
    for name, address in {
        "home": "/",
        "inbox-empty": "/inbox/",
        "catalogue": "/start/",
        "catalogue-nothing": "/start/?q=zebra",
        "start-leave": "/start/leave/",
        "start-expense": "/start/expense/",
        "mine-running": "/mine/",
        "mine-finished": "/mine/?tab=finished",
        "mine-rejected": "/mine/?tab=rejected",
        "request-approved": open_request("Leave: Ann Lee, 10 days"),
        "request-rejected": open_request("Expense: Dinner with the team"),
        "request-terminated": open_request("Expense: Standing desk"),
        "request-running": open_request("Expense: Flight to the customer"),
        "request-not-mine": open_request("Leave: Chi Wang, 0.5"),
    }.items():
        ann.open(address)
        expect(ann.heading).to_be_visible()
        found += look_at(ann, name, rules=RULES[language])
    ann.open("/start/expense/")
    ann.button("Submit").click()
    expect(ann.summary).to_be_focused()
    found += look_at(ann, "start-expense-refused", rules=RULES[language])
    ann.open("/mine/")
    ann.page.keyboard.press("?")
    expect(ann.page.get_by_role("dialog")).to_be_visible()
    found += look_at(ann, "shortcuts", rules=RULES[language])
    assert not found, "\n".join(found)


def test_pages_of_approvers(sit_down, language):
    found = []
    pages = {
        "bao": {
            "inbox": "/inbox/",
            "inbox-filtered": "/inbox/?q=expense",
            "inbox-nothing": "/inbox/?q=zebra",
            "done": "/inbox/?box=done",
            "copied-nothing": "/inbox/?box=copied",
            "task": open_request("Expense: Workshop room"),
        },
        "dan": {"task-to-fill-in": open_request("Expense: Flight to the customer")},
        "chi": {"copied": "/inbox/?box=copied", "task-reassigned": open_request("Expense: Books")},
    }
    for login, addresses in pages.items():
        person = sit_down(login, language=language)
        for name, address in addresses.items():
            person.open(address)
            expect(person.heading).to_be_visible()
            found += look_at(person, name, rules=RULES[language])
    bao = sit_down("bao", language=language)
    bao.open("/inbox/")
    bao.page.keyboard.press("j")
    expect(bao.page.locator("#peek .story").first).to_be_visible()
    expect(bao.page.locator("body")).not_to_have_class("is-loading")
    found += look_at(bao, "inbox-preview", rules=RULES[language])
    bao.page.keyboard.press("a")
    expect(bao.page.get_by_role("dialog")).to_be_visible()
    expect(bao.page.locator("body")).not_to_have_class("is-loading")
    found += look_at(bao, "together", rules=RULES[language])
    assert not found, "\n".join(found)


def test_pages_of_operators(sit_down, language):
    admin = sit_down("admin", language=language)
    found = []
    for name, address in {
        "runs": "/ops/runs/",
        "runs-retried": "/ops/runs/?tab=retried&more=0",
        "runs-nothing": "/ops/runs/?number=unknown",
        "run": f"/ops/runs/{Job.objects.first().instance_id}/",
    }.items():
        admin.open(address)
        expect(admin.heading).to_be_visible()
        if name == "run":
            admin.page.locator("details.json-view summary").first.click()
        found += look_at(admin, name, rules=RULES[language])
    assert not found, "\n".join(found)


def test_task_that_somebody_else_decided(sit_down, language):
    bao = sit_down("bao", language=language, expected=["409"])
    bao.open_task("Expense: Workshop room for two days")
    again = bao.in_another_tab()
    again.open(bao.page.url.removeprefix(bao.site))
    bao.approve("Fine.")
    bao.sees_message("You approved “%(title)s”.", title="Expense: Workshop room for two days")
    again.reject("Too large a room.")
    expect(again.page.get_by_label(again.word("Your comment"))).to_be_visible()
    found = look_at(bao, "after-deciding", rules=RULES[language])
    found += look_at(again, "decided-meanwhile", rules=RULES[language])
    assert not found, "\n".join(found)


def test_pages_of_the_administration(sit_down, language):
    admin = sit_down("admin", language=language, expected=["403"])
    base = "/admin/workflow"
    task = Task.objects.get(instance=titled("Expense: Workshop room"))
    pages = {
        "admin": "/admin/",
        "admin-users": "/admin/directory/user/",
        "admin-user": f"/admin/directory/user/{task.holder_id}/change/",
        "admin-requests": f"{base}/instance/",
        "admin-request": f"{base}/instance/{titled('Expense: Flight to the customer')}/change/",
        "admin-tasks": f"{base}/task/?q=bao",
        "admin-task": f"{base}/task/{task.pk}/change/",
        "admin-events": f"{base}/event/",
        "admin-event": f"{base}/event/{Event.objects.first().pk}/change/",
        "admin-job": f"{base}/job/{Job.objects.first().pk}/change/",
        "admin-processes": f"{base}/definition/",
        "admin-version": f"{base}/version/{Version.objects.first().pk}/change/",
    }
    found = []
    for name, address in pages.items():
        admin.open(address)
        expect(admin.heading.first).to_be_visible()
        found += look_at(admin, name, rules=RULES_OF_ADMIN[language])
    admin.open(pages["admin-task"])
    admin.page.get_by_role("link", name=admin.word("Give to another person…")).click()
    expect(admin.page.get_by_label(admin.word("New holder"))).to_be_visible()
    found += look_at(admin, "admin-give-to", rules=RULES_OF_ADMIN[language])
    assert not found, "\n".join(found)
