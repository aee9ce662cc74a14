"""The invariants of a healthy installation, each one statement that finds the rows that break it.

Theory of operation. Every check is one read-only statement, so what it compares is of one moment
even while people work, and it fetches a few example ids and no more. A later invariant is one
more function in `INVARIANTS` (reliability.md 2.2). Text of SQL is written here and not built by
the ORM, because a reader must be able to run it by hand on a sick database.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import connection

from flowadmin.files import checking
from workflow import statements

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

EXAMPLES = 20
# Work that is due for so long, or whose lease ended so long ago, has no worker.
PATIENCE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check found: at most ``EXAMPLES`` of the rows, and whether there are more."""

    id: str
    text: str
    examples: tuple[str, ...]
    more: bool

    @property
    def ok(self) -> bool:
        return not self.examples


@dataclass(frozen=True, slots=True)
class Invariant:
    """One rule that must always hold, and the function that names what breaks it."""

    id: str
    text: str
    find: Callable[[datetime], Sequence[str]]


def examine(now: datetime) -> list[Verdict]:
    """Ask every invariant, in the order of the table. ``now`` is the database's clock."""
    verdicts = []
    for invariant in INVARIANTS:
        found = list(invariant.find(now))
        verdicts.append(
            Verdict(
                invariant.id,
                invariant.text,
                tuple(found[:EXAMPLES]),
                len(found) > EXAMPLES,
            )
        )
    return verdicts


def _rows(sql: str, params: Sequence[Any] = ()) -> list[str]:
    """The first rows of a statement as ``what id`` lines."""
    limited = f"{sql} LIMIT {EXAMPLES + 1}"
    with connection.cursor() as cursor:
        cursor.execute(limited, params)
        return [" ".join(str(part) for part in row) for row in cursor.fetchall()]


# A task's end is one event: its decision, its closing, or for a copy that it was sent. A decision
# that was taken back, or a move that was undone, opens other seats again, which then end again.
_ENDS = """
WITH ends (instance_id, seat, times) AS (
    SELECT instance_id, {seat}, COUNT(*) FROM flow_event
    WHERE kind IN (
        'task_approved', 'task_rejected', 'task_completed', 'task_returned', 'opinion_given',
        'task_closed', 'copy_sent'
    )
    GROUP BY instance_id, {seat}
), reopened (instance_id) AS (
    SELECT DISTINCT instance_id FROM flow_event WHERE kind = 'step_reopened'
)
SELECT 'task', t.id FROM flow_task t
LEFT JOIN ends e ON e.instance_id = t.instance_id AND e.seat = t.number
LEFT JOIN reopened r ON r.instance_id = t.instance_id
WHERE CASE
    WHEN t.state IN ('open', 'blocked', 'handed_on')
    THEN r.instance_id IS NULL AND COALESCE(e.times, 0) <> 0
    WHEN r.instance_id IS NULL THEN COALESCE(e.times, 0) <> 1
    ELSE COALESCE(e.times, 0) = 0
END
UNION ALL
SELECT 'event without its task in request', e.instance_id FROM ends e
LEFT JOIN flow_task t ON t.instance_id = e.instance_id AND t.number = e.seat
WHERE t.id IS NULL
"""
_SEAT = {
    "sqlite": "json_extract(payload, '$.seat')",
    "postgresql": "CAST(CAST(payload AS json) ->> 'seat' AS bigint)",
    "mysql": "CAST(JSON_VALUE(payload, '$.seat') AS SIGNED)",
}


def tasks_end_once(now: datetime) -> list[str]:
    """I2: an ended task has exactly one event that ended it, an open one has none."""
    del now
    return _rows(_ENDS.format(seat=_SEAT[connection.vendor]))


_WHOLE = """
SELECT 'request', i.id FROM flow_instance i
LEFT JOIN (
    SELECT instance_id, COUNT(*) AS events, MAX(position) AS last
    FROM flow_event GROUP BY instance_id
) h ON h.instance_id = i.id
WHERE COALESCE(h.events, 0) <> i.position OR COALESCE(h.last, 0) <> i.position
"""


def histories_are_whole(now: datetime) -> list[str]:
    """I3: a command's events and the row that it moved are of one transaction."""
    del now
    return _rows(_WHOLE)


