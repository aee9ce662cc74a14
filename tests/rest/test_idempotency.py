"""A repeated command gets its first answer, also when both run at the same time."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.db import IntegrityError, connection, transaction

from flowadmin.directory.models import Tenant
from flowadmin.rest.idempotency import Receipt, answer_once, recall, remember, sweep
from flowadmin.rest.models import StoredRequest
from flowadmin.rest.problems import Problem
from tests.builders import a_person, a_tenant

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.http import HttpResponse
    from django.test import Client

    from flowadmin.directory.models import User


@pytest.fixture
def ann_signed_in(ann: User, client_of: Any) -> Client:
    client: Client = client_of(ann)
    return client


def _send(client: Client, code: str, key: str | None, body: Any = None, match: str = '"1"') -> Any:
    headers = {"If-Match": match} | ({} if key is None else {"Idempotency-Key": key})
    return client.post(
        f"/api/v1/commands/{code}/",
        data=json.dumps(body or {}),
        content_type="application/json",
        headers=headers,
    )


def _made(*codes: str) -> int:
    return Tenant.objects.filter(code__in=codes).count()


def test_the_first_answer_comes_again(ann_signed_in: Client) -> None:
    first = _send(ann_signed_in, "fresh", "k1")
    again = _send(ann_signed_in, "fresh", "k1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert first.json() == {"code": "fresh", "version": 1}
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert _made("fresh") == 1
    row = StoredRequest.objects.get()
    assert (row.status, row.body, row.route) == (201, first.content.decode(), "test.command")


@pytest.mark.parametrize(
    "other",
    [
        {"code": "fresh", "body": {"name": "other"}},
        {"code": "fresh", "match": '"2"'},
        {"code": "second"},
    ],
    ids=["other body", "other version", "other address"],
)
def test_one_key_is_one_request(ann_signed_in: Client, other: dict[str, Any]) -> None:
    assert _send(ann_signed_in, "fresh", "k1").status_code == 201
    answer = _send(ann_signed_in, key="k1", **other)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency.other_body")
    assert _made("fresh", "second") == 1
    assert StoredRequest.objects.count() == 1


def test_the_key_belongs_to_the_person(ann_signed_in: Client, bao: User, client_of: Any) -> None:
    assert _send(ann_signed_in, "one", "same").status_code == 201
    assert _send(client_of(bao), "two", "same").status_code == 201
    assert _made("one", "two") == 2


def test_capital_letters_make_another_key(ann_signed_in: Client) -> None:
    assert _send(ann_signed_in, "fresh", "key").status_code == 201
    assert _send(ann_signed_in, "second", "KEY").status_code == 201
    assert _made("fresh", "second") == 2


@pytest.mark.parametrize(
    ("key", "code"),
    [
        (None, "idempotency.missing"),
        ("", "idempotency.missing"),
        ("a b", "idempotency.bad"),
        ("k\x7f", "idempotency.bad"),
        ("ké", "idempotency.bad"),
        ("k" * 129, "idempotency.bad"),
    ],
)
def test_keys_that_cannot_be_used(ann_signed_in: Client, key: str | None, code: str) -> None:
    answer = _send(ann_signed_in, "fresh", key)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert _made("fresh") == StoredRequest.objects.count() == 0


def test_a_key_of_128_characters(ann_signed_in: Client) -> None:
    key = "".join(chr(code) for code in range(0x21, 0x7F)) + "k" * 34
    assert len(key) == 128
    assert _send(ann_signed_in, "fresh", key).status_code == 201
    assert _send(ann_signed_in, "fresh", key)["Idempotency-Replayed"] == "true"


def test_a_refusal_stores_nothing_and_frees_the_key(ann_signed_in: Client) -> None:
    refused = _send(ann_signed_in, "fresh", "k1", {"refuse": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "test.refused")
    assert _made("fresh") == StoredRequest.objects.count() == 0
    assert _send(ann_signed_in, "fresh", "k1").status_code == 201


def test_a_form_repeats_whatever_its_masked_csrf_token(ann_signed_in: Client) -> None:
    form = {"code": "fresh", "idempotency_key": "k1"}
    first = ann_signed_in.post("/pages/command/", form | {"csrfmiddlewaretoken": "a"})
    again = ann_signed_in.post("/pages/command/", form | {"csrfmiddlewaretoken": "b"})
    other = ann_signed_in.post("/pages/command/", form | {"code": "second"})
    none = ann_signed_in.post("/pages/command/", {"code": "second"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again["Idempotency-Replayed"] == "true"
    assert (other.status_code, none.status_code) == (422, 400)
    assert _made("fresh", "second") == 1


def _receipt(user: User, key: str = "k1", body_hash: str = "0" * 64) -> Receipt:
    return Receipt(user.pk, user.tenant_id, "test.direct", key, body_hash)


def test_answers_live_for_a_day(ann: User, now: datetime) -> None:
    receipt = _receipt(ann)
    remember(receipt, 200, b'{"n":1}', now)
    kept = recall(receipt, now + timedelta(hours=24) - timedelta(microseconds=1))
    assert kept is not None
    assert (kept.status, kept.body) == (200, '{"n":1}')
    assert recall(receipt, now + timedelta(hours=24)) is None
    # The expired row went, so the new answer finds its place.
    remember(receipt, 200, b'{"n":2}', now + timedelta(hours=24))


def test_the_unique_index_is_the_last_guard(ann: User, now: datetime) -> None:
    remember(_receipt(ann), 200, b"{}", now)
    with pytest.raises(IntegrityError), transaction.atomic():
        remember(_receipt(ann, body_hash="1" * 64), 200, b"{}", now)
    assert StoredRequest.objects.count() == 1


def test_sweep_takes_only_what_is_a_day_old(ann: User, now: datetime) -> None:
    def row(number: int, age: timedelta) -> StoredRequest:
        return StoredRequest(
            tenant_id=ann.tenant_id,
            user=ann,
            route="test.direct",
            key=f"k{number}",
            body_hash="0" * 64,
            status=200,
            body="{}",
            created_at=now - age,
        )

    old = [row(number, timedelta(hours=24, seconds=number)) for number in range(1203)]
    young = [row(5000, timedelta(hours=24) - timedelta(microseconds=1)), row(5001, timedelta())]
    StoredRequest.objects.bulk_create(old + young)
    assert sweep(now) == 1203
    assert set(StoredRequest.objects.values_list("key", flat=True)) == {"k5000", "k5001"}
    assert sweep(now) == 0


class Caller(threading.Thread):
    """One call of ``answer_once`` on a connection of its own."""

    def __init__(
        self, receipt: Receipt, now: datetime, act: Callable[[], tuple[int, Any]]
    ) -> None:
        super().__init__(daemon=True)
        self.arguments = (receipt, now, act)
        self.answer: HttpResponse | None = None
        self.problem: Problem | None = None

    def run(self) -> None:
        try:
            self.answer = answer_once(*self.arguments)
        except Problem as problem:
            self.problem = problem
        finally:
            connection.close()

    def end(self) -> Caller:
        self.join(30)
        assert not self.is_alive()
        return self


@pytest.fixture
def somebody(transactional_db: None) -> User:
    person: User = a_person(a_tenant("threads"), "thea")
    return person


def test_eight_at_once_take_effect_once(somebody: User, now: datetime) -> None:
    gate = threading.Barrier(8)

    def act() -> tuple[int, Any]:
        return 201, {"id": Tenant.objects.create(code="once", name="Once").pk}

    class Together(Caller):
        def run(self) -> None:
            gate.wait(30)
            super().run()

    callers = [Together(_receipt(somebody), now, act) for _ in range(8)]
    for caller in callers:
        caller.start()
    answers = [caller.end().answer for caller in callers]
    assert _made("once") == 1
    assert all(answer is not None and answer.status_code == 201 for answer in answers)
    assert len({answer.content for answer in answers if answer}) == 1
    fresh = [answer for answer in answers if answer and "Idempotency-Replayed" not in answer]
    assert len(fresh) == 1


def _while_one_runs(
    somebody: User, now: datetime, first_act: Callable[[], tuple[int, Any]], second: Caller
) -> tuple[Caller, Caller]:
    """Start the second call while the first stands inside its transaction; let both end."""
    inside, go_on = threading.Event(), threading.Event()

    def act() -> tuple[int, Any]:
        result = first_act()
        inside.set()
        assert go_on.wait(30)
        if result[0] >= 400:
            raise Problem(result[0], "test.refused", "No.")
        return result

    first = Caller(_receipt(somebody), now, act)
    first.start()
    assert inside.wait(30)
    second.start()
    # It is held back, not turned away: it is still alive when asked a moment later.
    second.join(0.3)
    assert second.is_alive()
    go_on.set()
    return first.end(), second.end()


def _make(code: str) -> tuple[int, Any]:
    return 201, {"id": Tenant.objects.create(code=code, name=code).pk}


def test_the_second_waits_for_the_first(somebody: User, now: datetime) -> None:
    second = Caller(_receipt(somebody), now, lambda: _make("second"))
    one, two = _while_one_runs(somebody, now, lambda: _make("first"), second)
    assert one.answer is not None
    assert two.answer is not None
    assert two.answer["Idempotency-Replayed"] == "true"
    assert one.answer.content == two.answer.content
    assert (_made("first"), _made("second")) == (1, 0)


def test_the_second_runs_itself_when_the_first_is_refused(somebody: User, now: datetime) -> None:
    def refused() -> tuple[int, Any]:
        _make("first")
        return 409, None

    second = Caller(_receipt(somebody), now, lambda: _make("second"))
    one, two = _while_one_runs(somebody, now, refused, second)
    assert one.problem is not None
    assert two.answer is not None
    assert "Idempotency-Replayed" not in two.answer
    assert (_made("first"), _made("second")) == (0, 1)


def test_the_second_with_another_body_is_refused(somebody: User, now: datetime) -> None:
    other = _receipt(somebody, body_hash="1" * 64)
    second = Caller(other, now, lambda: _make("second"))
    one, two = _while_one_runs(somebody, now, lambda: _make("first"), second)
    assert one.answer is not None
    assert two.problem is not None
    assert (two.problem.status, two.problem.code) == (422, "idempotency.other_body")
    assert (_made("first"), _made("second")) == (1, 0)
