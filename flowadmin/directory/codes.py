"""The spelling of directory codes: the names by which documents speak of people and units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CODE_LENGTH = 64
CODE_PATTERN = re.compile(r"\A[a-z0-9][a-z0-9._-]{0,63}\Z")


def well_spelt(code: str) -> bool:
    """Whether `code` may be a code at all: lower-case letters, digits, `.`, `_` and `-`."""
    return CODE_PATTERN.match(code) is not None


def possible(codes: Iterable[str]) -> list[str]:
    """The distinct codes that may exist, sorted.

    Text that cannot be a code never reaches a statement: PostgreSQL refuses NUL, and MariaDB
    would compare without regard to case and trailing blanks.
    """
    return sorted({code for code in codes if well_spelt(code)})
