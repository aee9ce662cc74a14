"""Shared reads of the directory, as plain rows: what the engine's facts and the doors ask."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from django.db import connection

from flowadmin.directory.codes import possible
from flowadmin.directory.models import (
    ApiToken,
    Calendar,
    Department,
    Group,
    GroupMember,
    Post,
    PostHolder,
    Role,
    RoleMember,
    User,
)
from flowadmin.directory.substitution import AWAY, away_now, away_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from django.db.models import Model, QuerySet

# A circle that two simultaneous moves closed must not keep a statement running for ever.
_DEPTH_LIMIT = 64
LINE_LIMIT = 20  # managers above somebody, as many as a flowdoc can name (approvals.md 3.2)

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
SELECT ladder.code, ladder.name, h.id, h.login, h.name, h.is_active{away_head}
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
SELECT u.id, u.login, u.name, u.is_active{away} FROM org_user u
WHERE u.tenant_id = %s AND u.department_id IN (SELECT below.id FROM below)
ORDER BY u.id
"""

# The people above somebody in the reporting line, nearest first.
_MANAGERS = """
WITH RECURSIVE above (id, distance) AS (
    SELECT u.manager_id, 1 FROM org_user u
    WHERE u.id = %s AND u.tenant_id = %s AND u.manager_id IS NOT NULL
    UNION ALL
    SELECT u.manager_id, above.distance + 1
    FROM above JOIN org_user u ON u.id = above.id
    WHERE u.manager_id IS NOT NULL AND above.distance < {limit}
)
SELECT u.id, u.login, u.name, u.is_active{away}
FROM above JOIN org_user u ON u.id = above.id
WHERE u.tenant_id = %s
ORDER BY above.distance
"""

_PEOPLE = """
SELECT u.id, u.login, u.name, u.is_active{away} FROM org_user u
WHERE u.tenant_id = %s AND u.{column} IN ({marks})
ORDER BY u.id
"""

# What a document may name, with the column that holds the name.
_NAMED: dict[str, tuple[type[Model], str]] = {
    "user": (User, "login"),
    "role": (Role, "code"),
    "department": (Department, "code"),
    "group": (Group, "code"),
    "post": (Post, "code"),
    "calendar": (Calendar, "key"),
}


@dataclass(frozen=True, slots=True)
class Person:
    """One person, as others need to name them; the deactivated ones have ``active`` false.

    ``away`` tells whether they are absent, from whatever process, at the moment that the read was
    asked about; None when it was asked about none. `substitutes_of` knows the rest.
    """

    id: int
    login: str
    name: str
    active: bool
    away: bool | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DepartmentFact:
    """One department with its head."""

    code: str
    name: str
    head: Person | None


def _people(users: QuerySet[User], at: datetime | None = None) -> tuple[Person, ...]:
    columns = ["id", "login", "name", "is_active"]
    if at is not None:
        users = users.annotate(away=away_now(at))
        columns.append("away")
    return tuple(Person(*row) for row in users.order_by("id").values_list(*columns))


def _rows(
    sql: str,
    before: Sequence[int | str | None],
    after: Sequence[int | str | None],
    at: datetime | None,
    **parts: object,
) -> list[tuple[Any, ...]]:
    """Run a statement from above: the values in front of {away}, and those behind it."""
    away = dict.fromkeys(("away", "away_head"), "")
    values: list[Any] = [*before, *after]
    if at is not None:
        away = {"away": f", {AWAY.format(alias='u')}", "away_head": f", {AWAY.format(alias='h')}"}
        values = [*before, *away_values(at), *after]
    with connection.cursor() as cursor:
        cursor.execute(sql.format(**away, **parts), values)
        return list(cursor.fetchall())


def _person(pk: int, login: str, name: str, active: object, away: object = None) -> Person:
    """Booleans are numbers in the rows of SQLite and MariaDB."""
    return Person(pk, login, name, bool(active), None if away is None else bool(away))


def people_by_login(
    tenant_id: int, logins: Iterable[str], at: datetime | None = None
) -> tuple[Person, ...]:
    """The people of this tenant with one of these login names, by id; unknown ones are absent.

    Here and below, `at` (aware UTC) is the moment about which `Person.away` tells.
    """
    return _people_where(tenant_id, "login", possible(logins), at)


def people_of_tenant(
    tenant_id: int, ids: Iterable[int], at: datetime | None = None
) -> tuple[Person, ...]:
    """The people of this tenant with these ids, by id; ids of strangers find nobody."""
    return _people_where(tenant_id, "id", sorted(set(ids)), at)


def _people_where(
    tenant_id: int, column: str, wanted: Sequence[str | int], at: datetime | None
) -> tuple[Person, ...]:
    if not wanted:
        return ()
    marks = ", ".join(["%s"] * len(wanted))
    rows = _rows(_PEOPLE, [], [tenant_id, *wanted], at, column=column, marks=marks)
    return tuple(_person(*row) for row in rows)


