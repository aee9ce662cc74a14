"""flowlong: who approves, who gets a copy, who may start, and how several people decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.forms.findings import printable
from workflow.importing import blocks, flowlong_rules
from workflow.importing.flowlong_rules import Previous

if TYPE_CHECKING:
    from workflow.importing.desk import Desk, Part
    from workflow.importing.ledger import Source
    from workflow.importing.report import Kind

USERS, HEAD, ROLES, PICKED, SELF, HEADS, DEPARTMENTS, CANDIDATES, GROUPS = range(1, 10)
IN_ORDER, ALL, ANY, VOTE = 1, 2, 3, 4
_KINDS: dict[int, Kind] = {
    USERS: "user",
    ROLES: "role",
    DEPARTMENTS: "department",
    GROUPS: "group",
}
_CANDIDATES: dict[int, Kind] = {0: "user", 1: "role", 2: "department"}
_MODES = {IN_ORDER: "in_order", ALL: "all", ANY: "any"}
MOST_PICKED = 100


def starters(desk: Desk, root: Source) -> Part | None:
    """Who may start; the other engine asks it only where the root says what kind they are."""
    kind = _KINDS.get(root.whole("setType") or 0)
    roles = [_named(desk, each, "role") for each in root.objects("nodeRoleList")]
    listed = root.objects("nodeAssigneeList")
    if listed and kind is None:
        for each in listed:
            desk.left_out("import.starters_unclear", each)
        listed = []
    named = roles + [_named(desk, each, kind) for each in listed if kind is not None]
    sources = desk.sources(named)
    return {"who": desk.made({"any_of": sources}, root.at)} if sources else None


def approval(desk: Desk, node: Source, previous: Previous) -> tuple[list[Part], Previous]:
    """The steps of an approval; several when roles or departments decide one after the other."""
    automatic = node.whole("typeOfApprove")
    if automatic in (2, 3):
        verdict = "approve" if automatic == 2 else "reject"
        return [desk.step(node, "auto", verdict=verdict)], previous
    if automatic not in (None, 1):
        desk.unknown(node, "typeOfApprove", automatic)
    sets = _people(desk, node)
    decide = _decide(desk, node, sets)
    parts = flowlong_rules.approval(desk, node, previous)
    together = len(sets) < 2 or decide["mode"] != "each"
    if together:
        sources = [source for one in sets for source in one]
        step = _step(desk, node, desk.sources_merged(sources), decide, parts)
        return [step], Previous(step["id"])
    if decide["order"] and parts["reject"]["then"].get("to") == "previous":
        # Each of them rejects to where the one node did, and not to the one before it.
        parts["reject"]["then"]["to"] = previous.target
        if not previous.sure:
            desk.error("import.reject_unclear", node.place("rejectStrategy"))
    return _each(desk, node, sets, decide, parts)


def _each(
    desk: Desk, node: Source, sets: list[list[Part]], decide: Part, parts: Part
) -> tuple[list[Part], Previous]:
    """One step for each role or department: whoever takes it in one of them decides for it."""
    claim: Part = {"mode": "claim"}
    steps = [_step(desk, node, one, claim, dict(parts)) for one in sets]
    if decide["order"]:
        return steps, Previous(steps[-1]["id"])
    made = blocks.parallel(desk, node, steps)
    return [made], Previous(None, sure=False)


def _step(desk: Desk, node: Source, sources: list[Part], decide: Part, parts: Part) -> Part:
    if not sources:
        desk.error("import.nobody", node.at)
        sources = [{"by": "initiator"}]
    if decide["mode"] == "each":
        decide = {"mode": "claim"}
    who = desk.made({"any_of": sources}, node.place("nodeAssigneeList"))
    return desk.step(node, "approve", who=who, decide=decide, **parts)


def copy(desk: Desk, node: Source) -> list[Part]:
    """A copy. Without anybody named the initiator picks, which is then not optional."""
    picks = node.flag("allowSelection")
    picks = node.flag("userSelectFlag") or picks
    sources = [source for one in _people(desk, node, for_copy=True) for source in one]
    sources = desk.sources_merged(sources)
    if not sources and picks:
        desk.warn("import.pick_needed", node.at)
        sources, picks = [{"by": "picked_at_start", "max": MOST_PICKED}], False
    elif not sources:
        desk.error("import.nobody", node.at)
        sources = [{"by": "initiator"}]
    who = desk.made({"any_of": sources}, node.place("nodeAssigneeList"))
    return [desk.step(node, "copy", who=who, also_initiator_picks=picks or None)]


def _people(desk: Desk, node: Source, *, for_copy: bool = False) -> list[list[Part]]:
    """Sources of people: a list for each role, department or group, one list for all else."""
    set_type = node.whole("setType") or USERS
    candidates = _candidates(desk, node, set_type)
    if set_type in _KINDS:
        return _listed(desk, node, _KINDS[set_type])
    picked = set_type == PICKED
    for each in node.objects("nodeAssigneeList"):
        desk.left_out("import.no_preselection" if picked else "import.people_not_asked", each)
    if picked:
        return [[_picked(desk, node, candidates, for_copy=for_copy)]]
    return [[_found(desk, node, set_type)]]


def _found(desk: Desk, node: Source, set_type: int) -> Part:
    """People who are found when the step is entered."""
    match set_type:
        case 2:
            return {"by": "head", **_level(node.whole("examineLevel"))}
        case 5:
            return {"by": "initiator"}
        case 6:
            return {"by": "head_chain", "until": _until(desk, node)}
        case _:
            desk.unknown(node, "setType", set_type)
            return {"by": "initiator"}


def _listed(desk: Desk, node: Source, kind: Kind) -> list[list[Part]]:
    named = [_named(desk, each, kind) for each in node.objects("nodeAssigneeList")]
    if kind == "user":
        return [desk.sources(named)] if named else []
    return [desk.sources([one]) for one in named if one[1]]


def _named(desk: Desk, each: Source, kind: Kind) -> tuple[Kind, list[str]]:
    return desk.source_of(kind, each.text("id"), each.text("name"), each.place("id"))


def _candidates(desk: Desk, node: Source, set_type: int) -> list[Part]:
    """People among whom may be picked; most files carry an empty list of them."""
    room = node.object("nodeCandidate")
    listed = [] if room is None else room.objects("assignees")
    if room is None or not listed:
        return []
    kind = _CANDIDATES.get(room.whole("type") or 0)
    if kind is None:
        desk.unknown(room, "type", room.raw.get("type"))
        return []
    if set_type != PICKED:
        desk.error("import.candidates", node.place("nodeCandidate"))
    return desk.sources([_named(desk, each, kind) for each in listed])


def _picked(desk: Desk, node: Source, candidates: list[Part], *, for_copy: bool) -> Part:
    mode = node.whole("selectMode") or 1
    if mode not in (1, 2):
        desk.unknown(node, "selectMode", mode)
    made: Part = {"by": "picked_at_start"}
    if candidates:
        made["from"] = {"any_of": candidates}
    if mode == 2 or for_copy:
        made["max"] = MOST_PICKED
    return made


def _level(level: int | None) -> Part:
    """The other system counts the own department's head as 1."""
    return {} if level is None or level <= 1 else {"level": level - 1}


