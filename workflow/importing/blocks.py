"""Blocks of a document: branches in their order, and the rest that every choice needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workflow.importing.desk import Desk, Part
    from workflow.importing.ledger import Source

# A set of people that is always empty: whoever filed the request, without them. Its step is held
# until a manager says how to go on.
_NOBODY = {"any_of": [{"by": "initiator"}], "without": [{"by": "initiator"}]}


def any_of_all(groups: list[list[Part]]) -> Part | None:
    """One condition of alternatives (outer list), each of which asks for all of its parts."""
    each = [group[0] if len(group) == 1 else {"all": group} for group in groups if group]
    if not each:
        return None
    return each[0] if len(each) == 1 else {"any": each}


def branch(
    desk: Desk, node: Source, steps: list[Part], *, when: Part | None, otherwise: bool = False
) -> Part:
    """A branch with the id and name of a header of the source."""
    made: Part = {
        "id": desk.ids.give(node.text("nodeKey") or node.text("nodeId"), "branch"),
        "name": desk.name(node, "nodeName", "branch")["name"],
        "steps": steps,
    }
    if when is not None:
        made["when"] = when
    if otherwise:
        made["otherwise"] = True
    return desk.made(made, node.at)


def with_a_rest(desk: Desk, block_id: str, branches: list[Part], at: str) -> list[Part]:
    """The branches of a choice; the one for everything else is the last one.

    Where the file has none, the other system stops with an error when nothing holds. Here the
    request is then held: a step for which nobody can be found, which raises an incident.
    """
    rest = [one for one in branches if one.get("otherwise")]
    if rest:
        return [one for one in branches if not one.get("otherwise")] + rest
    desk.warn("import.rest_added", at)
    held: Part = {
        "id": desk.ids.give(f"{block_id}_held", "held"),
        "kind": "approve",
        "name": "No condition holds",
        "who": _copied(_NOBODY),
        "on_empty": {"do": "hold"},
    }
    made: Part = {
        "id": desk.ids.give(f"{block_id}_otherwise", "otherwise"),
        "name": "Otherwise",
        "otherwise": True,
        "steps": [desk.made(held, at)],
    }
    return [*branches, desk.made(made, at)]


def parallel(desk: Desk, node: Source, parts: list[Part]) -> Part:
    """All of these steps at once, each in a branch of its own, named like the node."""
    base, name = parts[0]["id"], parts[0]["name"]
    branches = [
        desk.made(
            {"id": desk.ids.give(f"{base}_way", "way"), "name": name, "steps": [one]}, node.at
        )
        for one in parts
    ]
    made: Part = {
        "id": desk.ids.give(f"{base}_all", "all"),
        "kind": "parallel",
        "name": name,
        "branches": branches,
        "join": "all",
    }
    return desk.made(made, node.at)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copied(member) for name, member in value.items()}
    return [_copied(member) for member in value] if isinstance(value, list) else value