def people_by_id(ids: Iterable[int]) -> tuple[Person, ...]:
    """The people with these ids, by id.

    Without a tenant, for ids that come from rows of ours; never for ids from outside.
    """
    wanted = sorted(set(ids))
    return _people(User.objects.filter(pk__in=wanted)) if wanted else ()


def members_of_roles(
    tenant_id: int, codes: Iterable[str], at: datetime | None = None
) -> tuple[Person, ...]:
    """Everybody who is in at least one of these roles of the tenant, once, by id."""
    wanted = possible(codes)
    if not wanted:
        return ()
    members = RoleMember.objects.filter(role__tenant_id=tenant_id, role__code__in=wanted)
    return _people(_placed(tenant_id, members), at)


def members_of_groups(
    tenant_id: int, codes: Iterable[str], at: datetime | None = None
) -> tuple[Person, ...]:
    """Everybody who is in at least one of these groups of the tenant, once, by id."""
    wanted = possible(codes)
    if not wanted:
        return ()
    members = GroupMember.objects.filter(group__tenant_id=tenant_id, group__code__in=wanted)
    return _people(_placed(tenant_id, members), at)


def holders_of_posts(
    tenant_id: int, codes: Iterable[str], at: datetime | None = None
) -> tuple[Person, ...]:
    """Everybody who holds at least one of these posts of the tenant, once, by id."""
    wanted = possible(codes)
    if not wanted:
        return ()
    holders = PostHolder.objects.filter(post__tenant_id=tenant_id, post__code__in=wanted)
    return _people(_placed(tenant_id, holders), at)


def _placed(tenant_id: int, places: QuerySet[Any]) -> QuerySet[User]:
    """The people of these memberships, each once without a DISTINCT over wide rows."""
    return User.objects.for_tenant(tenant_id).filter(pk__in=places.values("user_id"))


def members_of_departments(
    tenant_id: int, codes: Iterable[str], *, deep: bool, at: datetime | None = None
) -> tuple[Person, ...]:
    """The members of these departments, by id; `deep`: of all departments below them too."""
    wanted = possible(codes)
    if not wanted:
        return ()
    if not deep:
        return _people(
            User.objects.for_tenant(tenant_id).filter(
                department__tenant_id=tenant_id, department__code__in=wanted
            ),
            at,
        )
    marks = ", ".join(["%s"] * len(wanted))
    parts = {"marks": marks, "limit": _DEPTH_LIMIT}
    rows = _rows(_MEMBERS_BELOW, (tenant_id, *wanted), [tenant_id], at, **parts)
    return tuple(_person(*row) for row in rows)


def managers_above(tenant_id: int, user_id: int, at: datetime | None = None) -> tuple[Person, ...]:
    """The reporting line of a person of the tenant, nearest manager first, in one statement.

    At most 20 people; a circle, which two simultaneous changes can close, ends it. Source:
    workflow/engine/facts.py.
    """
    line: dict[int, Person] = {}
    for row in _rows(_MANAGERS, (user_id, tenant_id), [tenant_id], at, limit=LINE_LIMIT):
        person = _person(*row)
        if person.id in line or person.id == user_id:
            break
        line[person.id] = person
    return tuple(line.values())


def department_line(
    tenant_id: int,
    *,
    user_id: int | None = None,
    code: str | None = None,
    at: datetime | None = None,
) -> tuple[DepartmentFact, ...]:
    """A department and those above it up to the top, nearest first, in one statement.

    Args:
        tenant_id: whose departments.
        user_id: begin with the department of this person of the tenant …
        code: … or with this department; exactly one of the two is given.
        at: the moment about which `Person.away` of the heads tells, aware UTC.

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
    line: dict[str, DepartmentFact] = {}
    for unit, name, *head in _rows(_LINE, values, [], at, start=start, limit=_DEPTH_LIMIT):
        if unit in line:
            break  # a circle: see _DEPTH_LIMIT
        line[unit] = DepartmentFact(unit, name, None if head[0] is None else _person(*head))
    return tuple(line.values())


def unknown_codes(
    tenant_id: int,
    kind: Literal["user", "role", "department", "group", "post", "calendar"],
    codes: Sequence[str],
) -> tuple[str, ...]:
    """Those of `codes` that name nothing in this tenant, once each, in the given order."""
    model, column = _NAMED[kind]
    rows = model._default_manager.filter(tenant_id=tenant_id)  # noqa: SLF001 - documented API
    known = set(rows.filter(**{f"{column}__in": possible(codes)}).values_list(column, flat=True))
    return tuple(code for code in dict.fromkeys(codes) if code not in known)


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
