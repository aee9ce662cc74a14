"""The canonical bytes of a form and their digest; two equal digests are one version."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from workflow.forms.scalars import Value, nfc

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.forms.formdoc import FormDoc


def canonical_bytes(form: FormDoc) -> bytes:
    """UTF-8 NFC, sorted keys, no insignificant space, defaults left out (spec, invariant 12)."""
    return msgspec.json.encode(_composed(msgspec.to_builtins(form)), order="sorted")


def form_digest(form: FormDoc) -> str:
    """SHA-256 of the canonical bytes, 64 hexadecimal digits."""
    return hashlib.sha256(canonical_bytes(form)).hexdigest()


def _composed(value: object) -> object:
    # The depth is bounded: only `show_if` nests, and at most eight deep.
    if isinstance(value, str):
        return nfc(value)
    if isinstance(value, dict):
        return {_composed(name): _composed(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_composed(member) for member in value]
    return value


def values_digest(values: Mapping[str, Value]) -> str:
    """SHA-256 of what somebody saw of a form when he decided: canonical JSON of the values."""
    return hashlib.sha256(msgspec.json.encode(_composed(dict(values)), order="sorted")).hexdigest()
