"""`/metrics`: how much waits and for how long, as Prometheus text.

Theory of operation. Every figure is one bounded statement over rows that have an index: what is
counted is counted up to MOST, so a scrape costs milliseconds however long the lists are. Nothing
in it names a person, a process or an address. The figures of the whole installation are for the
machine itself (a scraper on loopback, past no proxy) and for operators of the platform; whoever
may see the operation of one tenant (`ops.view`) gets the figures of that tenant alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from rest_framework.exceptions import AuthenticationFailed

from flowadmin import archive, clock
from flowadmin.coordination import beat, presence
from flowadmin.coordination.models import Heartbeat, Round
from flowadmin.directory import permissions
from flowadmin.directory.models import User
from flowadmin.environment import SQLITE
from flowadmin.rest.authentication import ExpiringTokenAuthentication
from notifications.models import Callback, Message, Notice
from workflow.models import Call, Job, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest

# More than this is shown as this: a queue of so many needs help whatever its exact length.
MOST = 100_000
LATE = timedelta(minutes=10)
OVER_A_PROXY = (
    "HTTP_FORWARDED",
    "HTTP_VIA",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_REAL_IP",
)
HERE = ("127.0.0.1", "localhost", "[::1]")

Samples = list[tuple[dict[str, str], float]]


@dataclass(frozen=True, slots=True)
class Figure:
    """One gauge: its name without prefix, what it says, and a value for each set of labels."""

    name: str
    text: str
    samples: Samples


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """200 Prometheus text; 401 for nobody and for a wrong token, 403 without `ops.view`."""
    user: Any = request.user
    try:
        known = ExpiringTokenAuthentication().authenticate(request)  # type: ignore[arg-type]  # reads META alone
    except AuthenticationFailed:
        return _refused(401)
    if known is not None:
        user = known[0]
    elif comes_from_here(request):
        return _answer(None)
    if not isinstance(user, User):
        return _refused(401)
    if user.is_superuser:
        return _answer(None)
    if not permissions.has(user, permissions.OPS_VIEW):
        return _refused(403)
    return _answer(user.tenant_id)


def comes_from_here(request: HttpRequest) -> bool:
    """Whether a program of this machine asks, and not a proxy of this machine for another."""
    if any(name in request.META for name in OVER_A_PROXY):
        return False
    if request.get_host().rpartition(":")[0] not in HERE and request.get_host() not in HERE:
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False  # a socket in the file system: behind it is a proxy


def figures(now: datetime, tenant_id: int | None = None) -> Iterator[Figure]:
    """The gauges of one tenant, or of the installation. ``now`` is the database's clock."""
    yield from _of_work(now, tenant_id)
    yield from _of_queues(now, tenant_id)
    yield from _of_messages(tenant_id)
    if tenant_id is None:
        yield from _of_processes(now)
        yield from _of_files(now)


def in_text(found: Iterable[Figure]) -> str:
    """The figures in Prometheus' text format, version 0.0.4."""
    lines = []
    for figure in found:
        name = f"flowadmin_{figure.name}"
        lines += [f"# HELP {name} {figure.text}", f"# TYPE {name} gauge"]
        lines += [f"{name}{_labels(labels)} {value:.10g}" for labels, value in figure.samples]
    return "\n".join(lines) + "\n"


