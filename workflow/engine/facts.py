"""The questions that `decide` may ask of the world; answers end up in the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date, datetime


class Person(Protocol):
    """Somebody of the tenant."""

    @property
    def id(self) -> int: ...
    @property
    def login(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def active(self) -> bool: ...


class DepartmentFact(Protocol):
    """A department with its head, if it has one."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def head(self) -> Person | None: ...


class WorkingTime(Protocol):
    """A working calendar of the tenant."""

    def add(self, start: datetime, seconds: int, /) -> datetime:
        """The moment when so many working seconds have passed since ``start`` (aware, UTC)."""


class Facts(Protocol):
    """The organisation at this moment. Every answer is of one tenant, in a stable order."""

    @property
    def today(self) -> date:
        """The calendar day of the tenant at the moment of the command."""

    def people_by_login(self, logins: Sequence[str]) -> Sequence[Person]:
        """People by login name, in the order asked; unknown names are left out."""

    def people_by_id(self, ids: Sequence[int]) -> Sequence[Person]:
        """People by number, in the order asked."""

    def role_members(self, codes: Sequence[str]) -> Sequence[Person]:
        """Members of any of these roles, disabled people included."""

    def department_members(self, codes: Sequence[str], *, deep: bool) -> Sequence[Person]:
        """Members of these departments; with ``deep`` also of those below."""

    def line_of_user(self, user: int) -> Sequence[DepartmentFact]:
        """The person's department first, then its parents up to the top; empty without one."""

    def line_of_department(self, code: str) -> Sequence[DepartmentFact]:
        """This department first, then its parents up to the top."""

    def departments_of(self, users: Sequence[int]) -> Mapping[int, str]:
        """The department's code of each person who has one."""

    def group_members(self, codes: Sequence[str]) -> Sequence[Person]:
        """Members of any of these groups, disabled people included."""

    def post_holders(self, codes: Sequence[str]) -> Sequence[Person]:
        """Holders of any of these posts, disabled people included."""

    def managers_above(self, user: int) -> Sequence[Person]:
        """The reporting line upwards, nearest first; at most 20, and a circle ends it."""

    def substitutes_of(self, users: Sequence[int], process: str) -> Mapping[int, int]:
        """Those of these people who are absent at this moment, each with the substitute's id.

        0 for whoever is absent and named nobody. ``process`` is the key of the process, because
        a substitute may be named for one process alone.
        """

    def flow_version(self, key: str) -> int:
        """The version with which new requests of a process begin; 0 when there is none."""

    def rule_version(self, key: str) -> int:
        """The newest version of a rule (``application/chain``); 0 when there is none."""

    def working_time(self, calendar: str) -> WorkingTime | None:
        """A working calendar of the tenant by its key; nothing when there is none."""
