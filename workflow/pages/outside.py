"""What a page knows of the world around a form: names of people, departments and files, a zone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.utils import timezone

from workflow.forms.scalars import timestamp_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, tzinfo

    from workflow.forms.scalars import FieldType

# Where files are sent to and read from (contract, Files).
FILES = "/api/v1/files/"


@dataclass(frozen=True, slots=True)
class Outside:
    """Names by login, code and file id, as far as the caller has looked them up.

    With `all_people` (`all_departments`) the names are those of everybody who may be chosen, and
    fields offer them as a list; otherwise one types a login (a code), and the names only serve
    reading. `zone` is the one in which moments are typed and read, None for the active one.
    """

    people: Mapping[str, str] = field(default_factory=dict)
    departments: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    all_people: bool = False
    all_departments: bool = False
    zone: tzinfo | None = None

    def name_of(self, kind: FieldType, word: str) -> str:
        """What a person, department or file is called; the id itself when it is not known."""
        known: dict[FieldType, Mapping[str, str]] = {
            "user": self.people,
            "department": self.departments,
            "file": self.files,
        }
        return known.get(kind, {}).get(word) or word

    def offered(self, kind: FieldType) -> Mapping[str, str] | None:
        """All that a field of this type can be filled with; None where one has to type."""
        if kind == "user" and self.all_people:
            return self.people
        if kind == "department" and self.all_departments:
            return self.departments
        return None

    def here(self) -> tzinfo:
        """The zone of moments."""
        return self.zone or timezone.get_current_timezone()

    def local(self, value: object) -> datetime | None:
        """A stored moment in this zone; None when it is none."""
        moment = timestamp_of(value)
        return None if moment is None else moment.astimezone(self.here())


NOTHING_KNOWN = Outside()
