"""Callbacks besides seed 001's own rows: signatures, what is shown, targets, events, too long."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from datetime import timedelta
from hashlib import sha256
from hmac import digest
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import CommandError, call_command

from flowadmin import clock
from notifications import backoff, payloads, signatures
from notifications.actions import purging
from notifications.management.commands import purge
from notifications.models import Callback, CallbackPurge
from tests.acceptance.acting import ALL_ACTS, give, task_of
from tests.api.caller import Caller
from tests.notifications import posted
from tests.notifications.posted import answer, heard, listening
from tests.workflow import flows
from workflow.actions.keeping_targets import OVERLAP, keep_target
from workflow.engine import commands
from workflow.forms.formdoc import FormDoc
from workflow.models import Target
from workflow.runtime import steps

OLD, NEW = ("whsec_" + b64encode(bytes([number]) * 32).decode() for number in (1, 2))
SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "callback.schema.json"


def kept(ann, now, url="https://erp.example/", **members):
    return keep_target(
        tenant_id=ann.tenant_id, key="erp", url=url, https_only=False, now=now, **members
    )


def signed_by(secret, headers, body):
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    return "v1," + b64encode(digest(b64decode(secret[6:]), text, sha256)).decode()


def test_both_secrets_sign_while_they_are_changed_over(ann, bao, now):
    with listening(answer(500)) as receiver:
        kept(ann, now, receiver.url, secret=OLD)
        posted.approve(bao, posted.filed(ann, posted.lead(), now=now), now=now)
        posted.go(now)
        kept(ann, now, secret=NEW)
        posted.go(due := posted.due_at(posted.only()))
        Callback.objects.update(next_attempt_at=now + OVERLAP)
        posted.go(now + OVERLAP)
        sent = [heard(receiver, number) for number in range(3)]
    for number, secrets in enumerate(([OLD], [NEW, OLD], [NEW])):
        _line, headers, body = sent[number]
        assert headers["webhook-id"] == posted.only().event_id
        expected = [signed_by(each, headers, body) for each in secrets]
        assert headers["webhook-signature"].split(" ") == expected
    assert sent[1][1]["webhook-timestamp"] == str(int(due.timestamp()))
    assert OLD not in json.dumps(list(Target.objects.values()), default=str)


@pytest.mark.parametrize("text", ["", "secret", "whsec_", "whsec_AAAA", "whsec_%", "whsec_é"])
def test_what_is_no_secret(text):
    with pytest.raises(signatures.BadSecret):
        signatures.key_of(text)


def test_a_secret_that_cannot_be_read_sends_nothing(ann, bao, now):
    with listening(answer(200)) as receiver:
        kept(ann, now, receiver.url, secret=OLD)
        Target.objects.update(sealed="1.AAAA")
        posted.approve(bao, posted.filed(ann, posted.lead(), now=now), now=now)
        posted.go(now)
        assert receiver.connections == 0
    assert (posted.only().status, posted.only().result) == ("PENDING", "NOT_ALLOWED")


@pytest.mark.parametrize(
    ("fields", "shown"),
    [([], {}), (["reason"], {"reason": "Trip"}), (["*"], {"reason": "Trip", "secret": "42"})],
)
def test_a_target_sees_what_it_may(ann, bao, now, fields, shown):
    kept(ann, now, fields=fields)
    request = posted.filed(ann, posted.lead(), now=now, values={"reason": "Trip", "secret": "42"})
    posted.approve(bao, request, now=now)
    form = posted.said(posted.only())["form"]
    assert {name: form[name] for name in form if name != "amount"} == shown
    assert ("amount" in form) == (fields == ["*"])


def test_an_address_in_the_process_sees_nothing_of_the_form(ann, bao, now):
    post = {"url": "https://erp.example/hook"}
    posted.approve(bao, posted.filed(ann, posted.lead(post=post), now=now), now=now)
    row = posted.only()
    assert (row.target_url, row.host) == ("https://erp.example/hook", "https://erp.example")
    assert posted.said(row)["form"] == {}


def test_columns_of_a_table_are_shown_one_by_one():
    columns = [
        {"id": "what", "type": "text", "label": "W"},
        {"id": "price", "type": "text", "label": "P"},
    ]
    form = {
        "formdoc": 1,
        "fields": [{"id": "rows", "type": "table", "label": "R", "columns": columns}],
    }

    doc = msgspec.convert(form, FormDoc)
    values: dict[str, Any] = {"rows": ({"_id": "1", "what": "Pen", "price": "2"},)}
    assert payloads.shown_values(doc, values, ["rows.what"]) == {
        "rows": ({"_id": "1", "what": "Pen"},)
    }
    assert payloads.shown_values(doc, values, ["rows"]) == values
    assert payloads.shown_values(doc, values, ["price"]) == {}


def test_what_would_be_too_long_goes_without_the_form(ann, now):
    told = payloads.Told(
        "evt_1", "approved", now, "demo", "expense", 1, 1, "1", "T", "running", "a", "A"
    )
    assert json.loads(payloads.payload(told, {"reason": "x"}))["form"] == {"reason": "x"}
    text = payloads.payload(told, {"reason": "\u592a" * 90_000})
    assert len(text.encode()) < 1000
    assert json.loads(text)["form"] is None
    assert json.loads(text)["task"] is None


@pytest.mark.parametrize("on", ["returned", "closed"])
def test_further_events(ann, bao, chi, now, on):
    kept(ann, now)
    people = ("bao", "chi") if on == "closed" else ("bao",)
    lead = posted.lead("returned", "closed", people=people, acts=ALL_ACTS)
    request = posted.filed(ann, lead, now=now)
    task = task_of(bao, request)
    if on == "returned":
        give(task, bao, commands.Return, to="start", now=now, comment="Why?")
    else:
        posted.approve(bao, request, now=now)
    row = posted.only()
    said = posted.said(row)
    assert (row.event, said["event"], said["task"]["decision"]) == (on, on, on)
    assert said["task"]["decided_by"] == "bao"
    assert (said["task"]["id"] == str(task.pk)) == (on == "returned")


def test_a_step_that_asks_nobody_and_a_deadline_tell_too(ann, bao, now):
    kept(ann, now)
    tell = {
        "id": "say", "kind": "notice", "name": "Say", "title": "T", "channel": ["inbox"],
        "who": {"any_of": [{"by": "user", "ids": ["chi"]}]},
        "on_event": [{"on": "approved", "post": {"target": "erp"}}],
    }  # fmt: skip
    lead = posted.lead(deadline={"after": 60, "then": "approve"})
    posted.filed(ann, tell, lead, now=now)
    for moment in (now, now + timedelta(hours=2)):
        for job in steps.due(moment):
            claimed = steps.claim(job, "here", moment)
            assert claimed is not None
            steps.carry_out(claimed, moment)
    first, second = Callback.objects.order_by("id")
    assert posted.said(first)["task"] is None
    assert first.task_id is None
    assert posted.said(second)["task"]["decided_by"] is None


def test_an_unknown_target_is_not_published(ann, bao, eve, client_of, now):
    document = flows.a_document(posted.lead())
    keep_target(tenant_id=eve.tenant_id, key="erp", url="https://erp.example/", now=now)

    def problems():
        sent = {"document": document, "form": flows.FORM}
        found = Caller(client_of(bao)).post("flows/validate", sent, key=None).json()["problems"]
        return [(each["code"], each["at"]) for each in found if each["level"] == "error"]

    at = "/document/steps/0/on_event/0/post/target"
    assert problems() == [("target.unknown", at)]
    kept(ann, now)
    assert problems() == []
    document["steps"][0]["on_event"][0]["post"] = {"url": "http://127.0.0.1:8123/x"}
    assert problems() == [("http.scheme", at.replace("target", "url"))]
    with posted.listening(answer(200)) as receiver:
        document["steps"][0]["on_event"][0]["post"] = {"url": receiver.url}
        assert problems() == []


def test_the_schema_describes_what_is_sent(ann, bao, now):
    jsonschema = pytest.importorskip("jsonschema")
    kept(ann, now, fields=["*"])
    posted.approve(bao, posted.filed(ann, posted.lead(), now=now), now=now)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(posted.said(posted.only()), schema)
    assert set(schema["properties"]) == set(posted.said(posted.only()))


def test_the_long_profile_has_a_round_of_eight():
    waits = [backoff.after_failure("long", number, 8) for number in range(1, 9)]
    assert [each and int(each.total_seconds()) for each in waits] == [
        30, 120, 600, 3600, 14400, 43200, 86400, None,
    ]  # fmt: skip
    # A second round, after a retry by hand, waits like the first.
    assert backoff.after_failure("seed", 6, 10) == timedelta(seconds=30)
    assert backoff.after_failure("seed", 9, 10) == timedelta(seconds=240)
    assert backoff.after_failure("seed", 10, 10) is None


def target_form(tenant, **members):
    sent = {
        "tenant": tenant.pk, "key": "erp", "address": "https://erp.example/planted",
        "secret": NEW, "shown": "amount\nreason", "profile": "seed", "https_only": "on",
    }  # fmt: skip
    return {name: value for name, value in (sent | members).items() if value is not None}


def test_targets_are_entered_and_not_shown_again(admin, ann, bao, client_of):
    client = client_of(admin)
    assert client.post("/admin/workflow/target/add/", target_form(ann.tenant)).status_code == 302
    target = Target.objects.get()
    assert (target.url, target.fields) == ("https://erp.example/planted", ["amount", "reason"])
    assert NEW not in target.sealed
    address = f"/admin/workflow/target/{target.pk}/change/"
    page = client.get(address).content.decode()
    assert "planted" not in page
    assert NEW not in page
    changed = target_form(ann.tenant, address="", secret=OLD, shown="*")
    assert client.post(address, changed).status_code == 302
    target.refresh_from_db()
    assert target.url == "https://erp.example/planted"
    assert target.fields == ["*"]
    assert target.previous_sealed
    assert client.post(f"/admin/workflow/target/{target.pk}/delete/").status_code == 403
    assert client_of(ann).get(address).status_code == 302


@pytest.mark.parametrize(
    "members",
    [
        {"address": "http://erp.example/"},
        {"address": "ftp://erp.example/"},
        {"address": "https://127.0.0.1/"},
        {"address": "https://a@b.example/"},
        {"address": ""},
        {"secret": "whsec_AAAA"},
        {"secret": "Bearer x"},
        {"shown": "two words; drop"},
    ],
)
def test_what_is_no_target_is_refused(admin, ann, client_of, members):
    answered = client_of(admin).post(
        "/admin/workflow/target/add/", target_form(ann.tenant, **members)
    )
    assert answered.status_code == 200
    assert not Target.objects.exists()


def test_operators_see_states_and_no_way_to_send(admin, ann, bao, chi, client_of, now):
    kept(ann, now, url="https://planted.example/")
    posted.approve(bao, posted.filed(ann, posted.lead(), now=now), now=now)
    row = posted.only()
    client = client_of(admin)
    page = client.get("/ops/callbacks/").content.decode()
    assert row.event_id in page
    assert "planted" not in page
    assert "Send again" not in page
    for query, there in (
        ("status=pending", True), ("status=failed", False), ("process=expense", True),
        ("event=approved&age=day", True), ("event=closed", False),
    ):  # fmt: skip
        answered = client.get(f"/ops/callbacks/?{query}").content.decode()
        assert (row.event_id in answered) == there, query
    assert client.get("/ops/callbacks/?status=x").status_code == 400
    assert client_of(chi).get("/ops/callbacks/").status_code == 403


def purged(*arguments):
    out = StringIO()
    call_command("purge", "--callbacks", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())["removed"]


def test_old_callbacks_go_only_when_they_are_told_to(ann, now, monkeypatch):
    flows.publish(ann, flows.a_document(), now=now)
    row = posted.failed(flows.start(ann, now=now))
    for number, status in enumerate(["SUCCEEDED"] * 5 + ["PENDING", "LEASED"]):
        row.pk, row.event_id, row.status = None, f"evt_p{number}", status
        row.save(force_insert=True)
    Callback.objects.filter(event_id="evt_p0").update(updated_at=clock.now())
    monkeypatch.setattr(purging, "BATCH", 2)
    monkeypatch.setattr(purge, "PAUSE_SECONDS", 0)
    assert purged("--older-than", "90d", "--dry-run") == 0
    assert Callback.objects.count() == 8
    assert purged("--older-than", "90d", "--tenant", "other") == 0
    assert purged("--older-than", "90d", "--status", "delivered") == 4
    assert purged("--older-than", "90d", "--status", "delivered") == 0
    statuses = list(Callback.objects.order_by("status").values_list("status", flat=True))
    assert statuses == ["FAILED", "LEASED", "PENDING", "SUCCEEDED"]
    assert list(CallbackPurge.objects.values_list("status", "number")) == [("SUCCEEDED", 4)]
    assert purged("--older-than", "90d", "--status", "failed") == 1
    for wrong in (["--older-than", "90"], ["--older-than", "90d", "--status", "pending"]):
        with pytest.raises(CommandError):
            purged(*wrong)
    with pytest.raises(ValueError, match="PENDING"):
        purging.purge_callbacks(
            tenant_id=1, status="PENDING", before=now, now=now, between=lambda: None
        )


def test_moving_a_request_tells_nobody_and_its_end_does(ann, bao, now):
    kept(ann, now)
    lead = posted.lead("approved", "rejected", "returned", "closed")
    request = posted.filed(ann, lead, now=now)
    flows.publish(ann, flows.a_document(lead, posted.human("more", "dan")), now=now)
    call_command(
        "flow_migrate", "expense", "--from", "1", "--to", "2", "--reason", "new", stdout=StringIO()
    )
    request.refresh_from_db()
    assert request.version.number == 2
    assert not Callback.objects.exists()
    posted.approve(bao, request, now=now)
    assert posted.said(posted.only())["flow"] == {"key": "expense", "version": 2}
