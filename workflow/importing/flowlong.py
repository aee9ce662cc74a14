"""flowlong: one file is one process, `nodeConfig` the nested tree of its nodes.

The meaning of every member was read from the engine's public sources and its checks of a model
(survey in approvals 3.1); what its own checks refuse is refused here, with the position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from workflow.importing import blocks, flowlong_people, flowlong_rules
from workflow.importing.desk import Desk
from workflow.importing.flowlong_rules import Previous
from workflow.importing.ledger import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

    from workflow.importing.desk import Part
    from workflow.importing.ledger import Source
    from workflow.importing.mapping import People
    from workflow.importing.report import Carried

START, APPROVE, COPY, CONDITION, CHOICE, SUBFLOW, DELAY, TRIGGER = 0, 1, 2, 3, 4, 5, 6, 7
END, PARALLEL, INCLUSIVE, ROUTE, AUTO_PASS, AUTO_REJECT = -1, 8, 9, 23, 30, 31
_BLOCKS = {
    CHOICE: ("choice", "conditionNodes"),
    PARALLEL: ("parallel", "parallelNodes"),
    INCLUSIVE: ("inclusive", "inclusiveNodes"),
}
# Nodes whose step depends on nothing around them.
_PLAIN: dict[int, Callable[[Desk, Source], list[Part]]] = {
    COPY: flowlong_people.copy,
    SUBFLOW: flowlong_rules.subflow,
    DELAY: flowlong_rules.delay,
    TRIGGER: flowlong_rules.trigger,
}

# What nodes have when nothing asks for it: the values that the designer writes into each of them.
_SETTINGS: dict[str, tuple[object, ...]] = {
    "examineLevel": (1,),
    "examineMode": (1,),
    "directorLevel": (1,),
    "directorMode": (0,),
    "selectMode": (1,),
    "setType": (1,),
    "groupStrategy": (0,),
    "termAuto": (False,),
    "term": (0,),
    "termMode": (0, 1),
    "typeOfApprove": (1,),
    "passWeight": (50,),
    "rejectStrategy": (),
    "rejectStart": (1,),
    "remind": (False,),
    "allowSelection": (False,),
    "userSelectFlag": (False,),
    "allowTransfer": (False,),
    "allowAppendNode": (False,),
    "allowRollback": (False,),
    "allowCc": (False,),
    "approveSelf": (0,),
    "delayType": (1,),
    "triggerType": (1,),
    "conditionMode": (1,),
    "priorityLevel": (),
    "callAsync": (False,),
    "nodeState": (0,),
    "weight": (),
    "type": (0, 1, 2),
    "time": (),
    "remindTime": (),
}
_LABELS = frozenset(
    {"id", "instanceUrl", "actionUrl", "tenantId", "formConfig", "name", "nodeName"}
)

VOCABULARY = Vocabulary(_SETTINGS, _LABELS)


class Place(NamedTuple):
    """Where in the tree a node stands.

    `inside`: within a branch of a block. `followed`: something of the whole process comes after
    the list that is being converted.
    """

    inside: bool = False
    followed: bool = False


def looks_like(raw: dict[str, object]) -> bool:
    """Whether a file is one of this system: a `nodeConfig` at the top."""
    return isinstance(raw.get("nodeConfig"), dict)


def convert(raw: dict[str, object], people: People, key: str = "") -> Carried:
    """The process of one file; `key` is what it shall be called here instead of its own key."""
    desk = Desk("flowlong", VOCABULARY, people)
    top = desk.ledger.wrap(raw, "")
    document = desk.top(top.text("key"), top.text("name"), top.place("key"), key)
    root = top.object("nodeConfig")
    if root is None:
        desk.error("import.no_root", "/nodeConfig", key="nodeConfig")
        return desk.finish(None)
    if root.whole("type") != START:
        desk.error("import.no_start", root.place("type"))
    root.text("nodeKey")
    start = flowlong_people.starters(desk, root)
    for each in (top, root):
        flowlong_rules.extra_of(desk, each)
    if start is not None:
        document["start"] = start
    converter = Converter(desk)
    document["steps"], _ = converter.sequence(root.object("childNode"), Place(), Previous())
    converter.check_targets()
    return desk.finish(document)


class Converter:
    """Converts the tree list by list; it recurses into branches and never along `childNode`."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.keys: dict[str, str] = {}  # nodeKey → id of the step that it became
        self.targets: list[tuple[Part, str, str]] = []  # goto step, nodeKey, position

    def sequence(
        self, node: Source | None, place: Place, previous: Previous
    ) -> tuple[list[Part], Previous]:
        """The steps from a node on, and what was decided last when they are over."""
        steps: list[Part] = []
        while node is not None:
            following = node.object("childNode")
            key = node.text("nodeKey")
            if key and key in self.keys:
                self.desk.error("import.duplicate_key", node.place("nodeKey"), key=key)
            here = Place(place.inside, place.followed or _goes_on(following))
            made, previous = self.node(node, here, previous, last=following is None)
            flowlong_rules.extra_of(self.desk, node)
            if key and made:
                self.keys.setdefault(key, made[0]["id"])
            steps.extend(made)
            node = following
        return steps, previous

    def node(
        self, node: Source, place: Place, previous: Previous, *, last: bool
    ) -> tuple[list[Part], Previous]:
        """The steps that one node becomes: none, one, or several."""
        kind = node.whole("type")
        if kind == APPROVE:
            return flowlong_people.approval(self.desk, node, previous)
        if kind in _BLOCKS:
            return self.block(node, kind, place, previous)
        if kind in _PLAIN:
            return _PLAIN[kind](self.desk, node), previous
        if kind == ROUTE:
            return self.route(node), previous
        if kind in (AUTO_PASS, AUTO_REJECT, END):
            return self.ending(node, kind, place, last=last), previous
        self.desk.unknown(node, "type", node.raw.get("type"))
        return [], previous

    def block(
        self, node: Source, kind: int, place: Place, previous: Previous
    ) -> tuple[list[Part], Previous]:
        """A choice, a parallel or an inclusive block with its branches."""
        name, member = _BLOCKS[kind]
        made = self.desk.step(node, name)
        headers = node.objects(member)
        if kind == CHOICE:
            headers = sorted(headers, key=_priority)
        branches = [self.branch(each, kind, place, previous) for each in headers]
        self._one_rest(branches, headers)
        if kind == CHOICE:
            branches = blocks.with_a_rest(self.desk, made["id"], branches, node.place(member))
        else:
            made["join"] = "all"
            branches.sort(key=lambda one: bool(one.get("otherwise")))
        made["branches"] = branches
        return [made], previous.after_block(branches)

    def branch(self, header: Source, kind: int, place: Place, previous: Previous) -> Part:
        """One branch; its header is a node of type 3, or an old one of type 1 without people."""
        number = header.whole("type")
        if number == APPROVE and not header.has("setType") and not header.has("nodeAssigneeList"):
            self.desk.warn("import.branch_header", header.place("type"))
        elif number != CONDITION:
            self.desk.unknown(header, "type", header.raw.get("type"))
        header.whole("priorityLevel")
        when = flowlong_rules.condition(self.desk, header)
        if kind == PARALLEL and when is not None:
            self.desk.error("import.condition_in_parallel", header.place("conditionList"))
            when = None
        flowlong_rules.extra_of(self.desk, header)
        inner = Place(inside=True, followed=place.followed)
        steps, _ = self.sequence(header.object("childNode"), inner, previous)
        rest = when is None and kind != PARALLEL
        return blocks.branch(self.desk, header, steps, when=when, otherwise=rest)

    def _one_rest(self, branches: list[Part], headers: list[Source]) -> None:
        without = [
            header for header, one in zip(headers, branches, strict=True) if one.get("otherwise")
        ]
        for header in without[1:]:
            self.desk.error("import.second_rest", header.place("conditionList"))

    def ending(self, node: Source, kind: int, place: Place, *, last: bool) -> list[Part]:
        """The nodes that end the whole request.

        Types 30 and 31 decide by themselves; the other system wants them last in a branch.
        """
        if kind == END:
            return self.end(node, place, last=last)
        if not place.inside or not last:
            self.desk.error("import.auto_misplaced", node.at)
        verdict = "approve" if kind == AUTO_PASS else "reject"
        steps = [self.desk.step(node, "auto", verdict=verdict)]
        if kind == AUTO_PASS and last and place.followed:
            steps.append(self._finish(node, f"{steps[0]['id']}_finish"))
        return steps

    def end(self, node: Source, place: Place, *, last: bool) -> list[Part]:
        """Type -1: the end of a list is the end of the process unless more comes around it."""
        if not last:
            self.desk.error("import.after_end", node.place("childNode"))
        node.text("nodeName")
        return [self._finish(node, node.text("nodeKey"))] if place.followed else []

    def _finish(self, node: Source, wanted: str) -> Part:
        step = {"id": self.desk.ids.give(wanted, "finish"), "kind": "finish"}
        step |= {**self.desk.name(node, "nodeName", "finish"), "result": "approved"}
        return self.desk.made(step, node.at)

    def route(self, node: Source) -> list[Part]:
        """Type 23: the first condition that holds says to which node the request goes back."""
        headers = sorted(node.objects("routeNodes"), key=_priority)
        if not headers:
            self.desk.error("import.no_routes", node.place("routeNodes"))
        steps: list[Part] = []
        for header in headers:
            header.whole("priorityLevel")
            header.whole("type")
            step = self.desk.step(node, "goto")
            when = flowlong_rules.condition(self.desk, header)
            step |= {} if when is None else {"when": when}
            if header.text("nodeName"):
                step |= self.desk.name(header, "nodeName", "goto")
            self.targets.append((step, header.text("nodeKey"), header.place("nodeKey")))
            steps.append(step)
        return steps

    def check_targets(self) -> None:
        """Say where the routes lead, once every node has its id."""
        for step, key, at in self.targets:
            target = self.keys.get(key)
            if target is None:
                self.desk.error("import.no_target", at, key=key)
            step["to"] = target or "start"


def _priority(header: Source) -> int:
    level = header.whole("priorityLevel")
    return 2**31 if level is None else level


def _goes_on(node: Source | None) -> bool:
    """Whether something that does anything comes next."""
    return node is not None and node.raw.get("type") != END
