"""The organisation as the engine may ask it while a command is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flowadmin.directory import queries as directory
from flowadmin.directory.queries import DepartmentFact, Person
from workflow import statements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date


class Organisation:
    """Answers for one tenant at one moment; each question is asked of the database once.

    ``known`` is somebody whom the caller has already read, so that nobody reads him twice.
    """

    def __init__(self, tenant_id: int, today: date, known: Person | None = None) -> None:
        self._tenant_id = tenant_id
        self._today = today
        self._by_id: dict[int, Person] = {known.id: known} if known else {}
        self._lines: dict[str | int, tuple[DepartmentFact, ...]] = {}

    @property
    def today(self) -> date:
        return self._today

    def people_by_login(self, logins: Sequence[str]) -> Sequence[Person]:
        rows = statements.people_by_login(self._tenant_id, logins)
        found = {login: Person(pk, login, name, bool(active)) for pk, login, name, active in rows}
        return [found[login] for login in dict.fromkeys(logins) if login in found]

    def people_by_id(self, ids: Sequence[int]) -> Sequence[Person]:
        missing = [pk for pk in ids if pk not in self._by_id]
        if missing:
            rows = statements.people_by_id(self._tenant_id, missing)
            for pk, login, name, active in rows:
                self._by_id[pk] = Person(pk, login, name, bool(active))
        return [self._by_id[pk] for pk in ids if pk in self._by_id]

    def role_members(self, codes: Sequence[str]) -> Sequence[Person]:
        return directory.members_of_roles(self._tenant_id, codes)

    def department_members(self, codes: Sequence[str], *, deep: bool) -> Sequence[Person]:
        return directory.members_of_departments(self._tenant_id, codes, deep=deep)

    def line_of_user(self, user: int) -> Sequence[DepartmentFact]:
        if user not in self._lines:
            self._lines[user] = directory.department_line(self._tenant_id, user_id=user)
        return self._lines[user]

    def line_of_department(self, code: str) -> Sequence[DepartmentFact]:
        if code not in self._lines:
            self._lines[code] = directory.department_line(self._tenant_id, code=code)
        return self._lines[code]

    def departments_of(self, users: Sequence[int]) -> Mapping[int, str]:
        return directory.departments_of(self._tenant_id, users)
