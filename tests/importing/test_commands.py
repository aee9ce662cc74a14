"""`flow_import` and `flow_export`: what is said, what is stored, and with which exit code."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from flowadmin.directory.models import Department, Role, Tenant, User
from tests.importing import flow_files
from tests.importing.builders import approver, choice, condition, flowlong, way
from workflow.models import Definition, Version

DEMO = ("admin", "ann", "bao", "chi", "dan", "eve")

pytestmark = pytest.mark.django_db


@pytest.fixture
def written(tmp_path):
    """`written(value)` is the path of a file with this JSON, or with these bytes."""

    def write(value, name="theirs.json"):
        path = tmp_path / name
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return str(path)

    return write


def run(command, *arguments):
    """Exit code, output and the error's text of a command."""
    out = StringIO()
    try:
        call_command(command, *arguments, stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue(), str(error)
    return 0, out.getvalue(), ""


def imported(*arguments):
    return run("flow_import", *arguments)


def answer(*arguments):
    code, text, _ = imported(*arguments, "--json")
    return code, json.loads(text)


SIMPLE = flowlong(approver(rejectStrategy=4))


def test_a_file_becomes_a_published_version(written, demo_tenant):
    code, text, _ = imported(written(SIMPLE), "--tenant", "demo")
    assert code == 0, text
    assert text.endswith("Published: leave, version 1.\n")
    version = Version.objects.get(tenant=demo_tenant)
    assert version.definition.current == version
    assert version.note == "Imported from flowlong"
    assert version.published_by.login == "admin"
    assert json.loads(version.document)["name"] == "请假"


def test_the_same_file_again_makes_no_second_version(written, demo_tenant):
    file = written(SIMPLE)
    imported(file, "--tenant", "demo")
    code, text, _ = imported(file, "--tenant", "demo")
    assert (code, text.splitlines()[-1]) == (0, "Was published before: leave, version 1.")
    assert Version.objects.count() == 1


def test_a_trial_stores_nothing(written, demo_tenant):
    code, text, _ = imported(written(SIMPLE), "--tenant", "demo", "--dry-run")
    assert code == 0
    assert text.endswith("It can be published. Nothing was stored (--dry-run).\n")
    assert not Definition.objects.exists()


def test_an_export_gives_back_what_was_imported(written, demo_tenant):
    asked = choice(
        way("x", [condition("day", ">", "3", "天数")], childNode=approver("b", rejectStrategy=4)),
        way("y"),
    )
    assert (
        imported(written(flowlong(approver(rejectStrategy=4), asked)), "--tenant", "demo")[0] == 0
    )
    first = Version.objects.get()
    code, text, _ = run("flow_export", "leave", "--tenant", "demo")
    assert code == 0
    again = json.loads(text)
    assert set(again) == {"document", "form"}
    assert text.strip() == json.dumps(
        again, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    other = Tenant.objects.create(code="third", name="Third")
    publisher = User.objects.create_user("zoe", None, tenant=other, name="Zoe", is_superuser=True)
    mapped = text.replace('"bao"', '"zoe"')
    # The same tenant: the same version; another one: a version with the same digest.
    assert answer(written(json.loads(text)), "--tenant", "demo")[1]["published"] == {
        "key": "leave",
        "version": 1,
        "digest": first.digest,
        "new": False,
    }
    assert imported(written(json.loads(mapped)), "--tenant", "third", "--by", "zoe")[0] == 0
    copied = Version.objects.get(tenant=other)
    assert copied.published_by == publisher
    assert copied.form == first.form
    assert copied.document == first.document.replace('"bao"', '"zoe"')


def test_an_older_version_can_be_exported(written, demo_tenant):
    imported(written(SIMPLE), "--tenant", "demo")
    imported(written(flowlong(approver(nodeName="第二", rejectStrategy=4))), "--tenant", "demo")
    names = []
    for which in ([], ["--version", "1"], ["--version", "2"]):
        exported = json.loads(run("flow_export", "leave", "--tenant", "demo", *which)[1])
        names.append(exported["document"]["steps"][0]["name"])
    assert names == ["第二", "审批", "第二"]
    assert run("flow_export", "leave", "--tenant", "demo", "--version", "3")[0] == 1
    assert run("flow_export", "leave", "--tenant", "other")[0] == 1
    assert run("flow_export", "leave")[0] == 2
    assert run("flow_export", "leave", "--tenant", "nobody")[0] == 2


STRANGERS = approver(
    nodeAssigneeList=[{"id": "900004", "name": "Zhang"}], examineMode=1, rejectStrategy=4
)
IN_A_ROLE = approver(
    "r", setType=3, groupStrategy=1, nodeAssigneeList=[{"id": "r7", "name": "Board"}],
    examineMode=2, rejectStrategy=4,
)  # fmt: skip


def test_people_who_are_not_known_are_named_and_nothing_is_stored(written, demo_tenant):
    file = written(flowlong(STRANGERS, IN_A_ROLE))
    code, text, _ = imported(file, "--tenant", "demo")
    assert code == 0
    assert "Not known in this tenant: user 900004, role r7." in text
    assert "warning /nodeConfig/childNode/nodeAssigneeList" in text
    assert text.endswith("It was carried and not published: see the warnings.\n")
    assert not Definition.objects.exists()
    told = answer(file, "--tenant", "demo")[1]
    assert told["people"][0] == {
        "kind": "user",
        "id": "900004",
        "name": "Zhang",
        "code": "900004",
        "mapped": False,
        "missing": True,
    }
    assert told["published"] is None


def test_people_are_who_somebody_says(written, demo_tenant):
    people = written({"users": {"900004": "bao"}, "roles": {"r7": "accountants"}}, "people.json")
    file = written(flowlong(STRANGERS, IN_A_ROLE))
    code, text, _ = imported(file, "--tenant", "demo", "--people", people)
    assert code == 0, text
    document = json.loads(Version.objects.get().document)
    assert [each["who"]["any_of"][0]["ids"] for each in document["steps"]] == [
        ["bao"],
        ["accountants"],
    ]


def test_missing_people_are_made_on_request_without_a_password(written, demo_tenant):
    file = written(flowlong(STRANGERS, IN_A_ROLE))
    code, text, _ = imported(file, "--tenant", "demo", "--create-people")
    assert code == 0, text
    made = User.objects.get(login="900004")
    assert (made.name, made.tenant, made.has_usable_password()) == ("Zhang", demo_tenant, False)
    assert Role.objects.get(code="r7").name == "Board"
    assert Version.objects.count() == 1


def test_a_trial_makes_nobody(written, demo_tenant):
    file = written(flowlong(STRANGERS))
    assert imported(file, "--tenant", "demo", "--create-people", "--dry-run")[0] == 0
    assert not User.objects.filter(login="900004").exists()


def test_a_login_of_another_tenant_is_not_taken_over(written, demo_tenant):
    node = approver(nodeAssigneeList=[{"id": "eve", "name": "Eve"}], rejectStrategy=4)
    before = Department.objects.count(), User.objects.count()
    code, text, _ = imported(written(flowlong(node)), "--tenant", "demo", "--create-people")
    assert code == 1
    assert "[import.not_made]" in text
    assert not Definition.objects.exists()
    assert (Department.objects.count(), User.objects.count()) == before
    assert User.objects.get(login="eve").tenant.code == "other"


def test_what_could_not_be_carried_is_said_and_nothing_is_stored(written, demo_tenant):
    broken = flowlong(approver(script="go()"), approver("b", nodeAssigneeList=[]))
    code, text, error = imported(written(broken), "--tenant", "demo", "--create-people")
    assert code == 1
    assert "error /nodeConfig/childNode/script: " in text
    assert "error /nodeConfig/childNode/childNode: " in text
    assert error == "It could not be carried; errors: 2."
    assert not Definition.objects.exists()
    told = answer(written(broken), "--tenant", "demo")[1]
    assert (told["ok"], told["document"]) == (False, None)
    assert {"code", "at", "step", "level", "args", "message"} == set(told["problems"][0])


@pytest.mark.parametrize(
    ("body", "code", "place"),
    [
        (b"{", "json.broken", ""),
        (b'{"a": 1.5}', "json.float", "/a"),
        (b'{"a": NaN}', "json.number", "/a"),
        (b'{"a": {"b": 1, "b": 2}}', "json.duplicate", "/a/b"),
        (b'{"a": "\\u0000"}', "json.text", "/a"),
        (b"[]", "json.object", ""),
        (b'{"a": "\xff"}', "json.encoding", ""),
        (b'{"a":' * 301 + b"1" + b"}" * 301, "json.deep", ""),
        (b'{"a": "' + b"x" * (1024 * 1024) + b'"}', "body.too_large", ""),
        (b"{}", "import.unknown_format", ""),
        (b"", "import.unknown_format", ""),
    ],
)
def test_a_file_that_cannot_be_read_is_a_finding_with_its_place(written, body, code, place, db):
    returned, told = answer(written(body))
    assert returned == 1
    assert [(each["code"], each["at"]) for each in told["problems"]] == [(code, place)]
    assert told["problems"][0]["message"] != code


def test_a_file_as_deep_as_it_may_be(written, db):
    nodes = [approver(f"n{number}", rejectStrategy=4) for number in range(290)]
    code, text, _ = imported(written(flowlong(*nodes)))
    assert code == 0, text[-300:]


def test_a_tenant_has_to_be_named_when_there_are_several(written, demo_tenant):
    code, text, _ = imported(written(SIMPLE))
    assert code == 0
    assert text.endswith("It was carried and not published: name a tenant (--tenant CODE).\n")
    assert not Definition.objects.exists()


def test_wrong_use(written, demo_tenant, tmp_path):
    file = written(SIMPLE)
    assert imported(file, "--tenant", "nobody")[0] == 2
    assert imported(str(tmp_path / "absent.json"))[0] == 2
    assert imported(file, "--from", "yudao")[0] == 2
    assert imported(file, "--from", "warm_flow")[0] == 2
    assert imported(file, "--tenant", "demo", "--by", "ann")[0] == 2
    assert imported(file, "--tenant", "demo", "--by", "eve")[0] == 2
    assert imported(file, "--tenant", "other")[0] == 2
    for people in (b"{", b'{"users": {"a": 1}}', b'{"strangers": {}}', b'{"users": []}'):
        assert imported(file, "--people", written(people, "people.json"))[0] == 2
    assert imported(file, "--output", str(tmp_path / "no" / "such.json"))[0] == 2
    assert not Definition.objects.exists()


def test_the_result_can_be_written_to_a_file_and_imported_from_it(written, demo_tenant, tmp_path):
    target = tmp_path / "ours.json"
    assert imported(written(SIMPLE), "--key", "holiday", "--output", str(target))[0] == 0
    code, text, _ = imported(str(target), "--tenant", "demo")
    assert code == 0, text
    assert Definition.objects.get().key == "holiday"


def test_a_format_may_be_named_and_is_then_not_guessed(written, db):
    code, told = answer(written(SIMPLE), "--from", "antflow")
    assert (code, told["from"]) == (1, "antflow")


@pytest.mark.parametrize("name", flow_files.files())
def test_flow_files_through_the_command(name, demo_tenant):
    """Stored exactly when everything was carried and this version runs all of it."""
    code, told = answer(
        str(flow_files.FOLDER / name), "--tenant", "demo", "--create-people", "--key", "given"
    )
    wrong = [each for each in told["problems"] if each["level"] == "error"]
    assert code == bool(wrong)
    if flow_files.IS_GIVEN:
        assert {(each["code"], each["at"]) for each in wrong} == flow_files.REFUSED.get(
            name, set()
        )
    waits = any(
        each["code"].startswith(("not_run_yet.", "subflow.")) and each["code"] != "not_run_yet.act"
        for each in told["problems"]
    )
    stored = Version.objects.filter(definition__key="given").count()
    assert stored == bool(told["published"]) == (not wrong and not waits)
    if not stored:
        assert not User.objects.exclude(login__in=DEMO).exists()
