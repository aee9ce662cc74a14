"""What a row of the older tables becomes, or why it cannot become one of ours."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from notifications.models import Callback, Notice
from notifications.step_callbacks import host_of
from workflow.models import Draft

if TYPE_CHECKING:
    from collections.abc import Iterable
    from zoneinfo import ZoneInfo

    from notifications.legacy.known import Known
    from notifications.legacy.older import Row

Status = Notice.Status

HOLDER = "holder"
ATTEMPT, RETRY = "attempt", "retry"
_KINDS = {"ASSIGNED": Notice.Kind.ASSIGNED, "URGE": Notice.Kind.URGE,
          "TIMEOUT": Notice.Kind.TIMEOUT}  # fmt: skip
SENT_WORDS = frozenset({"NOTIFIED", "SENT"})
_WATCHES = {
    "WAITING": Status.PENDING, "PENDING": Status.PENDING, "NOTIFIED": Status.SENT,
    "SENT": Status.SENT, "FINISHED": Status.CANCELLED, "CANCELLED": Status.CANCELLED,
    "DISABLED": Status.DISABLED,
}  # fmt: skip
# Of an attempt; any other word is that of a retry by hand.
_ATTEMPTS = frozenset({"STARTED", "FAILED", "SUCCEEDED", "SUCCESS", "UNKNOWN"})
_CLASSES = re.compile(
    r"HTTP_[1-9]\d\d|TIMEOUT|CONNECTION|TLS|PROTOCOL|NOT_ALLOWED|UNKNOWN|STARTED"
)


class Unfit(ValueError):
    """The row cannot be one of ours; the text says why."""

    code = "merge.unfit"


def draft(row: Row, known: Known, zone: ZoneInfo) -> Draft:
    """A draft keeps everything; its columns are called as before. Raises Unfit."""
    _belongs(row, known, "user_id")
    if row["draft_type"] not in Draft.Kind.values:
        raise Unfit(f"draft_type is {row['draft_type']!r}")
    try:
        content = json.loads(row["content"])
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise Unfit("content is no JSON object")
    return Draft(
        id=row["id"],
        tenant_id=row["tenant_id"],
        user_id=row["user_id"],
        kind=row["draft_type"],
        flow_key=row["flow_key"],
        deployment_id=row["deployment_id"],
        name=row["name"],
        content=row["content"],
        version=row["version"],
        created_at=_needed(row, "create_time", zone),
        updated_at=_needed(row, "update_time", zone),
    )


def notice(row: Row, known: Known, zone: ZoneInfo) -> Notice:
    """A notice that was written is one that was sent then; its read state stays. Raises Unfit."""
    _belongs(row, known, "receiver_id")
    kind = _KINDS.get(str(row["notice_type"]).upper())
    if kind is None:
        raise Unfit(f"notice_type is {row['notice_type']!r}")
    created = _needed(row, "create_time", zone)
    read = moment(row["read_time"], zone) or created
    return Notice(
        id=row["id"],
        tenant_id=row["tenant_id"],
        kind=kind.value,
        status=Status.SENT.value,
        receiver_id=row["receiver_id"],
        instance_id=known.instance(row),
        task_id=known.task(row)[0],
        text=row["content"] or "",
        created_at=created,
        sent_at=created,
        read_at=read if _flag(row["read_flag"]) else None,
    )


def watch(row: Row, known: Known, zone: ZoneInfo, pk: int) -> Notice:
    """A watch that has no notice of its own becomes a reminder (P20). Raises Unfit.

    One that went out is never queued again, and neither is one whose task has ended, by the
    watch's own word or by the task's.
    """
    _belongs(row, known)
    status = _WATCHES.get(str(row["status"]).upper())
    if status is None:
        raise Unfit(f"status is {row['status']!r}")
    task_id, task = known.task(row)
    due, created = moment(row["deadline"], zone), _needed(row, "create_time", zone)
    if status != Status.SENT and due is None:
        status = Status.DISABLED
    elif status == Status.PENDING and task is not None and not task.waits:
        status = Status.CANCELLED
    return Notice(
        id=pk,
        tenant_id=row["tenant_id"],
        kind=Notice.Kind.TIMEOUT.value,
        status=status.value,
        instance_id=known.instance(row),
        task_id=task_id,
        reminder_key=row["task_id"],
        scheduled_at=due,
        recipients=HOLDER,
        created_at=created,
        sent_at=(due or created) if status == Status.SENT else None,
    )


def callback(row: Row, attempts: Iterable[Row], known: Known, zone: ZoneInfo) -> Callback:
    """A callback keeps identity, state, counts, lease, address and content. Raises Unfit.

    What waited without a moment is due: nothing else would ever send it.
    """
    _belongs(row, known, "initiator_id")
    if row["status"] not in Callback.Status.values:
        raise Unfit(f"status is {row['status']!r}")
    updated, due = _needed(row, "update_time", zone), moment(row["next_attempt_at"], zone)
    if row["status"] == Callback.Status.PENDING and due is None:
        due = updated
    return Callback(
        id=row["id"],
        tenant_id=row["tenant_id"],
        event_id=row["event_id"],
        instance_id=known.instance(row),
        task_id=known.task(row)[0],
        initiator_id=row["initiator_id"],
        target_url=row["target_url"],
        host=host_of(row["target_url"]),
        payload=row["payload"],
        status=row["status"],
        result=result_class(row["last_result"], "") if row["last_result"] else "",
        attempts=row["attempts"],
        max_attempts=row["max_attempts"],
        next_attempt_at=due,
        lease_until=moment(row["lease_until"], zone),
        lease_owner=row["lease_owner"] or "",
        history=history(attempts, zone),
        created_at=_needed(row, "create_time", zone),
        updated_at=updated,
    )


def history(attempts: Iterable[Row], zone: ZoneInfo) -> list[dict[str, Any]]:
    """The entries of a callback's attempts, in the order in which they began. Raises Unfit."""
    ordered = sorted(attempts, key=lambda row: (_needed(row, "started_at", zone), row["id"]))
    return [_entry(row, zone) for row in ordered]


