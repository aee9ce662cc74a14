"""Workflow-Vue3: the designer's document, a nested tree of nodes that have no ids.

What its numbers mean was read from the designer's public pages (survey in approvals 3.1).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from workflow.forms.findings import printable
from workflow.importing import blocks
from workflow.importing.desk import Desk
from workflow.importing.ledger import Vocabulary

if TYPE_CHECKING:
    from workflow.importing.desk import Part
    from workflow.importing.ledger import Source
    from workflow.importing.mapping import People
    from workflow.importing.report import Carried, Kind

START, APPROVE, COPY, CONDITION, CHOICE = range(5)
USERS, HEAD, PICKED, SELF, HEADS = 1, 2, 4, 5, 7
_KINDS: dict[int, Kind] = {1: "user", 2: "role", 3: "department"}
_IN = {"user": "is", "role": "in_role", "department": "in_department"}
_COMPARE = {1: "lt", 2: "gt", 3: "le", 4: "eq", 5: "ge"}
_ENDS = {"<": "gt", "≤": "ge"}, {"<": "lt", "≤": "le"}
BETWEEN = 6
MOST_PICKED = 100

_SETTINGS: dict[str, tuple[object, ...]] = {
    "settype": (1,),
    "selectMode": (0, 1),
    "selectRange": (0, 1),
    "directorLevel": (0, 1),
    "examineMode": (0, 1),
    "noHanderAction": (0, 2),
    "examineEndDirectorLevel": (0, 1),
    "ccSelfSelectFlag": (0, 1),
    "priorityLevel": (1,),
    "nodeUserList": (),
    "conditionList": (),
    "optType": (),
    "zdy1": (),
    "zdy2": (),
    "opt1": (),
    "opt2": (),
}
_LABELS = frozenset(
    {
        "code", "msg", "error", "tableId", "directorMaxLevel", "conditionEn", "conditionCn",
        "columnId", "showType", "columnDbname", "columnType", "showName", "id", "nodeName",
    }
)  # fmt: skip


def looks_like(raw: dict[str, object]) -> bool:
    """Whether a file is one of this designer: a `workFlowDef` beside a `nodeConfig`."""
    inner = raw.get("data", raw)
    return isinstance(inner, dict) and "workFlowDef" in inner and "nodeConfig" in inner


def convert(raw: dict[str, object], people: People, key: str = "") -> Carried:
    """The process of one file, as the designer's server sends it or only its `data`.

    The file has a name and no key: without `key` its table's number makes one.
    """
    desk = Desk("workflow_vue3", Vocabulary(_SETTINGS, _LABELS), people)
    outer = desk.ledger.wrap(raw, "")
    top = outer.object("data") if isinstance(raw.get("data"), dict) else outer
    root = None if top is None else top.object("nodeConfig")
    if top is None or root is None:
        desk.error("import.no_root", "/nodeConfig", key="nodeConfig")
        return desk.finish(None)
    described = top.object("workFlowDef")
    name = "" if described is None else described.text("name")
    table = top.text("tableId")
    wanted = f"table_{table}" if table else ""
    document = desk.top(wanted, name, top.place("tableId"), key)
    if not key:
        desk.warn("import.key_made", top.place("tableId"), made=document["key"])
    if root.whole("type") != START:
        desk.error("import.no_start", root.place("type"))
    starters = desk.sources(_users(desk, top, "flowPermission"))
    if starters:
        document["start"] = {"who": {"any_of": starters}}
    converter = Converter(desk)
    _no_branches(desk, root)
    document["steps"] = converter.sequence(root.object("childNode"))
    return desk.finish(document)


class Converter:
    """Converts the tree list by list; it recurses into branches and never along `childNode`."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def sequence(self, node: Source | None) -> list[Part]:
        """The steps from a node on."""
        steps: list[Part] = []
        while node is not None:
            following = node.object("childNode")
            steps.extend(self.node(node))
            node = following
        return steps

    def node(self, node: Source) -> list[Part]:
        """The step that one node becomes."""
        kind = node.whole("type")
        if kind == CHOICE:
            return [self.choice(node)]
        _no_branches(self.desk, node)
        if kind == APPROVE:
            return [_approval(self.desk, node)]
        if kind == COPY:
            return [_copy(self.desk, node)]
        self.desk.unknown(node, "type", node.raw.get("type"))
        return []

    def choice(self, node: Source) -> Part:
        """A route with its conditions in the order of their priority."""
        made = self.desk.step(node, "choice")
        headers = sorted(node.objects("conditionNodes"), key=_priority)
        branches = [self.branch(each, last=each is headers[-1]) for each in headers]
        made["branches"] = blocks.with_a_rest(
            self.desk, made["id"], branches, node.place("conditionNodes")
        )
        return made

    def branch(self, header: Source, *, last: bool) -> Part:
        """One branch; the last one without conditions is for all other cases."""
        if header.whole("type") != CONDITION:
            self.desk.unknown(header, "type", header.raw.get("type"))
        header.whole("priorityLevel")
        _no_branches(self.desk, header)
        when = _condition(self.desk, header)
        if when is None and not last:
            self.desk.error("import.second_rest", header.place("conditionList"))
        steps = self.sequence(header.object("childNode"))
        return blocks.branch(self.desk, header, steps, when=when, otherwise=when is None)


