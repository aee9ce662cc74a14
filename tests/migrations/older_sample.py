"""An installation of the older script in small: its five tables, with a row of every kind."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection

from flowadmin.directory.models import Tenant, User
from notifications.models import Callback, Notice
from workflow.models import Draft

PROJECT = Path(__file__).resolve().parents[2]
OURS = {"flow_draft": Draft, "flow_notice": Notice, "flow_callback": Callback}
PEOPLE = {11: 1, 12: 1, 13: 1, 21: 2}
OTHER_TYPES = {"DATETIME": "TIMESTAMP", "LONGTEXT": "TEXT", "TINYINT": "SMALLINT"}
DAY = "2026-09-05"
_said = StringIO()

ROWS = {
    "flow_draft": [
        (101, 1, 11, "DESIGN", "leave", None, "Leave, second try", '{"nodes": []}', 3,
         "2026-09-01 08:00:00", "2026-09-02 09:30:00"),
        (102, 1, 12, "APPLY", "leave", "dep-7", "请假 😀 'mine' \"%s\"",
         '{"values":{"days":"2"},"picked":{}}', 1, "2026-09-03 10:00:00", "2026-09-03 10:00:00"),
        (103, 2, 21, "APPLY", None, None, None, '{"values":{}}', 2,
         "2026-09-03 11:00:00", "2026-09-04 11:00:00"),
    ],
    "flow_notice": [
        (201, 1, 12, "ASSIGNED", "i-1", "t-1", "A task for you", 1, f"{DAY} 09:00:00",
         f"{DAY} 08:00:00"),
        (202, 1, 12, "TIMEOUT", "i-1", "t-1", "逾期 😀", 0, None, f"{DAY} 10:00:00"),
        (203, 1, 13, "URGE", "i-2", "t-2", None, 0, None, f"{DAY} 10:05:00"),
    ],
    "flow_task_watch": [
        (301, 1, "t-1", "i-1", f"{DAY} 10:00:00", "NOTIFIED", 202, None, f"{DAY} 08:00:00"),
        (302, 1, "t-2", "i-2", "2026-12-05 10:00:00", "WAITING", None, f"{DAY} 10:05:00",
         f"{DAY} 08:30:00"),
        (303, 1, "t-3", "i-3", None, "WAITING", None, None, f"{DAY} 08:40:00"),
        (304, 1, "t-4", "i-4", "2026-12-06 10:00:00", "FINISHED", None, None,
         f"{DAY} 08:50:00"),
        # It went out and its notice is gone: never again, and nobody's.
        (305, 2, "t-1", "i-5", f"{DAY} 07:00:00", "NOTIFIED", None, None, f"{DAY} 06:00:00"),
    ],
    "flow_callback": [
        (401, 1, "evt-401", "i-1", "t-1", 11, "http://10.1.2.3/hook", '{"a": 1}', "FAILED", 5, 5,
         None, None, None, "HTTP_503", f"{DAY} 09:00:00", f"{DAY} 09:10:00"),
        (402, 1, "evt-402", "i-2", "t-2", 11, "http://intranet.example:8080/hook", '{"b":2}',
         "LEASED", 2, 5, None, "node-a", f"{DAY} 09:30:00", None, f"{DAY} 09:20:00",
         f"{DAY} 09:29:00"),
        (403, 2, "evt-403", "i-9", None, 21, "http://intranet.example/hook", '{"c":"😀\'"}',
         "SUCCEEDED", 1, 5, None, None, None, "HTTP_200", "2026-09-06 09:00:00",
         "2026-09-06 09:00:01"),
        (404, 1, "evt-404", "i-1", "t-1", 11, "http://erp/hook", "{}", "PENDING", 1, 5,
         f"{DAY} 09:05:30", None, None, "no route to http://erp/hook", f"{DAY} 09:00:00",
         f"{DAY} 09:05:00"),
        (405, 1, "evt-405", "i-1", "t-1", 11, "http://erp/hook", "{}", "PENDING", 0, 5,
         None, None, None, None, f"{DAY} 09:00:00", f"{DAY} 09:05:00"),
    ],
    "flow_callback_attempt": [
        (501, 1, 401, 1, "AUTO", "FAILED", 503, "HTTP_503", f"{DAY} 09:00:00",
         f"{DAY} 09:00:01"),
        (502, 1, 401, 2, "AUTO", "FAILED", 503, "HTTP_503", f"{DAY} 09:00:31",
         f"{DAY} 09:00:32"),
        (503, 1, 401, 3, "AUTO", "FAILED", None, "TIMEOUT", f"{DAY} 09:01:31",
         f"{DAY} 09:01:41"),
        (504, 1, 402, 1, "AUTO", "FAILED", 500, "HTTP_500", f"{DAY} 09:20:00",
         f"{DAY} 09:20:01"),
        (505, 1, 402, 2, "AUTO", "STARTED", None, None, f"{DAY} 09:29:00", None),
        (506, 2, 403, 1, "AUTO", "SUCCEEDED", 200, "HTTP_200", "2026-09-06 09:00:00",
         "2026-09-06 09:00:01"),
        (507, 1, 404, 1, "AUTO", "FAILED", None, "no route to http://erp/hook",
         f"{DAY} 09:05:00", f"{DAY} 09:05:01"),
        (508, 1, 401, 0, "MANUAL", "REQUESTED", None, None, f"{DAY} 09:02:00", None),
    ],
}  # fmt: skip


def make(*, aside=True):
    """The five tables; three of them put aside as `migrate` does, or under names of ours."""
    text = (PROJECT / "docs/reference/older-tables.sql").read_text(encoding="utf-8")
    text = re.sub(r"^--.*$", "", text, flags=re.MULTILINE)
    if connection.vendor == "postgresql":
        for word, other in OTHER_TYPES.items():
            text = text.replace(word, other)
    for name in OURS if aside else ():
        text = re.sub(rf"\b{name}\b", f"{name}_legacy", text)
    for statement in filter(str.strip, text.split(";")):
        run(statement)


def fill(rows=None, *, aside=True):
    """Rows into the tables; those of the sample when none are given."""
    for name, each in (rows or ROWS).items():
        place = f"{name}_legacy" if aside and name in OURS else name
        marks = ", ".join(["%s"] * len(each[0]))
        with connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {place} VALUES ({marks})", each)  # noqa: S608


def people():
    """The tenants and people that the sample names."""
    for pk in (1, 2):
        Tenant.objects.create(pk=pk, code=f"t{pk}", name=f"T{pk}")
    for pk, tenant in PEOPLE.items():
        User.objects.create(pk=pk, tenant_id=tenant, login=f"p{pk}", name=f"P{pk}")
    for statement in connection.ops.sequence_reset_sql(no_style(), [Tenant, User]):
        run(statement)


def drop():
    """Take away what is left of the five tables."""
    for name in (*OURS, "flow_task_watch", "flow_callback_attempt"):
        run(
            f"DROP TABLE IF EXISTS {name}_legacy"
            if name in OURS
            else f"DROP TABLE IF EXISTS {name}"
        )


def run(sql, params=None):
    """One statement, and its rows if it has any."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall() if cursor.description else []


