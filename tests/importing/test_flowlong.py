"""flowlong, member by member: what it becomes here, and what cannot be carried."""

from __future__ import annotations

import pytest

from tests.importing.builders import approver, choice, codes, condition, convert, flowlong, way
from workflow.importing.mapping import read_mapping

NODE = "/nodeConfig/childNode"


def step_of(*nodes, people=None, **top):
    """The only step of a process with these nodes."""
    carried = convert(flowlong(*nodes, **top), people=people or read_mapping({})[0])
    assert codes(carried.findings) == []
    (step,) = carried.document["steps"]
    return step


def refused(*nodes, **top):
    return codes(convert(flowlong(*nodes, **top)).findings)


@pytest.mark.parametrize(
    ("members", "sources"),
    [
        ({"setType": None}, [{"by": "user", "ids": ["bao"]}]),
        ({"setType": 3}, [{"by": "role", "ids": ["bao"]}]),
        ({"setType": 7}, [{"by": "department", "ids": ["bao"]}]),
        ({"setType": 9}, [{"by": "group", "ids": ["bao"]}]),
        ({"setType": 5, "nodeAssigneeList": []}, [{"by": "initiator"}]),
        ({"setType": 2, "nodeAssigneeList": []}, [{"by": "head"}]),
        ({"setType": 2, "examineLevel": 3}, [{"by": "head", "level": 2}]),
        ({"setType": 6}, [{"by": "head_chain", "until": {"top": True}}]),
        (
            {"setType": 6, "directorMode": 1, "directorLevel": 2},
            [{"by": "head_chain", "until": {"level": 1}}],
        ),
        ({"setType": 4, "selectMode": 1}, [{"by": "picked_at_start"}]),
        ({"setType": 4, "selectMode": 2}, [{"by": "picked_at_start", "max": 100}]),
        (
            {
                "setType": 4,
                "nodeCandidate": {"type": 1, "assignees": [{"id": "r1", "name": "R"}]},
            },
            [{"by": "picked_at_start", "from": {"any_of": [{"by": "role", "ids": ["r1"]}]}}],
        ),
    ],
)
def test_who_approves(members, sources):
    assert step_of(approver(**members))["who"] == {"any_of": sources}


@pytest.mark.parametrize(
    ("members", "decide"),
    [
        ({"examineMode": 1}, {"mode": "in_order"}),
        ({"examineMode": None}, {"mode": "in_order"}),
        ({"examineMode": 2}, {"mode": "all"}),
        ({"examineMode": 3}, {"mode": "any"}),
        ({"setType": 3}, {"mode": "claim"}),
        ({"setType": 3, "groupStrategy": 1, "examineMode": 2}, {"mode": "all"}),
    ],
)
def test_how_several_decide(members, decide):
    assert step_of(approver(**members))["decide"] == decide


def test_a_vote_needs_the_weight_that_the_other_system_needs():
    voters = [{"id": "a", "name": "A", "weight": 60}, {"id": "b", "name": "B", "weight": "40"}]
    step = step_of(approver(examineMode=4, nodeAssigneeList=voters, passWeight=70))
    assert step["decide"] == {
        "mode": "vote",
        "need": {"count": 70},
        "weights": {"a": 60, "b": 40},
    }
    half = step_of(approver(examineMode=4, nodeAssigneeList=voters))
    assert half["decide"]["need"] == {"count": 50}


def test_the_weight_of_a_role_is_one_persons_when_somebody_says_whose():
    roles = [{"id": "r1", "name": "R", "weight": 60}, {"id": "r2", "name": "S", "weight": 40}]
    node = approver(setType=3, examineMode=4, nodeAssigneeList=roles)
    assert refused(node) == [
        ("import.weight_of_many", f"{NODE}/nodeAssigneeList/0/weight"),
        ("import.weight_of_many", f"{NODE}/nodeAssigneeList/1/weight"),
    ]
    people, _ = read_mapping({"roles": {"r1": {"users": ["bao"]}, "r2": {"users": ["dan"]}}})
    step = step_of(node, people=people)
    assert step["who"] == {"any_of": [{"by": "user", "ids": ["bao", "dan"]}]}
    assert step["decide"]["weights"] == {"bao": 60, "dan": 40}


