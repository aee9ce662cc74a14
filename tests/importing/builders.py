"""Small files of other systems, for tests that change one thing in them."""

from __future__ import annotations

from typing import Any

from workflow.importing import detecting
from workflow.importing.mapping import NO_MAPPING, People


def convert(
    raw: dict[str, Any], source: str = "auto", people: People = NO_MAPPING, key: str = ""
) -> Any:
    """`detecting.convert`, whose document a test may look into without asking whether it is."""
    return detecting.convert(raw, source, people, key)


def flowlong(*nodes: dict[str, Any], **top: Any) -> dict[str, Any]:
    """A flowlong file whose nodes come one after the other."""
    first: dict[str, Any] | None = None
    for node in reversed(nodes):
        first = {**node, "childNode": first} if first is not None else dict(node)
    root = {"nodeName": "发起人", "nodeKey": "root", "type": 0, "childNode": first}
    return {"key": "leave", "name": "请假", "nodeConfig": root, **top}


def approver(key: str = "a", **members: Any) -> dict[str, Any]:
    """A flowlong node at which one person approves."""
    people = [{"id": "bao", "name": "Bao"}]
    node = {"nodeKey": key, "nodeName": "审批", "type": 1, "nodeAssigneeList": people}
    return node | {"setType": 1, "examineMode": 1} | members


def condition(field: str, operator: str, value: str, label: str = "") -> dict[str, str]:
    """One comparison of a flowlong condition."""
    return {"field": field, "operator": operator, "value": value, "label": label or field}


def way(key: str, *groups: list[dict[str, str]], **members: Any) -> dict[str, Any]:
    """A flowlong branch with this condition: the groups are alternatives."""
    node = {"nodeKey": key, "nodeName": key, "type": 3, "conditionList": list(groups)}
    return node | members


def choice(*ways: dict[str, Any], key: str = "c", **members: Any) -> dict[str, Any]:
    """A flowlong choice."""
    return {"nodeKey": key, "nodeName": "条件", "type": 4, "conditionNodes": list(ways)} | members


def codes(findings: Any, level: str = "error") -> list[tuple[str, str]]:
    """(code, position) of the findings of a level, in their order."""
    return [(each.code, each.at) for each in findings if each.level == level]


def designed(*nodes, **top):
    """A Workflow-Vue3 file whose nodes come one after the other."""
    first = None
    for node in reversed(nodes):
        first = {**node, "childNode": first}
    root = {"nodeName": "发起人", "type": 0, "childNode": first}
    data = {"tableId": 7, "workFlowDef": {"name": "合同"}, "nodeConfig": root, **top}
    return {"code": "200", "msg": "success", "data": data}


BAO = {"targetId": 9, "type": 1, "name": "Bao"}
ASKED = {"nodeName": "审核人", "type": 1, "settype": 1, "examineMode": 1, "nodeUserList": [BAO]}


def a_choice(*leaves, **members):
    """A Workflow-Vue3 route: a branch with these conditions, and one for all else."""
    header = {"nodeName": "条件1", "type": 3, "priorityLevel": 1, "conditionList": list(leaves)}
    rest = {"nodeName": "其他", "type": 3, "priorityLevel": 2, "conditionList": []}
    asked = dict(ASKED)
    return {
        "nodeName": "路由",
        "type": 4,
        "conditionNodes": [header | {"childNode": asked} | members, rest],
    }


def number(operator, **members):
    """A Workflow-Vue3 comparison of an amount."""
    leaf = {"columnId": 3, "type": 2, "columnType": "Double", "columnDbname": "amount"}
    return leaf | {"showName": "金额", "optType": operator, "zdy1": "100"} | members


def node(name, kind, *after, before="", **members):
    """An AntFlow node."""
    made = {"nodeId": name, "nodeName": name, "nodeType": kind, "nodeTo": list(after)}
    return made | {"nodeFrom": before} | members


def asked(name, *after, before="", sign=1, ids=("9",), **members):
    """An AntFlow node at which people approve."""
    rights = {"emplIds": list(ids), "signType": sign}
    return node(name, 4, *after, before=before, nodeProperty=5, property=rights | members)


def graph(*nodes, **top):
    """An AntFlow file."""
    return {"data": {"bpmnCode": "BX-1", "bpmnName": "报销", "nodes": list(nodes), **top}}
