"""Shared reads of the directory, as plain rows: what the engine's facts and the doors ask."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from django.db import connection

from flowadmin.directory.codes import possible
from flowadmin.directory.models import ApiToken, Department, Role, User

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from django.db.models import QuerySet

# A circle that two simultaneous moves closed must not keep a statement running for ever.
_DEPTH_LIMIT = 64

# A department and everything above it, nearest first. {start} picks the department.
_LINE = """
WITH RECURSIVE ladder (id, parent_id, code, name, head_id, distance) AS (
    SELECT d.id, d.parent_id, d.code, d.name, d.head_id, 0
    FROM org_department d
    WHERE d.tenant_id = %s AND {start}
    UNION ALL
    SELECT p.id, p.parent_id, p.code, p.name, p.head_id, ladder.distance + 1
    FROM ladder JOIN org_department p ON p.id = ladder.parent_id
    WHERE ladder.distance < {limit}
)
SELECT ladder.code, ladder.name, h.id, h.login, h.name, h.is_active
FROM ladder LEFT JOIN org_user h ON h.id = ladder.head_id
ORDER BY ladder.distance
"""

# The members of some departments and of everything below them. {marks} stands for the codes.
_MEMBERS_BELOW = """
WITH RECURSIVE below (id, distance) AS (
    SELECT d.id, 0 FROM org_department d
    WHERE d.tenant_id = %s AND d.code IN ({marks})
    UNION
    SELECT c.id, below.distance + 1
    FROM below JOIN org_department c ON c.parent_id = below.id
    WHERE below.distance < {limit}
)
SELECT u.id, u.login, u.name, u.is_active FROM org_user u
WHERE u.tenant_id = %s AND u.department_id IN (SELECT below.id FROM below)
ORDER BY u.id
"""


@dataclass(frozen=True, slots=True)
class Person:
    """One person, as others need to name them; the deactivated ones have ``active`` false."""

    id: int
    login: str
    name: str
    active: bool


@dataclass(frozen=True, slots=True)
class DepartmentFact:
    """One department with its head."""

    code: str
    name: str
    head: Person | None


def _people(users: QuerySet[User]) -> tuple[Person, ...]:
    rows = users.order_by("id").values_list("id", "login", "name", "is_active")
    return tuple(Person(*row) for row in rows)


def people_by_login(tenant_id: int, logins: Iterable[str]) -> tuple[Person, ...]:
    """The people of this tenant with one of these login names, by id; unknown ones are absent."""
    wanted = possible(logins)
    if not wanted:
        return ()
    return _people(User.objects.for_tenant(tenant_id).filter(login__in=wanted))


def people_by_id(ids: Iterable[int]) -> tuple[Person, ...]:
    """The people with these ids, by id.

    Without a tenant, for ids that come from rows of ours; never for ids from outside.
    """
    wanted = sorted(set(ids))
    return _people(User.objects.filter(pk__in=wanted)) if wanted else ()


def members_of_roles(tenant_id: int, codes: Iterable[str]) -> tuple[Person, ...]:
    """Everybody who is in at least one of these roles of the tenant, once, by id."""
    wanted = possible(codes)
    if not wanted:
        return ()
    return _people(
        User.objects.for_tenant(tenant_id)
        .filter(memberships__role__tenant_id=tenant_id, memberships__role__code__in=wanted)
        .distinct()
    )


def members_of_departments(
    tenant_id: int, codes: Iterable[str], *, deep: bool
) -> tuple[Person, ...]:
    """The members of these departments, by id; `deep`: of all departments below them too."""
    wanted = possible(codes)
    if not wanted:
        return ()
    if not deep:
        return _people(
            User.objects.for_tenant(tenant_id).filter(
                department__tenant_id=tenant_id, department__code__in=wanted
            )
        )
    marks = ", ".join(["%s"] * len(wanted))
    statement = _MEMBERS_BELOW.format(marks=marks, limit=_DEPTH_LIMIT)
    with connection.cursor() as cursor:
        cursor.execute(statement, [tenant_id, *wanted, tenant_id])
        return tuple(
            Person(pk, login, name, bool(active)) for pk, login, name, active in cursor.fetchall()
        )


def department_line(
    tenant_id: int, *, user_id: int | None = None, code: str | None = None
) -> tuple[DepartmentFact, ...]:
    """A department and those above it up to the top, nearest first, in one statement.

    Args:
        tenant_id: whose departments.
        user_id: begin with the department of this person of the tenant …
        code: … or with this department; exactly one of the two is given.

    Returns: empty when there is no such person or department, or the person is in none.

    Raises:
        ValueError: both or neither of `user_id` and `code` are given.
    """
    if (user_id is None) == (code is None):
        raise ValueError("Give either user_id or code.")
    values: list[int | str | None]
    if code is not None:
        if not possible([code]):
            return ()
        start, values = "d.code = %s", [tenant_id, code]
    else:
        start = (
            "d.id = (SELECT u.department_id FROM org_user u WHERE u.id = %s AND u.tenant_id = %s)"
        )
        values = [tenant_id, user_id, tenant_id]
    with connection.cursor() as cursor:
        cursor.execute(_LINE.format(start=start, limit=_DEPTH_LIMIT), values)
        rows = cursor.fetchall()
    line: dict[str, DepartmentFact] = {}
    for unit, name, head_id, login, head_name, active in rows:
        if unit in line:
            break  # a circle: see _DEPTH_LIMIT
        head = None if head_id is None else Person(head_id, login, head_name, bool(active))
        line[unit] = DepartmentFact(unit, name, head)
    return tuple(line.values())


def unknown_codes(
    tenant_id: int,
    kind: Literal["user", "role", "department", "group", "post"],
    codes: Sequence[str],
) -> tuple[str, ...]:
    """Those of `codes` that name nothing in this tenant, once each, in the given order.

    Groups and posts do not exist in this version: each of their codes is unknown.
    """
    known = _known(tenant_id, kind, possible(codes))
    return tuple(code for code in dict.fromkeys(codes) if code not in known)


def _known(tenant_id: int, kind: str, codes: Collection[str]) -> frozenset[str]:
    if not codes:
        return frozenset()
    match kind:
        case "user":
            found = User.objects.for_tenant(tenant_id).filter(login__in=codes)
            return frozenset(found.values_list("login", flat=True))
        case "role":
            roles = Role.objects.filter(tenant_id=tenant_id, code__in=codes)
            return frozenset(roles.values_list("code", flat=True))
        case "department":
            units = Department.objects.filter(tenant_id=tenant_id, code__in=codes)
            return frozenset(units.values_list("code", flat=True))
        case _:
            return frozenset()


def digest_of_token(raw: str) -> str:
    """What is stored of a token: its SHA-256, hexadecimal. Tokens are random, so no salt."""
    return hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()


def token_of(raw: str, now: datetime) -> ApiToken | None:
    """The valid token `raw` with its user: not expired at `now`, of an active person."""
    return (
        ApiToken.objects.select_related("user")
        .filter(digest=digest_of_token(raw), expires_at__gt=now, user__is_active=True)
        .first()
    )


def user_of_token(raw: str, now: datetime) -> User | None:
    """Who signs in with the token `raw` at `now` (aware UTC); nobody when it is not valid."""
    token = token_of(raw, now)
    return None if token is None else token.user


def departments_of(tenant_id: int, users: Iterable[int]) -> dict[int, str]:
    """The department's code of each of these people of the tenant who has one."""
    rows = User.objects.for_tenant(tenant_id).filter(pk__in=list(users), department__isnull=False)
    return dict(rows.values_list("id", "department__code"))
