"""The members of a request's body: each asked for by name and kind, and no other accepted."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem, pointer_part

if TYPE_CHECKING:
    from collections.abc import Collection

    from django_stubs_ext import StrOrPromise
    from rest_framework.request import Request

# A comment or a reason: what the pages take too.
LONGEST_COMMENT: Final = 2000
LONGEST_LOGIN: Final = 150
# The id of a step; an id of a row, in digits; an id of a file.
LONGEST_STEP: Final = 128
LONGEST_ID: Final = 19
LONGEST_FILE: Final = 64
MOST_UNKNOWN: Final = 20
# What fits every integer column, as in `flowadmin.rest.preconditions`.
BIGGEST: Final = 999_999_999
# More than the engine takes anywhere, so that it is the engine that says how many are too many.
MOST_NAMED: Final = 500


class Members:
    """Reads the members of one object one by one and notes what is wrong.

    Nothing is converted: the text "1" is no number, and 1 is no text.
    """

    def __init__(
        self, members: dict[str, Any], findings: list[dict[str, Any]], at: str = ""
    ) -> None:
        self._members = members
        self._findings = findings
        self._at = at
        self._known: set[str] = set()
        self._parts: list[Members] = []

    def has(self, name: str) -> bool:
        """Whether the member is there, whatever it holds."""
        return name in self._members

    def take(self, name: str, *, required: bool = False) -> Any:
        """A member of any kind; None when it is absent."""
        self._known.add(name)
        if required and name not in self._members:
            self._refuse("request.required", name, _("This member is missing."))
        return self._members.get(name)

    def text(self, name: str, *, longest: int, required: bool = False) -> str:
        """A text of at most ``longest`` characters; empty when it is absent."""
        value = self.take(name, required=required)
        if name not in self._members:
            return ""
        if not isinstance(value, str):
            self._refuse("request.type", name, _("This should be text."), expected="text")
            return ""
        if len(value) > longest:
            message = _("At most %(max)d characters.") % {"max": longest}
            self._refuse("request.too_long", name, message, max=longest)
        return value

    def truth(self, name: str) -> bool | None:
        """True or false; None when it is absent."""
        value = self.take(name)
        if isinstance(value, bool):
            return value
        if name in self._members:
            message = _("This should be true or false.")
            self._refuse("request.type", name, message, expected="truth")
        return None

    def mapping(self, name: str) -> dict[str, Any]:
        """An object; empty when it is absent."""
        value = self.take(name)
        if name not in self._members:
            return {}
        if isinstance(value, dict):
            return value
        self._refuse("request.type", name, _("This should be an object."), expected="object")
        return {}

    def mapping_or_null(self, name: str) -> dict[str, Any] | None:
        """An object; None when it is absent or null."""
        return None if self.take(name) is None else self.mapping(name)

    def list_or_null(self, name: str) -> list[Any] | None:
        """A list of anything; None when it is absent or null."""
        value = self.take(name)
        if value is None or isinstance(value, list):
            return value
        self._refuse("request.type", name, _("This should be a list of objects."), expected="list")
        return None

    def choice(self, name: str, allowed: Collection[str], *, default: str = "") -> str:
        """One of a few words; without a default it has to be there."""
        value = self.take(name, required=not default)
        if name not in self._members:
            return default
        if isinstance(value, str) and value in allowed:
            return value
        words = ", ".join(sorted(allowed))
        message = _("This should be one of: %(words)s.") % {"words": words}
        self._refuse("request.choice", name, message, words=words)
        return default

    def moment(self, name: str) -> datetime | None:
        """A moment with its offset (RFC 3339); None for null, and it has to be there."""
        value = self.take(name, required=True)
        if value is None:
            return None
        try:
            found = datetime.fromisoformat(value) if isinstance(value, str) else None
        except ValueError:
            found = None
        if found is None or found.utcoffset() is None or "T" not in str(value).upper():
            message = _("This should be a moment such as 2026-03-02T09:00:00Z.")
            self._refuse("request.type", name, message, expected="moment")
            return None
        return found

    def texts(self, name: str, *, longest: int, required: bool = False) -> tuple[str, ...]:
        """A list of texts of at most ``longest`` characters each; empty when it is absent."""
        value = self.take(name, required=required)
        return () if name not in self._members else self._texts(name, value, longest)

    def picked(self, name: str = "picked") -> dict[str, tuple[str, ...]]:
        """``{step: [login]}`` (contract, Shapes); empty when it is absent."""
        found: dict[str, tuple[str, ...]] = {}
        for step, logins in self.mapping(name).items():
            if len(found) == MOST_NAMED:
                self._refuse("request.too_many", name, _too_many(MOST_NAMED), max=MOST_NAMED)
                break
            found[step] = self._texts(f"{name}/{pointer_part(step)}", logins, LONGEST_LOGIN)
        return found

    def version(self, name: str) -> int:
        """The version of a row that the caller saw; it has to be there."""
        value = self.take(name, required=True)
        if name not in self._members:
            return 0
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= BIGGEST:
            return value
        message = _("This should be a whole number.")
        self._refuse("request.type", name, message, expected="version")
        return 0

    def parts(self, name: str, *, most: int) -> list[Members]:
        """A list of 1 to ``most`` objects, to be read in the same way; it has to be there."""
        value = self.take(name, required=True)
        if name not in self._members:
            return []
        if not isinstance(value, list) or not value:
            message = _("This should be a list of objects.")
            self._refuse("request.type", name, message, expected="objects")
            return []
        if len(value) > most:
            self._refuse("request.too_many", name, _too_many(most), max=most)
            return []
        for place, each in enumerate(value):
            if isinstance(each, dict):
                at = f"{self._at}/{name}/{place}"
                self._parts.append(Members(each, self._findings, at))
            else:
                message = _("This should be an object.")
                self._refuse("request.type", f"{name}/{place}", message, expected="object")
        return self._parts

    def repeated(self, name: str) -> None:
        """Note that a member says again what another part of the list has said."""
        self._refuse("request.repeated", name, _("This stands in the list twice."))

    def _texts(self, at: str, value: Any, longest: int) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            message = _("This should be a list of texts.")
            self._refuse("request.type", at, message, expected="texts")
            return ()
        if len(value) > MOST_NAMED:
            self._refuse("request.too_many", at, _too_many(MOST_NAMED), max=MOST_NAMED)
            return ()
        for place, each in enumerate(value):
            if len(each) > longest:
                message = _("At most %(max)d characters.") % {"max": longest}
                self._refuse("request.too_long", f"{at}/{place}", message, max=longest)
        return tuple(value)

    def name_strangers(self) -> None:
        """Note each member that nobody asked for, in the parts too."""
        for part in self._parts:
            part.name_strangers()
        strange = [name for name in self._members if name not in self._known]
        for name in strange[:MOST_UNKNOWN]:
            message = _("This address does not know this member.")
            self._refuse("request.unknown", pointer_part(name), message)

    def _refuse(self, code: str, at: str, message: StrOrPromise, **args: str | int) -> None:
        found = {"code": code, "at": f"{self._at}/{at}", "args": args, "message": str(message)}
        self._findings.append(found)


class Body(Members):
    """The whole body; `finish` refuses everything that is wrong with it at once.

    Making one reads the body, so a body that is no acceptable JSON is refused before anything is
    looked up.

    Raises Problem: 400 json.…, 413, 415.

    Source: contract, A task is one seat (JSON that is not acceptable is 400).
    """

    def __init__(self, request: Request) -> None:
        super().__init__(dict(request.data), [])

    def finish(self) -> None:
        """Raises Problem 400 request.invalid with everything that is wrong with the members."""
        self.name_strangers()
        if self._findings:
            raise Problem(
                400,
                "request.invalid",
                _("Members of the body are missing, unknown or of another kind."),
                errors=self._findings,
            )


def _too_many(most: int) -> str:
    return _("At most %(max)d here.") % {"max": most}
