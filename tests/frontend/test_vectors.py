"""The cases that the designer's model answers too: the same codes at the same places.

`frontend/tests/vectors.test.ts` runs the same files through the TypeScript of the designer, so
what somebody sees while drawing is what publishing says.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings

from workflow.engine.validation import check_document
from workflow.forms.reading import decode_form

if TYPE_CHECKING:
    from workflow.forms.findings import Finding

FOLDER = settings.BASE_DIR / "tests/vectors"
WORKFLOW = settings.BASE_DIR / "workflow"
# What only the server says: it needs an evaluator, a parser of patterns, or a whole step's rules.
LEFT_TO_SERVER = frozenset(
    {
        "branch.gap",
        "branch.never",
        "branch.overlap",
        "cond.pattern_unsafe",
        "doc.too_many_problems",  # the designer says it too: frontend/tests/vectors.test.ts
        "rule.type",
    }
)
SOURCES = (
    *sorted((WORKFLOW / "engine/validation").glob("*.py")),
    *(WORKFLOW / "engine/flowdoc" / name for name in ("reading.py", "texts.py")),
    WORKFLOW / "engine/parsing.py",
    *(WORKFLOW / "forms" / f"{name}.py" for name in ("reading", "condition_checks")),
    WORKFLOW / "forms/condition_reading.py",
)
_CODE = re.compile(
    r'(?:fault|warning|Finding|Fault|note|add|_add|code = )\(?\s*"([a-z]+\.[a-z_0-9]+)"'
)


def _vectors() -> list[Any]:
    found = []
    for file in sorted(FOLDER.glob("*.json")):
        group = json.loads(file.read_text())
        for vector in group["vectors"]:
            form = vector.get("form", group["form"])
            found.append(pytest.param(vector, form, id=f"{file.stem}: {vector['name']}"))
    return found


@pytest.mark.parametrize(("vector", "form"), _vectors())
def test_the_server_says_the_same(vector, form):
    form_doc, in_form = decode_form(form) if form is not None else (None, ())
    # A broken form leaves nothing to judge the process by.
    found = [] if in_form else _told(check_document(vector["flow"], form_doc).findings, "flow")
    assert found + _told(in_form, "form") == vector["problems"]


def _told(findings: tuple[Finding, ...], part: str) -> list[dict[str, str]]:
    told = []
    for each in findings:
        if each.code in LEFT_TO_SERVER:
            continue
        problem = {"code": each.code, "at": each.at}
        if part == "form":
            problem["part"] = part
        if each.step is not None:
            problem["step"] = each.step
        if each.level == "warning":
            problem["level"] = "warning"
        told.append(problem)
    return told


def test_every_code_has_a_case():
    """A new rule of the server has to be taught to the designer, or named as left out."""
    known = {code for source in SOURCES for code in _CODE.findall(source.read_text())}
    shown = {
        problem["code"]
        for file in FOLDER.glob("*.json")
        for vector in json.loads(file.read_text())["vectors"]
        for problem in vector["problems"]
    }
    assert len(known) > 60  # or the pattern finds nothing any more
    assert known - LEFT_TO_SERVER <= shown
