"""AntFlow: its graphs, people and conditions, and what cannot be carried."""

from __future__ import annotations

import pytest

from tests.importing.builders import asked, codes, convert, graph, node


def test_a_graph_of_antflow_becomes_blocks():
    leaf = {"columnDbname": "days", "showName": "天数", "optType": 2, "zdy1": "3"}
    carried = convert(
        graph(
            node("s", 1, "g"),
            node("g", 2, "c1", "c2", before="s"),
            node("c1", 3, "a", before="g", property={"conditionList": [leaf]}),
            node("c2", 3, "e", before="g", property={"isDefault": 1}),
            asked("a", "p", before="c1", sign=2),
            node("p", 7, "x", "y", before="a"),
            asked("x", "m", before="p", sign=3),
            asked("y", "m", before="p"),
            asked("m", "e", before="p"),
            asked("e", before="g"),
            deduplicationType=3,
        )
    )
    assert codes(carried.findings) == []
    block, last = carried.document["steps"]
    assert last["id"] == "e"
    first, rest = block["branches"]
    assert first["when"] == {"field": "days", "op": "gt", "value": "3"}
    assert (rest["otherwise"], rest["steps"]) == (True, [])
    decides, parallel, meeting = first["steps"]
    assert decides["decide"] == {"mode": "any"}
    assert meeting["id"] == "m"
    ways = [branch["steps"][0] for branch in parallel["branches"]]
    assert [(each["id"], each["decide"]["mode"]) for each in ways] == [
        ("x", "in_order"),
        ("y", "all"),
    ]
    assert carried.document["policy"] == {"dedupe": "keep_first"}


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        (7, {"by": "picked_at_start", "max": 100}),
        (12, {"by": "initiator"}),
        (13, {"by": "manager", "level": 1}),
        (14, {"by": "head"}),
    ],
)
def test_people_of_antflow_who_are_found_later(kind, source):
    carried = convert(graph(node("s", 1, "a"), node("a", 4, nodeProperty=kind)))
    assert codes(carried.findings) == []
    assert carried.document["steps"][0]["who"] == {"any_of": [source]}


def test_groups_of_conditions_in_antflow():
    leaf = {"columnDbname": "days", "showName": "天数", "optType": 6, "zdy1": "3", "zdy2": "9"}
    other = {"columnDbname": "city", "showName": "城市", "optType": 5, "zdy1": "北京"}
    rights = {"conditionList": [[leaf], [other]], "groupRelation": True}
    made = graph(
        node("s", 1, "g"),
        node("g", 2, "c1", "c2", before="s"),
        node("c1", 3, "e", before="g", property=rights),
        node("c2", 3, "e", before="g", property={"isDefault": 1}),
        asked("e", before="g"),
    )
    carried = convert(made)
    assert codes(carried.findings) == []
    between = [
        {"field": "days", "op": "gt", "value": "3"},
        {"field": "days", "op": "lt", "value": "9"},
    ]
    city = {"field": "city", "op": "eq", "value": "北京"}
    branch = carried.document["steps"][0]["branches"][0]
    assert branch["when"] == {"any": [{"all": between}, city]}
    rights["groupRelation"] = False
    branch = convert(made).document["steps"][0]["branches"][0]
    assert branch["when"] == {"all": [*between, city]}


@pytest.mark.parametrize(
    ("nodes", "code", "place"),
    [
        ([node("s", 1, "a"), asked("a", "s")], "import.circle", "/data/nodes/0/nodeTo"),
        ([node("s", 1, "a"), asked("a", "zz")], "import.no_target", "/data/nodes/1/nodeTo/0"),
        ([node("s", 1, "a"), asked("a"), asked("b")], "import.not_reached", "/data/nodes/2"),
        (
            [node("s", 1, "a"), asked("a", before="zz")],
            "import.no_target",
            "/data/nodes/1/nodeFrom",
        ),
        (
            [node("s", 1, "a"), asked("a", "b"), asked("b", before="b")],
            "import.edges_differ",
            "/data/nodes/2/nodeFrom",
        ),
        (
            [node("s", 1, "a"), asked("a"), asked("a")],
            "import.duplicate_key",
            "/data/nodes/2/nodeId",
        ),
        ([asked("a")], "import.no_start", "/data/nodes"),
        (
            [node("s", 1, "a"), asked("a", "b", "c"), asked("b"), asked("c")],
            "import.not_a_block",
            "/data/nodes/1/nodeTo",
        ),
        ([node("s", 1, "a"), node("a", 5)], "import.unknown_value", "/data/nodes/1/nodeType"),
        (
            [node("s", 1, "a"), node("a", 4, nodeProperty=6, property={"signType": 1})],
            "import.unknown_value",
            "/data/nodes/1/nodeProperty",
        ),
        ([node("s", 1, "a"), asked("a", ids=())], "import.nobody", "/data/nodes/1/property"),
        (
            [node("s", 1, "a"), asked("a", sign=7)],
            "import.unknown_value",
            "/data/nodes/1/property/signType",
        ),
        (
            [node("s", 1, "a"), asked("a", isMultiPeople=0, script="x")],
            "import.unknown_member",
            "/data/nodes/1/property/script",
        ),
    ],
)
def test_what_cannot_be_carried_of_antflow(nodes, code, place):
    assert (code, place) in codes(convert(graph(*nodes)).findings)


def test_ways_that_cross_are_no_blocks():
    crossed = graph(
        node("s", 1, "p"),
        node("p", 7, "a", "b"),
        asked("a", "c"),
        asked("b", "q"),
        node("q", 7, "c", "d"),
        asked("c", "e"),
        asked("d", "e"),
        asked("e"),
    )
    found = codes(convert(crossed).findings)
    assert [code for code, _ in found] == ["import.not_a_block"]
