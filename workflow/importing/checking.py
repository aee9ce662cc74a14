"""Whether what was made of a file is valid; what is wrong is said where it stands in the file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workflow.engine.validation import check_document
from workflow.forms.reading import decode_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workflow.forms.findings import Finding
    from workflow.importing.report import Carried


def checked(carried: Carried) -> Carried:
    """The same result with every problem that our own validation finds in it.

    Positions are brought back to the source file; two findings that say the same of one place are
    one. Nothing is looked up: people, other processes and targets are the caller's to ask for.
    """
    if carried.document is None:
        return carried
    form, form_findings = decode_form(carried.form) if carried.form is not None else (None, ())
    document = check_document(carried.document, form)
    found = [replace(each, at=f"/document{each.at}") for each in document.findings]
    found += [replace(each, at=f"/form{each.at}") for each in form_findings]
    return replace(carried, findings=in_order([*carried.findings, *at_home(carried, found)]))


def at_home(carried: Carried, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Findings about our document or form, moved to where they come from in the source file."""
    for each in findings:
        yield replace(each, at=carried.place(each.at))


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Without repetitions; errors and warnings together in the order of the source's positions."""
    seen: dict[tuple[str, str, tuple[tuple[str, str | int], ...]], Finding] = {}
    for each in findings:
        seen.setdefault((each.code, each.at, tuple(sorted(each.args.items()))), each)
    return tuple(sorted(seen.values(), key=lambda each: _parts(each.at)))


def _parts(at: str) -> list[tuple[int, int, str]]:
    """A position as something that sorts: numbers of elements by size, names by letters."""
    return [
        (0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part)
        for part in at.split("/")[1:]
    ]
