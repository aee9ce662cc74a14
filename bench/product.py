"""The product under the benchmark: the actions that pages and REST call, with their keys."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

from django.core.management import call_command
from django.db import connection

from flowadmin.directory.models import User
from flowadmin.rest.idempotency import Receipt
from workflow import queries
from workflow.actions import approvals, publishing, requests
from workflow.models import SPAN, Instance, Task
from workflow.runtime.execute import Once, Outcome

if TYPE_CHECKING:
    import sqlite3

FLOW = "expense"
FORM = {
    "formdoc": 1,
    "fields": [
        {"id": "amount", "type": "amount", "label": "Amount", "required": True},
        {"id": "reason", "type": "text", "label": "Reason"},
    ],
}


def _approve(step: str, login: str) -> dict[str, Any]:
    who = {"any_of": [{"by": "user", "ids": [login]}]}
    return {"id": step, "kind": "approve", "name": step.title(), "who": who}


DOCUMENT = {
    "flowdoc": 1,
    "key": FLOW,
    "name": "Expense",
    "form": {"key": FLOW},
    "steps": [
        _approve("lead", "bao"),
        {
            "id": "size",
            "kind": "choice",
            "name": "Size",
            "branches": [
                {
                    "id": "big",
                    "name": "Big",
                    "when": {"field": "amount", "op": "gt", "value": "10000"},
                    "steps": [_approve("finance", "dan")],
                },
                {"id": "small", "name": "Small", "otherwise": True, "steps": []},
            ],
        },
    ],
}


class Product:
    """One installation with one published process and its people."""

    def __init__(self) -> None:
        people = {user.login: user for user in User.objects.all()}
        self.ann, self.bao, self.dan = people["ann"], people["bao"], people["dan"]
        self._keys = count(1)

    def one_life(self) -> int:
        """Start for 12,000, approve as the head, approve as finance; the request's id."""
        instance = self.begin()
        self.decide_first(instance)
        self._approve(instance, 2, self.dan)
        return instance

    def decide_first(self, instance: int) -> None:
        """The head approves."""
        self._approve(instance, 1, self.bao)

    def begin(self) -> int:
        """Start for 12,000; the request's id."""
        now = datetime.now(UTC)
        started = requests.start_request(
            user=self.ann,
            flow=FLOW,
            values={"amount": "12000", "reason": "benchmark"},
            now=now,
            once=self._once(self.ann, "start"),
        ).outcome
        if started is None:
            raise RuntimeError("The start was not carried out.")
        return started.instance_id

    def _approve(self, instance_id: int, seat: int, user: User) -> None:
        # The entrance's read of the task is timed by the inbox figure; here the row is known.
        task = Task(
            id=instance_id * SPAN + seat,
            tenant_id=user.tenant_id,
            instance_id=instance_id,
            holder_id=user.pk,
        )
        approvals.approve(
            task=task,
            user=user,
            version=1,
            now=datetime.now(UTC),
            comment="fine",
            once=self._once(user, "approve"),
        )

    def _once(self, user: User, route: str) -> Once:
        receipt = Receipt(user.pk, user.tenant_id, route, str(next(self._keys)), "0" * 64)
        return Once(receipt, _answer)

    def count_one_life(self) -> dict[str, int]:
        """Statements and transactions of one life, as SQLite itself saw them."""
        seen: list[str] = []
        connection.ensure_connection()
        connection.connection.set_trace_callback(seen.append)
        self.one_life()
        connection.connection.set_trace_callback(None)
        words = [sql.split()[0].upper() for sql in seen]
        return {
            "statements": len([word for word in words if word not in {"BEGIN", "COMMIT"}]),
            "transactions": words.count("COMMIT"),
        }

    def bytes_of_lives(self, lives: int) -> int:
        """Bytes that a finished request leaves, without its idempotency keys (kept for a day)."""
        before = self._size()
        for _ in range(lives):
            self.one_life()
        return (self._size() - before) // lives

    def _size(self) -> int:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM flow_request")
            cursor.execute("VACUUM")
            cursor.execute(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            )
            return int(cursor.fetchone()[0])

    def fill_inboxes(self, open_tasks: int, people: int = 1000) -> list[User]:
        """A thousand people who share so many open tasks, stored directly."""
        tenant = self.ann.tenant
        User.objects.bulk_create(
            [
                User(tenant=tenant, login=f"reader{number}", name=f"Reader {number}")
                for number in range(people)
            ]
        )
        readers = list(User.objects.filter(login__startswith="reader").order_by("id"))
        template: dict[str, Any] = dict(Instance.objects.order_by("-id").values()[0])
        first = template["id"] + 1
        template.pop("held")
        now = template["started_at"]
        Instance.objects.bulk_create(
            [
                Instance(**(template | {"id": first + number, "state": "running"}))
                for number in range(open_tasks)
            ],
            batch_size=500,
        )
        Task.objects.bulk_create(
            [
                Task(
                    id=(first + number) * SPAN + 1,
                    tenant=tenant,
                    instance_id=first + number,
                    number=1,
                    activation=1,
                    step="lead",
                    step_name="Lead",
                    kind="decide",
                    holder=readers[number % people],
                    state="open",
                    version=1,
                    created_at=now,
                )
                for number in range(open_tasks)
            ],
            batch_size=500,
        )
        return readers

    def fill_floor(self, raw: sqlite3.Connection, open_tasks: int, people: int) -> None:
        """The same in the floor's tables."""
        raw.execute("BEGIN")
        for number in range(open_tasks):
            instance = raw.execute(
                "INSERT INTO instance (flow, state, version, form, started_at)"
                " VALUES (1, 'running', 1, '{\"amount\":\"12000\"}', 0)"
            ).lastrowid
            raw.execute(
                "INSERT INTO task (instance, step, assignee, state, created_at)"
                " VALUES (?, 'lead', ?, 'open', 0)",
                (instance, 1000 + number % people),
            )
        raw.execute("COMMIT")

    def inbox(self, user: User) -> tuple[int, int]:
        """First twenty open tasks and the count of one person."""
        return len(queries.inbox(user, limit=20)), queries.inbox_count(user)


def _answer(outcome: Outcome) -> tuple[int, dict[str, Any]]:
    return 200, {"id": str(outcome.instance_id), "state": outcome.state.status}


def prepare() -> Product:
    """Migrate, load people, publish."""
    from flowadmin.directory.demo import make_people  # noqa: PLC0415 - after migrate

    call_command("migrate", verbosity=0)
    make_people("benchmark password")
    product = Product()
    publishing.publish(
        user=product.ann, document=DOCUMENT, form=FORM, note="", now=datetime.now(UTC)
    )
    return product
