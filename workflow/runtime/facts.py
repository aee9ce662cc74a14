"""The organisation as the engine may ask it while a command is decided."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, TypeVar

from flowadmin.directory import calendars, queries, substitution
from flowadmin.directory.time_zones import zone
from rules.asking import newest_version
from workflow.models import Definition

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from flowadmin.directory.queries import DepartmentFact, Person
    from flowadmin.directory.working_time import WorkingTime

Answer = TypeVar("Answer")
Asked = TypeVar("Asked", str, int)


class Organisation:
    """Answers for one tenant at one moment; each question is asked of the database once.

    Reading people also tells who of them is away, so that a plain assignment needs no statement
    to learn that nobody is: `substitutes_of` asks only about the others.
    """

    def __init__(
        self,
        tenant_id: int,
        moment: datetime | date,
        known: Person | None = None,
        time_zone: str = "",
    ) -> None:
        """Nothing is read yet.

        Args:
            tenant_id: whose organisation.
            moment: the database's clock, aware; a bare date stands for its first moment in UTC,
                and is `today` whatever the tenant's zone is.
            known: somebody whom the caller has already read, so that nobody reads him twice.
            time_zone: the tenant's, when the caller has read it; else it is read for `today`.
        """
        self._tenant_id = tenant_id
        self._day = None if isinstance(moment, datetime) else moment
        if not isinstance(moment, datetime):
            moment = datetime.combine(moment, time.min, UTC)
        self._at = moment.astimezone(UTC)
        self._time_zone = time_zone
        self._by_id: dict[int, Person] = {known.id: known} if known else {}
        self._substitutes: dict[tuple[str, int], int | None] = {}
        self._answers: dict[Hashable, object] = {}

    @property
    def today(self) -> date:
        if self._day is None:
            tenant = self._tenant_id
            own = zone(self._time_zone) if self._time_zone else calendars.zone_of(tenant)
            self._day = self._at.astimezone(own).date()
        return self._day

    def people_by_login(self, logins: Sequence[str]) -> Sequence[Person]:
        found = {person.login: person for person in self._people(queries.people_by_login, logins)}
        return [found[login] for login in dict.fromkeys(logins) if login in found]

    def people_by_id(self, ids: Sequence[int]) -> Sequence[Person]:
        missing = [pk for pk in ids if pk not in self._by_id]
        if missing:
            self._people(queries.people_of_tenant, missing)
        return [self._by_id[pk] for pk in ids if pk in self._by_id]

    def role_members(self, codes: Sequence[str]) -> Sequence[Person]:
        return self._people(queries.members_of_roles, codes)

    def group_members(self, codes: Sequence[str]) -> Sequence[Person]:
        return self._people(queries.members_of_groups, codes)

    def post_holders(self, codes: Sequence[str]) -> Sequence[Person]:
        return self._people(queries.holders_of_posts, codes)

    def department_members(self, codes: Sequence[str], *, deep: bool) -> Sequence[Person]:
        def read() -> tuple[Person, ...]:
            return self._seen(
                queries.members_of_departments(self._tenant_id, codes, deep=deep, at=self._at)
            )

        return self._once(("department_members", tuple(codes), deep), read)

    def line_of_user(self, user: int) -> Sequence[DepartmentFact]:
        return self._once(("line_of_user", user), lambda: self._line(user_id=user))

    def line_of_department(self, code: str) -> Sequence[DepartmentFact]:
        return self._once(("line_of_department", code), lambda: self._line(code=code))

    def departments_of(self, users: Sequence[int]) -> Mapping[int, str]:
        return self._once(
            ("departments_of", tuple(users)),
            lambda: queries.departments_of(self._tenant_id, users),
        )

    def managers_above(self, user: int) -> Sequence[Person]:
        def read() -> tuple[Person, ...]:
            return self._seen(queries.managers_above(self._tenant_id, user, self._at))

        return self._once(("managers_above", user), read)

    def substitutes_of(self, users: Sequence[int], process: str) -> Mapping[int, int]:
        unknown = [
            user
            for user in dict.fromkeys(users)
            if (process, user) not in self._substitutes and self._may_be_away(user)
        ]
        if unknown:
            found = substitution.substitutes_of(self._tenant_id, unknown, process, self._at)
            self._substitutes |= {(process, user): found.get(user) for user in unknown}
        answers = {user: self._substitutes.get((process, user)) for user in users}
        return {user: substitute for user, substitute in answers.items() if substitute is not None}

    def flow_version(self, key: str) -> int:
        def read() -> int:
            rows = Definition.objects.filter(tenant_id=self._tenant_id, key=key)
            return rows.values_list("current__number", flat=True).first() or 0

        return self._once(("flow_version", key), read)

    def rule_version(self, key: str) -> int:
        application, _slash, chain_id = key.partition("/")
        return newest_version(application, chain_id)

    def working_time(self, calendar: str) -> WorkingTime | None:
        return self._once(
            ("working_time", calendar),
            lambda: calendars.working_time(self._tenant_id, calendar),
        )

    def _may_be_away(self, user: int) -> bool:
        """Whether it has to be asked: not of those who were read and have no absence at all."""
        return user not in self._by_id or self._by_id[user].away is not False

    def _line(
        self, *, user_id: int | None = None, code: str | None = None
    ) -> tuple[DepartmentFact, ...]:
        line = queries.department_line(self._tenant_id, user_id=user_id, code=code, at=self._at)
        self._seen(unit.head for unit in line if unit.head is not None)
        return line

    def _people(
        self,
        read: Callable[[int, Sequence[Asked], datetime], tuple[Person, ...]],
        asked: Sequence[Asked],
    ) -> tuple[Person, ...]:
        return self._once(
            (read, tuple(asked)), lambda: self._seen(read(self._tenant_id, asked, self._at))
        )

    def _seen(self, people: Iterable[Person]) -> tuple[Person, ...]:
        """Remember who they are, and whether they are away."""
        found = tuple(people)
        self._by_id |= {person.id: person for person in found}
        return found

    def _once(self, question: Hashable, read: Callable[[], Answer]) -> Answer:
        if question not in self._answers:
            self._answers[question] = read()
        answer: Answer = self._answers[question]  # type: ignore[assignment]  # read() gave it
        return answer