def merge(*arguments):
    """What `merge_flow_tables` says. Raises CommandError."""
    _said.seek(0)
    _said.truncate()
    call_command("merge_flow_tables", *arguments, stdout=_said)
    return _said.getvalue()


def said():
    """What the last run said, also when it was refused."""
    return _said.getvalue()


def ours():
    """Every row of our three tables, all columns."""
    return {name: list(model.objects.order_by("pk").values()) for name, model in OURS.items()}


def theirs():
    """Every row of the older tables, under whatever name they are now."""
    there = connection.introspection.table_names()
    names = [*(f"{name}_legacy" for name in OURS), "flow_task_watch", "flow_callback_attempt"]
    asked = {name: f"SELECT * FROM {name} ORDER BY id" for name in names if name in there}  # noqa: S608
    return {name: run(sql) for name, sql in asked.items()}


def forget():
    """Take our rows away again."""
    for model in OURS.values():
        model.objects.all().delete()


def schema():
    """The columns and indexes of every table, as the database tells them."""
    found = {}
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            columns = connection.introspection.get_table_description(cursor, name)
            indexes = connection.introspection.get_constraints(cursor, name)
            found[name] = (
                sorted((each.name, str(each.type_code), each.null_ok) for each in columns),
                sorted(repr((each["columns"], each["unique"])) for each in indexes.values()),
            )
    return found
