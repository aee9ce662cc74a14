"""The demo organisation with a row of every kind, so that no page is empty."""

from __future__ import annotations

from datetime import timedelta

from flowadmin import clock
from flowadmin.directory.actions import issue_token
from flowadmin.directory.models import User
from notifications.actions.urging import urge
from notifications.models import CallbackPurge, Channel, Message
from notifications.queries import sent_to
from tests.directory.rows import away
from tests.notifications.posted import failed
from workflow import access
from workflow.actions import application_drafts, design_drafts, keeping_drafts, publishing
from workflow.actions.demonstration import document_of
from workflow.actions.keeping_secrets import keep_secret
from workflow.actions.keeping_targets import keep_target
from workflow.models import Call, Instance, Job, Task

RUNNING = "Expense: Flight to the customer"


def furnish():
    """Make what the demo lacks; the numbers that stand in addresses, by name."""
    now = clock.now()
    people = {user.login: user for user in User.objects.select_related("tenant")}
    numbers = _titled() | _drafts(people, now)
    running = Instance.objects.get(pk=numbers["running"])
    urge(instance=running, user=people["ann"], now=now)
    failed(running, history=[{"at": now.isoformat(), "status": "HTTP_503", "kind": "attempt"}])
    _of_operators(people["admin"], now)
    Channel.objects.create(tenant=running.tenant, medium="email")
    away(people["dan"], people["chi"], now, now + timedelta(days=7))
    task = Task.objects.get(instance=numbers["task"], state=Task.State.OPEN)
    job = Job.objects.order_by("pk").first()
    notice = sent_to(people["dan"]).first()
    assert job is not None
    assert notice is not None
    Message.objects.create(
        tenant=notice.tenant, notice=notice, receiver=people["dan"], medium="email",
        status=Message.Status.FAILED, next_at=now, created_at=now, updated_at=now,
    )  # fmt: skip
    return numbers | {
        "open_task": task.pk,
        "person": people["bao"].pk,
        "run": job.instance_id,
        "notice": notice.pk,
    }


def _titled():
    titles = {
        "approved": "Leave: Ann Lee, 10 days",
        "rejected": "Expense: Dinner with the team",
        "terminated": "Expense: Standing desk",
        "running": RUNNING,
        "foreign": "Leave: Chi Wang, 0.5",
        "task": "Expense: Workshop room",
        "reassigned": "Expense: Books",
    }
    return {
        name: Instance.objects.get(title__startswith=title).pk for name, title in titles.items()
    }


def _drafts(people, now):
    admin, ann = people["admin"], people["ann"]
    for template in ("leave", "blank"):
        design_drafts.from_template(user=admin, template=template, now=now)
    gone = design_drafts.from_template(user=admin, template="blank", now=now)
    keeping_drafts.delete(gone, None, now)
    live = access.definition(admin, "expense").current
    assert live is not None
    design = design_drafts.from_version(user=admin, version=live, now=now)
    document = design.parts()["document"] | {"name": "Expenses"}
    design_drafts.save_draft(draft=design, version=1, document=document, now=now)
    document, form = document_of("expense")
    publishing.publish(
        user=admin, document=document | {"summary": []}, form=form, note="Shorter", now=now
    )
    flow = access.definition(ann, "expense")
    first, _second = [
        application_drafts.create(
            user=ann, definition=flow, values={"purpose": purpose}, picked={}, now=now
        )
        for purpose in ("Flight", "A" * 60)
    ]
    return {"design": design.pk, "gone": gone.pk, "draft": first.pk}


def _of_operators(admin, now):
    """Rows that only the administration shows."""
    tenant, job = admin.tenant, Job.objects.order_by("-pk").first()
    assert job is not None
    issue_token(admin, now=now, label="Nightly")
    keep_secret(tenant_id=tenant.pk, key="erp", text="Bearer x", now=now)
    keep_target(tenant_id=tenant.pk, key="erp", url="https://erp.example/", now=now)
    CallbackPurge.objects.create(
        tenant=tenant, status="SUCCEEDED", before=now, number=3, purged_at=now
    )
    Call.objects.create(
        tenant=tenant, instance_id=job.instance_id, job=job, step="ask", event_id="evt_1",
        mode="need_2xx", method="POST", url="https://erp.example/", timeout_seconds=10,
        state=Call.State.FAILED, result="HTTP_503", attempts=1, due_at=now, created_at=now,
    )  # fmt: skip
