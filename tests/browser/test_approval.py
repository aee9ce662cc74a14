"""The whole way: filed, approved twice, approved; and a timeline that says who, when and why."""

from __future__ import annotations

import pytest
from django.utils.dateparse import parse_datetime

from tests.conftest import DEMO_PASSWORD
from workflow.models import Event, Instance


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("hand", ["mouse", "keyboard"])
def test_from_start_to_approved(sit_down, hand, language):
    def come(login):
        person = sit_down(hand=hand, language=language)
        person.sign_in(login, DEMO_PASSWORD)
        return person

    ann, bao, dan = come("ann"), come("bao"), come("dan")
    title = "Expense: Workshop in Oslo"
    number = ann.file_expense("Workshop in Oslo", details="Two days.")
    ann.sees_state("In progress")
    print(ann.timeline.inner_text())

    bao.open_task(title)
    bao.approve("As agreed.")
    bao.page.get_by_text(bao.word("You approved “%(title)s”.", title=title)).wait_for()

    dan.open_task(title)
    dan.fill_in("expense", {"cost_center": "4711"})
    dan.approve()
    dan.page.get_by_text(dan.word("You approved “%(title)s”.", title=title)).wait_for()

    ann.page.reload()
    ann.sees_state("Approved")
    print(ann.timeline.inner_text())
