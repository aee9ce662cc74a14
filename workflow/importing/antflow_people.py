"""AntFlow: who approves and how, the buttons of a step, and the conditions of a branch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workflow.forms.findings import child, printable
from workflow.importing.blocks import any_of_all
from workflow.importing.desk import LONGEST_NOTE

if TYPE_CHECKING:
    from workflow.importing.desk import Desk, Part
    from workflow.importing.ledger import Source
    from workflow.importing.report import Kind

ROLE, USERS = 4, 5
MOST_PICKED = 100
# nodeProperty → people who are found when the step is entered, or picked before.
_FOUND: dict[int, Part] = {
    7: {"by": "picked_at_start", "max": MOST_PICKED},
    12: {"by": "initiator"},
    13: {"by": "manager", "level": 1},
    14: {"by": "head"},
}
_SIGN = {1: "all", 2: "any", 3: "in_order"}
_COMPARE = {1: "ge", 2: "gt", 3: "le", 4: "lt", 5: "eq"}
_RANGES = {6: ("gt", "lt"), 7: ("ge", "lt"), 8: ("gt", "le"), 9: ("ge", "le")}
# The buttons of a page: those that every step has, and those that switch something on.
_PLAIN = frozenset({0, 1, 2, 3, 4, 5, 8})
_BUTTONS: dict[int, Part] = {
    6: {"return_to": "previous"},
    15: {"send_copy": True},
    19: {"add_after": True},
    21: {"transfer": True},
    23: {"return_to": "any"},
    24: {"remove_added": True},
    25: {"add_with": True},
}


def start_node(desk: Desk, node: Source) -> None:
    """The first node: everybody may start, and nothing of it is a step."""
    beside_people(desk, node)
    if _note(desk, node) is not None:
        desk.warn("import.left_out", node.place("annotation"), key="annotation")


def approval(desk: Desk, node: Source) -> Part:
    """One approval. `signType` 1 everybody, 2 one of them, 3 everybody in turn."""
    rights = node.object("property")
    kind = node.whole("nodeProperty")
    sources = _sources(desk, node, rights, kind)
    if not sources:
        desk.error("import.nobody", node.place("property"))
        sources = [{"by": "initiator"}]
    sign = (None if rights is None else rights.whole("signType")) or 1
    if rights is not None and sign not in _SIGN:
        desk.unknown(rights, "signType", sign)
    at = node.place("property")
    return desk.step(
        node,
        "approve",
        who=desk.made({"any_of": sources}, at),
        decide={"mode": _SIGN.get(sign, "all")},
        acts=beside_people(desk, node) or None,
        note=_note(desk, node),
    )


def copy(desk: Desk, node: Source) -> Part:
    """People who get a copy; `signType` says nothing here."""
    rights = node.object("property")
    kind = node.whole("nodeProperty")
    sources = _sources(desk, node, rights, kind)
    if not sources:
        desk.error("import.nobody", node.place("property"))
        sources = [{"by": "initiator"}]
    beside_people(desk, node)
    who = desk.made({"any_of": sources}, node.place("property"))
    return desk.step(node, "copy", who=who, note=_note(desk, node))


def _note(desk: Desk, node: Source) -> str | None:
    text = node.text("annotation")
    if len(text) > LONGEST_NOTE:
        desk.warn("import.name_cut", node.place("annotation"), high=LONGEST_NOTE)
    return text[:LONGEST_NOTE] or None


def beside_people(desk: Desk, node: Source) -> Part:
    """The buttons of a step; those that are no decision become acts or findings."""
    room = node.object("buttons")
    acts: Part = {}
    for page in ("startPage", "approvalPage", "viewPage"):
        numbers = [] if room is None else room.listed(page)
        for number, button in enumerate(numbers):
            at = child("" if room is None else room.place(page), number)
            given = _BUTTONS.get(button) if isinstance(button, int) else None
            if given is not None and page == "approvalPage":
                acts |= given
            elif button not in _PLAIN:
                desk.warn("import.button", at, button=printable(str(button)))
    return acts


def _sources(desk: Desk, node: Source, rights: Source | None, kind: int | None) -> list[Part]:
    if kind == USERS:
        return [] if rights is None else _named(desk, rights, "user", "emplIds", "emplList")
    if kind == ROLE:
        return [] if rights is None else _named(desk, rights, "role", "roleIds", "roleList")
    if kind in _FOUND:
        return [dict(_FOUND[kind])]
    desk.unknown(node, "nodeProperty", node.raw.get("nodeProperty"))
    return [{"by": "initiator"}]


def _named(desk: Desk, rights: Source, kind: Kind, ids: str, shown: str) -> list[Part]:
    """The ids decide; the list with the names may say more, and that is said."""
    names = {}
    for each in rights.objects(shown):
        name = each.text("id")
        names[name] = each.text("name")
    named: list[tuple[Kind, list[str]]] = []
    wanted = [str(one) for one in rights.listed(ids)]
    for number, one in enumerate(wanted):
        at = child(rights.place(ids), number)
        named.append(desk.source_of(kind, one, names.get(one, ""), at))
    for extra in sorted(names.keys() - set(wanted)):
        args = {"id": printable(extra), "name": printable(names[extra])}
        desk.warn("import.only_shown", rights.place(shown), **args)
    return desk.sources(named)


def condition(desk: Desk, node: Source) -> Part | None:
    """The condition of a branch; None for the one that is taken when no other holds."""
    rights = node.object("property")
    if rights is None or rights.flag("isDefault"):
        return None
    rights.whole("sort")
    at = rights.place("conditionList")
    either = rights.flag("groupRelation")
    groups: list[list[Part]] = []
    for number, raw in enumerate(rights.listed("conditionList")):
        where = child(at, number)
        entries = raw if isinstance(raw, list) else [raw]
        places = [child(where, one) for one in range(len(entries))]
        groups.append(_group(desk, rights, entries, places if raw is entries else [where]))
    # Between groups: `groupRelation` true is "or", otherwise all of them have to hold.
    parts = groups if either else [[part for group in groups for part in group]]
    made = any_of_all(parts)
    if made is None:
        desk.error("import.no_condition", at)
    return None if made is None else desk.made(made, at)


def _group(desk: Desk, rights: Source, entries: list[Any], places: list[str]) -> list[Part]:
    leaves: list[Part] = []
    for raw, at in zip(entries, places, strict=True):
        if isinstance(raw, dict):
            leaves.extend(_leaf(desk, rights.ledger.wrap(raw, at)))
        else:
            desk.error("import.bad_type", at, expected="object")
    return leaves


def _leaf(desk: Desk, leaf: Source) -> list[Part]:
    name = leaf.text("columnDbname") or leaf.text("columnId")
    label, operator = leaf.text("showName"), leaf.whole("optType")
    value, second = leaf.text("zdy1"), leaf.text("zdy2")
    for shown in ("columnId", "columnType", "showType", "formId", "fieldTypeName"):
        leaf.take(shown)
    if not name:
        desk.error("import.no_field", leaf.place("columnDbname"))
        return []
    if operator in _COMPARE:
        op = _COMPARE[operator]
        return [desk.made(desk.fields.leaf(name, op, value, label=label, at=leaf.at), leaf.at)]
    if operator in _RANGES:
        ends = zip(_RANGES[operator], (value, second), strict=True)
        return [
            desk.made(desk.fields.leaf(name, op, end, label=label, at=leaf.at), leaf.at)
            for op, end in ends
        ]
    desk.unknown(leaf, "optType", leaf.raw.get("optType"))
    return []
