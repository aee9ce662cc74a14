"""Two documents compared by id: what was added, removed, moved and changed."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from workflow.engine.differing import counted, differences

FLOW: dict[str, Any] = {
    "flowdoc": 1,
    "key": "leave",
    "name": "Leave",
    "steps": [
        {"id": "head", "kind": "approve", "name": "Head", "who": {"any_of": [{"by": "head"}]}},
        {
            "id": "size",
            "kind": "choice",
            "name": "Days",
            "branches": [
                {
                    "id": "long",
                    "name": "Long",
                    "when": {"field": "days", "op": "ge", "value": "3"},
                    "steps": [{"id": "board", "kind": "approve", "name": "Board"}],
                },
                {"id": "short", "name": "Short", "otherwise": True, "steps": []},
            ],
        },
        {"id": "tell", "kind": "copy", "name": "Tell people"},
    ],
}
FORM: dict[str, Any] = {
    "formdoc": 1,
    "fields": [
        {"id": "days", "type": "integer", "label": {"en": "Days", "zh-hans": "天数"}},
        {"id": "why", "type": "text", "label": "Why"},
    ],
}


def changed(edit, *, form=False):
    after, form_after = deepcopy(FLOW), deepcopy(FORM)
    edit(form_after if form else after)
    found = differences(FLOW, after, FORM, form_after)
    return [(each.what, each.of, each.id, [m.name for m in each.members]) for each in found]


def test_equal_documents_do_not_differ():
    assert differences(FLOW, deepcopy(FLOW), FORM, deepcopy(FORM)) == ()


CASES = {
    "a setting": (lambda d: d.update(name="Absence"), [("changed", "setting", "name", ["name"])]),
    "a member of a step deep inside": (
        lambda d: d["steps"][1]["branches"][0]["steps"][0].update(name="Directors"),
        [("changed", "step", "board", ["name"])],
    ),
    "a condition": (
        lambda d: d["steps"][1]["branches"][0]["when"].update(value="5"),
        [("changed", "branch", "size/long", ["when"])],
    ),
    "a step added": (
        lambda d: d["steps"].insert(1, {"id": "new", "kind": "auto", "name": "New"}),
        [("added", "step", "new", [])],
    ),
    "a block removed with what it holds": (
        lambda d: d["steps"].pop(1),
        [
            ("removed", "step", "size", []),
            ("removed", "branch", "size/long", []),
            ("removed", "step", "board", []),
            ("removed", "branch", "size/short", []),
        ],
    ),
    "one pulled to the front is one move": (
        lambda d: d["steps"].insert(0, d["steps"].pop()),
        [("moved", "step", "tell", [])],
    ),
    "moved into a branch and changed": (
        lambda d: d["steps"][1]["branches"][1]["steps"].append(
            {**d["steps"].pop(), "name": "Tell all"}
        ),
        [("moved", "step", "tell", ["name"])],
    ),
    "branches in another order": (
        lambda d: d["steps"][1]["branches"].reverse(),
        [("moved", "branch", "size/short", [])],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_difference_is_told_once(name):
    edit, expected = CASES[name]
    assert changed(edit) == expected


def test_fields_are_compared_by_id():
    def edit(form):
        form["fields"].reverse()
        form["fields"][0]["required"] = True

    assert changed(edit, form=True) == [
        ("moved", "field", "why", ["required"]),
    ]


def test_a_draft_with_problems_is_compared_too():
    """Missing ids, wrong types and two steps with one id are no reason to fail."""
    broken = {"steps": [{}, {"id": 7}, "x", {"id": "head"}, {"id": "head"}], "name": None}
    found = differences(FLOW, broken, None, {"fields": 3})
    assert ("changed", "step", "head") in {(each.what, each.of, each.id) for each in found}


def test_names_and_places_are_told():
    after = deepcopy(FLOW)
    after["steps"][1]["branches"][0]["steps"] = []
    (gone,) = differences(FLOW, after, FORM, FORM)
    assert (gone.name, gone.kind, gone.at) == (
        "Board",
        "approve",
        "/steps/1/branches/0/steps/0",
    )
    form = deepcopy(FORM)
    form["fields"].append({"id": "x", "type": "date", "label": {"en": "Day"}})
    (more,) = differences(FLOW, FLOW, FORM, form)
    assert (more.what, more.name, more.kind) == ("added", "Day", "date")
    assert counted((gone, more)) == {"added": 1, "removed": 1}