def test_roles_that_decide_one_after_the_other_are_steps_one_after_the_other():
    roles = [{"id": "r1", "name": "R"}, {"id": "r2", "name": "S"}]
    carried = convert(flowlong(approver(setType=3, nodeAssigneeList=roles)))
    assert carried.ok
    steps = carried.document["steps"]
    assert [each["who"]["any_of"][0]["ids"] for each in steps] == [["r1"], ["r2"]]
    assert [each["decide"] for each in steps] == [{"mode": "claim"}, {"mode": "claim"}]
    # Both return to where the one node did.
    assert {str(each["reject"]["then"]) for each in steps} == {
        str({"do": "back", "resume": "forward", "to": "start"})
    }


def test_roles_that_all_decide_are_branches_that_all_run():
    roles = [{"id": "r1", "name": "R"}, {"id": "r2", "name": "S"}]
    step = step_of(approver(setType=3, examineMode=2, nodeAssigneeList=roles))
    assert (step["kind"], step["join"]) == ("parallel", "all")
    inner = [branch["steps"][0] for branch in step["branches"]]
    assert [each["who"]["any_of"] for each in inner] == [
        [{"by": "role", "ids": ["r1"]}],
        [{"by": "role", "ids": ["r2"]}],
    ]


@pytest.mark.parametrize(
    ("members", "then"),
    [
        ({"rejectStrategy": 1}, {"do": "back", "resume": "forward", "to": "start"}),
        ({"rejectStrategy": 2}, {"do": "back", "resume": "forward", "to": "previous"}),
        ({}, {"do": "back", "resume": "forward", "to": "previous"}),
        ({"rejectStrategy": 3, "rejectStart": 2}, {"do": "back", "resume": "here", "to": "ask"}),
        ({"rejectStrategy": 4}, {"do": "end"}),
        ({"rejectStrategy": 5}, {"do": "back", "resume": "forward", "to": {"step": "a"}}),
    ],
)
def test_what_a_rejection_does(members, then):
    carried = convert(flowlong(approver("a"), approver("b", **members)))
    assert codes(carried.findings) == []
    assert carried.document["steps"][1]["reject"] == {"counts": "any_one", "then": then}


def test_the_node_above_is_not_guessed_behind_a_block():
    block = choice(
        way("x", [condition("day", ">", "3")], childNode=approver("p")),
        way("y", childNode=approver("q")),
    )
    assert refused(block, approver("b", rejectStrategy=5)) == [
        ("import.unknown_value", f"{NODE}/childNode/rejectStrategy")
    ]


@pytest.mark.parametrize(
    ("members", "deadline"),
    [
        ({"termAuto": False, "term": 5}, None),
        (
            {"termAuto": True, "term": 5, "termMode": 0},
            {"after": "PT5H", "then": "approve", "remind": []},
        ),
        (
            {"termAuto": True, "term": 5, "termMode": 1},
            {"after": "PT5H", "then": "reject", "remind": []},
        ),
        ({"remind": True, "extendConfig": {"remindTime": "90:m"}}, {"after": "PT90M"}),
        (
            {
                "termAuto": True,
                "term": 5,
                "termMode": 1,
                "remind": True,
                "extendConfig": {"remindTime": "1:h"},
            },
            {"after": "PT5H", "then": "reject", "remind": [{"after": "PT60M"}]},
        ),
    ],
)
def test_deadlines_and_reminders(members, deadline):
    assert step_of(approver(**members)).get("deadline") == deadline


def test_what_an_approver_may_do():
    step = step_of(
        approver(allowTransfer=True, allowAppendNode=True, allowRollback=True, allowCc=True)
    )
    assert step["acts"] == {
        "transfer": True,
        "add_before": True,
        "add_after": True,
        "remove_added": True,
        "return_to": "any",
        "send_copy": True,
    }
    assert "acts" not in step_of(approver(allowTransfer=False))