_WAITING = """
SELECT 'running without anything to wait for: request', i.id FROM flow_instance i
WHERE i.state = 'running' AND i.held IS NULL
AND NOT EXISTS (SELECT 1 FROM flow_task t WHERE t.instance_id = i.id AND t.state = 'open')
AND NOT EXISTS (
    SELECT 1 FROM flow_job j WHERE j.instance_id = i.id AND j.state IN ('pending', 'leased')
)
UNION ALL
SELECT 'ended with an open task: request', t.instance_id FROM flow_task t
JOIN flow_instance i ON i.id = t.instance_id
WHERE t.state IN ('open', 'blocked') AND i.state <> 'running'
UNION ALL
SELECT 'ended with an open step: request', s.instance_id FROM flow_step s
JOIN flow_instance i ON i.id = s.instance_id
WHERE s.state IN ('open', 'waiting') AND i.state <> 'running'
UNION ALL
SELECT 'ended with waiting work: request', j.instance_id FROM flow_job j
JOIN flow_instance i ON i.id = j.instance_id
WHERE j.state IN ('pending', 'leased') AND i.state <> 'running'
UNION ALL
SELECT 'state and end do not agree: request', i.id FROM flow_instance i
WHERE (i.state = 'running') <> (i.ended_at IS NULL)
"""


def requests_wait_for_something(now: datetime) -> list[str]:
    """I4: a running request waits for a person, a worker or a manager; an ended one for nobody."""
    del now
    return _rows(_WAITING)


_TENANTS = """
SELECT 'event', e.id FROM flow_event e
JOIN flow_instance i ON i.id = e.instance_id WHERE e.tenant_id <> i.tenant_id
UNION ALL
SELECT 'task', t.id FROM flow_task t
JOIN flow_instance i ON i.id = t.instance_id WHERE t.tenant_id <> i.tenant_id
UNION ALL
SELECT 'step', s.id FROM flow_step s
JOIN flow_instance i ON i.id = s.instance_id WHERE s.tenant_id <> i.tenant_id
UNION ALL
SELECT 'job', j.id FROM flow_job j
JOIN flow_instance i ON i.id = j.instance_id WHERE j.tenant_id <> i.tenant_id
UNION ALL
SELECT 'request of a foreign process', i.id FROM flow_instance i
JOIN flow_definition d ON d.id = i.definition_id
JOIN flow_version v ON v.id = i.version_id
WHERE d.tenant_id <> i.tenant_id OR v.tenant_id <> i.tenant_id OR v.definition_id <> d.id
UNION ALL
SELECT 'current version of another process', d.id FROM flow_definition d
JOIN flow_version v ON v.id = d.current_id
WHERE v.definition_id <> d.id OR v.tenant_id <> d.tenant_id
UNION ALL
SELECT 'callback', c.id FROM flow_callback c
JOIN flow_instance i ON i.id = c.instance_id WHERE c.tenant_id <> i.tenant_id
UNION ALL
SELECT 'stored answer', r.id FROM flow_request r
JOIN org_user u ON u.id = r.user_id WHERE r.tenant_id <> u.tenant_id
"""


_PEOPLE = """
SELECT 'initiator of request', i.id FROM flow_instance i
JOIN org_user u ON u.id = i.initiator_id WHERE u.tenant_id <> i.tenant_id
UNION ALL
SELECT 'initiator of callback', c.id FROM flow_callback c
JOIN org_user u ON u.id = c.initiator_id WHERE u.tenant_id <> c.tenant_id
UNION ALL
SELECT 'holder of task', t.id FROM flow_task t
JOIN org_user u ON u.id = t.holder_id WHERE u.tenant_id <> t.tenant_id
UNION ALL
SELECT 'who ended task', t.id FROM flow_task t
JOIN org_user u ON u.id = t.decided_by_id WHERE u.tenant_id <> t.tenant_id AND NOT u.is_superuser
UNION ALL
SELECT 'actor of event', e.id FROM flow_event e
JOIN org_user u ON u.id = e.actor_id WHERE u.tenant_id <> e.tenant_id AND NOT u.is_superuser
"""


def rows_are_of_one_tenant(now: datetime) -> list[str]:
    """I13: every row of a request, its process and its people are of the request's tenant.

    Operators of the platform may step in from another tenant, in the administration alone.
    """
    del now
    return _rows(_TENANTS) + _rows(_PEOPLE)


_LATE = """
SELECT 'job', j.id FROM flow_job j
WHERE (j.state = 'pending' AND j.due_at < %s) OR (j.state = 'leased' AND j.lease_until < %s)
"""


def work_is_carried_out(now: datetime) -> list[str]:
    """No automatic step is due, and no lease over, for more than ten minutes."""
    long_ago = statements.moment(now - PATIENCE)
    return _rows(_LATE, (long_ago, long_ago))


_UNDELIVERED = """
SELECT 'callback', c.id FROM flow_callback c
WHERE (c.status = 'PENDING' AND (c.next_attempt_at IS NULL OR c.next_attempt_at < %s))
OR (c.status = 'LEASED' AND c.lease_until < %s)
OR c.status NOT IN ('PENDING', 'LEASED', 'SUCCEEDED', 'FAILED')
"""


