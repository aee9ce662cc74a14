"""The JSON front door: bytes become plain values here, or a problem that names the place.

How it works: the size, the encoding, the depth and a lower bound of the number of values are
read from the bytes by a few linear passes, before the standard parser runs; so no body can
exhaust the stack or cost more than its megabyte. The parser's hooks cannot know where they
are, therefore they put a mark in place of what is refused, and one walk over the finished
value finds the marks and the texts and names them by JSON Pointer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, NoReturn

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, UnreadablePostError
from django.utils.translation import gettext as _
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser

from flowadmin.rest.problems import Problem, pointer_part, too_large

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BODY = 1024 * 1024
MAX_DEPTH = 32
MAX_NODES = 20_000
MAX_KEY = 128
MAX_TEXT = 64 * 1024
MAX_INTEGER = 2**53

# Tab, line feed and carriage return are text; the other control characters are not, and half
# a surrogate pair cannot be stored by any database.
_UNTEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_STRUCTURE = bytes(set(range(256)) - set(b"[]{},"))
# Possessive, and the closing quote is optional: each start matches, so one pass is enough.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Mark:
    """Stands in the parsed value where something was refused."""

    code: str


@dataclass(frozen=True, slots=True)
class _Doubled:
    """An object in which a member name stands twice."""

    pairs: list[tuple[str, Any]]


def parse(body: bytes, *, max_depth: int = MAX_DEPTH) -> dict[str, Any]:
    """Read the body of a request.

    Args:
        body: the raw bytes, at most 1 MiB; no bytes at all mean an empty object.
        max_depth: how many arrays and objects may be nested, 32, or 64 for documents.

    Raises:
        Problem: 413 ``body.too_large``; 400 ``json.<what>`` with ``at``, a JSON Pointer.

    Source: contract, "A task is one seat"; reliability.md section 0 item 15 and 2.9.
    """
    if len(body) > MAX_BODY:
        raise too_large()
    if not body:
        return {}
    text = _decoded(body)
    _refuse_structure(body, text, max_depth)
    value = _loaded(text)
    if isinstance(value, _Doubled):
        value = _Walk().doubled(value)
    if not isinstance(value, dict):
        _refuse("json.object", _("The outermost value must be an object."))
    _Walk().object(value)
    return value


class StrictJSONParser(BaseParser):
    """DRF's entrance to :func:`parse`; a view's ``json_depth`` sets the depth it accepts."""

    media_type = "application/json"

    def parse(
        self,
        stream: HttpRequest | IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Read the request's body.

        The body stays readable afterwards: the idempotency receipt needs its bytes.

        Raises:
            Problem: see :func:`parse`; UnsupportedMediaType: a charset that is not UTF-8.
        """
        if "charset=" in (media_type or "").lower() and not _is_utf8(media_type or ""):
            raise UnsupportedMediaType(media_type or "")
        try:
            body = stream.body if isinstance(stream, HttpRequest) else stream.read()
        except RequestDataTooBig as error:
            raise too_large() from error
        except UnreadablePostError as error:
            raise Problem(
                400, "body.broken_off", _("The body could not be read to its end.")
            ) from error
        view = (parser_context or {}).get("view")
        return parse(body, max_depth=getattr(view, "json_depth", MAX_DEPTH))


def _is_utf8(media_type: str) -> bool:
    found = re.search(r"""charset=["']?([^\s;"']+)""", media_type, re.IGNORECASE)
    return found is not None and found[1].lower() in {"utf-8", "utf8", "us-ascii"}


def _decoded(body: bytes) -> str:
    if body.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        _refuse("json.encoding", _("The body begins with a byte order mark."), offset=0)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse("json.encoding", _("The body is not UTF-8."), offset=error.start)


def _refuse_structure(body: bytes, text: str, max_depth: int) -> None:
    """Refuse depth and number before the parser runs, which recurses and allocates.

    Up to the first syntax error this reading is exact; behind it only the code may differ.
    """
    # Escapes go first, left to right as a parser takes them; then every second piece between
    # quotes lies outside the strings.
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    structure = b"".join(plain.split(b'"')[::2]).translate(None, _STRUCTURE)
    opened = structure.count(b"[") + structure.count(b"{")
    if opened > MAX_NODES or structure.count(b",") > MAX_NODES:
        _refuse_number()
    if opened <= max_depth:
        return
    depth = 0
    for byte in structure:
        if byte in b"[{":
            depth += 1
        elif byte in b"]}":
            depth -= 1
        if depth > max_depth:
            line, column = _place_of_depth(text, max_depth)
            _refuse(
                "json.deep",
                _("More than %(limit)d levels at line %(line)d, column %(column)d.")
                % {"limit": max_depth, "line": line, "column": column},
                limit=max_depth,
                line=line,
                column=column,
            )


