"""Our own files, odd files of every format, and what is no file of anybody."""

from __future__ import annotations

from typing import Any

import pytest

from tests.importing.builders import (
    ASKED,
    a_choice,
    asked,
    codes,
    convert,
    designed,
    graph,
    node,
    number,
)
from workflow.importing.detecting import FORMATS, detect

OWN: dict[str, Any] = {
    "flowdoc": 1,
    "key": "leave",
    "name": "Leave",
    "steps": [
        {
            "id": "a",
            "kind": "approve",
            "name": "A",
            "who": {"any_of": [{"by": "user", "ids": ["bao"]}]},
        }
    ],
}


def test_our_own_files_stay_as_they_are():
    carried = convert({"document": OWN, "form": None})
    assert (carried.ok, carried.source, carried.document) == (True, "flowdoc", OWN)
    bare = convert(dict(OWN))
    assert (bare.ok, bare.document) == (True, OWN)


def test_positions_in_our_own_files_are_their_own():
    broken = OWN | {"steps": [OWN["steps"][0] | {"nonsense": 1}]}
    assert codes(convert({"document": broken, "form": None}).findings) == [
        ("doc.unknown_key", "/document/steps/0/nonsense")
    ]
    assert codes(convert(dict(broken)).findings) == [("doc.unknown_key", "/steps/0/nonsense")]
    assert codes(convert({"document": OWN, "extra": 1}).findings) == [
        ("import.unknown_member", "/extra")
    ]


def test_a_process_may_get_another_key():
    carried = convert({"document": OWN, "form": None}, key="holiday")
    assert carried.document["key"] == "holiday"
    assert convert(designed(ASKED), key="contract").document["key"] == "contract"


ODD: list[Any] = [None, "", 0, -1, 1.5, True, [], {}, [[]], [None], [{}], "x", 10**15, {"a": [1]}]


@pytest.mark.parametrize("source", FORMATS)
def test_nothing_makes_a_conversion_raise(source):
    """Each value of a small file of each format is replaced by each odd value."""
    files = {
        "flowdoc": {"document": OWN, "form": {"formdoc": 1, "fields": []}},
        "workflow_vue3": designed(ASKED, a_choice(number("6"))),
        "antflow": graph(node("s", 1, "g"), node("g", 2, "c"), node("c", 3, "a"), asked("a")),
        "flowlong": {
            "key": "k",
            "name": "n",
            "nodeConfig": {
                "type": 0,
                "childNode": {
                    "type": 1,
                    "nodeKey": "a",
                    "setType": 1,
                    "nodeAssigneeList": [{"id": "x", "name": "y"}],
                    "extendConfig": {"formConfig": [{"id": "f"}]},
                    "childNode": {
                        "type": 4,
                        "conditionNodes": [
                            {"type": 3, "conditionList": [[{"field": "f", "operator": "=="}]]},
                            {"type": 3},
                        ],
                    },
                },
            },
        },
    }
    raw = files[source]
    assert detect(raw) == source
    for odd in ODD:
        for made in _replaced(raw, odd):
            if isinstance(made, dict):
                carried = convert(made, source)
                assert carried.ok or carried.findings


def _replaced(value, odd):
    yield odd
    members = enumerate(value) if isinstance(value, list) else value.items()
    for name, member in members if isinstance(value, dict | list) else ():
        inner = _replaced(member, odd) if isinstance(member, dict | list) else [odd]
        for one in inner:
            made = value.copy()
            made[name] = one
            yield made


@pytest.mark.parametrize("raw", [{}, {"nodeConfig": 3}, {"data": {"nodes": 1}}, {"x": {}}])
def test_a_file_of_nobody(raw):
    carried = convert(raw)
    assert (carried.document, codes(carried.findings)) == (None, [("import.unknown_format", "")])
