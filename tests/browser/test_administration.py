"""The administration in the browser: find a request, steer it with a reason, change nothing."""

from __future__ import annotations

import pytest
from django.utils.text import capfirst
from playwright.sync_api import expect

from tests.workflow.flows import rows
from workflow.models import Event, Instance, Task

BOTH = [("mouse", "en"), ("keyboard", "zh-hans")]


def search(admin, words):
    admin.hand.fill(admin.page.locator("#searchbar"), words)
    admin.keys.press("Enter")
    admin.page.wait_for_url("**?q=*")


def to_list_of(admin, plural):
    """Through the pages' navigation into the administration, to one of its lists."""
    admin.hand.press(admin.link("Administration"))
    section = admin.page.locator("#content-main .module")
    admin.hand.press(
        section.get_by_role("link", name=capfirst(admin.word(plural)), exact=True).first
    )
    expect(admin.page.locator("#searchbar")).to_be_visible()


def ask(admin, offer):
    """Press the button of an act on an object's own page."""
    admin.hand.press(admin.page.get_by_role("link", name=admin.word(offer), exact=True))


@pytest.mark.parametrize(("hand", "language"), BOTH)
def test_a_task_is_found_and_reassigned_with_a_reason(sit_down, file_expense, hand, language):
    instance = file_expense("Taxi from Oslo")
    reason = "Bao Chen is ill <b>this</b> week."
    admin = sit_down("admin", hand=hand, language=language)
    to_list_of(admin, "tasks")
    search(admin, instance.number)
    found = admin.page.locator("#result_list tbody tr")
    expect(found).to_have_count(1)
    expect(found).to_contain_text("Bao Chen")
    admin.hand.press(found.get_by_role("link", name=instance.number, exact=True))
    ask(admin, "Give to another person…")
    admin.hand.fill(admin.page.get_by_label(admin.word("New holder")), "nobody")
    admin.hand.fill(admin.page.get_by_label(admin.word("Reason")), reason)
    before = Event.objects.count()
    admin.hand.press(admin.button("Give to this person"))
    expect(
        admin.page.get_by_text(admin.word("There is no active person with this login name here."))
    ).to_be_visible()
    expect(admin.page.get_by_label(admin.word("Reason"))).to_have_value(reason)
    assert Event.objects.count() == before

    admin.hand.fill(admin.page.get_by_label(admin.word("New holder")), "chi")
    admin.hand.press(admin.button("Give to this person"))
    expect(admin.page.locator(".messagelist .success")).to_contain_text("Chi Wang")
    task = Task.objects.get(instance=instance)
    assert task.holder.login == "chi"

    admin.open(f"/requests/{instance.pk}/")
    admin.sees_event(
        "%(actor)s gave the task “%(step)s” of %(before)s to %(person)s",
        reason,
        actor="Administrator",
        step="Head of department",
        before="Bao Chen",
        person="Chi Wang",
    )
    chi = sit_down("chi", hand=hand, language=language)
    chi.open_task(instance.title)
    chi.approve()
    chi.sees_message("You approved “%(title)s”.", title=instance.title)
    assert not Task.objects.filter(instance=instance, holder__login="bao").exists()


@pytest.mark.parametrize(("hand", "language"), BOTH)
def test_a_request_is_found_by_its_person_and_ended_with_a_reason(
    sit_down, file_expense, hand, language
):
    instance = file_expense("Taxi to Oslo")
    admin = sit_down("admin", hand=hand, language=language)
    to_list_of(admin, "requests")
    search(admin, "Ann Lee")
    row = admin.page.locator("#result_list tbody tr").filter(has_text=instance.number)
    expect(row).to_have_count(1)
    admin.hand.press(row.get_by_role("link", name=instance.number, exact=True))
    ask(admin, "End with a reason…")
    admin.hand.press(admin.button("End with this reason"))
    expect(admin.page.locator(".errornote")).to_be_visible()
    assert Instance.objects.get(pk=instance.pk).state == "running"

    admin.hand.fill(admin.page.get_by_label(admin.word("Reason")), "Paid with another request.")
    admin.hand.press(admin.button("End with this reason"))
    expect(admin.page.locator(".messagelist .success")).to_contain_text(instance.number)
    expect(admin.page.locator("#timeline")).to_contain_text("Paid with another request.")
    assert Instance.objects.get(pk=instance.pk).state == "terminated"

    ann = sit_down("ann", language=language)
    ann.open(f"/requests/{instance.pk}/")
    ann.sees_state("Terminated")
    ann.sees_event(
        "%(person)s ended the request", "Paid with another request.", person="Administrator"
    )


def test_several_requests_are_ended_from_the_list(sit_down, file_expense):
    first, second = file_expense("Taxi one"), file_expense("Taxi two")
    admin = sit_down("admin")
    to_list_of(admin, "requests")
    search(admin, "Taxi")
    boxes = admin.page.locator("#result_list .action-select")
    expect(boxes).to_have_count(2)
    for box in boxes.all():
        box.check()
    admin.page.locator("select[name=action]").select_option(label="End with a reason…")
    admin.page.locator(".actions button[name=index]").click()
    admin.page.get_by_label("Reason").fill("The shop has closed.")
    admin.button("End with this reason").click()
    expect(admin.page.locator(".messagelist .success")).to_have_count(2)
    states = Instance.objects.filter(pk__in=[first.pk, second.pk]).values_list("state", flat=True)
    assert list(states) == ["terminated", "terminated"]


def test_history_is_for_reading(sit_down, file_expense):
    """No list offers to add or delete, no page has a field, and their addresses are refused."""
    file_expense("Taxi one")
    admin = sit_down("admin", expected=["403"])
    before = rows()
    for model in ("event", "instance", "task", "step", "job", "version"):
        base = f"/admin/workflow/{model}/"
        admin.open(base)
        for offer in (".object-tools .addlink", "option[value=delete_selected]"):
            expect(admin.page.locator(offer)).to_have_count(0)
        admin.page.locator("#result_list tbody th a").first.click()
        admin.page.wait_for_url("**/change/**")
        fields = "input:not([type=hidden]), textarea:not([readonly]), select, .deletelink"
        expect(admin.page.locator("#content").locator(fields)).to_have_count(0)
        row = admin.page.url.partition("change/")[0].removeprefix(admin.site)
        for refused in (f"{base}add/", f"{row}delete/"):
            assert admin.page.goto(refused).status == 403, refused
    assert rows() == before
