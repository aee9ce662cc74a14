"""The one way in which a process document is written, and its digest."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from workflow.engine.flowdoc import Flowdoc


def canonical_bytes(doc: Flowdoc) -> bytes:
    """UTF-8 NFC, sorted keys, no insignificant space, members with their default value left out.

    Two documents that say the same in another order of keys, or spell out a default, give the
    same bytes (approvals 3.2, invariant 12).
    """
    return msgspec.json.encode(plain(doc), order="sorted")


def digest(canonical: bytes) -> str:
    """SHA-256 of canonical bytes in lower-case hexadecimal: the digest of a version."""
    return hashlib.sha256(canonical).hexdigest()


def plain(value: Any) -> Any:
    """A document or any part of it as JSON values, defaults left out."""
    if isinstance(value, msgspec.Struct):
        return _plain_struct(value)
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        return {plain(name): plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _plain_struct(value: msgspec.Struct) -> dict[str, Any]:
    config = value.__struct_config__
    members: dict[str, Any] = {} if config.tag_field is None else {config.tag_field: config.tag}
    for field in _fields(type(value)):
        member = getattr(value, field.name)
        if field.required or not _same(member, _default(field)):
            members[field.encode_name] = plain(member)
    return members


@lru_cache(maxsize=256)
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    # Asking msgspec evaluates the annotations anew each time.
    return msgspec.structs.fields(kind)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def _same(member: Any, default: Any) -> bool:
    # 0 and False are equal in Python and not in a document.
    return type(member) is type(default) and bool(member == default)
