"""The demo organisation at work: its processes published, and requests in every state."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import transaction

from flowadmin.directory.demo import DEMO_TENANT, make_people
from flowadmin.directory.models import User
from workflow.actions import administration, approvals, publishing, requests
from workflow.models import Definition, Instance, Job, Task
from workflow.runtime import steps

if TYPE_CHECKING:
    from datetime import date, datetime

DOCUMENTS = Path(__file__).resolve().parent.parent / "demo"
FLOWS = ("leave", "expense", "purchase")
_PEOPLE = ("admin", "ann", "bao", "chi", "dan")
# A day counted from the day of filing, such as "@+14"; everything else is taken as it is.
_DAY = re.compile(r"@([+-]?\d{1,3})")
# A worker needs a moment; the timeline shows one line after the other.
_WORKER = timedelta(seconds=4)


class NotTheDemo(Exception):
    """The tenant ``demo`` belongs to somebody else: nothing was written."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was new. ``password`` is that of all accounts, None when they existed before."""

    password: str | None
    flows: int
    requests: int
    tenant_id: int


@transaction.atomic
def load(*, password: str = "", now: datetime) -> Loaded:
    """Make the demo organisation work (contract, Demo organisation); what exists is kept.

    All or nothing, so that a load that was interrupted leaves no half of a story behind. A
    process whose key is taken is not published again, and requests are filed only where there
    are none: nothing that people did since the first load is changed.

    Args:
        password: of all accounts when they are new; a random one when empty.
        now: aware UTC; the requests lie in the weeks before it.

    Raises NotTheDemo.
    """
    made = make_people(password)
    people = {user.login: user for user in User.objects.for_tenant(made.tenant.pk)}
    if missing := [login for login in _PEOPLE if login not in people]:
        raise NotTheDemo(", ".join(missing))
    first = now - timedelta(days=45)
    flows = sum(_publish(people["admin"], key, first) for key in FLOWS)
    filed = 0
    if not Instance.objects.filter(tenant=made.tenant).exists():
        for story in sorted(_read("requests"), key=lambda one: -one["days_ago"]):
            _tell(story, people, now - timedelta(days=story["days_ago"]))
            filed += 1
    return Loaded(made.password, flows, filed, made.tenant.pk)


def document_of(key: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The process document and the form of a demo process, as parsed JSON."""
    both = _read(key)
    return both["document"], both["form"]


def _read(name: str) -> Any:
    return json.loads((DOCUMENTS / f"{name}.json").read_text(encoding="utf-8"))


def _publish(user: User, key: str, now: datetime) -> bool:
    if Definition.objects.filter(tenant_id=user.tenant_id, key=key).exists():
        return False
    document, form = document_of(key)
    publishing.publish(user=user, document=document, form=form, note="Demo", now=now)
    return True


def _tell(story: dict[str, Any], people: dict[str, User], at: datetime) -> None:
    values = {name: _value(value, at.date()) for name, value in story["form"].items()}
    settled = requests.start_request(
        user=people[story["by"]], flow=story["flow"], values=values, now=at
    )
    if settled.outcome is None:
        message = "A start without a key always has an outcome."
        raise ValueError(message)
    instance = Instance.objects.get(pk=settled.outcome.instance_id)
    _let_worker_act(instance, at)
    for move in story["then"]:
        at += timedelta(hours=move["hours"])
        _move(instance, move, people, at)
        _let_worker_act(instance, at)


def _value(value: object, day: date) -> object:
    found = _DAY.fullmatch(value) if isinstance(value, str) else None
    return (day + timedelta(days=int(found[1]))).isoformat() if found else value


def _move(instance: Instance, move: dict[str, Any], people: dict[str, User], at: datetime) -> None:
    user, text = people[move["who"]], move.get("text", "")
    match move["do"]:
        case "approve" | "reject":
            decide = approvals.approve if move["do"] == "approve" else approvals.reject
            task = Task.objects.get(instance=instance, holder=user, state=Task.State.OPEN)
            form = move.get("form", {})
            decide(task=task, user=user, version=task.version, now=at, comment=text, form=form)
        case "comment":
            approvals.comment_on(instance=instance, user=user, comment=text, now=at)
        case "reassign":
            task = Task.objects.get(instance=instance, state=Task.State.OPEN)
            administration.reassign(
                task=task, to=people[move["to"]], user=user, reason=text, now=at
            )
        case "terminate":
            administration.terminate(instance=instance, user=user, reason=text, now=at)
        case unknown:
            raise ValueError(unknown)


def _let_worker_act(instance: Instance, at: datetime) -> None:
    """Carry out automatic steps as a worker would, one after the other, in the story's time."""
    waiting = Job.objects.filter(instance=instance, state=Job.State.PENDING)
    while (job_id := waiting.values_list("id", flat=True).first()) is not None:
        at += _WORKER
        claimed = steps.claim(job_id, "demo", at)
        if claimed is None or not steps.carry_out(claimed, at):
            return


def accounts() -> list[tuple[str, str, str]]:
    """Login, name and department of the demo accounts that may sign in, in the order made."""
    rows = User.objects.filter(
        login__in=[*_PEOPLE, "eve"], tenant__code__in=(DEMO_TENANT, "other"), is_active=True
    )
    return list(rows.order_by("id").values_list("login", "name", "department__name"))