def test_alternatives_and_their_parts_are_kept_exactly():
    both = [condition("day", ">", "3"), condition("kind", "==", "sick", "类型")]
    first = way("x", both, [condition("city", "!=", "北京")], childNode=approver())
    carried = convert(flowlong(choice(first, way("y", childNode=approver("b")))))
    assert codes(carried.findings) == []
    branches = carried.document["steps"][0]["branches"]
    assert branches[0]["when"] == {
        "any": [
            {
                "all": [
                    {"field": "day", "op": "gt", "value": "3"},
                    {"field": "kind", "op": "eq", "value": "sick"},
                ]
            },
            {"field": "city", "op": "ne", "value": "北京"},
        ]
    }
    assert carried.form == {
        "formdoc": 1,
        "fields": [
            {"id": "day", "type": "number", "label": "day", "required": True},
            {"id": "kind", "type": "text", "label": "类型", "required": True},
            {"id": "city", "type": "text", "label": "city", "required": True},
        ],
    }
    assert carried.document["form"] == {"key": "leave"}


def test_branches_stand_in_the_order_of_their_priority_and_the_rest_last():
    day = condition("day", ">", "3")
    rest = way("rest", priorityLevel=1, childNode=approver("a"))
    second = way("second", [day], priorityLevel=3, childNode=approver("b"))
    first = way("first", [condition("day", ">", "9")], priorityLevel=2)
    carried = convert(flowlong(choice(rest, second, first)))
    assert carried.ok
    branches = carried.document["steps"][0]["branches"]
    assert [each["id"] for each in branches] == ["first", "second", "rest"]
    assert branches[-1]["otherwise"] is True


def test_a_choice_without_a_rest_holds_the_request_when_nothing_is_true():
    ways = [way("x", [condition("day", ">", "3")]), way("y", [condition("day", "<", "2")])]
    carried = convert(flowlong(choice(*ways), approver()))
    assert carried.ok
    assert ("import.rest_added", f"{NODE}/conditionNodes") in codes(carried.findings, "warning")
    last = carried.document["steps"][0]["branches"][-1]
    assert last["otherwise"] is True
    (held,) = last["steps"]
    assert held["who"] == {"any_of": [{"by": "initiator"}], "without": [{"by": "initiator"}]}
    assert held["on_empty"] == {"do": "hold"}


def test_an_automatic_end_finishes_only_what_would_go_on():
    auto = {"nodeKey": "auto", "nodeName": "通过", "type": 30}
    ways = [way("x", [condition("day", ">", "3")], childNode=auto), way("y")]
    carried = convert(flowlong(choice(*ways), approver()))
    kinds = [each["kind"] for each in carried.document["steps"][0]["branches"][0]["steps"]]
    assert kinds == ["auto", "finish"]
    last = convert(flowlong(approver(), choice(*ways)))
    kinds = [each["kind"] for each in last.document["steps"][1]["branches"][0]["steps"]]
    assert kinds == ["auto"]


def test_a_route_goes_back_to_the_node_that_it_names():
    route = {
        "nodeKey": "r",
        "nodeName": "路由",
        "type": 23,
        "routeNodes": [way("a", [condition("day", ">", "3")])],
    }
    carried = convert(flowlong(approver("a"), route, approver("b")))
    assert codes(carried.findings) == []
    step = carried.document["steps"][1]
    assert (step["kind"], step["to"]) == ("goto", "a")
    assert step["when"] == {"field": "day", "op": "gt", "value": "3"}


def test_other_kinds_of_node():
    delay = {"nodeKey": "d", "nodeName": "等", "type": 6, "extendConfig": {"time": "01:30:00"}}
    sub = {"nodeKey": "s", "nodeName": "子", "type": 5, "callProcess": "workHandover"}
    carried = convert(flowlong(delay, {**sub, "callAsync": True}, approver()))
    assert codes(carried.findings) == []
    first, second, _ = carried.document["steps"]
    assert first == {"id": "d", "kind": "delay", "name": "等", "for": "PT90M"}
    assert second["flow"] == "work_handover"
    assert second["wait"] is False


def test_a_program_is_an_address_when_somebody_says_which():
    node = {
        "nodeKey": "t",
        "nodeName": "触发",
        "type": 7,
        "triggerType": 2,
        "extendConfig": {"time": "2:h", "trigger": "com.example.Job"},
    }
    assert refused(node, approver()) == [
        ("import.program", f"{NODE}/extendConfig/trigger"),
    ]
    people, _ = read_mapping({"triggers": {"com.example.Job": "https://hooks.example.com/"}})
    carried = convert(flowlong(node, approver()), people=people)
    assert codes(carried.findings) == []
    wait, call, _ = carried.document["steps"]
    assert (wait["kind"], wait["for"]) == ("delay", "PT120M")
    assert (call["kind"], call["url"]) == ("http", "https://hooks.example.com/")


