"""Calls of `http` steps: to real receivers on loopback, killed and raced between their steps."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import pytest
from django.test import Client

from flowadmin import clock, outbound
from flowadmin.rest.problems import Problem
from tests.workflow import flows, outside
from tests.workflow.outside import answer, heard, http_step, listening
from workflow.actions import administration
from workflow.actions.keeping_secrets import forget_secret, keep_secret
from workflow.engine.commands import Pause, Resume, Retry, Return
from workflow.jobs import ask_outside, send_calls
from workflow.models import Call, Event, Instance, Job, Secret
from workflow.runtime import calls, replay, replies, steps
from workflow.runtime.execute import execute

SAVE = [{"pointer": "/result/grade", "to": {"field": "reason"}, "type": "text"}]


def a_request(user, *steps_, now, **values):
    flows.publish(user, flows.a_document(*steps_), now=now)
    return flows.start(user, now=now, **values)


def act(instance, command, now):
    return execute(
        tenant_id=instance.tenant_id,
        instance_id=instance.pk,
        command=command,
        actor_id=getattr(command, "by", None),
        now=now,
    )


def fresh(instance):
    instance.refresh_from_db()
    return instance


def test_what_is_sent_and_what_is_saved(ann, now):
    with listening(answer(200, {"result": {"grade": "B"}})) as receiver:
        keep_secret(tenant_id=ann.tenant_id, key="erp", text="Bearer s3cret", now=now)
        step = http_step(
            receiver.url + "/{number}?who={initiator.name}&why={form.reason}",
            headers={"Authorization": {"secret": "erp"}, "X-Who": "{form.reason}"},
            body='{"amount": {form.amount}, "why": "{form.reason}", "note": {form.secret}}',
            save=SAVE,
        )
        instance = a_request(ann, step, flows.approve_step(), now=now, reason='a"b\\ c&d\u4e2d')
        outside.go()
    line, headers, body = heard(receiver)
    number = instance.number
    assert line == (f"POST /hook/{number}?who=Ann%20Lee&why=a%22b%5C%20c%26d%E4%B8%AD HTTP/1.1")
    assert headers["authorization"] == "Bearer s3cret"
    assert headers["x-who"] == 'a"b\\ c&d%E4%B8%AD'
    assert headers["content-type"] == "application/json"
    assert headers["idempotency-key"] == headers["x-flow-event-id"]
    assert json.loads(body) == {"amount": 12000.0, "why": 'a"b\\ c&d\u4e2d', "note": None}
    assert "12000.00" in body
    assert fresh(instance).snapshot["values"]["reason"] == "B"
    assert instance.snapshot["outcomes"]["call"] == "approved"
    call = Call.objects.get()
    assert (call.state, call.result, call.attempts) == ("done", "HTTP_200", 1)
    assert [entry["result"] for entry in call.history] == ["HTTP_200"]
    assert "s3cret" not in json.dumps([call.headers, call.body, call.history])
    assert "s3cret" not in Secret.objects.get().sealed
    assert replay.differences(instance.pk) == []


def test_a_failure_is_tried_again_with_the_same_identity_and_then_held(ann, admin, now):
    with listening(answer(500)) as receiver:
        step = http_step(receiver.url, body="{form.reason}")
        instance = a_request(ann, step, flows.approve_step(), now=now, reason="x")
        ask_outside()
        moment = clock.now()
        for number, wait in enumerate((30, 60, 120, 240, None), start=1):
            assert outside.send(at=moment) == 1
            assert outside.send(at=moment) == 0
            call = Call.objects.get()
            assert call.attempts == number
            if wait is not None:
                assert call.due_at == moment + timedelta(seconds=wait)
                assert ask_outside() == 0
                moment = call.due_at
        assert outside.take_up(moment) == 1
        assert fresh(instance).held == "http.failed"
        assert len({heard(receiver, n)[1]["idempotency-key"] for n in range(5)}) == 1
        assert outside.send(at=moment + timedelta(days=1)) == 0
        # A manager has it asked once more: a call of its own.
        act(instance, Retry(1, admin.pk, "it is up again"), now)
        outside.go()
        assert len(receiver.heard) == 6
        assert heard(receiver, 5)[1]["idempotency-key"] != heard(receiver, 0)[1]["idempotency-key"]
    assert replay.differences(instance.pk) == []


@pytest.mark.parametrize(
    ("on_fail", "outcome"), [("continue", "rejected"), ({"goto": "lead"}, None)]
)
def test_what_follows_from_a_failure(ann, bao, now, on_fail, outcome):
    with listening(answer(404)) as receiver:
        step = http_step(receiver.url, retry="none", on_fail=on_fail)
        instance = a_request(
            ann,
            flows.approve_step("lead", "bao"),
            step,
            flows.approve_step("last", "dan"),
            now=now,
        )
        flows.approve(bao, now=now)
        outside.go()
    assert fresh(instance).held is None
    open_now = instance.tasks.filter(state="open").values_list("step", flat=True)
    assert list(open_now) == (["last"] if outcome else ["lead"])
    assert instance.snapshot.get("outcomes", {}).get("call") == outcome
    assert replay.differences(instance.pk) == []


@pytest.mark.parametrize(
    ("body", "at"),
    [
        ({"result": {"grade": 7}}, "/result/grade"),
        ({"result": {}}, "/result/grade"),
        ({"result": {"grade": "x" * 30_000}}, "/result/grade"),
        (b"not JSON", ""),
        (b'{"result": NaN}', ""),
        (b"[" * 30_000, ""),
        (json.dumps({"result": {"grade": "x"}, "rest": "y" * 70_000}).encode(), ""),
    ],
)
def test_an_answer_that_does_not_fit_is_named_and_nothing_is_sent_again(ann, now, body, at):
    with listening(answer(200, body)) as receiver:
        instance = a_request(ann, http_step(receiver.url, save=SAVE), now=now)
        outside.go()
        assert fresh(instance).held == "http.bad_answer"
        outside.send(at=outside.later())
        assert len(receiver.heard) == 1
    held = Event.objects.get(kind="instance_held")
    assert json.loads(held.payload).get("about", "") == at
    assert not Event.objects.filter(kind="form_changed").exists()


def test_what_may_not_be_reached_is_not_sent_at_all(ann, now):
    with listening(answer()) as receiver:
        flows.publish(ann, flows.a_document(http_step(receiver.url)), now=now)
        instance = flows.start(ann, now=now)
        ask_outside()
    with listening(answer()):
        outside.send()
        ask_outside()
    assert receiver.heard == []
    assert fresh(instance).held == "http.not_allowed"
    assert Call.objects.get().result == "NOT_ALLOWED"


def test_a_secret_that_is_gone_is_an_incident_and_nothing_is_sent(ann, now):
    with listening(answer()) as receiver:
        secret = keep_secret(tenant_id=ann.tenant_id, key="erp", text="x", now=now)
        step = http_step(receiver.url, headers={"Authorization": {"secret": "erp"}})
        instance = a_request(ann, step, now=now)
        forget_secret(secret)
        outside.go()
    assert receiver.heard == []
    assert fresh(instance).held == "http.secret_missing"


def test_fire_passes_when_it_is_written_and_is_sent_although_the_request_has_ended(ann, now):
    with listening(answer(503), answer(204)) as receiver:
        instance = a_request(ann, http_step(receiver.url, mode="fire", body="{number}"), now=now)
        assert ask_outside() == 1
        assert fresh(instance).state == "approved"
        assert receiver.heard == []
        assert outside.send() == 1
        assert Call.objects.get().state == "pending"
        assert outside.send(at=outside.later()) == 1
    assert [heard(receiver, n)[2] for n in (0, 1)] == [instance.number] * 2
    assert Call.objects.get().state == "done"
    assert replay.differences(instance.pk) == []


def test_operators_see_attempts_and_neither_address_nor_content(ann, admin, client_of, now):
    with listening(answer(500)) as receiver:
        a_request(ann, http_step(receiver.url, body="{form.reason}"), now=now, reason="hush")
        ask_outside()
        outside.send()
    call = Call.objects.get()
    client = client_of(admin)
    for address in ("", f"{call.pk}/change/"):
        shown = client.get(f"/admin/workflow/call/{address}")
        assert shown.status_code == 200
        assert b"HTTP_500" in shown.content
        assert b"hush" not in shown.content
        assert str(receiver.port).encode() not in shown.content
    assert client.post(f"/admin/workflow/call/{call.pk}/change/", {}).status_code == 403
    assert client_of(ann).get("/admin/workflow/call/").status_code == 302


# The answer that comes by itself.


@pytest.fixture
def waiting(ann, now):
    """A request whose call was sent and that waits for the reply; and where to reply."""
    with listening(answer(202)) as receiver:
        step = http_step(
            receiver.url, mode="wait_callback", body='{"to": "{reply_url}"}', save=SAVE
        )
        instance = a_request(ann, step, flows.approve_step(), now=now)
        outside.go()
    _line, headers, body = heard(receiver)
    url = headers["x-flow-reply-url"]
    assert json.loads(body) == {"to": url}
    return instance, "/api" + url.partition("/api")[2]


def post(path, body):
    raw = body if isinstance(body, bytes) else json.dumps(body)
    client = Client(enforce_csrf_checks=True)
    return client.post(path, raw, content_type="application/json")


GOOD = {"result": {"grade": "A"}}


def test_a_reply_is_taken_once(waiting):
    instance, path = waiting
    assert Call.objects.get().state == "waiting"
    token = path.rstrip("/").rpartition("/")[2]
    assert token not in json.dumps(list(Call.objects.values()), default=str)
    assert post(path, GOOD).json() == {"accepted": True}
    assert post(path, GOOD).status_code == 200
    assert post(path, {"result": {"grade": "C"}}).json()["code"] == "reply.over"
    assert ask_outside() == 1
    assert fresh(instance).snapshot["values"]["reason"] == "A"
    assert post(path, GOOD).status_code == 200
    assert post(path, {}).status_code == 410
    assert ask_outside() == 0
    assert Event.objects.filter(kind="form_changed").count() == 1
    assert replay.differences(instance.pk) == []


@pytest.mark.parametrize(
    ("body", "status", "code", "at"),
    [
        (b"{", 400, "json.broken", None),
        ({"result": {"grade": 1}}, 422, "http.bad_answer", "/result/grade"),
        ({}, 422, "http.bad_answer", "/result/grade"),
        (b" " * 70_000, 413, "body.too_large", None),
    ],
)
def test_a_reply_that_does_not_fit_can_be_corrected(waiting, body, status, code, at):
    instance, path = waiting
    refused = post(path, body)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    if at is not None:
        assert [each["at"] for each in refused.json()["errors"]] == [at]
    assert (Call.objects.get().state, Call.objects.get().answer) == ("waiting", None)
    assert ask_outside() == 0
    assert post(path, GOOD).status_code == 200
    ask_outside()
    assert fresh(instance).snapshot["values"]["reason"] == "A"


def test_an_unknown_token_is_404(waiting):
    assert post("/api/v1/http-replies/" + "x" * 43 + "/", GOOD).status_code == 404
    assert post("/api/v1/http-replies/" + "x" * 300 + "/", GOOD).status_code == 404
    assert Call.objects.get().state == "waiting"


def test_a_reply_after_the_step_is_over_is_410_and_changes_nothing(waiting, admin, now):
    instance, path = waiting
    administration.terminate(instance=instance, user=admin, reason="moot", now=now)
    assert Call.objects.get().state == "cancelled"
    before = Event.objects.count()
    assert post(path, GOOD).status_code == 410
    assert ask_outside() == 0
    assert Event.objects.count() == before


def test_a_reply_during_a_pause_is_kept_and_nothing_is_sent_again(waiting, admin, now):
    instance, path = waiting
    act(instance, Pause(admin.pk, "stocktaking"), now)
    assert post(path, GOOD).status_code == 200
    assert ask_outside() == 0
    assert Call.objects.get().state == "answered"
    act(instance, Resume(admin.pk), now)
    assert ask_outside() == 1
    assert fresh(instance).snapshot["values"]["reason"] == "A"
    assert Call.objects.get().attempts == 1


def test_a_reply_before_our_own_sending_has_returned(ann, now):
    """The receiver calls back while we still send; whoever is second sees the other."""
    with listening(answer(202)) as receiver:
        step = http_step(receiver.url, mode="wait_callback", save=SAVE)
        instance = a_request(ann, step, flows.approve_step(), now=now)
        ask_outside()
        attempt = calls.claim(Call.objects.get().pk, "one", clock.now())
        assert attempt is not None

        def by(request, _seconds):
            token = dict(request.headers)["X-Flow-Reply-URL"].rstrip("/").rpartition("/")[2]
            replies.reply(token, json.dumps(GOOD).encode(), now)
            return outbound.Answer(result="TIMEOUT")

        calls.settle(attempt, calls.send(attempt, by), clock.now())
    assert Call.objects.get().state == "answered"
    assert ask_outside() == 1
    assert fresh(instance).snapshot["values"]["reason"] == "A"
    assert outside.send(at=outside.later()) == 0


# Killed and raced.


def test_a_sender_that_dies_after_sending_is_replaced_and_stays_visible(ann, now):
    with listening(answer(200, {"result": {"grade": "B"}})) as receiver:
        instance = a_request(ann, http_step(receiver.url, save=SAVE), now=now)
        ask_outside()
        moment = clock.now()
        dead = calls.claim(Call.objects.get().pk, "dead", moment)
        assert dead is not None
        late = calls.send(dead, calls.send_by_policy)
        # It never wrote what came of it.
        assert outside.send("two", moment) == 0
        lease = Call.objects.get().lease_until
        assert lease is not None
        assert outside.send("two", lease) == 1
        history = Call.objects.get().history
        assert [entry["result"] for entry in history] == ["STARTED", "HTTP_200"]
        # It was only asleep: its result is late and decides nothing.
        calls.settle(dead, late, lease)
        assert Call.objects.get().state == "answered"
        assert Call.objects.get().history[0]["late"] == "HTTP_200"
        assert len({heard(receiver, n)[1]["x-flow-event-id"] for n in (0, 1)}) == 1
    assert outside.take_up(lease) == 1
    assert fresh(instance).state == "approved"
    assert Event.objects.filter(kind="form_changed").count() == 1


def test_a_sender_that_dies_on_the_last_attempt_is_a_failure(ann, now):
    with listening(answer(200)) as receiver:
        instance = a_request(ann, http_step(receiver.url, retry="none"), now=now)
        ask_outside()
        assert calls.claim(Call.objects.get().pk, "dead", clock.now()) is not None
        lease = Call.objects.get().lease_until
        assert lease is not None
        assert outside.send(at=lease) == 0
    assert receiver.heard == []
    assert Call.objects.get().result == "UNKNOWN"
    outside.take_up(lease)
    assert fresh(instance).held == "http.failed"


def test_a_worker_that_dies_before_it_gave_the_answer_sends_nothing_again(ann, now, monkeypatch):
    with listening(answer(200, {"result": {"grade": "B"}})) as receiver:
        instance = a_request(ann, http_step(receiver.url, save=SAVE), now=now)
        ask_outside()
        outside.send()

        def dies(_happened):
            raise SystemExit

        with monkeypatch.context() as patched:
            patched.setattr(steps, "execute", lambda **_k: dies(None))
            with pytest.raises(SystemExit):
                ask_outside()
        assert fresh(instance).state == "running"
        assert Call.objects.get().state == "answered"
        Job.objects.update(lease_until=now)
        assert ask_outside() == 1
        assert fresh(instance).state == "approved"
        assert len(receiver.heard) == 1


def test_a_step_that_was_left_ignores_its_late_answer_and_asks_anew(ann, bao, dan, now):
    """The request goes back while the answer is on its way: the activation is over."""
    lead = flows.approve_step("lead", "bao")
    with listening(answer(200, {"result": {"grade": "B"}})) as receiver:
        block = {
            "id": "both", "kind": "parallel", "name": "Both", "join": "all",
            "branches": [
                {"id": "a", "name": "A", "steps": [http_step(receiver.url, save=SAVE)]},
                {"id": "b", "name": "B", "steps": [
                    flows.approve_step("check", "dan", acts={"return_to": "any"})]},
            ],
        }  # fmt: skip
        instance = a_request(ann, lead, block, now=now)
        flows.approve(bao, now=now)
        ask_outside()
        attempt = calls.claim(Call.objects.get().pk, "slow", clock.now())
        assert attempt is not None
        sent = calls.send(attempt, calls.send_by_policy)
        task = flows.open_task(dan)
        act(instance, Return(seat=task.number, by=dan.pk, version=1, to="lead"), now)
        assert Call.objects.get().state == "cancelled"
        calls.settle(attempt, sent, clock.now())
        assert Call.objects.get().state == "cancelled"
        assert ask_outside() == 0
        assert not Event.objects.filter(kind="form_changed").exists()
        flows.approve(bao, now=now)
        outside.go()
        assert len(receiver.heard) == 2
        ids = {heard(receiver, n)[1]["x-flow-event-id"] for n in (0, 1)}
        assert len(ids) == 2
    assert Event.objects.filter(kind="form_changed").count() == 1
    assert replay.differences(instance.pk) == []


@pytest.mark.django_db(transaction=True)
def test_several_senders_send_each_call_once(ann, now):
    with listening(answer(200)) as receiver:
        flows.publish(ann, flows.a_document(http_step(receiver.url)), now=now)
        for _ in range(6):
            flows.start(ann, now=now)
        while ask_outside():
            pass
        others = [threading.Thread(target=outside.close_after(send_calls)) for _ in range(2)]
        for thread in others:
            thread.start()
        for thread in others:
            thread.join()
        while send_calls():
            pass
    ids = [heard(receiver, number)[1]["x-flow-event-id"] for number in range(len(receiver.heard))]
    assert len(ids) == len(set(ids)) == 6
    while ask_outside():
        pass
    assert set(Instance.objects.values_list("state", flat=True)) == {"approved"}


# Publishing.


@pytest.mark.parametrize(
    ("members", "code", "at"),
    [
        ({"headers": {"X-Key": {"secret": "nope"}}}, "target.unknown", "headers/X-Key/secret"),
        ({"retry": "often"}, "target.unknown", "retry"),
        ({"url": "http://example.com/"}, "http.scheme", "url"),
        ({"url": "https://10.0.0.1/"}, "http.private_host", "url"),
        ({"url": "https://{form.reason}/"}, "http.body_template", "url"),
        ({"url": "https://example.com/{form.nope}"}, "http.body_template", "url"),
        ({"headers": {"X-A": "{form.nope}"}}, "http.body_template", "headers/X-A"),
    ],
)
def test_what_a_call_names_has_to_be_there(ann, now, members, code, at):
    step = http_step("https://example.com/") | members
    with pytest.raises(Problem) as refused:
        flows.publish(ann, flows.a_document(step, flows.approve_step()), now=now)
    found = [(each["code"], each["at"]) for each in refused.value.errors]
    assert (code, f"/document/steps/0/{at}") in found
    assert flows.rows()["flow_version"] == 0


def test_a_secret_of_another_tenant_is_unknown(ann, eve, now):
    keep_secret(tenant_id=eve.tenant_id, key="erp", text="x", now=now)
    step = http_step("https://example.com/", headers={"X-Key": {"secret": "erp"}})
    with pytest.raises(Problem) as refused:
        flows.publish(ann, flows.a_document(step, flows.approve_step()), now=now)
    assert "target.unknown" in {each["code"] for each in refused.value.errors}
