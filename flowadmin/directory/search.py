"""Finding people, roles, groups, posts and departments by a part of their name or code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.db.models import Case, IntegerField, Q, Value, When
from django.db.models.functions import Lower
from django.utils.translation import gettext as _

from flowadmin.directory.codes import possible
from flowadmin.directory.models import Department, Group, Post, Role, User

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

MOST_FOUND: Final = 20
MOST_ASKED: Final = 200
LONGEST_TEXT: Final = 100

# What is asked for: its rows, the column that documents name, and the column of the note.
_KINDS: dict[str, tuple[type[Any], str, str | None]] = {
    "user": (User, "login", "department__name"),
    "role": (Role, "code", None),
    "group": (Group, "code", None),
    "post": (Post, "code", None),
    "department": (Department, "code", "parent__name"),
}
KINDS: Final = tuple(_KINDS)


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that a document may name: by ``code``, shown by ``name`` and ``note``."""

    code: str
    name: str
    note: str


def search(tenant_id: int, kind: str, text: str) -> tuple[Found, ...]:
    """At most 20 of this tenant whose name or code contains `text`, those beginning so first.

    People who left are not found: nobody should be named anew who cannot decide. `kind` is one of
    `KINDS`; an unknown one is a KeyError. Source: interface.md 5.2 (people picker).
    """
    model, column, _note = _KINDS[kind]
    rows = model.objects.filter(tenant_id=tenant_id)
    if model is User:
        rows = rows.filter(is_active=True)
    wanted = text.replace("\x00", "").strip()[:LONGEST_TEXT]
    if wanted:
        # MariaDB compares our columns byte for byte, so `icontains` alone would mind the case.
        rows = rows.alias(low_name=Lower("name"), low_code=Lower(column)).filter(
            Q(name__icontains=wanted)
            | Q(low_name__contains=wanted.lower())
            | Q(low_code__contains=wanted.lower())
        )
        begins = Q(low_name__startswith=wanted.lower()) | Q(low_code__startswith=wanted.lower())
        first = Case(When(begins, then=Value(0)), default=Value(1), output_field=IntegerField())
        rows = rows.order_by(first, "name", column)
    else:
        rows = rows.order_by("name", column)
    return _found(rows[:MOST_FOUND], kind)


def named(tenant_id: int, kind: str, codes: Iterable[str]) -> tuple[Found, ...]:
    """Those of this tenant with one of these codes, also people who left; by name.

    At most 200 codes are looked up; an unknown `kind` is a KeyError.
    """
    model, column, _note = _KINDS[kind]
    wanted = possible(codes)[:MOST_ASKED]
    if not wanted:
        return ()
    rows = model.objects.filter(tenant_id=tenant_id, **{f"{column}__in": wanted})
    return _found(rows.order_by("name", column), kind)


def listed(tenant_id: int, kind: str, most: int) -> tuple[Found, ...]:
    """The first `most` of this tenant by name; for lists that are short anywhere."""
    model, column, _note = _KINDS[kind]
    return _found(model.objects.filter(tenant_id=tenant_id).order_by("name", column)[:most], kind)


def _found(rows: QuerySet[Any], kind: str) -> tuple[Found, ...]:
    model, column, note = _KINDS[kind]
    columns = [column, "name", *([note] if note else [])]
    if model is User:
        columns.append("is_active")
    found = []
    for row in rows.values(*columns):
        parts = [row[note] if note else None]
        if row.get("is_active") is False:
            parts.append(_("deactivated"))
        found.append(Found(row[column], row["name"], " · ".join(each for each in parts if each)))
    return tuple(found)