def _approval(desk: Desk, node: Source) -> Part:
    set_type = node.whole("settype")
    mode = node.whole("examineMode") or 1
    if mode not in (1, 2):
        desk.unknown(node, "examineMode", mode)
    sources = _approvers(desk, node, set_type)
    if not sources:
        desk.error("import.nobody", node.place("nodeUserList"))
        sources = [{"by": "initiator"}]
    return desk.step(
        node,
        "approve",
        who=desk.made({"any_of": sources}, node.place("nodeUserList")),
        decide={"mode": "all" if mode == 2 else "in_order"},
        on_empty=_on_empty(desk, node) if set_type in (HEAD, HEADS) else None,
    )


def _approvers(desk: Desk, node: Source, set_type: int | None) -> list[Part]:
    match set_type:
        case 1:
            return desk.sources(_users(desk, node, "nodeUserList"))
        case 2:
            level = (node.whole("directorLevel") or 1) - 1
            return [{"by": "head", **({"level": level} if level > 0 else {})}]
        case 4:
            return [_picked(desk, node)]
        case 5:
            return [{"by": "initiator"}]
        case 7:
            return [_heads(desk, node)]
        case _:
            desk.unknown(node, "settype", node.raw.get("settype"))
            return [{"by": "initiator"}]


def _heads(desk: Desk, node: Source) -> Part:
    """Heads up to a level that the designer counts from the top; only the top itself is ours."""
    level = node.whole("examineEndDirectorLevel") or 1
    if level != 1:
        desk.unknown(node, "examineEndDirectorLevel", level)
    return {"by": "head_chain", "until": {"top": True}}


def _picked(desk: Desk, node: Source) -> Part:
    mode, among = node.whole("selectMode") or 1, node.whole("selectRange") or 1
    if mode not in (1, 2):
        desk.unknown(node, "selectMode", mode)
    made: Part = {"by": "picked_at_start"}
    if among not in (1, 2, 3):
        desk.unknown(node, "selectRange", among)
    elif among != 1:
        made["from"] = {"any_of": desk.sources(_users(desk, node, "nodeUserList"))}
        if not made["from"]["any_of"]:
            desk.error("import.nobody", node.place("nodeUserList"))
            del made["from"]
    if mode == 2:
        made["max"] = MOST_PICKED
    return made


def _on_empty(desk: Desk, node: Source) -> Part:
    """1 passes the step, 2 hands it to the administrators of the process."""
    action = node.whole("noHanderAction") or 2
    if action not in (1, 2):
        desk.unknown(node, "noHanderAction", action)
    return {"do": "approve" if action == 1 else "managers"}


def _copy(desk: Desk, node: Source) -> Part:
    picks = node.whole("ccSelfSelectFlag") == 1
    sources = desk.sources(_users(desk, node, "nodeUserList"))
    if not sources and picks:
        desk.warn("import.pick_needed", node.at)
        sources, picks = [{"by": "picked_at_start", "max": MOST_PICKED}], False
    elif not sources:
        desk.error("import.nobody", node.place("nodeUserList"))
        sources = [{"by": "initiator"}]
    who = desk.made({"any_of": sources}, node.place("nodeUserList"))
    return desk.step(node, "copy", who=who, also_initiator_picks=picks or None)


