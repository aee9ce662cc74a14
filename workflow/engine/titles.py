"""What a request is called: its process' title with the placeholders filled in, at filing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workflow.forms.evaluation import text_of
from workflow.forms.formdoc import NO_FORM, FormDoc, field_named, option_label
from workflow.forms.scalars import decimal_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workflow.engine.facts import Facts, Person
    from workflow.engine.flowdoc.document import Flowdoc
    from workflow.forms.formdoc import Field
    from workflow.forms.scalars import Value

LONGEST_TITLE = 200
_PLACEHOLDER = re.compile(r"\{(initiator\.name|flow\.name|number|today|form\.([a-z0-9_]+))\}")
# No and yes, and what stands between the words of a list, in the two languages of the product.
_BOOLS = {"en": ("no", "yes"), "zh": ("\u5426", "\u662f")}
_COMMAS = {"en": ", ", "zh": "\u3001"}


@dataclass(frozen=True, slots=True)
class Titling:
    """Fills in one title; the history keeps the result, so a replay asks nothing of this again.

    ``language`` is that in which the initiator filed the request: a stored text has one language,
    and whoever reads it later reads that one.
    """

    form: FormDoc | None
    values: Mapping[str, Value]
    facts: Facts
    language: str

    def of(self, doc: Flowdoc, initiator: Person, number: str) -> str:
        """The title; nothing in a value is a placeholder, and nothing is ever evaluated."""

        title = " ".join(self.filled(doc.title, doc, initiator.name, number).split())
        # Nobody can click on nothing: a title of empty fields becomes the usual one.
        return (title or f"{initiator.name} {doc.name}")[:LONGEST_TITLE]

    def filled(self, template: str, doc: Flowdoc, initiator: str, number: str) -> str:
        """Any other text of the process with its placeholders filled in, at whatever length."""

        def fill(found: re.Match[str]) -> str:
            if found.group(2):
                return self._value(found.group(2))
            if found.group(1) == "today":
                # Asked only where it is needed: the tenant's day may cost a statement.
                return self.facts.today.isoformat()
            known = {"initiator.name": initiator, "flow.name": doc.name, "number": number}
            return known[found.group(1)]

        return _PLACEHOLDER.sub(fill, template)

    def _value(self, name: str) -> str:
        """A value as the list shows it: names and labels, never logins, codes or option ids."""
        value, field = self.values.get(name), field_named(self.form or NO_FORM, name)
        if field is None or value is None:
            return text_of(value)
        match field.type:
            case "choice" | "multi_choice":
                labels = (option_label(field, each, self.language) for each in texts_of(value))
                return self._listed(labels)
            case "user" | "department":
                return self._listed(self._names(field, texts_of(value)))
            case "amount":
                number = decimal_of(value)
                return text_of(value) if number is None else f"{number:,.2f}"
            case "bool":
                return _BOOLS[self._script()][bool(value)]
            case _:
                return text_of(value)

    def _names(self, field: Field, codes: tuple[str, ...]) -> list[str]:
        if field.type == "user":
            known = {each.login: each.name for each in self.facts.people_by_login(codes)}
        else:
            lines = (self.facts.line_of_department(code) for code in codes)
            known = {line[0].code: line[0].name for line in lines if line}
        return [known.get(code, code) for code in codes]

    def _listed(self, words: Iterable[str]) -> str:
        return _COMMAS[self._script()].join(words)

    def _script(self) -> str:
        return "zh" if self.language.lower().startswith("zh") else "en"
