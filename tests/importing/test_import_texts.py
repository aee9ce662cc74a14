"""Every code of an import has a sentence that its arguments fill."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import workflow.importing
from tests.importing import flow_files
from tests.importing.builders import approver, convert, flowlong
from workflow.actions import importing as action
from workflow.wording.import_texts import TEXTS, worded

ROOM = Path(workflow.importing.__file__).parent
CODE = re.compile(r"import\.[a-z_]+")


def codes():
    """Every constant in the sources that is a code of an import."""
    return {
        node.value
        for path in [*sorted(ROOM.glob("*.py")), Path(action.__file__)]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and CODE.fullmatch(node.value)
    }


def test_every_code_has_a_text_and_every_text_a_code():
    assert codes() == {code for code in TEXTS if code.startswith("import.")}


def test_what_is_said_of_the_given_files_is_said_in_words():
    said = 0
    for name in flow_files.files():
        for each in worded(convert(flow_files.raw(name)).findings):
            assert each["message"] != each["code"], each
            assert "%(" not in each["message"]
            said += 1
    assert said or not flow_files.files()


def test_a_sentence_names_what_it_speaks_of():
    carried = convert(flowlong(approver(script="x", nodeName="n" * 50)))
    told = {each["code"]: each["message"] for each in worded(carried.findings)}
    assert told["import.unknown_member"] == (
        "Nobody knows what “script” means here; it would be lost."
    )
    assert told["import.name_cut"] == "This is too long for us (at most 48) and was cut."
