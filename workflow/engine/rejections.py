"""Why a command was refused, in the order in which the contract tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workflow.forms.findings import Finding


class Rejection(Exception):
    """A command that the request does not accept. Nothing was decided.

    ``code`` is stable and never translated; ``about`` carries what the sentence needs.
    """

    def __init__(self, code: str, **about: object) -> None:
        super().__init__(code)
        self.code = code
        self.about: Mapping[str, object] = about


class NotAllowed(Rejection):
    """The person may not do this (403)."""


class NotOpen(Rejection):
    """The task or the request is not open any more (409)."""


class VersionMoved(Rejection):
    """The task changed since the person saw it (412)."""


class Invalid(Rejection):
    """The form, the comment or another rule of the process refuses (422)."""

    def __init__(self, code: str, *, findings: Sequence[Finding] = (), **about: object) -> None:
        super().__init__(code, **about)
        self.findings = tuple(findings)
