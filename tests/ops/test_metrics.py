"""`/metrics`: who may read it, what it counts, and that every figure is one bounded statement."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from flowadmin import archive, clock, metrics
from flowadmin.directory.models import Permission
from notifications.models import Notice
from tests.builders import a_role
from tests.workflow import flows
from workflow.models import Job
from workflow.runtime import steps

pytestmark = pytest.mark.django_db
LINE = re.compile(r'^(flowadmin_[a-z_]+)(\{(?:[a-z]+="[^"\n]*",?)+\})? (-?[0-9.e+-]+)$')
# A request of another machine, through a proxy on this one.
PROXIED = {"X-Forwarded-For": "192.0.2.7"}


def read(answer):
    """The figures of an answer: name and labels → value."""
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    found = [LINE.match(line) for line in lines]
    assert all(found), lines
    return {f"{one[1]}{one[2] or ''}": float(one[3]) for one in found if one}


@pytest.fixture
def waiting(ann, bao, dan, now):
    """A task that waits for dan, and a copy step that went wrong and is due again."""
    copy = {"id": "tell", "kind": "copy", "name": "Tell", "who": {"any_of": [
        {"by": "user", "ids": ["chi"]}]}}  # fmt: skip
    flows.publish(ann, flows.a_document(flows.approve_step(), copy), now=now)
    flows.publish(ann, flows.a_document(flows.approve_step("d", "dan"), key="other"), now=now)
    flows.start(ann, now=now)
    flows.approve(bao, now=now)
    flows.start(ann, "other", now=now)
    job = Job.objects.get()
    claimed = steps.claim(job.pk, "one", now)
    assert claimed is not None
    steps.put_back(claimed, "ValueError", now)
    job.refresh_from_db()
    return job


def test_this_machine_reads_what_waits(waiting):
    found = read(Client(headers={"Host": "127.0.0.1:8000"}).get("/metrics"))

    assert found["flowadmin_tasks_open"] == 1
    assert found['flowadmin_due{queue="jobs"}'] == 1
    assert found['flowadmin_jobs{state="failed"}'] == 1
    assert found['flowadmin_jobs{state="late"}'] == 1
    age = (clock.now() - waiting.due_at).total_seconds()
    assert found['flowadmin_oldest_due_seconds{queue="jobs"}'] == pytest.approx(age, rel=1e-3)
    assert found['flowadmin_callbacks{state="failed"}'] == 0
    assert "flowadmin_sqlite_bytes" in " ".join(found) or connection.vendor != "sqlite"


def test_whoever_comes_past_a_proxy_needs_a_token(waiting, ann, admin):
    for headers in (PROXIED, {"Host": "localhost", "Forwarded": "for=192.0.2.7"}):
        refused = Client(headers=headers).get("/metrics")
        assert refused.status_code == 401
        assert refused["WWW-Authenticate"].startswith("Token")
        assert "flowadmin_" not in refused.text
    elsewhere = Client(REMOTE_ADDR="192.0.2.7", headers={"Host": "localhost"})
    assert elsewhere.get("/metrics").status_code == 401
    # Also from this machine a wrong token is not overlooked.
    wrong = Client(headers={"Host": "localhost", "Authorization": "Token wrong"})
    assert wrong.get("/metrics").status_code == 401


def test_a_tenants_operator_sees_that_tenant_alone(waiting, client_of, ann, chi, eve, admin):
    a_role(chi.tenant, members=[chi], grants=(Permission.OPS_VIEW,))
    a_role(eve.tenant, members=[eve], grants=(Permission.OPS_VIEW,))

    assert client_of(ann, headers=PROXIED).get("/metrics").status_code == 403
    assert read(client_of(chi, headers=PROXIED).get("/metrics"))["flowadmin_tasks_open"] == 1
    of_eve = read(client_of(eve, headers=PROXIED).get("/metrics"))
    assert set(of_eve.values()) == {0}
    assert not [name for name in of_eve if "process" in name or "sqlite" in name]
    whole = read(client_of(admin, headers=PROXIED).get("/metrics"))
    assert whole["flowadmin_tasks_open"] == 1


def test_the_age_of_the_last_backup_is_told(tmp_path):
    here = Client(headers={"Host": "localhost"})
    # The data folder is that of the whole run: another test may have made a backup.
    (settings.ENVIRONMENT.data / archive.STAMP).unlink(missing_ok=True)
    assert "flowadmin_backup_age_seconds" not in read(here.get("/metrics"))
    call_command("backup", "--media-only", str(tmp_path / "media.tar"))
    try:
        assert 0 <= read(here.get("/metrics"))["flowadmin_backup_age_seconds"] < 600
    finally:
        (settings.ENVIRONMENT.data / archive.STAMP).unlink()


def test_each_figure_is_bounded(waiting):
    with CaptureQueriesContext(
        connection,
    ) as asked:
        list(metrics.figures(clock.now()))
    counts = [query["sql"] for query in asked if "COUNT(" in query["sql"]]
    assert counts
    assert all("LIMIT" in sql for sql in counts)
    assert len(asked) < 30


def test_a_reminder_that_is_due_is_counted(waiting, dan, now):
    Notice.objects.create(
        tenant=dan.tenant,
        kind=Notice.Kind.TIMEOUT,
        status=Notice.Status.PENDING,
        reminder_key="1",
        scheduled_at=clock.now() - timedelta(seconds=90),
        created_at=now,
    )
    found = read(Client(headers={"Host": "localhost"}).get("/metrics"))
    assert found["flowadmin_reminders_pending"] == 1
    assert found['flowadmin_due{queue="reminders"}'] == 1
    assert 90 <= found['flowadmin_oldest_due_seconds{queue="reminders"}'] < 600
