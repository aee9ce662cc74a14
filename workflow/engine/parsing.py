"""From raw JSON to a process document: everything that is wrong with its shape, at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from workflow.engine.canonical import canonical_bytes
from workflow.engine.flowdoc.places import in_document_order
from workflow.engine.flowdoc.reading import Enough, Reader
from workflow.forms.findings import Finding

if TYPE_CHECKING:
    from workflow.engine.flowdoc import Flowdoc

VERSION = 1
# approvals 3.2, invariant 2: bytes of the canonical form.
LARGEST = 512 * 1024


@dataclass(frozen=True, slots=True)
class Decoded:
    """A document, or why there is none.

    `doc` is present exactly when no finding is an error. Otherwise `remains` may hold the document
    with harmless stand-ins at the places named in `broken`: good for looking further, never for
    keeping.
    """

    doc: Flowdoc | None
    findings: tuple[Finding, ...] = ()
    remains: Flowdoc | None = None
    broken: tuple[str, ...] = ()


def decode(raw: object) -> Decoded:
    """The process document in a parsed JSON value, or every structural problem in document order.

    `raw` is what a JSON reader gave; floats, wrong types, lone surrogates, NUL and any depth or
    size are findings, never exceptions. Texts come out in NFC, durations in their shortest form,
    and a reminder of 0 or blank minutes is no deadline (seed requirements, P8).
    """
    if not isinstance(raw, dict):
        return Decoded(None, (Finding("doc.bad_type", args={"expected": "object"}),))
    version = raw.get("flowdoc")
    if type(version) is not int or version != VERSION:
        return Decoded(None, (Finding("doc.version", "/flowdoc", args={"expected": VERSION}),))
    reader = Reader()
    try:
        document = reader.document(raw)
    except Enough:
        findings = in_document_order(raw, reader.findings)
        more = Finding("doc.too_many_problems", args={"shown": len(findings)})
        return Decoded(None, (*findings, more))
    if reader.findings:
        findings = in_document_order(raw, reader.findings)
        return Decoded(None, findings, document, tuple(reader.broken))
    if _may_be_large(document) and len(canonical_bytes(document)) > LARGEST:
        return Decoded(None, (Finding("doc.size", args={"high": LARGEST}),))
    return Decoded(document)


def _may_be_large(document: Flowdoc) -> bool:
    """Whether it is worth while to write it in its canonical form only to see how long that is.

    That form leaves members out, and texts are in NFC already, so it is never longer.
    """
    return len(msgspec.json.encode(document)) > LARGEST
