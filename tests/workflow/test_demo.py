"""The demo organisation at work: what the contract promises of its processes and requests."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from flowadmin.directory.models import Tenant, User
from tests.workflow import flows
from workflow import queries
from workflow.actions import demonstration, requests
from workflow.models import Definition, Event, Instance, Job, Task, Version
from workflow.runtime import replay

pytestmark = pytest.mark.django_db

REQUIRED = {"text", "long_text", "number", "integer", "amount", "date", "bool", "choice"}


def load(*arguments):
    out = StringIO()
    call_command("load_demo", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def loaded(now):
    return demonstration.load(password="velvet-orbit-9", now=now)


def person(login):
    return User.objects.get(login=login)


def values_for(key, **given):
    """The least that the form takes, from its own document."""
    _document, form = demonstration.document_of(key)
    least = {
        "text": "x", "long_text": "x", "number": "1", "integer": "1", "amount": "1",
        "date": "2026-03-02", "bool": True,
    }  # fmt: skip
    values = {
        field["id"]: field["options"][0]["id"]
        if field["type"] == "choice"
        else least[field["type"]]
        for field in form["fields"]
        if field.get("required")
    }
    return values | given


def start(login, flow, now, **given):
    settled = requests.start_request(
        user=person(login), flow=flow, values=values_for(flow, **given), now=now
    )
    return Instance.objects.get(pk=settled.outcome.instance_id)


@pytest.mark.parametrize("key", demonstration.FLOWS)
def test_forms_ask_in_both_languages_for_nothing_unusual(key):
    _document, form = demonstration.document_of(key)
    for field in form["fields"]:
        assert field["type"] in REQUIRED
        for text in (field["label"], field.get("help", {"en": "x", "zh-hans": "x"})):
            assert text["en"]
            assert text["zh-hans"]
        for option in field.get("options", ()):
            assert option["label"]["en"]
            assert option["label"]["zh-hans"]


def test_a_leave_of_two_days_ends_with_bao(loaded, now):
    instance = start("ann", "leave", now, days="2")
    outcome = flows.approve(person("bao"), now=now)
    assert (outcome.instance_id, outcome.state.status) == (instance.pk, "approved")


def test_a_long_leave_goes_on_to_human_resources_and_is_copied(loaded, now):
    instance = start("ann", "leave", now, days="4")
    assert flows.approve(person("bao"), now=now).state.status == "running"
    outcome = flows.approve(person("admin"), now=now)
    assert (outcome.instance_id, outcome.state.status) == (instance.pk, "running")
    assert Job.objects.filter(instance=instance, kind="copy", state="pending").exists()


def test_a_large_expense_goes_to_bao_then_dan(loaded, now):
    instance = start("ann", "expense", now, amount="12000")
    assert flows.approve(person("bao"), now=now).state.status == "running"
    outcome = flows.approve(person("dan"), now=now)
    assert (outcome.instance_id, outcome.state.status) == (instance.pk, "approved")
    assert not Job.objects.filter(instance=instance).exists()


@pytest.mark.parametrize("amount", ["10000", "0.01"])
def test_a_small_expense_ends_with_bao(loaded, now, amount):
    start("ann", "expense", now, amount=amount)
    assert flows.approve(person("bao"), now=now).state.status == "approved"


def test_no_page_is_empty(loaded, now):
    states = set(Instance.objects.values_list("state", flat=True))
    assert states == {"running", "approved", "rejected", "terminated"}
    assert Instance.objects.filter(held__isnull=False).exists()
    for login in ("admin", "bao", "chi", "dan"):
        assert queries.inbox_count(person(login)), login
        assert queries.done_tasks(person(login)).exists(), login
    assert queries.my_instances(person("ann")).count() > 5
    assert queries.copied_tasks(person("chi")).exists()
    waiting = set(Task.objects.filter(state="open").values_list("step", flat=True))
    assert waiting == {"lead", "hr", "finance", "accounting", "board"}
    assert set(Definition.objects.values_list("key", flat=True)) == set(demonstration.FLOWS)


def test_the_stories_are_of_the_past_and_in_order(loaded, now):
    assert not Event.objects.filter(at__gt=now).exists()
    begun = list(Instance.objects.order_by("pk").values_list("started_at", flat=True))
    assert begun == sorted(begun)
    assert len(set(begun)) == len(begun)
    for instance in Instance.objects.all():
        times = list(instance.events.order_by("position").values_list("at", flat=True))
        assert times == sorted(times)
        assert replay.differences(instance.pk) == []
    assert not Job.objects.filter(state__in=["pending", "leased"]).exists()


def test_the_other_tenant_has_nothing_of_it(loaded):
    eve = person("eve")
    assert not Definition.objects.filter(tenant_id=eve.tenant_id).exists()
    assert not queries.involved_instances(eve).exists()


def test_loading_again_changes_nothing(loaded, ann_changes, now):
    before = flows.rows(), flows.everything(), Version.objects.count()
    again = demonstration.load(password="other-orbit-9", now=now)
    assert (again.password, again.flows, again.requests) == (None, 0, 0)
    assert (flows.rows(), flows.everything(), Version.objects.count()) == before
    assert person("ann").check_password("velvet-orbit-9")


@pytest.fixture
def ann_changes(loaded, now):
    """Somebody published a process anew: loading again must not take it back."""
    flows.publish(person("admin"), flows.a_document(flows.approve_step("other", "chi")), now=now)


def test_a_random_password_is_said_once(db):
    first = load()
    password = first.split("Password of all demo accounts: ")[1].split()[0]
    assert person("ann").check_password(password)
    again = load()
    assert password not in again
    assert "was not changed" in again
    for login in ("admin", "ann", "bao", "chi", "dan", "eve"):
        assert login in again


def test_a_given_password_is_not_repeated():
    assert "velvet-orbit-9" not in load("--password", "velvet-orbit-9")
    assert person("ann").check_password("velvet-orbit-9")


def test_the_password_of_the_environment_is_taken(settings):
    from dataclasses import replace  # noqa: PLC0415 - used once

    changed = replace(settings.ENVIRONMENT, demo_password="garden-orbit-9")
    with override_settings(ENVIRONMENT=changed):
        load()
    assert person("bao").check_password("garden-orbit-9")


def test_a_tenant_of_that_name_which_is_not_the_demo_is_left_alone(db):
    Tenant.objects.create(code="demo", name="Demolition works")
    with pytest.raises(CommandError, match="not the demo organisation"):
        load()
    assert not Definition.objects.exists()
    assert not User.objects.exists()