def _answer(tenant_id: int | None) -> HttpResponse:
    text = in_text(figures(clock.now(), tenant_id))
    return HttpResponse(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def _refused(status: int) -> HttpResponse:
    text = "A token of somebody with ops.view is needed.\n"
    response = HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Token realm="FlowAdmin"'
    return response


def due_rows(now: datetime, tenant_id: int | None) -> dict[str, tuple[QuerySet[Any], str]]:
    """The rows whose moment has come, by queue, and the column that says since when."""
    jobs = Job.objects.filter(state=Job.State.PENDING, due_at__lte=now)
    calls = Call.objects.filter(state=Call.State.PENDING, due_at__lte=now)
    reminders = Notice.objects.filter(status=Notice.Status.PENDING, scheduled_at__lte=now)
    callbacks = Callback.objects.filter(status=Callback.Status.PENDING, next_attempt_at__lte=now)
    messages = Message.objects.filter(status=Message.Status.PENDING, next_at__lte=now)
    return {
        "jobs": (_within(jobs, tenant_id), "due_at"),
        "calls": (_within(calls, tenant_id), "due_at"),
        "reminders": (_within(reminders, tenant_id), "scheduled_at"),
        "callbacks": (_within(callbacks, tenant_id), "next_attempt_at"),
        "messages": (_within(messages, tenant_id), "next_at"),
    }


def oldest(due: QuerySet[Any], column: str) -> datetime | None:
    """When the oldest of these rows became due."""
    moment: datetime | None = due.order_by(column).values_list(column, flat=True).first()
    return moment


def _of_queues(now: datetime, tenant_id: int | None) -> Iterator[Figure]:
    queues = due_rows(now, tenant_id)
    yield Figure(
        "due",
        "Rows whose moment has come, by queue.",
        [({"queue": name}, counted(due)) for name, (due, _column) in queues.items()],
    )
    moments = {name: oldest(due, column) for name, (due, column) in queues.items()}
    yield Figure(
        "oldest_due_seconds",
        "How long the oldest due row of a queue has been due; 0 when none is.",
        [
            ({"queue": name}, 0.0 if moment is None else (now - moment).total_seconds())
            for name, moment in moments.items()
        ],
    )


def _of_work(now: datetime, tenant_id: int | None) -> Iterator[Figure]:
    tasks = _within(Task.objects.filter(state=Task.State.OPEN), tenant_id)
    yield Figure("tasks_open", "Tasks that wait for a person.", [({}, counted(tasks))])
    jobs = _within(Job.objects.all(), tenant_id)
    waiting = jobs.filter(state=Job.State.PENDING)
    leased = jobs.filter(state=Job.State.LEASED)
    yield Figure(
        "jobs",
        "Automatic steps and deadlines: due for ten minutes, in work, in work by somebody who is "
        "gone, waiting again after a failure.",
        [
            ({"state": "late"}, counted(waiting.filter(due_at__lte=now - LATE))),
            ({"state": "leased"}, counted(leased)),
            ({"state": "abandoned"}, counted(leased.filter(lease_until__lte=now))),
            ({"state": "failed"}, counted(waiting.filter(retry_count__gt=0))),
        ],
    )


def _of_messages(tenant_id: int | None) -> Iterator[Figure]:
    reminders = _within(Notice.objects.filter(status=Notice.Status.PENDING), tenant_id)
    yield Figure(
        "reminders_pending", "Reminders that wait for their moment.", [({}, counted(reminders))]
    )
    callbacks = _within(Callback.objects.all(), tenant_id)
    yield Figure(
        "callbacks",
        "Callbacks by their state.",
        [
            ({"state": state.lower()}, counted(callbacks.filter(status=state)))
            for state in Callback.Status.values
        ],
    )
    outside = _within(Message.objects.all(), tenant_id)
    yield Figure(
        "messages",
        "Messages of notices to the outside that wait, and that failed within ninety days.",
        [
            ({"state": state.lower()}, counted(outside.filter(status=state)))
            for state in (Message.Status.PENDING, Message.Status.FAILED)
        ],
    )


def _of_processes(now: datetime) -> Iterator[Figure]:
    living = presence.living(now)
    yield Figure(
        "processes",
        "Processes that serve or work now.",
        [
            ({"role": role}, float(sum(each.role == role for each in living)))
            for role in sorted({each.role for each in living})
        ],
    )
    schemas = sorted({each.schema for each in living})
    yield Figure(
        "schema",
        "The versions of the schema that live processes know; more than one is wrong.",
        [({"version": schema}, 1.0) for schema in schemas],
    )
    ticked = Heartbeat.objects.filter(pk=beat.THE_ROW).values_list("ticked_at", flat=True).first()
    if ticked is not None:
        silent = float(beat.is_silent(now))
        yield Figure("beat_silent", "1 while Celery beat sends no jobs.", [({}, silent)])
        age = (now - ticked).total_seconds()
        yield Figure("beat_age_seconds", "Since Celery beat's last tick.", [({}, age)])
    rounds = Round.objects.order_by("name").values_list("name", "ended_at")
    yield Figure(
        "scan_age_seconds",
        "Since the last round of a scan ended.",
        [
            ({"scan": name}, (now - ended_at).total_seconds())
            for name, ended_at in rounds
            if ended_at is not None
        ],
    )


def _of_files(now: datetime) -> Iterator[Figure]:
    """The age of the last backup; what a SQLite file takes (a WAL that grows has a reader)."""
    made_at = archive.last_backup()
    if made_at is not None:
        age = (now - made_at).total_seconds()
        yield Figure("backup_age_seconds", "Since the last whole `backup`.", [({}, age)])
    database = connections[DEFAULT_DB_ALIAS].settings_dict
    if database["ENGINE"] != SQLITE:
        return
    file = Path(database["NAME"])
    parts = {"database": file, "wal": file.with_name(f"{file.name}-wal")}
    samples: Samples = [
        ({"part": part}, float(each.stat().st_size))
        for part, each in parts.items()
        if each.exists()
    ]
    yield Figure("sqlite_bytes", "Size of the SQLite file and of its WAL.", samples)


def counted(rows: QuerySet[Any]) -> float:
    """How many rows there are, or MOST when there are more."""
    return float(rows.order_by()[:MOST].count())


def _within(rows: QuerySet[Any], tenant_id: int | None) -> QuerySet[Any]:
    return rows if tenant_id is None else rows.filter(tenant_id=tenant_id)


def _labels(labels: dict[str, str]) -> str:
    if not labels:
        return ""
    escaped = (
        (name, value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n"))
        for name, value in labels.items()
    )
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}"


urlpatterns = [path("metrics", metrics, name="metrics")]
