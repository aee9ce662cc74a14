"""Real files of other systems: each is carried whole, or refused with positions."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.importing import flow_files
from workflow.engine.canonical import canonical_bytes, digest
from workflow.engine.parsing import decode
from workflow.engine.validation import check_document
from workflow.forms.digest import form_digest
from workflow.forms.findings import child, errors
from workflow.forms.reading import decode_form
from workflow.importing.detecting import convert, detect

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = flow_files.files()
ABSENT = pytest.param("", marks=pytest.mark.skip(reason=f"no files in {flow_files.FOLDER}"))
each_file = pytest.mark.parametrize("name", FILES or [ABSENT])
each_converted = pytest.mark.parametrize(
    "given",
    [pytest.param(one, id=one.file) for one in flow_files.converted()] or [ABSENT],
)


def value_at(document: Any, pointer: str) -> Any:
    here = document
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        here = here[int(name)] if isinstance(here, list) else here[name]
    return here


@each_file
def test_flow_files_are_carried_or_refused_with_positions(name):
    raw = flow_files.raw(name)
    carried = convert(raw)
    refused = {(each.code, each.at) for each in errors(carried.findings)}
    if flow_files.IS_GIVEN:
        assert refused == flow_files.REFUSED.get(name, set())
    for each in carried.findings:
        # A position is one of the file; what is missing is said of a member of one.
        try:
            value_at(raw, each.at)
        except KeyError:
            value_at(raw, each.at.rpartition("/")[0])
    if refused:
        assert not carried.ok
        return
    assert carried.document is not None
    form, findings = (None, ()) if carried.form is None else decode_form(carried.form)
    assert findings == ()
    assert check_document(carried.document, form).ok


def test_flow_files_that_cannot_be_carried_alone_are_carried_when_somebody_says_who_is_who():
    if not flow_files.IS_GIVEN or not FILES:
        pytest.skip("other files")
    made = {one.file for one in flow_files.converted()}
    assert set(flow_files.SAID) <= made
    assert set(FILES) - made == set(flow_files.REFUSED) - set(flow_files.SAID)


@each_file
def test_flow_files_are_recognised(name):
    assert detect(flow_files.raw(name)) == name.partition("/")[0] or not flow_files.IS_GIVEN


@each_converted
def test_flow_files_give_back_what_was_imported(given):
    """Written as an export and read again it is the same process with the same digest."""
    again = convert(json.loads(json.dumps({"document": given.document, "form": given.form})))
    assert again.ok
    assert again.source == "flowdoc"
    first, second = decode(given.document).doc, decode(again.document).doc
    assert first is not None
    assert second is not None
    assert digest(canonical_bytes(first)) == digest(canonical_bytes(second))
    if given.form is not None:
        one, other = decode_form(given.form)[0], decode_form(again.form)[0]
        assert one is not None
        assert other is not None
        assert form_digest(one) == form_digest(other)


def leaves(value: Any, at: str = "") -> Iterator[str]:
    """The position of every text, number and truth value that says something."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from leaves(member, child(at, name))
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from leaves(member, child(at, number))
    elif value not in (None, ""):
        yield at


def objects(value: Any, at: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        yield at
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for name, member in members:
        if isinstance(member, dict | list):
            yield from objects(member, child(at, name))


def changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 97 if isinstance(value, int) else f"{value}x"


def replaced(raw: dict[str, Any], pointer: str) -> dict[str, Any]:
    made = copy.deepcopy(raw)
    above, _, last = pointer.rpartition("/")
    holder = value_at(made, above)
    key = int(last) if isinstance(holder, list) else last
    holder[key] = changed(holder[key])
    return made


# Members that may change without any difference to see: the start and the end have fixed ids
# here, and an order among branches stays the same when the last one moves further back.
INDIFFERENT = ("/nodeConfig/nodeKey", "/data/nodeConfig/nodeKey", "priorityLevel", "sort")
# A rejection that asks where to (rejectStrategy 3) brings the same right along.
TWICE_SAID = {("flowlong/testTriggerExecute.json", "/nodeConfig/childNode/allowRollback")}


def is_indifferent(raw: dict[str, Any], pointer: str) -> bool:
    if pointer.endswith(INDIFFERENT):
        return True
    above, _, last = pointer.rpartition("/")
    return last in {"nodeKey", "nodeName"} and value_at(raw, above).get("type") == -1


@each_file
def test_flow_files_lose_nothing_in_silence(name):
    """Whatever value of the file is changed, the result says something else."""
    raw = flow_files.raw(name)
    people = flow_files.said(name)
    before = convert(raw, people=people)
    silent = []
    for pointer in leaves(raw):
        after = convert(replaced(raw, pointer), people=people)
        same = (
            after.document == before.document
            and after.form == before.form
            and after.people == before.people
            and after.findings == before.findings
        )
        if same and not any(pointer == each.at for each in before.findings):
            silent.append(pointer)
    silent = [each for each in silent if not is_indifferent(raw, each)]
    assert {(name, each) for each in silent} <= TWICE_SAID


@each_file
def test_flow_files_with_a_member_that_nobody_knows_are_refused_there(name):
    raw = flow_files.raw(name)
    people = flow_files.said(name)
    for pointer in objects(raw):
        made = copy.deepcopy(raw)
        value_at(made, pointer)["neverHeardOf"] = "a script"
        at = child(pointer, "neverHeardOf")
        found = [each for each in convert(made, people=people).findings if is_above(each.at, at)]
        assert found, at


def is_above(place: str, at: str) -> bool:
    """Whether a finding at `place` speaks of the member `at`, or of something around it."""
    return place != "" and f"{at}/".startswith(f"{place}/")
