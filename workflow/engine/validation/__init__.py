"""Whether a process document makes sense: every problem that needs no directory, at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workflow.engine.flowdoc.places import in_document_order
from workflow.engine.parsing import decode
from workflow.engine.validation import (
    asking_rules,
    automatic,
    blocks,
    coverage,
    deciding,
    fields,
    paths,
    people,
)
from workflow.engine.validation.look import look_at
from workflow.engine.validation.people import Reference, people_references
from workflow.forms.findings import Finding, errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from workflow.engine.flowdoc import Flowdoc
    from workflow.forms.formdoc import FormDoc

# What cannot be judged while parts of the document are missing.
_NEED_THE_WHOLE = (
    "flow.",
    "goto.",
    "reject.target",
    "deadline.target",
    "people.not_dominating_step",
    "people.single",
    "decide.weights",
    "cond.unknown_step",
    "form.condition_on_optional",
    "form.required_but_hidden",
)
# A broken name or note says nothing about anything around it.
_HARMLESS = ("/name", "/note")


@dataclass(frozen=True, slots=True)
class Checked:
    """A document that may be kept, or none, and everything that was found in it.

    `doc` is present when its shape is right, even when `findings` hold errors; `ok` says whether
    it may be published as far as the document alone tells.
    """

    doc: Flowdoc | None
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing found is an error."""
        return not errors(self.findings)


def validate(doc: Flowdoc, form: FormDoc | None) -> tuple[Finding, ...]:
    """Every problem of a document, in document order (approvals 3.2, invariants 1 to 9 and 11).

    `form` is the form that the document would be published with, None for a flow without one.
    People, rules, targets and other flows are looked up by whoever publishes; the people are
    those of `people_references`.
    """
    return in_document_order(doc, _found(doc, form))


def _nothing(_doc: Flowdoc) -> Iterable[Finding]:
    return ()


def check_document(
    raw: object,
    form: FormDoc | None,
    also: Callable[[Flowdoc], Iterable[Finding]] = _nothing,
) -> Checked:
    """Read a parsed JSON value and validate what can be read, in one answer in document order.

    Where the shape is wrong, the rest of the document is still looked at; findings that only
    follow from the broken places are left out. `also` finds what needs more than the document,
    such as people who are not there.
    """
    decoded = decode(raw)
    if decoded.doc is not None:
        findings = in_document_order(raw, [*_found(decoded.doc, form), *also(decoded.doc)])
        return Checked(decoded.doc, findings)
    if decoded.remains is None:
        return Checked(None, decoded.findings)
    further = [
        finding
        for finding in (*_found(decoded.remains, form), *also(decoded.remains))
        if not finding.code.startswith(_NEED_THE_WHOLE) and not _follows(finding, decoded.broken)
    ]
    return Checked(None, in_document_order(raw, [*decoded.findings, *further]))


def _found(doc: Flowdoc, form: FormDoc | None) -> list[Finding]:
    look = look_at(doc, form)
    return [
        *blocks.check(look),
        *paths.check(look),
        *people.check(look),
        *deciding.check(look),
        *fields.check(look),
        *automatic.check(look),
        *asking_rules.check(look),
        *coverage.check(look),
    ]


def _follows(finding: Finding, broken: tuple[str, ...]) -> bool:
    at = f"{finding.at}/"
    return any(
        at.startswith(f"{place}/")
        or (f"{place}/".startswith(at) and not place.endswith(_HARMLESS))
        for place in broken
    )


__all__ = ["Checked", "Reference", "check_document", "people_references", "validate"]
