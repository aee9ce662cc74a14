"""The given addresses, spellings and targets, which must be refused or may be reached."""

from __future__ import annotations

import json
from pathlib import Path

_given = json.loads(Path(__file__).with_name("addresses.json").read_text(encoding="utf-8"))

DENY = _given["deny"]
ALLOW = _given["allow"]
SPELLINGS = _given["spellings"]
URLS = _given["urls_to_refuse"]


def url_of(address: str, rest: str = "/") -> str:
    """A target with a literal address."""
    return f"http://[{address}]{rest}" if ":" in address else f"http://{address}{rest}"