def callbacks_come_to_an_end(now: datetime) -> list[str]:
    """I5: no callback is due, and no lease of one over, for more than ten minutes."""
    long_ago = statements.moment(now - PATIENCE)
    return _rows(_UNDELIVERED, (long_ago, long_ago))


_UNSENT = """
SELECT 'message', m.id FROM flow_notice_delivery m
WHERE (m.status = 'PENDING' AND m.next_at < %s)
OR (m.status = 'SENDING' AND (m.lease_until IS NULL OR m.lease_until < %s))
UNION ALL
SELECT 'message of another person or tenant', m.id FROM flow_notice_delivery m
JOIN flow_notice n ON n.id = m.notice_id
WHERE n.tenant_id <> m.tenant_id OR n.receiver_id <> m.receiver_id OR n.status <> 'SENT'
"""


def messages_come_to_an_end(now: datetime) -> list[str]:
    """No message to the outside is due, and no lease of one over, for more than ten minutes."""
    long_ago = statements.moment(now - PATIENCE)
    return _rows(_UNSENT, (long_ago, long_ago))


# Rows that were taken over from before (they name no event) keep the count they came with.
_HISTORIES = """
SELECT 'callback', c.id FROM flow_callback c
WHERE c.event <> '' AND (
    c.attempts <> (SELECT COUNT(*) FROM {entries} WHERE {kind} = 'attempt')
    OR (SELECT COUNT(*) FROM {entries}) <> (SELECT COUNT(DISTINCT {id}) FROM {entries})
)
"""
_ENTRIES = {
    "sqlite": {
        "entries": "json_each(c.history) e",
        "kind": "json_extract(e.value, '$.kind')",
        "id": "json_extract(e.value, '$.id')",
    },
    "postgresql": {
        "entries": "jsonb_array_elements(c.history) e",
        "kind": "e ->> 'kind'",
        "id": "e ->> 'id'",
    },
    "mysql": {
        "entries": "JSON_TABLE(c.history, '$[*]' COLUMNS ("
        "kind VARCHAR(16) PATH '$.kind', id VARCHAR(64) PATH '$.id')) e",
        "kind": "e.kind",
        "id": "e.id",
    },
}


def attempts_are_noted(now: datetime) -> list[str]:
    """I8: a callback's history has one entry for each attempt that was counted."""
    del now
    return _rows(_HISTORIES.format(**_ENTRIES[connection.vendor]))


# MariaDB's own CHECK TABLE would commit whatever transaction it is asked in; a table that it
# cannot open has no engine any more.
_PROBLEMS_OF_SERVERS = {
    "postgresql": """
SELECT 'invalid index', c.relname FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT x.indisvalid AND n.nspname = current_schema()
UNION ALL
SELECT 'constraint that was never checked', c.conname FROM pg_constraint c
JOIN pg_namespace n ON n.oid = c.connamespace
WHERE NOT c.convalidated AND n.nspname = current_schema()
""",
    "mysql": """
SELECT 'table without transactions, or broken', t.table_name FROM information_schema.tables t
WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE'
AND (t.engine IS NULL OR t.engine <> 'InnoDB')
""",
}


def database_is_sound(now: datetime) -> list[str]:
    """I16: SQLite's own two checks; what the servers can say cheaply about theirs."""
    del now
    asked = _PROBLEMS_OF_SERVERS.get(connection.vendor)
    if asked is not None:
        return _rows(asked)
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA quick_check({EXAMPLES + 1})")
        found = [str(text) for (text,) in cursor.fetchall() if text != "ok"]
        cursor.execute("PRAGMA foreign_key_check")
        broken = cursor.fetchmany(EXAMPLES + 1)
    return found + [f"{table} row {row}: no such {parent}" for table, row, parent, _key in broken]


def files_have_their_bytes(now: datetime) -> list[str]:
    """Rows and bytes of uploaded files agree; the one check that also looks at the disk."""
    return checking.differences(now, EXAMPLES + 1)


INVARIANTS: tuple[Invariant, ...] = (
    Invariant("I2", "Each task ended at most once.", tasks_end_once),
    Invariant("I3", "Each history is whole.", histories_are_whole),
    Invariant("I4", "Requests wait for something, or have ended.", requests_wait_for_something),
    Invariant("I5", "Callbacks come to an end.", callbacks_come_to_an_end),
    Invariant("I8", "Attempts of callbacks are noted.", attempts_are_noted),
    Invariant("I13", "Rows and people of a request are of its tenant.", rows_are_of_one_tenant),
    Invariant("I16", "The database finds itself sound.", database_is_sound),
    Invariant("late", "Automatic steps are carried out in time.", work_is_carried_out),
    Invariant("messages", "Messages outside come to an end.", messages_come_to_an_end),
    Invariant("files", "Uploaded files have their bytes.", files_have_their_bytes),
)
