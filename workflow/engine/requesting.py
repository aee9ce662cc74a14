"""What an `http` step sends, with each value escaped for its place, and how its answer is read.

Theory of operation. A placeholder is a value, never text of its surroundings: in the address it
is percent-encoded, in a header it cannot hold a line break, in a JSON body it becomes the inside
of a string or a whole JSON value, in a form body or XML it is escaped as these want it. Nothing
of the address before its path can come from a value, so a form cannot choose who gets a secret.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NoReturn

from workflow.engine.flowdoc.steps import SecretRef
from workflow.forms.evaluation import text_of
from workflow.forms.scalars import NUMERIC, Fault, plain, read_value, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from workflow.engine.decision import Definition
    from workflow.engine.flowdoc.steps import HttpStep, Saved
    from workflow.engine.state import State
    from workflow.forms.scalars import FieldType, Value

PLACEHOLDER = re.compile(
    r"\{(?:(?P<word>initiator\.name|flow\.name|number|today|reply_url)"
    r"|form\.(?P<field>[a-z0-9_]{1,48})|var\.(?P<var>[a-z][a-z0-9_]{0,47}))\}"
)
_BEFORE_PATH = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_VISIBLE = frozenset(range(0x20, 0x7F))
_XML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
# Longer exponents would make numbers of any size out of a few bytes.
_LARGEST_EXPONENT = 60

BAD_ADDRESS = "http.bad_address"
BAD_BODY = "http.bad_body"


@dataclass(frozen=True, slots=True)
class Words:
    """What placeholders mean beside the form: the initiator's name, the day, where to reply."""

    initiator: str
    today: str
    reply_url: str = ""


@dataclass(frozen=True, slots=True)
class Rendered:
    """What is sent. A header's value is text or the key of a secret, read when it is sent."""

    method: str
    url: str
    headers: tuple[tuple[str, str | SecretRef], ...]
    body: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer saves: plain values by field, typed ones by variable.

    ``refused`` is the pointer of the first part that is missing or of another type; then nothing
    is saved. It is None when all is well, since "" is the pointer of the whole answer.
    """

    values: Mapping[str, object] = field(default_factory=dict)
    variables: Mapping[str, Value] = field(default_factory=dict)
    refused: str | None = None


class Unsendable(ValueError):
    """The step's templates and these values make no request; ``about`` is the placeholder."""

    def __init__(self, code: str, about: str = "") -> None:
        super().__init__(f"{code}: {about}")
        self.code = code
        self.about = about


def render(definition: Definition, state: State, step: HttpStep, words: Words) -> Rendered:
    """The request of a step as the values stand now (approvals.md 3.2, http).

    Raises Unsendable: http.bad_address, http.bad_body.
    """
    known = _Known(definition, state, words)
    headers = tuple(
        (name, value if isinstance(value, SecretRef) else _fill(value, known, _for_header))
        for name, value in step.headers.items()
    )
    return Rendered(step.method, _address(step.url, known), headers, _body(step, known))


@dataclass(frozen=True, slots=True)
class _Known:
    """The value and the type of each placeholder."""

    definition: Definition
    state: State
    words: Words

    def value(self, found: re.Match[str]) -> tuple[Value, FieldType]:
        name = found["field"]
        if name is not None:
            return self.state.values.get(name), self._type(name)
        if found["var"] is not None:
            value = self.state.variables.get(found["var"])
            return value, "integer" if isinstance(value, int) else "text"
        return {
            "initiator.name": self.words.initiator,
            "flow.name": self.definition.plan.doc.name,
            "number": self.state.number,
            "today": self.words.today,
            "reply_url": self.words.reply_url,
        }[found["word"]], "text"

    def text(self, found: re.Match[str]) -> str:
        return text_of(self.value(found)[0])

    def _type(self, name: str) -> FieldType:
        form = self.definition.form
        fields = form.fields if form is not None else ()
        return next((each.type for each in fields if each.id == name), "text")


def _fill(template: str, known: _Known, escape: Callable[[str], str]) -> str:
    return PLACEHOLDER.sub(lambda found: escape(known.text(found)), template)


def _encoded(text: str, kept: frozenset[int]) -> str:
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in text.encode())


def _for_address(text: str) -> str:
    return _encoded(text, _UNRESERVED)


def _for_header(text: str) -> str:
    """A value that is no visible ASCII is percent-encoded, so it can end no line."""
    return _encoded(text, _VISIBLE).strip()


def _address(template: str, known: _Known) -> str:
    before = _BEFORE_PATH.match(template)
    named = PLACEHOLDER.search(template)
    if before is None or (named is not None and named.start() < before.end()):
        # A value would say whom the request goes to.
        raise Unsendable(BAD_ADDRESS, named.group() if named is not None else "")

    def escape(found: re.Match[str]) -> str:
        text = known.text(found)
        if text in {".", ".."} or (not text and found.start() < _end_of_path(template)):
            # These would climb out of the path that the process names, or change its parts.
            raise Unsendable(BAD_ADDRESS, found.group())
        return _for_address(text)

    return PLACEHOLDER.sub(escape, template)