def _place_of_depth(text: str, max_depth: int) -> tuple[int, int]:
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        if depth > max_depth:
            begin = token.start()
            return text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin)
    return 1, 1


def _loaded(text: str) -> Any:
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=lambda _text: _Mark("json.float"),
            parse_constant=lambda _name: _Mark("json.number"),
        )
    except json.JSONDecodeError as error:
        _refuse(
            "json.broken",
            _("The body is not JSON: reading stopped at line %(line)d, column %(column)d.")
            % {"line": error.lineno, "column": error.colno},
            line=error.lineno,
            column=error.colno,
        )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Doubled:
    made = dict(pairs)
    return made if len(made) == len(pairs) else _Doubled(pairs)


def _integer(text: str) -> int | _Mark:
    # Looked at as text first: thousands of digits cost quadratic time to convert.
    if len(text) > 17 or abs(number := int(text)) > MAX_INTEGER:
        return _Mark("json.integer")
    return number


class _Walk:
    """One pass over a parsed value, which knows where it is."""

    def __init__(self) -> None:
        self.path: list[str | int] = []
        self.nodes = 1

    def object(self, value: dict[str, Any]) -> None:
        for key, below in value.items():
            self.key(key)
            self.path.append(key)
            self.value(below)
            self.path.pop()

    def array(self, value: list[Any]) -> None:
        for index, below in enumerate(value):
            self.path.append(index)
            self.value(below)
            self.path.pop()

    def value(self, value: Any) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            _refuse_number()
        if isinstance(value, str):
            self.text(value)
        elif isinstance(value, dict):
            self.object(value)
        elif isinstance(value, list):
            self.array(value)
        elif isinstance(value, _Mark):
            self.mark(value)
        elif isinstance(value, _Doubled):
            self.doubled(value)

    def key(self, key: str) -> None:
        # The pointer stays at the object: a name that cannot be stored is not repeated.
        if len(key) > MAX_KEY:
            self.refuse("json.key", _("A member name is longer than 128 characters."))
        if _UNTEXT.search(key):
            self.refuse("json.text", _("A member name holds a character that is not text."))

    def text(self, value: str) -> None:
        if len(value) > MAX_TEXT or (
            # Four bytes a character at most: short texts need not be encoded to be measured.
            len(value) * 4 > MAX_TEXT and len(value.encode("utf-8", "surrogatepass")) > MAX_TEXT
        ):
            self.refuse("json.long", _("A text value is longer than 64 KiB."))
        if _UNTEXT.search(value):
            self.refuse("json.text", _("A text holds a character that is not text."))

    def mark(self, mark: _Mark) -> NoReturn:
        self.refuse(
            mark.code,
            {
                "json.float": _("A number has a fraction or an exponent: write it as text."),
                "json.integer": _("An integer is beyond ±2^53: write it as text."),
                "json.number": _("NaN and Infinity are not JSON."),
            }[mark.code],
        )

    def doubled(self, value: _Doubled) -> NoReturn:
        seen: set[str] = set()
        for key, _below in value.pairs:
            self.key(key)
            if key in seen:
                self.path.append(key)
                break
            seen.add(key)
        self.refuse("json.duplicate", _("A member name stands twice in one object."))

    def refuse(self, code: str, detail: str) -> NoReturn:
        _refuse(code, detail, at="".join(f"/{pointer_part(part)}" for part in self.path))


def _refuse_number() -> NoReturn:
    _refuse("json.nodes", _("The body holds more than 20,000 values."), limit=MAX_NODES)


def _refuse(code: str, detail: str, *, at: str = "", **args: int) -> NoReturn:
    finding = {"code": code, "at": at, "args": args, "message": detail}
    members: dict[str, Any] = {"at": at, **args}
    raise Problem(400, code, detail, errors=[finding], **members)
