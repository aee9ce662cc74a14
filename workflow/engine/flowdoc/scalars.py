"""The texts and numbers that a process document is made of, each with its limits."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec

# The largest whole number that every JSON reader keeps exactly.
BIGGEST = 2**53

# Names of steps, branches, flows and forms. msgspec searches; our reader matches the whole text.
SLUG = "^[a-z][a-z0-9_]{0,47}$"

T = TypeVar("T")

Slug = Annotated[str, msgspec.Meta(pattern=SLUG, title="slug")]
# A directory code; for a person the login name (contract, Shapes).
Code = Annotated[str, msgspec.Meta(min_length=1, max_length=150)]
# The key of a row of the tenant: target, secret, calendar, retry policy, rule, text.
Key = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
# A field of the form, or `table.column`.
FieldId = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=48)]
# ISO-8601 with days, hours, minutes and seconds; decoding writes it in its shortest form.
Duration = Annotated[
    str, msgspec.Meta(extra={"reads": "duration"}, extra_json_schema={"format": "duration"})
]
# The same in whole minutes, 1 to 525600 (seed requirements, P8).
Minutes = Annotated[
    str, msgspec.Meta(extra={"reads": "minutes"}, extra_json_schema={"format": "duration"})
]
# RFC 3339 with its offset from UTC.
Timestamp = Annotated[
    str, msgspec.Meta(extra={"reads": "timestamp"}, extra_json_schema={"format": "date-time"})
]
# Text with `{initiator.name} {form.x} {flow.name} {number} {today}` and nothing else in braces.
Template = Annotated[str, msgspec.Meta(max_length=2000)]
# A published version by number, or whatever is newest when the step is entered.
Version = Annotated[int, msgspec.Meta(ge=1, le=BIGGEST)] | Literal["latest_at_entry"]
Level = Annotated[int, msgspec.Meta(ge=0, le=20)]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of everything in a process document: immutable, and strict about its members."""


def tag_of(part: msgspec.Struct) -> str:
    """The value of a part's tag member (`kind`, `by`, `mode` or `do`); "" when it has none."""
    tag: Any = part.__struct_config__.tag
    return "" if tag is None else str(tag)