def _entry(row: Row, zone: ZoneInfo) -> dict[str, Any]:
    """An attempt under its own id, as a JSON string, with everything that it said (P21).

    ``status`` is the class that may be shown. The words that came with it stand beside it and
    are shown to nobody: they may name the address (P46).
    """
    word = str(row["status"]).upper()
    tried = word in _ATTEMPTS and "RETRY" not in str(row["kind"]).upper()
    finished = moment(row["finished_at"], zone)
    entry: dict[str, Any] = {
        "id": str(row["id"]),
        "kind": ATTEMPT if tried else RETRY,
        "at": _needed(row, "started_at", zone).isoformat(),
    }
    if tried:
        entry |= {"attempt": row["attempt_no"], "status": _shown(row, word)}
    if finished is not None:
        entry["finished"] = finished.isoformat()
    entry["older"] = {
        name: row[name]
        for name in ("kind", "status", "http_status", "result", "attempt_no")
        if row[name] is not None
    }
    return entry


def _shown(row: Row, word: str) -> str:
    if word == "STARTED":
        return word
    if row["http_status"]:
        return f"HTTP_{row['http_status']}"
    return result_class(row["result"], "SUCCEEDED" if word.startswith("SUCC") else word)


def result_class(text: object, otherwise: str) -> str:
    """The class of a result; UNKNOWN for words that are none, as they may name the address."""
    word = str(text or otherwise).upper()
    if _CLASSES.fullmatch(word) or word in {"SUCCEEDED", "FAILED"}:
        return word
    return otherwise or "UNKNOWN"


def moment(value: object, zone: ZoneInfo) -> datetime | None:
    """A moment of the older tables, which name no zone, as aware UTC. Raises Unfit."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise Unfit(f"{value!r} is no moment") from None
    if not isinstance(value, datetime):
        raise Unfit(f"{value!r} is no moment")
    return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)


def _needed(row: Row, name: str, zone: ZoneInfo) -> datetime:
    found = moment(row[name], zone)
    if found is None:
        raise Unfit(f"{name} is empty")
    return found


def _flag(value: object) -> bool:
    return any(value) if isinstance(value, bytes) else bool(value)


def _belongs(row: Row, known: Known, person: str = "") -> None:
    """The tenant is here, and the person is one of it: rows are never given to somebody else."""
    tenant = row["tenant_id"]
    if tenant not in known.tenants:
        raise Unfit(f"there is no tenant with the id {tenant}")
    if person and known.people.get(row[person]) != tenant:
        raise Unfit(f"there is no person with the id {row[person]} in tenant {tenant}")
