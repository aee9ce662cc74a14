"""What an import gives: a document, a form, the people named, and everything there is to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workflow.forms.findings import Finding, errors

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["user", "role", "department", "group"]


@dataclass(frozen=True, slots=True)
class Named:
    """Somebody, or a set of people, whom the source file names.

    `code` is the directory code that the document uses for it, `mapped` whether somebody said so
    (`--people`); otherwise the code is the file's own id in the spelling of codes.
    """

    kind: Kind
    source_id: str
    name: str
    code: str
    at: str
    mapped: bool


@dataclass(frozen=True, slots=True)
class Carried:
    """The result of one conversion (approvals 3.2, Import map).

    `document` and `form` are plain JSON values, None when nothing sensible could be made of the
    file; `form` is also None when no condition asks a field. Positions in `findings` are JSON
    Pointers into the SOURCE file. `origins` leads from positions in our document to those in the
    source: a finding of `/steps/0/who` belongs to the nearest one above it.
    """

    source: str
    document: dict[str, Any] | None
    form: dict[str, Any] | None
    findings: tuple[Finding, ...]
    people: tuple[Named, ...]
    origins: Mapping[str, str]

    @property
    def ok(self) -> bool:
        """Whether everything of the file that means something was carried."""
        return self.document is not None and not errors(self.findings)

    def place(self, at: str) -> str:
        """The position in the source file of a position in the document or its form.

        `at` begins with ``/document`` or ``/form``, as `workflow.actions.publishing` gives it.
        """
        while at:
            if at in self.origins:
                return self.origins[at]
            at = at.rpartition("/")[0]
        return ""