@pytest.mark.parametrize(
    ("node", "code", "place"),
    [
        (approver(setType=12), "import.unknown_value", "/setType"),
        (approver(examineMode=8), "import.unknown_value", "/examineMode"),
        (approver(rejectStrategy=9), "import.unknown_value", "/rejectStrategy"),
        (approver(approveSelf=7), "import.unknown_value", "/approveSelf"),
        (approver(termAuto=True, term=3), "import.unknown_value", "/termMode"),
        (approver(nodeAssigneeList=[]), "import.nobody", ""),
        (approver(nodeAssigneeList=[{"id": "??", "name": "x"}]), "import.no_code", None),
        (approver(nodeAssigneeList="bao"), "import.bad_type", "/nodeAssigneeList"),
        (approver(nodeAssigneeList=["bao"]), "import.bad_type", "/nodeAssigneeList/0"),
        (approver(script="doit()"), "import.unknown_member", "/script"),
        (approver(extendConfig={"x": {"y": 1}}), "import.unknown_member", "/extendConfig/x"),
        ({"nodeKey": "z", "type": 99}, "import.unknown_value", "/type"),
        ({"nodeKey": "z", "type": 5}, "import.no_subflow", "/callProcess"),
        ({"nodeKey": "z", "type": 6}, "import.no_time", "/extendConfig"),
        (
            {"nodeKey": "z", "type": 6, "extendConfig": {"time": "soon"}},
            "import.bad_time",
            "/extendConfig/time",
        ),
        ({"nodeKey": "z", "type": 23}, "import.no_routes", "/routeNodes"),
        ({"nodeKey": "z", "type": 30}, "import.auto_misplaced", ""),
        (choice(way("x"), way("y")), "import.second_rest", "/conditionNodes/1/conditionList"),
        (
            choice(way("x", [condition("a", "like", "1")]), way("y")),
            "import.unknown_value",
            "/conditionNodes/0/conditionList/0/0/operator",
        ),
        (
            choice(way("x", [condition("a", ">", "many")]), way("y")),
            "import.not_a_number",
            "/conditionNodes/0/conditionList/0/0",
        ),
        (
            choice(way("x", [condition("a", ">", "1"), condition("a", "include", "1")]), way("y")),
            "import.field_two_types",
            "/conditionNodes/0/conditionList/0/1",
        ),
        (
            choice(way("x", [condition("", "==", "1")]), way("y")),
            "import.no_field",
            "/conditionNodes/0/conditionList/0/0/field",
        ),
        (
            choice(way("x", []), way("y")),
            "import.bad_type",
            "/conditionNodes/0/conditionList/0",
        ),
    ],
)
def test_what_cannot_be_carried_is_said_with_its_place(node, code, place):
    found = refused(node, approver("last"))
    places = [at for each, at in found if each == code]
    assert places, found
    if place is not None:
        assert f"{NODE}{place}" in places


def test_two_people_who_would_have_one_login_are_not_mixed_up():
    people = [{"id": "A1", "name": "x"}, {"id": "a1", "name": "y"}]
    assert ("import.same_code", f"{NODE}/nodeAssigneeList/1/id") in refused(
        approver(nodeAssigneeList=people)
    )
    mapping, _ = read_mapping({"users": {"A1": "bao", "a1": "dan"}})
    assert step_of(approver(nodeAssigneeList=people), people=mapping)["who"] == {
        "any_of": [{"by": "user", "ids": ["bao", "dan"]}]
    }


def test_a_problem_that_our_own_validation_finds_is_said_where_it_stands_in_the_file():
    deep = approver("n0")
    for number in range(10):
        inner = way(f"w{number}", [condition("day", ">", str(number))], childNode=deep)
        deep = choice(inner, way(f"v{number}"), key=f"c{number}")
    found = [each for each in convert(flowlong(deep)).findings if each.code == "doc.depth"]
    assert found
    assert all(each.at.startswith(NODE) for each in found)


def test_a_long_name_is_cut_and_stands_in_the_note():
    step = step_of(approver(nodeName="很" * 60))
    assert (step["name"], step["note"]) == ("很" * 48, "很" * 60)