def _users(desk: Desk, node: Source, member: str) -> list[tuple[Kind, list[str]]]:
    named: list[tuple[Kind, list[str]]] = []
    for each in node.objects(member):
        kind = _KINDS.get(each.whole("type") or 0)
        if kind is None:
            desk.unknown(each, "type", each.raw.get("type"))
            continue
        name, at = each.text("name"), each.place("targetId")
        named.append(desk.source_of(kind, each.text("targetId"), name, at))
    return named


def _condition(desk: Desk, header: Source) -> Part | None:
    """All of the conditions of a branch; the people of one on the initiator stand beside it."""
    parts: list[Part] = []
    for leaf in header.objects("conditionList"):
        kind = leaf.whole("type")
        if kind == 1:
            parts.extend(_initiator(desk, header))
            if leaf.whole("columnId"):
                desk.unknown(leaf, "columnId", leaf.raw.get("columnId"))
        elif kind == 2:
            parts.extend(_compared(desk, leaf))
        else:
            desk.unknown(leaf, "type", leaf.raw.get("type"))
    made = blocks.any_of_all([parts])
    return None if made is None else desk.made(made, header.place("conditionList"))


def _initiator(desk: Desk, header: Source) -> list[Part]:
    sources = desk.sources(_users(desk, header, "nodeUserList"))
    if not sources:
        desk.error("import.nobody", header.place("nodeUserList"))
        return []
    asked: list[Part] = [{"initiator": _IN[one["by"]], "ids": one["ids"]} for one in sources]
    return asked if len(asked) == 1 else [{"any": asked}]


def _compared(desk: Desk, leaf: Source) -> list[Part]:
    """A field against one number, two numbers, or the options that were ticked."""
    leaf.text("columnId")
    name = leaf.text("columnDbname") or leaf.text("columnId")
    kind, show, label = leaf.text("columnType"), leaf.text("showType"), leaf.text("showName")
    if not name:
        desk.error("import.no_field", leaf.place("columnDbname"))
        return []
    if kind == "String" and show == "3":
        return [desk.made(_ticked(desk, leaf, name, label), leaf.at)]
    if kind != "Double":
        desk.unknown(leaf, "columnType", kind)
        return []
    operator, value = leaf.whole("optType"), leaf.text("zdy1")
    if operator == BETWEEN:
        return _between(desk, leaf, name, label)
    if operator not in _COMPARE:
        desk.unknown(leaf, "optType", leaf.raw.get("optType"))
        return []
    op = _COMPARE[operator]
    made = desk.fields.leaf(name, op, value, label=label, at=leaf.at, given="number")
    return [desk.made(made, leaf.at)]


def _between(desk: Desk, leaf: Source, name: str, label: str) -> list[Part]:
    made: list[Part] = []
    for signs, sign, value in zip(_ENDS, ("opt1", "opt2"), ("zdy1", "zdy2"), strict=True):
        text = leaf.text(sign)
        if text not in signs:
            desk.unknown(leaf, sign, text)
            continue
        end = desk.fields.leaf(
            name, signs[text], leaf.text(value), label=label, at=leaf.at, given="number"
        )
        made.append(desk.made(end, leaf.at))
    return made


def _ticked(desk: Desk, leaf: Source, name: str, label: str) -> Part:
    keys = [key.strip() for key in leaf.text("zdy1").split(",") if key.strip()]
    options = _options(desk, leaf)
    for key in keys:
        options.setdefault(key, key)
    return desk.fields.leaf(
        name, "in", *keys, label=label, at=leaf.at, given="choice", options=options
    )


def _options(desk: Desk, leaf: Source) -> dict[str, str]:
    """`fixedDownBoxValue` is JSON in a text: `{"1": {"key": "1", "value": "One"}, …}`."""
    text = leaf.text("fixedDownBoxValue")
    try:
        raw: Any = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        raw = None
    entries = list(raw.values()) if isinstance(raw, dict) else raw
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        desk.error("import.bad_type", leaf.place("fixedDownBoxValue"), expected="object")
        return {}
    return {
        printable(str(one.get("key", ""))): printable(str(one.get("value", "")))
        for one in entries
        if one.get("key") and one.get("value")
    }


def _no_branches(desk: Desk, node: Source) -> None:
    """Only routes have conditions; elsewhere the designer leaves an empty list."""
    if node.listed("conditionNodes"):
        desk.error("import.unknown_member", node.place("conditionNodes"), key="conditionNodes")


def _priority(header: Source) -> int:
    level = header.whole("priorityLevel")
    return 2**31 if level is None else level
