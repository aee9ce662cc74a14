"""Bodies that no endpoint may take: refused, nothing stored, and the lists go on answering."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.caller import nothing_written
from tests.workflow import flows

DEEP = 3000
# name → body, and the statuses with which it may be refused
RAW = {
    "broken": (b'{"a": ', {400}),
    "two values": (b"{} {}", {400}),
    "an array": (b"[1]", {400}),
    "text": (b'"x"', {400}),
    "3,000 deep": (b'{"form":' + b"[" * DEEP + b"]" * DEEP + b"}", {400}),
    "3,000 objects deep": (b'{"form":' * DEEP + b"1" + b"}" * DEEP, {400}),
    "NUL": (b'{"comment": "a\\u0000b"}', {400}),
    "NUL in a name": (b'{"a\\u0000": 1}', {400}),
    "half a pair": (b'{"comment": "\\ud800"}', {400}),
    "half a pair in a name": (b'{"\\udfff": 1}', {400}),
    "a name twice": (b'{"comment": "a", "comment": "b"}', {400}),
    "NaN": (b'{"form": {"amount": NaN}}', {400}),
    "Infinity": (b'{"form": {"amount": -Infinity}}', {400}),
    "a float": (b'{"form": {"amount": 1.5}}', {400}),
    "5,000 digits": (b'{"form": {"amount": ' + b"9" * 5000 + b"}}", {400}),
    "not UTF-8": (b'{"comment": "\xff"}', {400}),
    "a byte order mark": (b"\xef\xbb\xbf{}", {400}),
    "over 1 MiB": (b'{"comment": "' + b"a" * 1024 * 1024 + b'"}', {413}),
    "30,000 values": (b'{"form": [' + b"1," * 30_000 + b"1]}", {400}),
}
ON_TASKS = [
    "approve", "reject", "complete", "return", "transfer", "delegate", "hand-back", "add-signer",
    "remove-signer", "copy", "comment", "take-back", "claim", "release", "snooze",
    "ask-substitute",
]  # fmt: skip
ON_INSTANCES = ["cancel", "reassign", "suspend", "resume", "jump"]
COMMANDS = [
    "start", "publish", "validate", "bulk", "withdraw", "resubmit", *ON_TASKS, *ON_INSTANCES,
]  # fmt: skip


@pytest.fixture
def addresses(request_of_ann):
    """Each address that takes a body, with a caller who is allowed to send a good one."""
    task = request_of_ann.tasks.get()
    instance = request_of_ann.pk
    return {
        "start": ("ann", "instances/"),
        "publish": ("bao", "flows/expense/actions/publish"),
        "validate": ("bao", "flows/validate"),
        "bulk": ("chi", "tasks/bulk-actions"),
        "withdraw": ("ann", f"instances/{instance}/actions/withdraw"),
        "resubmit": ("ann", f"instances/{instance}/actions/resubmit"),
        **{verb: ("chi", f"tasks/{task.pk}/actions/{verb}") for verb in ON_TASKS},
        **{verb: ("bao", f"instances/{instance}/actions/{verb}") for verb in ON_INSTANCES},
    }


def lists_answer(caller):
    for path in ("flows/", "instances/", "instances/?box=all", "tasks/", "tasks/?box=done", "me"):
        assert caller.get(path).status_code == 200


@pytest.mark.parametrize("command", COMMANDS)
def test_bodies_that_no_json_reader_should_take(api, people, addresses, command):
    login, path = addresses[command]
    caller = api(people[login])
    for name, (raw, statuses) in RAW.items():
        with nothing_written():
            answer = caller.post(path, raw=raw, if_match='"1"')
        assert answer.status_code in statuses, (name, answer.content[:300])
        assert answer["Content-Type"] == "application/problem+json", name
        assert answer.json()["status"] == answer.status_code
    lists_answer(caller)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/xml"])
def test_other_media_types(api, people, addresses, command, kind):
    login, path = addresses[command]
    with nothing_written():
        answer = api(people[login]).post(path, raw=b"{}", content_type=kind, if_match='"1"')
    assert answer.status_code == 415


# Members of the wrong kind, one after another, at every address.
WRONG: list[Any] = [
    None,
    True,
    5,
    -(2**53),
    "x" * 70_000,
    [],
    [[]],
    {},
    {"a": {"b": []}},
    "\u202e",
    "%00",
]
MEMBERS = [
    "flow", "form", "picked", "comment", "attachments", "task_version", "document", "note",
    "reason", "task", "to", "tenant", "people", "place", "decide", "counts", "resume", "until",
    "signature", "action", "items", "",
]  # fmt: skip


# What is right there: tested elsewhere.
TEXTS = ["\u202e", "%00"]
_DECISION: dict[str, list[Any]] = {"form": [{}], "attachments": [[]], "comment": TEXTS}
RIGHT: dict[str, dict[str, list[Any]]] = {
    "approve": _DECISION | {"picked": [{}]},
    "reject": _DECISION,
    "ask-substitute": {"comment": TEXTS},
    "comment": {"comment": TEXTS},
    "cancel": {"reason": TEXTS},
    "suspend": {"reason": TEXTS},
    "withdraw": {"comment": TEXTS},
    "snooze": {"until": [None]},
}
# What is refused there whatever the body says.
REFUSED = {
    "complete", "return", "transfer", "delegate", "hand-back", "add-signer", "remove-signer",
    "copy", "take-back", "claim", "release", "resubmit", "resume",
}  # fmt: skip


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "validate"])
def test_members_of_every_kind(api, people, addresses, command):
    """Whatever a member holds: never a 500, never a row."""
    login, path = addresses[command]
    caller = api(people[login])
    right = RIGHT.get(command, {})
    with nothing_written():
        for member in MEMBERS:
            for value in WRONG:
                if value in right.get(member, []):
                    continue
                answer = caller.post(path, {member: value}, if_match='"1"')
                refused = {400, 404, 422} | ({403, 409} if command in REFUSED else set())
                assert answer.status_code in refused, (member, value, answer.content)
    lists_answer(caller)


VALUES = [
    None, True, False, 0, -1, 2**53, "", " ", "1e5", "٣", "1,5", "1" * 100, "0x10", "-0", "00012",
    "NaN", [], ["1"], {}, {"a": 1}, "\u202e1", "1\n", "\t", "😀", "<script>alert(1)</script>",
]  # fmt: skip


def test_every_value_in_every_type_of_field(api, ann, now):
    types = ("text", "long_text", "integer", "number", "amount", "date", "bool", "choice")
    form: dict[str, Any] = {
        "formdoc": 1,
        "fields": [{"id": kind, "type": kind, "label": kind} for kind in types],
    }
    form["fields"][-1]["options"] = [{"id": "one", "label": "One"}]
    flows.publish(ann, flows.a_document(key="all"), form, now=now)
    places = {f"/form/{kind}" for kind in types}
    for value in VALUES:
        body: dict[str, Any] = {"flow": "all", "form": dict.fromkeys(types, value)}
        answer = api(ann).post("instances/", body)
        assert answer.status_code in {201, 422}, (value, answer.content)
        wrong = {error["at"] for error in answer.json().get("errors", [])}
        assert wrong <= places
        for kind in types:
            # What was no problem beside the others is none alone, and is read back as it was.
            if f"/form/{kind}" not in wrong and value not in (None, ""):
                body = {"flow": "all", "form": {kind: value}}
                started = api(ann).post("instances/", body)
                assert started.status_code == 201, (kind, value, started.content)
                found = api(ann).read(f"instances/{started.json()['id']}/")["values"]
                assert list(found) == [kind]
    lists_answer(api(ann))


def test_documents_of_every_kind(api, bao, published):
    steps: list[Any] = [
        None,
        5,
        {},
        [5],
        [[]],
        [{"kind": "zap"}],
        [{"kind": 5}],
        "x",
        [{"id": []}],
    ]
    documents: list[Any] = [
        None,
        5,
        "x",
        [],
        {},
        {"flowdoc": 2},
        {"flowdoc": True},
        {"flowdoc": "1"},
    ]
    documents += [{"flowdoc": 1, "key": "expense", "name": "X", "steps": each} for each in steps]
    documents += [flows.a_document(key=key) for key in ("", "A", "a b", "a" * 300, "é")]
    documents.append(flows.a_document(*[flows.approve_step(f"s{n}") for n in range(301)]))
    forms: list[Any] = [None, 5, "x", [], {}, {"formdoc": 1, "fields": [5, {}, None]}]
    bodies = [{"document": document, "form": flows.FORM} for document in documents]
    bodies += [{"document": flows.a_document(), "form": form} for form in forms]
    with nothing_written():
        for body in bodies:
            checked = api(bao).post("flows/validate", body, key=None)
            assert (checked.status_code, checked.json()["ok"]) == (200, False), body
            answer = api(bao).post("flows/expense/actions/publish", body)
            assert answer.status_code == 422, (body, answer.content)
            assert answer.json()["errors"]
    lists_answer(api(bao))


def test_ids_of_another_tenant_in_bodies(api, ann, eve, bao, request_of_ann):
    """Ids and names of `demo` in the hands of eve, and the reverse."""
    task = request_of_ann.tasks.get()
    api(eve).refused("instances/", 404, "flow.unknown", {"flow": "expense"})
    body = {"task": str(task.pk), "to": "eve", "reason": "x"}
    api(eve).refused(f"instances/{request_of_ann.pk}/actions/reassign", 404, "not_found", body)
    api(bao).refused(
        f"instances/{request_of_ann.pk}/actions/reassign", 422, "person.unknown", body
    )
