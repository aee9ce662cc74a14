"""AntFlow: a flat list of nodes that name their successors.

What its numbers mean was read from the public sources of the engine (survey in approvals 3.1).
The graph has to be made of blocks; where it is not, the node is named and nothing is guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.forms.findings import child, printable
from workflow.importing import antflow_people, blocks
from workflow.importing.desk import Desk
from workflow.importing.graph import Graph
from workflow.importing.ledger import Vocabulary

if TYPE_CHECKING:
    from workflow.importing.desk import Part
    from workflow.importing.ledger import Source
    from workflow.importing.mapping import People
    from workflow.importing.report import Carried

START, CHOICE, CONDITION, APPROVE, PARALLEL = 1, 2, 3, 4, 7
COPIES = (6, 8)
_DEDUPE = {1: "off", 2: "keep_last", 3: "keep_first", 4: "adjacent"}

_OFF = (0, False)
# Switches and settings with the values by which they say nothing.
_SETTINGS: dict[str, tuple[object, ...]] = dict.fromkeys(
    (
        "isAll", "isDel", "isLowCodeFlow", "isOutSideProcess", "batchStatus",
        "isDeduplication", "deduplicationExclude", "isSignUp", "orderedNodeType",
        "afterSignUpWay", "assignLevelGrade", "assignLevelType", "configurationTableType",
        "functionId", "hrbpConfType", "isDefault", "isMultiPeople", "loopEndGrade", "loopEndType",
        "loopNumberPlies", "signUpType", "sort", "tableFieldType", "businessPartyId",
        "lfFormDataId", "effectiveStatus", "appId", "isParallel", "groupRelation",
    ),
    _OFF,
)  # fmt: skip
_SETTINGS |= {
    "approvalStandard": (0, 2),
    "nodeProperty": (1,),
    "signType": (0,),
    "isLowCodeFlow": (0, 1, False, True),
    "bpmnType": (0, 1),
    "roleIds": (),
    "emplIds": (),
}
_LABELS = frozenset(
    {
        "code", "msg", "total", "id", "confId", "createTime", "createUser", "createUserName",
        "createUserUuid", "updateTime", "updateUser", "remark", "elementId", "formCode",
        "nodeDisplayName", "nodePropertyName", "deduplicationTypeName", "businessPartyMark",
        "businessPartyName", "nodeMark", "functionName", "nodeFroms", "prevId", "fromNodes",
        "viewPageButtons", "nodeName", "emplList", "roleList",
    }
)  # fmt: skip

VOCABULARY = Vocabulary(_SETTINGS, _LABELS)


def looks_like(raw: dict[str, object]) -> bool:
    """Whether a file is one of this system: a list `nodes` beside a `bpmnCode` or `bpmnName`."""
    inner = raw.get("data", raw)
    return (
        isinstance(inner, dict)
        and isinstance(inner.get("nodes"), list)
        and bool({"bpmnCode", "bpmnName"} & set(inner))
    )


def convert(raw: dict[str, object], people: People, key: str = "") -> Carried:
    """The process of one file, as the server sends it or only its `data`."""
    desk = Desk("antflow", VOCABULARY, people)
    outer = desk.ledger.wrap(raw, "")
    top = outer.object("data") if isinstance(raw.get("data"), dict) else outer
    if top is None:
        desk.error("import.no_root", "/data", key="nodes")
        return desk.finish(None)
    code, name = top.text("bpmnCode"), top.text("bpmnName")
    document = desk.top(code, name, top.place("bpmnCode"), key)
    document["policy"] = {"dedupe": _dedupe(desk, top)}
    converter = Converter(desk, top.objects("nodes"), top.place("nodes"))
    if converter.start is None:
        desk.error("import.no_start", top.place("nodes"))
        return desk.finish(None)
    document["steps"] = converter.all_steps(converter.start)
    return desk.finish(document)


def _dedupe(desk: Desk, top: Source) -> str:
    kind = top.whole("deduplicationType") or 1
    if kind not in _DEDUPE:
        desk.unknown(top, "deduplicationType", kind)
    return _DEDUPE.get(kind, "off")


class Converter:
    """Converts the graph block by block; each node may become steps once."""

    def __init__(self, desk: Desk, nodes: list[Source], at: str) -> None:
        self.desk = desk
        self.nodes: dict[str, Source] = {}
        self.start: str | None = None
        self.done: set[str] = set()
        for number, node in enumerate(nodes):
            self._enter(node, child(at, number))
        self.graph = Graph({name: self._successors(node) for name, node in self.nodes.items()})

    def _enter(self, node: Source, at: str) -> None:
        name = node.text("nodeId")
        if not name or name in self.nodes:
            self.desk.error("import.duplicate_key", f"{at}/nodeId", key=printable(name))
            return
        self.nodes[name] = node
        if node.whole("nodeType") == START:
            if self.start is not None:
                self.desk.error("import.no_start", node.place("nodeType"))
            self.start = name

    def _successors(self, node: Source) -> list[str]:
        """Where a node leads. The members that say the same backwards are only checked."""
        names: list[str] = []
        for number, raw in enumerate(node.listed("nodeTo")):
            name = str(raw)
            if name in self.nodes:
                names.append(name)
            elif name:
                at = child(node.place("nodeTo"), number)
                self.desk.error("import.no_target", at, key=printable(name))
        return names

    def all_steps(self, start: str) -> list[Part]:
        """The steps of the whole process; nodes that nothing leads to are findings."""
        if self.graph.circle is not None:
            self.desk.error("import.circle", self.nodes[self.graph.circle].place("nodeTo"))
            return []
        steps = self.sequence(start, None)
        for name, node in self.nodes.items():
            if name not in self.done:
                self.desk.error("import.not_reached", node.at, key=printable(name))
        return steps

    def sequence(self, name: str | None, stop: str | None) -> list[Part]:
        """The steps from a node on, up to the one where the branches around it come together."""
        steps: list[Part] = []
        while name is not None and name != stop:
            node = self.nodes[name]
            if name in self.done:
                self.desk.error("import.not_a_block", node.at, key=printable(name))
                break
            self.done.add(name)
            self._backwards(name, node)
            made, name = self.node(name, node)
            steps.extend(made)
        return steps

    def node(self, name: str, node: Source) -> tuple[list[Part], str | None]:
        """The steps that one node becomes, and the node after it."""
        kind, onward = node.whole("nodeType"), self.graph.after[name]
        if kind in (CHOICE, PARALLEL):
            return self.block(name, node, kind)
        if len(onward) > 1:
            self.desk.error("import.not_a_block", node.place("nodeTo"), key=printable(name))
        following = onward[0] if onward else None
        if kind == START:
            antflow_people.start_node(self.desk, node)
            return [], following
        if kind == APPROVE:
            return [antflow_people.approval(self.desk, node)], following
        if kind in COPIES:
            return [antflow_people.copy(self.desk, node)], following
        self.desk.unknown(node, "nodeType", node.raw.get("nodeType"))
        return [], following

    def block(self, name: str, node: Source, kind: int) -> tuple[list[Part], str | None]:
        """A gateway; the block ends where all of its ways meet again."""
        antflow_people.beside_people(self.desk, node)
        end = self.graph.meeting(name)
        is_choice = kind == CHOICE and not node.flag("isParallel")
        made = self.desk.step(node, "choice" if is_choice else "parallel")
        branches = [self.branch(one, end, is_choice) for one in self.graph.after[name]]
        if is_choice:
            at = node.place("nodeTo")
            branches = blocks.with_a_rest(self.desk, made["id"], branches, at)
        else:
            made["join"] = "all"
        made["branches"] = branches
        return [made], end

    def branch(self, name: str, end: str | None, is_choice: bool) -> Part:  # noqa: FBT001 - inner
        """One way of a gateway; behind a choice it begins with its condition."""
        node = self.nodes[name]
        if is_choice and node.whole("nodeType") == CONDITION:
            self.done.add(name)
            self._backwards(name, node)
            antflow_people.beside_people(self.desk, node)
            when = antflow_people.condition(self.desk, node)
            onward = self.graph.after[name]
            if len(onward) > 1:
                self.desk.error("import.not_a_block", node.place("nodeTo"), key=printable(name))
            steps = self.sequence(onward[0] if onward else None, end)
            return blocks.branch(self.desk, node, steps, when=when, otherwise=when is None)
        if is_choice:
            self.desk.error("import.no_condition", node.at)
        steps = self.sequence(name, end)
        title = steps[0]["name"] if steps else "branch"
        made: Part = {"id": self.desk.ids.give(f"{name}_way", "way"), "name": title}
        return self.desk.made(made | {"steps": steps}, node.at)

    def _backwards(self, name: str, node: Source) -> None:
        """The members that repeat the edges from the other end must not say something else."""
        before = node.text("nodeFrom")
        if before and before not in self.nodes:
            self.desk.error("import.no_target", node.place("nodeFrom"), key=printable(before))
        elif before and not self.graph.leads(before, name):
            self.desk.error("import.edges_differ", node.place("nodeFrom"), key=printable(before))
