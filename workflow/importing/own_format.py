"""Our own files: a flowdoc, or `{document, form}` as `flow_export` writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workflow.forms.findings import Finding, child, printable
from workflow.importing.report import Carried

if TYPE_CHECKING:
    from workflow.importing.mapping import People

_MEMBERS = frozenset({"document", "form", "note"})


def looks_like(raw: dict[str, object]) -> bool:
    """Whether a file is one of ours."""
    inner = raw.get("document")
    return "flowdoc" in raw or (isinstance(inner, dict) and "flowdoc" in inner)


def convert(raw: dict[str, Any], people: People, key: str = "") -> Carried:
    """The file as it is; people are named by our codes already.

    `key` gives the process another key. The version of the form that an export pins is left out:
    publishing pins it anew.
    """
    del people
    together = "document" in raw and "flowdoc" not in raw
    document: Any = raw["document"] if together else raw
    form = raw.get("form") if together else None
    place = "/document" if together else ""
    findings = [
        Finding("import.unknown_member", child("", name), args={"key": printable(name)})
        for name in raw
        if together and name not in _MEMBERS
    ]
    if document is None:
        findings.append(Finding("import.no_root", "/document", args={"key": "document"}))
    if isinstance(document, dict) and key:
        document = {**document, "key": key}
        if isinstance(document.get("form"), dict):
            document["form"] = {**document["form"], "key": key}
    origins = {"/document": place, "/form": "/form"}
    return Carried("flowdoc", document, form, tuple(findings), (), Positions(origins))


class Positions(dict[str, str]):
    """Every position of our document is its own origin; in a bare document without the prefix."""

    def __contains__(self, at: object) -> bool:
        return isinstance(at, str)

    def __getitem__(self, at: str) -> str:
        if at.startswith("/document"):
            return self.get("/document", "") + at.removeprefix("/document")
        return at
