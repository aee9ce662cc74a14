"""P37, P42: address, bytes and identity are fixed with the decision, whatever comes afterwards."""

from __future__ import annotations

import json

from notifications.actions.callbacks import retry_manually
from notifications.models import Callback
from tests.notifications import posted
from tests.notifications.posted import answer, heard, listening
from tests.workflow import flows
from workflow.models import Target


def test_bytes_and_ids_are_equal_whatever_happens(ann, bao, dan, now):
    with listening(answer(500)) as receiver:
        erp = posted.target(ann.tenant, receiver.url, fields=["amount"])
        last = posted.human("last", "dan")
        request = posted.filed(ann, posted.lead(), last, now=now, values={"reason": "Trip"})
        posted.approve(bao, request, now=now, comment="Fine")
        kept = posted.only().payload
        # What it told of goes on, the process and the target change.
        Target.objects.filter(pk=erp.pk).update(url="https://elsewhere.example/", fields=["*"])
        flows.publish(ann, flows.a_document(posted.human("lead", "chi")), now=now)
        posted.approve(dan, request, now=now)
        end = posted.fail_for_good(now)
        retry_manually(callback=posted.only(), user=ann, now=end)
        posted.fail_for_good(posted.later(end))
        sent = [heard(receiver, number) for number in range(10)]
        assert len(receiver.heard) == 10
    assert {body for _line, _headers, body in sent} == {kept}
    ids = {
        headers[name] for _, headers, _ in sent for name in ("x-flow-event-id", "idempotency-key")
    }
    assert ids == {posted.only().event_id}
    [event_id] = ids
    assert "." not in event_id
    assert len(event_id) <= 64
    assert json.loads(kept)["event_id"] == event_id
    assert [headers["x-flow-attempt"] for _, headers, _ in sent] == [str(n) for n in range(1, 11)]
    assert Callback.objects.count() == 1


def test_what_is_sent(ann, bao, now):
    with listening(answer(200)) as receiver:
        posted.target(ann.tenant, receiver.url + "/a?b=c", fields=["amount", "nothing"])
        request = posted.filed(
            ann, posted.lead("rejected"), now=now, values={"reason": "\u65c5\u884c", "secret": "x"}
        )
        posted.reject(bao, request, now=now, comment="Too much \u592a\u591a")
        assert posted.go(now) == 1
    line, headers, body = heard(receiver)
    assert line == "POST /hook/a?b=c HTTP/1.1"
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"].startswith("FlowAdmin/")
    # Nothing of anybody's session, and no signature without a secret.
    assert not {"authorization", "cookie", "webhook-id", "webhook-signature"} & set(headers)
    task = request.tasks.get()
    assert json.loads(body) == {
        "event_id": posted.only().event_id,
        "event": "rejected",
        "occurred_at": "2026-03-02T09:00:00Z",
        "tenant": "demo",
        "flow": {"key": "expense", "version": 1},
        "instance": {
            "id": str(request.pk),
            "number": request.number,
            "title": request.title,
            "state": "rejected",
        },
        "step": {"id": "lead", "name": "Lead"},
        "task": {
            "id": str(task.pk),
            "decision": "rejected",
            "decided_by": "bao",
            "comment": "Too much \u592a\u591a",
        },
        "form": {"amount": "12000.00"},
    }
    assert "\u592a\u591a" in body, "readable, as UTF-8"
