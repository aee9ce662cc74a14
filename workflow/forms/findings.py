"""What is wrong with a document or with submitted values: a code, a position and its arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Level = Literal["error", "warning"]

# A key that somebody sent may be a megabyte long; a position has to stay readable.
_LONGEST_PART = 64


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem; its text is made from `code` and `args` by `workflow.wording`.

    `at` is a JSON Pointer (RFC 6901) into the document or the submitted values, `step` the id of
    the step that it lies in, when there is one (spec, Validation result).
    """

    code: str
    at: str = ""
    step: str | None = None
    level: Level = "error"
    args: Mapping[str, str | int] = field(default_factory=dict)


def errors(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those findings that forbid going on."""
    return tuple(finding for finding in findings if finding.level == "error")


def child(at: str, part: str | int) -> str:
    """The JSON Pointer of a member (text) or element (number) of the value at `at`."""
    text = str(part)
    # The same parts come again and again; only short ones are kept, for many fit into memory.
    return f"{at}/{_escaped(text) if len(text) <= _LONGEST_PART else _escape(text)}"


def _escape(part: str) -> str:
    return printable(part).replace("~", "~0").replace("/", "~1")


_escaped = lru_cache(maxsize=4096)(_escape)


def printable(text: str) -> str:
    """Foreign text as it may stand in a finding: cut, and without what no JSON encoder takes."""
    cut = text if len(text) <= _LONGEST_PART else text[:_LONGEST_PART] + "…"
    return "".join(
        " " if ord(letter) < 32 or 0xD800 <= ord(letter) < 0xE000 else letter for letter in cut
    )
