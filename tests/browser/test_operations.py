"""The operations of a request in a real browser: every panel, in both languages, by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from flowadmin import clock
from flowadmin.directory.models import User
from tests.browser.looking import look_at
from tests.pages.test_operations import ALL_ACTS, PNG
from tests.workflow.flows import a_document, approve, approve_step, publish, start
from workflow.models import Task

RULES = {"en": "all", "zh-hans": "none"}
PANELS = {
    "Return …": "act-to",
    "Transfer …": "act-to",
    "Ask for an opinion …": "act-to",
    "Add people …": "act-people",
    "Send a copy …": "act-people",
    "Snooze …": "act-until",
    "Ask for a substitute …": None,
}
STEERING = {
    "Pause …": "act-reason",
    "Jump to a step …": "act-to",
    "Reassign …": "act-what",
    "End the request …": "act-reason",
}


def person(login):
    return User.objects.select_related("tenant").get(login=login)


@pytest.fixture
def filed(site):
    """A request that waits for chi, who may do everything and has to bring a file."""
    now = clock.now()
    evidence = {"comment": "may", "files": "must", "signature": "may"}
    second = approve_step(
        "second", "chi", acts=ALL_ACTS, evidence=evidence, fields={"set": {"reason": "edit"}}
    )
    policy = {"take_back": {"on": True}, "initiator_cancel": "while_running"}
    document = a_document(approve_step("lead", "bao"), second, key="many", policy=policy)
    publish(person("bao"), document, now=now)
    instance = start(person("ann"), "many", now=now)
    approve(person("bao"), now=now)
    return instance


def panel(someone):
    return someone.page.locator("[data-panel]")


def open_more(someone, text):
    """Open the menu of the bar and choose an entry."""
    someone.page.locator(".decide details > summary").click()
    someone.button(text).click()
    expect(panel(someone)).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("language", list(RULES))
def test_every_panel_opens_beside_what_was_typed(sit_down, filed, language):
    chi = sit_down("chi", language=language)
    chi.open(f"/requests/{filed.pk}/")
    chi.comment.fill("typed")
    chi.page.locator("[name=values-reason]").fill("half")
    found = look_at(chi, "acts", rules=RULES[language])
    for number, (text, field) in enumerate(PANELS.items()):
        open_more(chi, text)
        expect(panel(chi)).to_be_focused()
        expect(chi.page.locator(".decide details")).not_to_have_attribute("open", "")
        expect(chi.comment).to_have_value("typed")
        expect(chi.page.locator("[name=values-reason]")).to_have_value("half")
        if field:
            expect(panel(chi).locator(f"[name={field}]").first).to_be_visible()
        found += look_at(chi, f"panel-{number}", rules=RULES[language])
        panel(chi).focus()
        chi.keys.press("Escape")
        expect(panel(chi)).to_have_count(0)
        expect(chi.page.locator(".decide details > summary")).to_be_focused()
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("language", list(RULES))
def test_panels_of_managers_and_of_the_initiator(sit_down, filed, language):
    admin = sit_down("admin", language=language)
    admin.open(f"/requests/{filed.pk}/")
    found = []
    for number, (text, field) in enumerate(STEERING.items()):
        admin.page.locator(".request-acts details > summary").click()
        admin.link(text).click()
        expect(panel(admin).locator(f"[name={field}]")).to_be_visible()
        expect(panel(admin)).to_be_focused()
        found += look_at(admin, f"steer-{number}", rules=RULES[language])
        panel(admin).get_by_role("link", name=admin.word("Cancel")).click()
        expect(panel(admin)).to_have_count(0)
    ann = sit_down("ann", language=language)
    ann.open(f"/requests/{filed.pk}/")
    ann.link("Withdraw …").click()
    expect(panel(ann).locator("[name=act-comment]")).to_be_visible()
    found += look_at(ann, "withdraw", rules=RULES[language])
    panel(ann).locator("[name=act-comment]").fill("No longer needed")
    panel(ann).locator("button[value=withdraw]").click()
    ann.sees_message("You withdrew “%(title)s”.", title=filed.title)
    ann.sees_state("Withdrawn")
    assert not found, "\n".join(found)


def test_a_transfer_with_the_keyboard_alone(sit_down, filed):
    chi = sit_down("chi", hand="keyboard")
    chi.open(f"/requests/{filed.pk}/")
    chi.hand.fill(chi.comment, "Yours, please")
    chi.hand.press(chi.page.locator(".decide details > summary"))
    chi.hand.press(chi.button("Send a copy …"))
    expect(panel(chi)).to_be_focused()
    # The shortcut opens it without the menu.
    chi.keys.press("t")
    expect(panel(chi).locator("[name=act-to]")).to_be_visible()
    expect(panel(chi)).to_be_focused()
    chi.hand.choose(chi.page.get_by_label(chi.word("To whom")), "Dan Liu")
    chi.hand.press(panel(chi).locator("button[value=transfer]"))
    chi.sees_message("You transferred “%(title)s”.", title=filed.title)
    assert Task.objects.get(instance=filed, state="open").holder.login == "dan"


def test_a_file_and_a_signature_on_a_phone(sit_down, filed):
    chi = sit_down("chi", width=390, expected=["422"])
    chi.open(f"/requests/{filed.pk}/")
    chi.button("Approve").click()
    expect(chi.summary).to_be_focused()
    chi.page.locator("#new-signature").set_input_files(
        {"name": "me.png", "mimeType": "image/png", "buffer": PNG}
    )
    chi.button("Approve").click()
    # What was stored with the first try is kept; the missing file is asked for.
    expect(chi.page.get_by_text("me.png")).to_be_visible()
    chi.page.locator("#new-files").set_input_files(
        {"name": "bill.txt", "mimeType": "text/plain", "buffer": b"42"}
    )
    chi.button("Approve").click()
    chi.sees_message("You approved “%(title)s”.", title=filed.title)
    assert Task.objects.get(instance=filed, step="second").state == "approved"


def test_a_panel_opens_in_a_page_of_its_own_address(sit_down, filed):
    chi = sit_down("chi")
    chi.open(f"/requests/{filed.pk}/acts/snooze/")
    expect(chi.heading).to_have_text(filed.title)
    expect(panel(chi).locator("[name=act-until]")).to_be_visible()
    panel(chi).locator("[name=act-until]").fill("2020-01-01T09:00")


def test_refused_in_place_with_the_panel_still_open(sit_down, filed):
    chi = sit_down("chi", expected=["422"])
    chi.open(f"/requests/{filed.pk}/")
    open_more(chi, "Snooze …")
    panel(chi).locator("[name=act-until]").fill("2020-01-01T09:00")
    panel(chi).locator("button[value=snooze]").click()
    expect(panel(chi)).to_contain_text("This moment has passed already")
    expect(chi.summary).to_be_visible()
