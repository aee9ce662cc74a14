"""What people read names people, departments and choices: no logins, codes or option ids."""

from __future__ import annotations

import pytest
from django.utils import translation

from tests.workflow import flows
from tests.workflow.stories import act, told
from workflow import reading
from workflow.actions import requests
from workflow.engine.commands import Delegate
from workflow.engine.rejections import NotOpen
from workflow.models import Instance
from workflow.recorded import read
from workflow.runtime.refusals import problem_of

pytestmark = pytest.mark.django_db

FORM = {
    "formdoc": 1,
    "fields": [
        {"id": "who", "type": "user", "label": "Cover"},
        {"id": "unit", "type": "department", "label": "Unit"},
        {
            "id": "kind",
            "type": "choice",
            "label": "Kind",
            "options": [
                {"id": "k1", "label": {"en": "Annual leave", "zh-hans": "年假"}},
                {"id": "k2", "label": {"en": "Sick leave", "zh-hans": "病假"}},
            ],
        },
        {"id": "amount", "type": "amount", "label": "Amount"},
        {"id": "day", "type": "date", "label": "Day"},
        {"id": "urgent", "type": "bool", "label": "Urgent"},
    ],
}
VALUES = {
    "who": "chi",
    "unit": "finance",
    "kind": "k1",
    "amount": "12000",
    "day": "2026-03-02",
    "urgent": True,
}
TITLE = "{form.kind}: {form.who}, {form.unit}, {form.amount}, {form.urgent}, {form.day}"


def filed(ann, now, *, when, language="en"):
    document = flows.a_document(
        flows.approve_step("lead", "bao", fields={"default": "edit"}),
        {
            "id": "way",
            "kind": "choice",
            "name": "Way",
            "branches": [
                {"id": "yes", "name": "Yes", "when": when, "steps": []},
                {"id": "no", "name": "No", "otherwise": True, "steps": []},
            ],
        },
        title=TITLE,
    )
    flows.publish(ann, document, FORM, now=now)
    with translation.override(language):
        settled = requests.start_request(user=ann, flow="expense", values=VALUES, now=now)
    return Instance.objects.get(pk=settled.outcome.instance_id)


def entries(instance, user):
    instance.refresh_from_db()
    return reading.entries_of(reading.reading_of(user, instance))


ALWAYS = {"field": "amount", "op": "gt", "value": "1"}


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "Annual leave: Chi Wang, Finance, 12,000.00, yes, 2026-03-02"),
        ("zh-hans", "年假: Chi Wang, Finance, 12,000.00, 是, 2026-03-02"),
    ],
)
def test_a_title_names_what_its_values_mean(ann, later, language, title):
    assert filed(ann, later(), when=ALWAYS, language=language).title == title


def test_changes_are_told_with_names(ann, bao, later):
    instance = filed(ann, later(), when=ALWAYS)
    flows.approve(
        bao,
        now=later(),
        form={"who": "dan", "unit": "people", "kind": "k2", "day": "2026-03-04", "urgent": False},
    )
    (changed,) = [each for each in entries(instance, ann) if each.state == "changed"]
    assert changed.why == (
        "Cover: Chi Wang → Dan Liu",
        "Unit: Finance → People",
        "Kind: Annual leave → Sick leave",
        "Day: Mar 2, 2026 → Mar 4, 2026",
        "Urgent: yes → no",
    )
    # Whoever may not see a field reads nothing of it, by whatever name.
    everything = str(told(instance, shows=lambda name: name != "who"))
    assert "Cover" not in everything
    assert "Dan Liu" not in everything


@pytest.mark.parametrize(
    ("when", "why"),
    [
        (
            {"field": "who", "op": "in", "value": ["chi", "dan"]},
            "Cover is one of Chi Wang, Dan Liu: true (the value was Chi Wang)",
        ),
        (
            {"field": "unit", "op": "under", "value": ["head_office"]},
            "Unit lies under Head office: true (the value was Finance)",
        ),
        (
            {"field": "day", "op": "between", "value": ["2026-03-01", "2026-03-31"]},
            "Day is between Mar 1, 2026 and Mar 31, 2026: true (the value was Mar 2, 2026)",
        ),
        (
            {"initiator": "is", "ids": ["ann"]},
            "The person who filed the request is Ann Lee: true",
        ),
        (
            {"not": {"field": "amount", "op": "lt", "value": "500"}},
            "not (Amount < 500.00): true (the value was 12,000.00)",
        ),
        (
            {"not": {"not": {"field": "amount", "op": "gt", "value": "500"}}},
            "Amount > 500.00: true (the value was 12,000.00)",
        ),
    ],
)
def test_questions_are_told_with_names(ann, bao, later, when, why):
    instance = filed(ann, later(), when=when)
    flows.approve(bao, now=later())
    (taken,) = [each for each in entries(instance, ann) if each.kind == "branch_taken"]
    assert taken.why == (why,)


def test_a_task_that_waits_for_an_opinion_says_whose(ann, bao, chi, later):
    instance = filed(ann, later(), when=ALWAYS)
    step = flows.approve_step("lead", "bao", acts={"delegate": True})
    flows.publish(ann, flows.a_document(step), now=later())
    instance = flows.start(ann, now=later())
    task = act(bao, Delegate, now=later(), to=chi.pk)
    before = len(list(read(instance.pk)))
    problem = problem_of(NotOpen("task.not_open"), task.pk)
    assert (problem.status, problem.members["handled_by"]) == (409, "Chi Wang")
    assert str(problem.detail) == (
        "Chi Wang was asked for an opinion, and this task waits for it."
    )
    assert len(list(read(instance.pk))) == before
