"""Small processes that tests publish, and the short way to publish, start and decide them."""

from __future__ import annotations

from itertools import count
from typing import Any

from workflow import access, queries
from workflow.actions import approvals, demonstration, design_drafts, publishing, requests
from workflow.models import Definition, Instance, Task

_numbers = count(1)

FORM: dict[str, Any] = {
    "formdoc": 1,
    "fields": [
        {"id": "amount", "type": "amount", "label": "Amount", "required": True},
        {"id": "reason", "type": "text", "label": "Reason"},
        {"id": "secret", "type": "text", "label": "Internal note"},
    ],
}


def approve_step(step_id="lead", *logins, **members):
    """An approval by these people; further members of the step as keywords."""
    step = {
        "id": step_id,
        "kind": "approve",
        "name": step_id.title(),
        "who": {"any_of": [{"by": "user", "ids": list(logins) or ["bao"]}]},
    }
    return step | members


def a_document(*steps, key="expense", **members):
    """A process of these steps with the form above."""
    return {
        "flowdoc": 1,
        "key": key,
        "name": key.title(),
        "form": {"key": key},
        "steps": list(steps) or [approve_step()],
    } | members


def big_and_small():
    """Head, then finance above 10,000: the process that most tests run."""
    return a_document(
        approve_step("lead", "bao"),
        {
            "id": "size",
            "kind": "choice",
            "name": "Size",
            "branches": [
                {
                    "id": "big",
                    "name": "Big",
                    "when": {"field": "amount", "op": "gt", "value": "10000"},
                    "steps": [approve_step("finance", "dan")],
                },
                {"id": "small", "name": "Small", "otherwise": True, "steps": []},
            ],
        },
    )


def publish(user, document, form=FORM, *, now):
    """Publish a process; its version."""
    version, _new = publishing.publish(user=user, document=document, form=form, note="", now=now)
    return version


def start(user, flow="expense", *, now, **values):
    """File a request; its row."""
    settled = requests.start_request(
        user=user, flow=flow, values={"amount": "12000"} | values, now=now
    )
    return Instance.objects.get(pk=settled.outcome.instance_id)


def open_task(user):
    """The newest open task of this person."""
    return access.own_task(user, queries.inbox(user, limit=1)[0].id)


def approve(user, *, now, **more):
    """Approve this person's newest open task; the outcome."""
    task = open_task(user)
    return approvals.approve(task=task, user=user, version=task.version, now=now, **more).outcome


def reject(user, *, now, **more):
    """Reject this person's newest open task; the outcome."""
    task = open_task(user)
    return approvals.reject(task=task, user=user, version=task.version, now=now, **more).outcome


def rows():
    """How many rows requests and notices have: what a denied action must not change."""
    from django.apps import apps  # noqa: PLC0415 - after Django's set-up

    models = [
        *apps.get_app_config("workflow").get_models(),
        *apps.get_app_config("rest").get_models(),
        *apps.get_app_config("notifications").get_models(),
    ]
    return {model._meta.db_table: model._default_manager.count() for model in models}


def everything():
    """Every value of every row of a request: what a denied action must leave as it is."""
    return [list(model.objects.order_by("pk").values()) for model in (Definition, Instance, Task)]


def demo_draft(user, key, now):
    """A new design draft of what the demo process ``key`` is, under a key of its own."""
    document, form = demonstration.document_of(key)
    named = f"{key}_2"
    document |= {"key": named, "form": {"key": named}}
    return design_drafts.create(user=user, design=design_drafts.Design(document, form), now=now)
