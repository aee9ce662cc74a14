"""What differs between two process documents with their forms: by id, whatever their state.

Theory of operation. Both sides are plain JSON, so that a draft with problems can be compared too.
A step is found again by its id wherever it went, a branch by its step's id and its own, a field
by its id. Moved is what stands in another list, or in the same list outside the longest run of
siblings that kept their order: of three steps of which one was pulled up, one is moved, not three.
Members are compared as they are written; a member that is absent on one side is None there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Json = Mapping[str, object]
What = Literal["added", "removed", "moved", "changed"]
Of = Literal["step", "branch", "field", "setting"]

# What holds other parts, which are compared by their own ids.
_HOLDS = {"step": frozenset({"branches"}), "branch": frozenset({"steps"})}
_NOT_SETTINGS = frozenset({"flowdoc", "formdoc", "steps", "fields"})


@dataclass(frozen=True, slots=True)
class Member:
    """One member that differs, with what stood there before and what stands there now."""

    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Difference:
    """One part that differs.

    Attributes:
        what: added, removed, moved (in another place) or changed (in itself; then ``members``).
        of: step, branch, field or setting.
        id: the step's or field's id, ``step/branch`` of a branch, the member's name of a setting.
        name: what people call it: the newer name or label where both sides have one.
        kind: the kind of a step or the type of a field, else empty.
        at: JSON Pointer to the part in the newer document; of a removed one in the older.
        members: what differs inside, in the order of the newer document.
    """

    what: What
    of: Of
    id: str
    name: str = ""
    kind: str = ""
    at: str = ""
    members: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    of: Of
    body: Json
    at: str
    home: str


def differences(
    before: Json, after: Json, form_before: Json | None, form_after: Json | None
) -> tuple[Difference, ...]:
    """All differences, settings first, then steps and branches, then fields of the form.

    Args:
        before: the older flowdoc as JSON, valid or not.
        after: the newer one.
        form_before: the form of the older one; None when it has none.
        form_after: the form of the newer one.

    Equal documents give nothing (interface.md 7.9, 7.10).
    """
    old, new = dict(_steps(before, "", "")), dict(_steps(after, "", ""))
    old_fields, new_fields = dict(_fields(form_before)), dict(_fields(form_after))
    return (
        *_settings(before, after),
        *_parts(old, new),
        *_parts(old_fields, new_fields),
    )


def counted(found: Sequence[Difference]) -> dict[What, int]:
    """How many parts were added, removed, moved and changed; only what is not zero."""
    order: tuple[What, ...] = ("added", "removed", "moved", "changed")
    numbers = {what: sum(each.what == what for each in found) for what in order}
    return {what: number for what, number in numbers.items() if number}


# Walking --------------------------------------------------------------------------------------


def _steps(holder: Json, at: str, home: str) -> Iterator[tuple[str, _Part]]:
    """Steps and branches in document order; of two with one id the first stands for it."""
    seen: set[str] = set()
    for number, step in _objects(holder.get("steps")):
        name = _text(step.get("id"))
        where = f"{at}/steps/{number}"
        if name in seen:
            continue
        seen.add(name)
        yield f"step {name}", _Part("step", step, where, home)
        for place, branch in _objects(step.get("branches")):
            inside = f"{name}/{_text(branch.get('id'))}"
            there = f"{where}/branches/{place}"
            yield f"branch {inside}", _Part("branch", branch, there, name)
            yield from _steps(branch, there, inside)


def _fields(form: Json | None) -> Iterator[tuple[str, _Part]]:
    for number, field in _objects(form.get("fields") if form else None):
        yield f"field {_text(field.get('id'))}", _Part("field", field, f"/fields/{number}", "")


def _objects(found: object) -> Iterator[tuple[int, Json]]:
    if isinstance(found, Sequence) and not isinstance(found, str):
        for number, each in enumerate(found):
            if isinstance(each, Mapping):
                yield number, each


# Comparing ------------------------------------------------------------------------------------


def _settings(before: Json, after: Json) -> Iterator[Difference]:
    for name in _names(before, after, _NOT_SETTINGS):
        old, new = before.get(name), after.get(name)
        if old != new:
            member = Member(name, old, new)
            yield Difference("changed", "setting", name, name, "", f"/{name}", (member,))


def _parts(old: Mapping[str, _Part], new: Mapping[str, _Part]) -> Iterator[Difference]:
    moved = _moved(old, new)
    for key, part in new.items():
        if key not in old:
            yield _named("added", key, part)
            continue
        members = tuple(_members(old[key], part))
        if key in moved:
            yield _named("moved", key, part, members)
        elif members:
            yield _named("changed", key, part, members)
    for key, part in old.items():
        if key not in new:
            yield _named("removed", key, part)


def _members(old: _Part, new: _Part) -> Iterator[Member]:
    for name in _names(old.body, new.body, _HOLDS.get(new.of, frozenset())):
        if old.body.get(name) != new.body.get(name):
            yield Member(name, old.body.get(name), new.body.get(name))


def _moved(old: Mapping[str, _Part], new: Mapping[str, _Part]) -> set[str]:
    homes: dict[str, list[str]] = {}
    found: set[str] = set()
    for key, part in new.items():
        if key in old and old[key].home == part.home:
            homes.setdefault(f"{part.of} {part.home}", []).append(key)
        elif key in old:
            found.add(key)
    places = {key: place for place, key in enumerate(old)}
    for siblings in homes.values():
        stayed = _longest_run([places[key] for key in siblings])
        found.update(key for number, key in enumerate(siblings) if number not in stayed)
    return found


def _longest_run(places: Sequence[int]) -> set[int]:
    """Indices of a longest rising subsequence, found in n log n."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, place in enumerate(places):
        slot = bisect_left(tails, place)
        before.append(ends[slot - 1] if slot else -1)
        if slot == len(tails):
            tails.append(place)
            ends.append(number)
        else:
            tails[slot], ends[slot] = place, number
    run: set[int] = set()
    at = ends[-1] if ends else -1
    while at >= 0:
        run.add(at)
        at = before[at]
    return run


def _named(what: What, key: str, part: _Part, members: tuple[Member, ...] = ()) -> Difference:
    body = part.body
    label = body.get("label")
    if isinstance(label, Mapping):
        label = next((each for each in label.values() if each), "")
    name = _text(body.get("name")) or _text(label) or _text(body.get("id"))
    kind = _text(body.get("kind")) or _text(body.get("type"))
    return Difference(what, part.of, key.partition(" ")[2], name, kind, part.at, members)


def _names(old: Json, new: Json, but: frozenset[str]) -> list[str]:
    return [name for name in dict.fromkeys((*new, *old)) if name not in but]


def _text(found: object) -> str:
    return found if isinstance(found, str) else ""
