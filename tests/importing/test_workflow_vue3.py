"""Workflow-Vue3, member by member: what it becomes here, and what cannot be carried."""

from __future__ import annotations

import pytest

from tests.importing.builders import ASKED, BAO, a_choice, codes, convert, designed, number

NODE = "/data/nodeConfig/childNode"


def designed_step(**members):
    carried = convert(designed(ASKED | members))
    assert codes(carried.findings) == []
    (step,) = carried.document["steps"]
    return step


@pytest.mark.parametrize(
    ("members", "source"),
    [
        ({}, {"by": "user", "ids": ["9"]}),
        ({"nodeUserList": [BAO | {"type": 2}]}, {"by": "role", "ids": ["9"]}),
        ({"settype": 2, "directorLevel": 2, "nodeUserList": []}, {"by": "head", "level": 1}),
        (
            {"settype": 4, "selectMode": 2, "nodeUserList": []},
            {"by": "picked_at_start", "max": 100},
        ),
        (
            {"settype": 4, "selectMode": 1, "selectRange": 2},
            {"by": "picked_at_start", "from": {"any_of": [{"by": "user", "ids": ["9"]}]}},
        ),
        ({"settype": 5, "nodeUserList": []}, {"by": "initiator"}),
        ({"settype": 7, "nodeUserList": []}, {"by": "head_chain", "until": {"top": True}}),
    ],
)
def test_who_approves_in_workflow_vue3(members, source):
    assert designed_step(**members)["who"] == {"any_of": [source]}


def test_when_nobody_is_found_in_workflow_vue3():
    nobody = {"settype": 2, "directorLevel": 1, "nodeUserList": []}
    assert designed_step(**nobody, noHanderAction=1)["on_empty"] == {"do": "approve"}
    assert designed_step(**nobody, noHanderAction=2)["on_empty"] == {"do": "managers"}


@pytest.mark.parametrize(
    ("leaves", "when"),
    [
        ([number("1")], {"field": "amount", "op": "lt", "value": "100"}),
        ([number("5")], {"field": "amount", "op": "ge", "value": "100"}),
        (
            [number("6", zdy1="100", opt1="<", zdy2="200", opt2="≤")],
            {
                "all": [
                    {"field": "amount", "op": "gt", "value": "100"},
                    {"field": "amount", "op": "le", "value": "200"},
                ]
            },
        ),
        (
            [
                {
                    "columnId": 4,
                    "type": 2,
                    "columnType": "String",
                    "showType": "3",
                    "columnDbname": "kind",
                    "showName": "类型",
                    "zdy1": "1,2",
                    "fixedDownBoxValue": '{"1":{"key":"1","value":"甲"}}',
                }
            ],
            {"field": "kind", "op": "in", "value": ["1", "2"]},
        ),
    ],
)
def test_conditions_of_workflow_vue3(leaves, when):
    carried = convert(designed(a_choice(*leaves)))
    assert codes(carried.findings) == []
    (first, rest) = carried.document["steps"][0]["branches"]
    assert first["when"] == when
    assert rest["otherwise"] is True


def test_options_of_a_field_come_with_their_labels():
    leaf = number("1") | {"columnType": "String", "showType": "3", "zdy1": "1,2"}
    leaf["fixedDownBoxValue"] = '{"1":{"key":"1","value":"甲"}}'
    del leaf["optType"]
    carried = convert(designed(a_choice(leaf)))
    assert carried.ok
    assert carried.form["fields"][0]["options"] == [
        {"id": "1", "label": "甲"},
        {"id": "2", "label": "2"},
    ]


def test_a_condition_on_who_files_the_request():
    people = [BAO, BAO | {"type": 3, "targetId": 5}]
    leaf = {"columnId": 0, "type": 1}
    carried = convert(designed(a_choice(leaf, nodeUserList=people)))
    assert codes(carried.findings) == []
    assert carried.document["steps"][0]["branches"][0]["when"] == {
        "any": [
            {"initiator": "is", "ids": ["9"]},
            {"initiator": "in_department", "ids": ["5"]},
        ]
    }


@pytest.mark.parametrize(
    ("node", "code", "place"),
    [
        (ASKED | {"settype": 3}, "import.unknown_value", "/settype"),
        (ASKED | {"nodeUserList": []}, "import.nobody", "/nodeUserList"),
        (
            ASKED | {"nodeUserList": [BAO | {"type": 8}]},
            "import.unknown_value",
            "/nodeUserList/0/type",
        ),
        (ASKED | {"conditionNodes": [{}]}, "import.unknown_member", "/conditionNodes"),
        (
            ASKED | {"settype": 7, "examineEndDirectorLevel": 3},
            "import.unknown_value",
            "/examineEndDirectorLevel",
        ),
        (
            a_choice(number("9")),
            "import.unknown_value",
            "/conditionNodes/0/conditionList/0/optType",
        ),
        (a_choice({"type": 1, "columnId": 0}), "import.nobody", "/conditionNodes/0/nodeUserList"),
        (a_choice(), "import.second_rest", "/conditionNodes/0/conditionList"),
        (
            a_choice(
                number("1") | {"columnType": "String", "showType": "3", "fixedDownBoxValue": "{"}
            ),
            "import.bad_type",
            "/conditionNodes/0/conditionList/0/fixedDownBoxValue",
        ),
    ],
)
def test_what_cannot_be_carried_of_workflow_vue3(node, code, place):
    assert (code, NODE + place) in codes(convert(designed(node)).findings)


def test_who_may_start_in_workflow_vue3():
    carried = convert(designed(ASKED, flowPermission=[BAO | {"type": 3}]))
    assert carried.document["start"] == {"who": {"any_of": [{"by": "department", "ids": ["9"]}]}}
