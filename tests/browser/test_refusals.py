"""Rejections, forms that come back with errors, and values that some must never see."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.workflow.flows import rows
from workflow.models import Instance, Task

BOTH = [("mouse", "en"), ("keyboard", "zh-hans")]


@pytest.mark.parametrize(("hand", "language"), BOTH)
def test_rejection_needs_its_reason_and_tells_it(sit_down, file_expense, hand, language):
    title = "Expense: Flight to Oslo"
    number = file_expense("Flight to Oslo").number
    bao = sit_down("bao", hand=hand, language=language, expected=["422"])
    bao.open_task(title)
    before = rows()
    bao.reject()
    expect(bao.summary).to_be_focused()
    expect(bao.comment).to_have_attribute("aria-invalid", "true")
    assert rows() == before

    bao.reject("The train takes four hours.")
    bao.sees_message("You rejected “%(title)s”.", title=title)
    ann = sit_down("ann", language=language)
    ann.open(f"/requests/{Instance.objects.get(number=number).pk}/")
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


def test_values_of_hidden_fields_are_nowhere_in_the_source(sit_down, file_expense):
    """The initiator never sees the cost center, who gets the copy never the reason."""
    secret = "CC-90210"
    instance = file_expense("Visit to Lyon")
    decider = None
    for login, values in (("bao", {}), ("dan", {"cost_center": secret})):
        decider = sit_down(login)
        decider.open_task(instance.title)
        decider.fill_in("expense", values)
        decider.approve()
        decider.sees_message("You approved “%(title)s”.", title=instance.title)
    decider.open(f"/requests/{instance.pk}/")
    assert secret in decider.page.content()
    ann = sit_down("ann")
    ann.open(f"/requests/{instance.pk}/")
    ann.sees_state("Approved")
    label = ann.label("expense", "cost_center")
    for hidden in (secret, "cost_center", label):
        assert hidden not in ann.page.content()

    leave = Instance.objects.get(title__startswith="Leave: Ann Lee, 10 days")
    ann.open(f"/requests/{leave.pk}/")
    assert "by the sea" in ann.page.content()
    chi = sit_down("chi")
    chi.open(f"/requests/{leave.pk}/")
    chi.sees_state("Approved")
    for hidden in ("by the sea", chi.label("leave", "reason"), chi.label("leave", "balance")):
        assert hidden not in chi.page.content()


def test_a_request_of_others_does_not_exist_for_a_stranger(sit_down, file_expense):
    address = f"/requests/{file_expense('Visit to Lyon').pk}/"
    for login in ("chi", "eve"):
        stranger = sit_down(login, expected=["404"])
        stranger.open(address)
        assert "Lyon" not in stranger.page.content()
        expect(stranger.heading).not_to_contain_text("Expense")
