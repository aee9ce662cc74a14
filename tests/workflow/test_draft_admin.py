"""Drafts in the administration: found and expired, and looked into only with a trace."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from flowadmin import clock
from tests.builders import a_person, a_role
from tests.workflow import flows
from workflow import access
from workflow.actions import application_drafts, design_drafts
from workflow.models import Draft


@pytest.fixture
def design(bao):
    document = flows.a_document(name="Secret plan")
    return design_drafts.create(
        user=bao, design=design_drafts.Design(document), name="Plan", now=clock.now()
    )


@pytest.fixture
def application(ann, bao, now):
    flows.publish(bao, flows.a_document(), now=now)
    flow, values = access.definition(ann, "expense"), {"reason": "Typed words"}
    return application_drafts.create(
        user=ann, definition=flow, values=values, picked={}, now=clock.now()
    )


def page(model, kind, *args):
    return reverse(f"admin:workflow_{model}draft_{kind}", args=args)


def test_designs_are_listed_and_looked_at_with_a_trace(client_of, admin, design):
    boss = client_of(admin)
    for address in (page("design", "changelist"), page("design", "change", design.pk)):
        text = boss.get(address).content.decode()
        assert "Plan" in text
        assert "Secret plan" not in text
    content = page("design", "content", design.pk)
    assert "Secret plan" not in boss.get(content).content.decode()
    assert not LogEntry.objects.exists()
    assert "Secret plan" in boss.post(content).content.decode()
    assert LogEntry.objects.get().object_id == str(design.pk)


def test_looking_needs_a_permission(client_of, demo_tenant, design):
    keeper = a_person(demo_tenant, "kim", is_staff=True)
    a_role(demo_tenant, "keepers", members=[keeper], grants=["flow.manage"])
    assert client_of(keeper).get(page("design", "changelist")).status_code == 200
    assert client_of(keeper).post(page("design", "content", design.pk)).status_code == 404
    assert not LogEntry.objects.exists()


def test_of_applications_only_metadata_is_shown(client_of, admin, application):
    boss = client_of(admin)
    for address in (
        page("application", "changelist"),
        page("application", "change", application.pk),
    ):
        answer = boss.get(address)
        assert (answer.status_code, "Typed words" in answer.content.decode()) == (200, False)
    assert boss.get(page("design", "change", application.pk)).status_code == 302


def test_only_what_has_expired_is_deleted(client_of, admin, design):
    boss, old = client_of(admin), clock.now() - timedelta(days=366)
    sent = {
        "action": "expire",
        "_selected_action": [str(design.pk)],
        "confirmed": "yes",
        "reason": "Tidy",
    }
    boss.post(page("design", "changelist"), sent)
    assert Draft.objects.get().deleted_at is None
    Draft.objects.update(updated_at=old)
    boss.post(page("design", "changelist"), sent)
    assert Draft.objects.get().deleted_at is not None