def _until(desk: Desk, node: Source) -> Part:
    mode = node.whole("directorMode") or 0
    if mode == 0:
        return {"top": True}
    if mode != 1:
        desk.unknown(node, "directorMode", mode)
    return {"level": max((node.whole("directorLevel") or 1) - 1, 0)}


def _decide(desk: Desk, node: Source, sets: list[list[Part]]) -> Part:
    """How they decide.

    A role, department or group is one voter: whoever of it takes the task (`groupStrategy` 0), or
    all of its members take part by themselves (1).
    """
    mode = node.whole("examineMode") or IN_ORDER
    pools = (node.whole("setType") or USERS) in (ROLES, DEPARTMENTS, GROUPS)
    strategy = (node.whole("groupStrategy") or 0) if pools else 0
    if strategy not in (0, 1):
        desk.unknown(node, "groupStrategy", strategy)
    if mode == VOTE:
        return _vote(desk, node, sets)
    if mode not in _MODES:
        desk.unknown(node, "examineMode", mode)
        mode = IN_ORDER
    if pools and strategy == 0:
        if len(sets) > 1 and mode != ANY:
            return {"mode": "each", "order": mode == IN_ORDER}
        return {"mode": "claim"}
    return {"mode": _MODES[mode]}


def _vote(desk: Desk, node: Source, sets: list[list[Part]]) -> Part:
    """Votes with weights; a weight can only be one person's."""
    voters = [source for one in sets for source in one]
    logins = [login for source in voters if source["by"] == "user" for login in source["ids"]]
    listed = node.objects("nodeAssigneeList")
    single = len(logins) == len(listed) and len(set(logins)) == len(logins)
    weights: dict[str, int] = {}
    for number, each in enumerate(listed):
        each.text("id")
        each.text("name")
        weight = each.whole("weight")
        if weight is None or not 0 <= weight <= 1000:
            desk.error("import.no_weight", each.place("weight"))
        elif not single:
            name = printable(each.text("id"))
            desk.error("import.weight_of_many", each.place("weight"), id=name)
        else:
            weights[logins[number]] = weight
    need = node.whole("passWeight") or 50
    return {"mode": "vote", "need": {"count": need}, "weights": weights}
