"""Rejections, forms that come back with errors, and values that some must never see."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.workflow.flows import rows
from workflow.models import Instance, Task

BOTH = [("mouse", "en"), ("keyboard", "zh-hans")]


@pytest.mark.parametrize(("hand", "language"), BOTH)
def test_rejection_needs_its_reason_and_tells_it(sit_down, hand, language):
    title = "Expense: Flight to Oslo"
    ann = sit_down("ann", hand=hand, language=language)
    number = ann.file_expense("Flight to Oslo")
    bao = sit_down("bao", hand=hand, language=language, expected=["422"])
    bao.open_task(title)
    before = rows()
    bao.reject()
    expect(bao.summary).to_be_focused()
    expect(bao.comment).to_have_attribute("aria-invalid", "true")
    assert rows() == before

    bao.reject("The train takes four hours.")
    bao.sees_message("You rejected “%(title)s”.", title=title)
    ann.page.reload()
    ann.sees_state("Rejected")
    ann.sees_event(
        "%(person)s rejected “%(step)s”",
        "The train takes four hours.",
        person="Bao Chen",
        step="Head of department",
    )
    ann.sees_event("The request was rejected")
    assert Instance.objects.get(number=number).state == "rejected"
    assert not Task.objects.filter(instance__number=number, holder__login="dan").exists()


@pytest.mark.parametrize(("hand", "language"), BOTH)
def test_form_errors_keep_what_was_typed_and_take_the_focus(sit_down, hand, language):
    ann = sit_down("ann", hand=hand, language=language, expected=["422"])
    ann.to_form_of("Expense")
    typed = {
        "purpose": 'Books <b>&"quoted"</b>',
        "category": "training",
        "amount": "-3",
        "details": "Line 1",
    }
    ann.fill_in("expense", typed)
    before = rows()
    ann.hand.press(ann.button("Submit"))
    expect(ann.summary).to_be_focused()
    for field in ("amount", "spent_on"):
        expect(ann.summary.get_by_role("link", name=ann.label("expense", field))).to_be_visible()
        expect(ann.field("expense", field)).to_have_attribute("aria-invalid", "true")
    for field, value in typed.items():
        expect(ann.field("expense", field)).to_have_value(value)
    assert rows() == before

    ann.hand.press(ann.summary.get_by_role("link", name=ann.label("expense", "amount")))
    expect(ann.field("expense", "amount")).to_be_focused()
    ann.fill_in("expense", {"amount": "30.50", "spent_on": "2026-02-27"})
    ann.hand.press(ann.button("Submit"))
    expect(ann.heading).to_have_text('Expense: Books <b>&"quoted"</b>')
    assert (
        Instance.objects.filter(
            initiator__login="ann", title__startswith="Expense: Books <b>"
        ).count()
        == 1
    )


def test_values_of_hidden_fields_are_nowhere_in_the_source(sit_down):
    title = "Expense: Visit to Lyon"
    secret = "CC-90210"
    ann = sit_down("ann")
    ann.file_expense("Visit to Lyon")
    bao = sit_down("bao")
    bao.open_task(title)
    bao.approve()
    bao.sees_message("You approved “%(title)s”.", title=title)
    dan = sit_down("dan")
    dan.open_task(title)
    dan.fill_in("expense", {"cost_center": secret})
    dan.approve()
    dan.sees_message("You approved “%(title)s”.", title=title)

    address = f"/requests/{Instance.objects.get(title=title).pk}/"
    dan.open(address)
    assert secret in dan.page.content()
    for person in (ann, bao):
        person.open(address)
        expect(person.heading).to_have_text(title)
        source = person.page.content()
        assert secret not in source
        assert "cost_center" not in source
        assert ann.label("expense", "cost_center") not in source


def test_a_request_of_others_does_not_exist_for_a_stranger(sit_down):
    ann = sit_down("ann")
    ann.file_expense("Visit to Lyon")
    address = ann.page.url.removeprefix(ann.site)
    for login in ("chi", "eve"):
        stranger = sit_down(login, expected=["404"])
        stranger.open(address)
        assert "Lyon" not in stranger.page.content()
        expect(stranger.heading).not_to_contain_text("Expense")
