"""The given files of other systems: the folder, what is expected of each, and their conversions.

`converted()` is what other tests drive: (file, document, form) of every file that becomes a
process, those included that only need to be told who or what something is.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from workflow.importing.detecting import convert
from workflow.importing.mapping import NO_MAPPING, People, read_mapping

ROOT = Path(__file__).resolve().parents[2]
GIVEN = ROOT.parent / "shared" / "cases" / "flows"
FOLDER = Path(os.environ.get("FLOWADMIN_FLOW_FILES") or GIVEN)
IS_GIVEN = FOLDER.resolve() == GIVEN.resolve()

# Refused with exactly these errors: the first group also by the system that the file is from.
REFUSED: dict[str, set[tuple[str, str]]] = {
    "flowlong/duplicateNodeNames.json": {
        ("import.duplicate_key", "/nodeConfig/childNode/childNode/childNode/nodeKey"),
    },
    "flowlong/unsetAssigneeNodes.json": {("import.nobody", "/nodeConfig/childNode")},
    "flowlong/testAutoNodeError01.json": {
        ("import.auto_misplaced", "/nodeConfig/childNode/conditionNodes/0/childNode"),
        ("import.nobody", "/nodeConfig/childNode/conditionNodes/0/childNode/childNode"),
        ("import.nobody", "/nodeConfig/childNode/childNode"),
    },
    "flowlong/testAutoNodeError02.json": {
        ("import.auto_misplaced", "/nodeConfig/childNode/childNode"),
        ("import.nobody", "/nodeConfig/childNode/childNode/childNode"),
    },
    "flowlong/testAutoNodeError03.json": {
        ("import.nobody", "/nodeConfig/childNode/conditionNodes/0/childNode"),
        ("import.auto_misplaced", "/nodeConfig/childNode/conditionNodes/0/childNode/childNode"),
        (
            "import.nobody",
            "/nodeConfig/childNode/conditionNodes/0/childNode/childNode/childNode",
        ),
        (
            "flow.unreachable",
            "/nodeConfig/childNode/conditionNodes/0/childNode/childNode/childNode",
        ),
    },
    # These run there, but name programs of that system, or give one weight to several people.
    "flowlong/testTriggerEnd.json": {
        ("import.program", "/nodeConfig/childNode/childNode/extendConfig/trigger"),
    },
    "flowlong/testTriggerExecute.json": {
        ("import.program", "/nodeConfig/childNode/childNode/extendConfig/trigger"),
    },
    "flowlong/parallelTrigger.json": {
        ("import.program", "/nodeConfig/childNode/childNode/extendConfig/trigger"),
        (
            "import.program",
            "/nodeConfig/childNode/parallelNodes/0/childNode/extendConfig/trigger",
        ),
        (
            "import.program",
            "/nodeConfig/childNode/parallelNodes/1/childNode/extendConfig/trigger",
        ),
    },
    "flowlong/issues_IAAVIR_voteSign.json": {
        ("import.weight_of_many", "/nodeConfig/childNode/nodeAssigneeList/0/weight"),
        ("import.weight_of_many", "/nodeConfig/childNode/nodeAssigneeList/1/weight"),
    },
}
# What somebody has to say so that the files of the second group become processes too.
HOOK = "https://hooks.example.com/done"
SAID: dict[str, dict[str, Any]] = {
    "flowlong/testTriggerEnd.json": {"triggers": {"test.mysql.TaskTriggerImpl": HOOK}},
    "flowlong/testTriggerExecute.json": {"triggers": {"test.mysql.TaskTriggerImpl": HOOK}},
    "flowlong/parallelTrigger.json": {
        "triggers": {
            "test.mysql.trigger.ParallelTriggerService": HOOK,
            "test.mysql.trigger.ParallelTriggerFinishService": HOOK,
        }
    },
    "flowlong/issues_IAAVIR_voteSign.json": {
        "roles": {"role001": {"users": ["role001"]}, "role002": {"users": ["role002"]}}
    },
}


class Converted(NamedTuple):
    """One file that became a process."""

    file: str
    document: dict[str, Any]
    form: dict[str, Any] | None


def files() -> list[str]:
    """Names of the files below the folder, in order; [] without the folder."""
    return sorted(each.relative_to(FOLDER).as_posix() for each in FOLDER.rglob("*.json"))


@lru_cache(maxsize=64)
def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def raw(name: str) -> dict[str, Any]:
    """The parsed file; each caller gets an own one."""
    read: dict[str, Any] = json.loads(_text(name))
    return read


def said(name: str) -> People:
    """Who or what the file's ids are, for the files that cannot be carried without it."""
    if not IS_GIVEN or name not in SAID:
        return NO_MAPPING
    mapping, findings = read_mapping(SAID[name])
    assert not findings
    return mapping


def converted() -> list[Converted]:
    """Every file that becomes a process, for tests that run it."""
    made = []
    for name in files():
        carried = convert(raw(name), people=said(name))
        if carried.ok:
            assert carried.document is not None
            made.append(Converted(name, carried.document, carried.form))
    return made
