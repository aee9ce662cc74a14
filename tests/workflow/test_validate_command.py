"""`flow_validate FILE`: what cannot be published is said with its place and its exit code."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.workflow import flows
from workflow.actions import demonstration
from workflow.models import Version

pytestmark = pytest.mark.django_db


@pytest.fixture
def written(tmp_path):
    """`written(value)` is the path of a file with this JSON, or with these bytes."""

    def write(value, name="flow.json"):
        path = tmp_path / name
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return str(path)

    return write


def validated(*arguments):
    """Exit code, output and the error's text of the command."""
    out = StringIO()
    try:
        call_command("flow_validate", *arguments, stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue(), str(error)
    return 0, out.getvalue(), ""


@pytest.mark.parametrize("key", demonstration.FLOWS)
def test_the_demo_processes_can_be_published(key, demo_tenant):
    file = str(demonstration.DOCUMENTS / f"{key}.json")
    assert validated(file, "--tenant", "demo") == (0, "It can be published.\n", "")


def test_a_document_and_its_form_in_two_files(written):
    document = written(flows.big_and_small())
    assert validated(document, "--form", written(flows.FORM, "form.json"))[0] == 0
    assert not Version.objects.exists()


def test_a_form_that_is_named_has_to_be_given(written):
    code, text, error = validated(written(flows.big_and_small()))
    assert code == 1
    assert "[form.missing]" in text
    assert "--form" in error


def test_every_problem_is_said_with_its_place_in_the_file(written):
    steps = [
        {"id": "a", "kind": "choice", "name": "A", "branches": [{"id": "x", "name": "X"}]},
        flows.approve_step("b", who={"any_of": [{"by": "user", "ids": []}]}),
    ]
    document = flows.a_document(*steps) | {"nonsense": 1}
    code, text, error = validated(written(document), "--form", written(flows.FORM, "form.json"))
    assert code == 1
    assert "errors:" in error
    for place in ("/nonsense", "/steps/0/branches", "/steps/1/who"):
        assert f"error {place}" in text, text
    code, text, _error = validated(written(document), "--json")
    answer = json.loads(text)
    assert code == 1
    assert answer["ok"] is False
    assert {"code", "at", "step", "level", "args", "message"} == set(answer["problems"][0])


def test_people_are_looked_up_in_the_tenant_that_is_named(written, demo_tenant):
    document = written(flows.a_document(flows.approve_step("lead", "nobody")))
    form = written(flows.FORM, "form.json")
    assert validated(document, "--form", form)[0] == 0
    code, text, _error = validated(document, "--form", form, "--tenant", "demo")
    assert code == 1
    assert "/steps/0/who/any_of/0/ids/0" in text
    assert validated(document, "--tenant", "nix")[0] == 2


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"{", "The file is not JSON: reading stopped at line 1, column 2"),
        (b"[]", "object"),
        (b'{"flowdoc":1,"flowdoc":1}', "flowdoc"),
        (b'{"flowdoc":NaN}', "flowdoc"),
        (b'{"a":' * 3000 + b"1" + b"}" * 3000, "64"),
        (b"\xc3\x28", "The file is not UTF-8"),
        (b'{"document":{},"mode":1}', "mode"),
        (b" " * (1024 * 1024 + 1), "1 MiB"),
    ],
)
def test_a_file_that_cannot_be_read_is_said(written, body, word):
    code, text, error = validated(written(body))
    assert (code, text) == (2, "")
    assert word.lower() in error.lower(), error


def test_a_file_that_is_not_there_is_said(tmp_path, written):
    for file in (tmp_path / "none.json", tmp_path):
        code, _text, error = validated(str(file))
        assert code == 2
        assert "cannot be read" in error
    document = written(flows.big_and_small())
    assert validated(document, "--form", str(tmp_path / "none.json"))[0] == 2
