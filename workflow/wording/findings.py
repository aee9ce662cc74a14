"""What is wrong with a document or with values, as sentences in the reader's language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workflow.forms.findings import child
from workflow.wording.finding_texts import (
    EXPECTED,
    OF_VALUES,
    PATTERN_REASONS,
    SHORTER,
    SHORTEST,
    TEXTS,
    TYPES,
    VALUES_OF_TYPES,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workflow.forms.findings import Finding


def worded(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings as members of a problem: ``{code, at, step, level, args, message}`` (contract)."""
    return [
        {
            "code": finding.code,
            "at": finding.at,
            "step": finding.step,
            "level": finding.level,
            "args": dict(finding.args),
            "message": sentence(finding),
        }
        for finding in findings
    ]


def sentence(finding: Finding) -> str:
    """The sentence of one finding; a code without a text is shown as it is, never hidden."""
    of_value = _is_value(finding)
    tried = (*((OF_VALUES,) if of_value else ()), TEXTS, SHORTER, SHORTEST)
    for texts in tried:
        text = texts.get(finding.code)
        if text is not None:
            try:
                # The template itself says whether the type follows "This should be".
                return str(text) % _args(finding, of_value=of_value or texts is SHORTER)
            except KeyError:
                # A text that asks for more than the finding carries must not hide the finding.
                continue
    return finding.code


def _is_value(finding: Finding) -> bool:
    """Whether it speaks of a value that was filled in: at `/field`, `/form/field`, or in a table
    at a row or a cell of it.
    """
    field = finding.args.get("field")
    if not isinstance(field, str):
        return False
    places = (child("", field), child("/form", field))
    table = field.partition(".")[0]
    rows = (child("", table), child("/form", table))
    return finding.at in places or any(finding.at.startswith(f"{place}/") for place in rows)


def _args(finding: Finding, *, of_value: bool) -> dict[str, str | int]:
    types = VALUES_OF_TYPES if of_value or finding.code == "form.bad_value" else TYPES
    words = {"type": types, "expected": EXPECTED, "reason": PATTERN_REASONS}
    args: dict[str, str | int] = {}
    for name, value in finding.args.items():
        word = words.get(name, {}).get(str(value))
        args[name] = value if word is None else str(word)
    return args