def _end_of_path(template: str) -> int:
    ends = [template.index(mark) for mark in "?#" if mark in template]
    return min(ends, default=len(template))


# The body -------------------------------------------------------------------------------------


def _body(step: HttpStep, known: _Known) -> str:
    template = step.body
    if not template:
        return ""
    kind = content_type(step).partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return _fill(template, known, _for_address)
    if kind.endswith(("/xml", "+xml")):
        return _fill(template, known, lambda text: "".join(_XML.get(c, c) for c in text))
    if kind.endswith(("/json", "+json")):
        return _json(template, known)
    return _fill(template, known, lambda text: text)


def content_type(step: HttpStep) -> str:
    """The type of the body: the step's own header, else what the template looks like."""
    for name, value in step.headers.items():
        if name.lower() == "content-type" and isinstance(value, str):
            return value
    looks_like_json = PLACEHOLDER.sub("", step.body).lstrip().startswith(("{", "[", '"'))
    return "application/json" if looks_like_json else "text/plain; charset=utf-8"


def _json(template: str, known: _Known) -> str:
    """Inside quotes a value is the inside of a string, outside a whole JSON value."""
    parts: list[str] = []
    at, quoted = 0, False
    for found in PLACEHOLDER.finditer(template):
        between = template[at : found.start()]
        quoted = _is_quoted(between, within=quoted)
        parts.append(between)
        if quoted:
            parts.append(json.dumps(known.text(found), ensure_ascii=False)[1:-1])
        else:
            parts.append(_json_value(*known.value(found)))
        at = found.end()
    parts.append(template[at:])
    body = "".join(parts)
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        raise Unsendable(BAD_BODY) from None
    return body


def _is_quoted(text: str, *, within: bool) -> bool:
    """Whether the end of a piece of JSON lies inside a string, given whether its start did."""
    escaped = False
    for letter in text:
        if escaped:
            escaped = False
        elif within and letter == "\\":
            escaped = True
        elif letter == '"':
            within = not within
    return within


def _json_value(value: Value, kind: FieldType) -> str:
    """Numbers and amounts are JSON numbers, written exactly; the rows of a table their number."""
    if rows := rows_of(value):
        return str(len(rows))
    if isinstance(value, str) and kind in NUMERIC:
        return value
    return json.dumps(value, ensure_ascii=False)


# The answer -----------------------------------------------------------------------------------


class Numeral(str):
    """A JSON number as it was written: exact, and no text."""

    __slots__ = ()


def read_answer(step: HttpStep, body: bytes, *, whole: bool = True) -> Reading:
    """What the step saves of an answer's body. ``whole``: nothing of the body is missing.

    Types never coerce across kinds: a text is no number, except that a number may be written as
    decimal text. Nothing to save: the body may be anything. Source: approvals.md 3.2, http.
    """
    if not step.save:
        return Reading()
    found = parse_json(body) if whole else BROKEN
    if found is BROKEN:
        return Reading(refused="")
    values: dict[str, object] = {}
    variables: dict[str, Value] = {}
    for saved in step.save:
        value = _typed(saved, _at(found, saved.pointer))
        if isinstance(value, Fault):
            return Reading(refused=saved.pointer)
        if saved.to.field is not None:
            values[saved.to.field] = value
        elif saved.to.var is not None:
            variables[saved.to.var] = value
    return Reading(values, variables)


class _Broken:
    """No JSON, or nothing at that place."""


BROKEN = _Broken()


def parse_json(body: bytes) -> Any:
    """The JSON of an answer, its fractions as `Numeral`; BROKEN when it is none."""
    try:
        return json.loads(body, parse_float=Numeral, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return BROKEN


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _at(found: Any, pointer: str) -> Any:
    """The value at a JSON Pointer (RFC 6901), BROKEN when there is none."""
    if pointer and not pointer.startswith("/"):
        return BROKEN
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif isinstance(found, list) and _is_index(name) and int(name) < len(found):
            found = found[int(name)]
        else:
            return BROKEN
    return found


def _is_index(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) < 7 and (name == "0" or name[0] != "0")


def _typed(saved: Saved, raw: Any) -> Value | Fault:
    if raw is None:
        return None
    if isinstance(raw, Numeral):
        if saved.type not in NUMERIC:
            return Fault("form.type_mismatch")
        raw = _decimal_text(raw)
    if isinstance(raw, _Broken | dict | list):
        return Fault("form.type_mismatch")
    kind: FieldType = "long_text" if saved.type == "text" else saved.type
    return read_value(kind, raw)


def _decimal_text(written: str) -> str:
    """A JSON number as plain decimal text; as it is when it is too large to be one."""
    try:
        number = Decimal(written)
    except InvalidOperation:
        return written
    if abs(number.adjusted()) > _LARGEST_EXPONENT or len(written) > 2 * _LARGEST_EXPONENT:
        return written
    return plain(number)
