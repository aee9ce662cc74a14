"""Which system a file comes from, and its conversion from bytes' JSON to a checked result."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from workflow.forms.findings import Finding
from workflow.importing import antflow, flowlong, own_format, workflow_vue3
from workflow.importing.checking import checked
from workflow.importing.mapping import NO_MAPPING, People
from workflow.importing.report import Carried

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Format(NamedTuple):
    """How files of one system are known and converted."""

    looks_like: Callable[[dict[str, object]], bool]
    convert: Callable[[dict[str, Any], People, str], Carried]


# Asked in this order: each is told apart by members that the others do not have.
FORMATS: Mapping[str, Format] = {
    "flowdoc": Format(own_format.looks_like, own_format.convert),
    "workflow_vue3": Format(workflow_vue3.looks_like, workflow_vue3.convert),
    "antflow": Format(antflow.looks_like, antflow.convert),
    "flowlong": Format(flowlong.looks_like, flowlong.convert),
}


def detect(raw: Mapping[str, object]) -> str:
    """The name of the format of a file; "" when it is none that is known."""
    given = dict(raw)
    return next((name for name, each in FORMATS.items() if each.looks_like(given)), "")


def convert(
    raw: dict[str, Any], source: str = "auto", people: People = NO_MAPPING, key: str = ""
) -> Carried:
    """The process in a parsed file, checked; nothing that JSON can hold makes it raise.

    Args:
        raw: the object of the file.
        source: a name of `FORMATS`, or `auto`.
        people: who the people of the file are here.
        key: what the process shall be called here; "" = as the file calls it.
    """
    name = detect(raw) if source == "auto" else source
    if not name:
        return Carried("", None, None, (Finding("import.unknown_format"),), (), {})
    carried = checked(FORMATS[name].convert(raw, people, key))
    return replace(carried, source=name)
