"""The members of a request's body: each asked for by name and kind, and no other accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem, pointer_part

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise
    from rest_framework.request import Request

# A comment or a reason: what the pages take too.
LONGEST_COMMENT: Final = 2000
MOST_UNKNOWN: Final = 20


class Body:
    """Reads the members one by one and collects what is wrong; `finish` refuses all of it at once.

    Nothing is converted: the text "1" is no number, and 1 is no text. Making one reads the body,
    so a body that is no acceptable JSON is refused before anything is looked up.

    Raises Problem: 400 json.…, 413, 415.

    Source: contract, A task is one seat (JSON that is not acceptable is 400).
    """

    def __init__(self, request: Request) -> None:
        self._members: dict[str, Any] = dict(request.data)
        self._known: set[str] = set()
        self._findings: list[dict[str, Any]] = []

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

    def mapping(self, name: str) -> dict[str, Any]:
        """An object; empty when it is absent."""
        value = self.take(name)
        if name not in self._members:
            return {}
        if isinstance(value, dict):
            return value
        self._refuse("request.type", name, _("This should be an object."), expected="object")
        return {}

    def nothing(self, name: str) -> None:
        """A list that has to be empty as long as this version has nothing to put into it."""
        value = self.take(name)
        if name in self._members and value != []:
            self._refuse("request.not_run_yet", name, _("This version takes nothing here."))

    def finish(self) -> None:
        """Raises Problem 400 request.invalid with everything that is wrong with the members."""
        strange = [name for name in self._members if name not in self._known]
        for name in strange[:MOST_UNKNOWN]:
            self._refuse("request.unknown", name, _("This address does not know this member."))
        if self._findings:
            raise Problem(
                400,
                "request.invalid",
                _("Members of the body are missing, unknown or of another kind."),
                errors=self._findings,
            )

    def _refuse(self, code: str, name: str, message: StrOrPromise, **args: str | int) -> None:
        at = f"/{pointer_part(name)}"
        self._findings.append({"code": code, "at": at, "args": args, "message": str(message)})
