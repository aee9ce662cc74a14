"""The desk at which one file is converted: findings, ids, people, fields and origins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workflow.forms.findings import Finding, child, printable
from workflow.importing.form_fields import FormFields
from workflow.importing.ledger import Ledger, Source, Vocabulary
from workflow.importing.naming import Ids, code, slug
from workflow.importing.report import Carried, Kind, Named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.importing.mapping import People

LONGEST_NAME = 48
LONGEST_NOTE = 500
LONGEST_FLOW_NAME = 64
Part = dict[str, Any]


class Desk:
    """What all formats share while one file is converted."""

    def __init__(self, source: str, vocabulary: Vocabulary, people: People) -> None:
        self.source = source
        self.ledger = Ledger(vocabulary)
        self.people = people
        self.ids = Ids()
        self.fields = FormFields()
        self._findings: list[Finding] = []
        self._origins: list[tuple[Part, str]] = []
        self._named: dict[tuple[Kind, str], Named] = {}

    # Findings -------------------------------------------------------------------------------

    def error(self, code: str, at: str, **args: str | int) -> None:
        """Something that could not be carried."""
        self._findings.append(Finding(code, at, args=args))

    def warn(self, code: str, at: str, **args: str | int) -> None:
        """Something that was carried in another way, or that decides nothing."""
        self._findings.append(Finding(code, at, level="warning", args=args))

    def unknown(self, node: Source, member: str, value: object) -> None:
        """A member with a value whose meaning nobody knows."""
        args = {"key": member, "value": printable(str(value))}
        self.error("import.unknown_value", node.place(member), **args)

    # Parts of the document ------------------------------------------------------------------

    def made(self, part: Part, at: str) -> Part:
        """Remember where a part of the document comes from; gives the part back."""
        self._origins.append((part, at))
        return part

    def step(self, node: Source, kind: str, member: str = "nodeName", **parts: Any) -> Part:
        """A step of this kind with its id and name from the node's `nodeKey` and `member`."""
        made: Part = {
            "id": self.ids.give(node.text("nodeKey") or node.text("nodeId"), kind),
            "kind": kind,
            **self.name(node, member, kind),
            **{name: value for name, value in parts.items() if value is not None},
        }
        return self.made(made, node.at)

    def name(self, node: Source, member: str, fallback: str) -> Part:
        """`name`, and `note` when the name is too long for one; both from this member."""
        text = " ".join(node.text(member).split())
        if not text:
            return {"name": fallback}
        if len(text) <= LONGEST_NAME:
            return {"name": text}
        self.warn("import.name_cut", node.place(member), high=LONGEST_NAME)
        return {"name": text[:LONGEST_NAME].strip(), "note": text[:LONGEST_NOTE]}

    # People ---------------------------------------------------------------------------------

    def source_of(self, kind: Kind, source_id: str, name: str, at: str) -> tuple[Kind, list[str]]:
        """Whom an id of the file means: a kind of our directory and its codes."""
        members = self.people.members.get((kind, source_id))
        if members is not None:
            for login in members:
                one = Named("user", source_id, name, login, at, mapped=True)
                self._named.setdefault(("user", login), one)
            return "user", list(members)
        mapped = self.people.codes.get((kind, source_id))
        given = mapped or code(source_id)
        known = self._named.get((kind, given))
        if not given:
            self.error("import.no_code", at, id=printable(source_id))
        elif known is None:
            self._named[kind, given] = Named(
                kind, source_id, name, given, at, mapped=mapped is not None
            )
        elif known.source_id != source_id and mapped is None:
            args = {"id": printable(source_id), "other": printable(known.source_id)}
            self.error("import.same_code", at, **args)
        elif name and known.name and name != known.name:
            self.warn("import.other_label", at, label=printable(name), kept=known.name)
        return kind, [given] if given else []

    def left_out(self, code: str, node: Source) -> None:
        """Somebody who is named at a place where nobody asks them."""
        name = printable(node.text("name"))
        self.warn(code, node.at, id=printable(node.text("id")), name=name)

    def sources(self, named: list[tuple[Kind, list[str]]]) -> list[Part]:
        """Sources of people in the order given; neighbours of one kind are one source."""
        return self.sources_merged(
            [{"by": kind, "ids": list(codes)} for kind, codes in named if codes]
        )

    def sources_merged(self, sources: list[Part]) -> list[Part]:
        """The same sources, neighbours of one kind joined."""
        plain = {"user", "role", "department", "group"}
        made: list[Part] = []
        for one in sources:
            if made and one["by"] in plain and made[-1]["by"] == one["by"]:
                made[-1]["ids"].extend(i for i in one["ids"] if i not in made[-1]["ids"])
            else:
                made.append({**one, "ids": list(one["ids"])} if "ids" in one else one)
        return made

    # The end --------------------------------------------------------------------------------

    def finish(self, document: Part | None) -> Carried:
        """Close the ledger and hand everything over."""
        form, origins = self.fields.form()
        if document is not None and form is not None:
            document = {**document, "form": {"key": document["key"]}}
        by_part = {id(part): at for part, at in self._origins}
        if document is not None:
            origins.update(_placed(document, by_part))
        findings = [
            *self._findings,
            *self.ledger.findings,
            *self.fields.findings,
            *self.ledger.leftovers(),
        ]
        people = tuple(self._named.values())
        return Carried(self.source, document, form, tuple(findings), people, origins)

    def top(self, key: str, name: str, at: str, given_key: str = "") -> Part:
        """`flowdoc`, `key` and `name` of the document.

        `key` is what the file calls the process, `given_key` what the caller wants it to be
        called, which is taken as it stands.
        """
        made = given_key or slug(key, "flow")
        if not made:
            self.error("import.no_key", at)
            made = "imported"
        elif not given_key and made != key:
            self.warn("import.key_changed", at, key=printable(key), made=made)
        text = " ".join(name.split()) or made
        if len(text) > LONGEST_FLOW_NAME:
            self.warn("import.name_cut", at, high=LONGEST_FLOW_NAME)
        return {"flowdoc": 1, "key": made, "name": text[:LONGEST_FLOW_NAME].strip()}


def _placed(document: Part, by_part: dict[int, str]) -> Iterator[tuple[str, str]]:
    """(position in our document, position in the source) of every part that has an origin."""
    waiting: list[tuple[str, object]] = [("/document", document)]
    while waiting:
        at, part = waiting.pop()
        if id(part) in by_part:
            yield at, by_part[id(part)]
        if isinstance(part, dict):
            waiting.extend((child(at, name), value) for name, value in part.items())
        elif isinstance(part, list):
            waiting.extend((child(at, number), value) for number, value in enumerate(part))
