"""Reading one file out of a multipart body, straight to disk and in full or not at all.

Theory of operation. Nothing of the body is read before the sender is known and has shown that the
request is meant (`Unread`): only then is it streamed in pieces of 64 KiB, which are counted,
hashed and written. Django's parser takes a body that breaks off for a complete one, so the bytes
are counted against the announced length, and the closing boundary has to be there.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

from django.core.files.uploadhandler import FileUploadHandler
from django.http import QueryDict
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.utils.datastructures import MultiValueDict
from django.utils.http import parse_header_parameters
from django.utils.translation import gettext as _
from rest_framework.parsers import BaseParser, DataAndFiles

from flowadmin.files.disk import MAX_SIZE, too_large
from flowadmin.rest.problems import Problem, pointer_part

if TYPE_CHECKING:
    from rest_framework.request import Request

    from flowadmin.files.disk import Incoming

FIELD: Final = "file"
# Boundaries, headers of the part, and a name that is as long as anybody would make it.
_ROOM: Final = 64 * 1024
_TAIL: Final = 512


class Unread(BaseParser):
    """Leaves the body where it is.

    The check of a browser's CSRF token asks for the form first. Were it parsed there, a request
    that a foreign page made could fill the disk; so the token comes in its header.
    """

    media_type = "multipart/form-data"

    def parse(self, *_arguments: Any, **_more: Any) -> DataAndFiles[Any, Any]:
        """No fields and no files yet."""
        return DataAndFiles(QueryDict(), MultiValueDict())


def read_upload(request: Request, incoming: Incoming) -> str:
    """Stream the part ``file`` of the body to disk; the name that its sender gave it.

    Args:
        request: of a view with the parser `Unread`, whose body nobody has read.
        incoming: takes the bytes.

    Raises:
        Problem: 413 file.too_large; 400 request.invalid for another part, a second file or
            none, file.form for what is no multipart, body.broken_off; 415; 503 file.storage.

    Source: contract, Files (at most 10 MiB).
    """
    _unread = request.data  # refuses another media type, and reads nothing
    length = _length(request)
    if length > MAX_SIZE + _ROOM:
        raise too_large()
    stream = request.stream
    if stream is None:
        raise _refused("request.required", FIELD, missing=True)
    body = _Counted(stream)
    writer = _ToDisk(incoming)
    try:
        parser = _Parser(request.META, body, [writer], "utf-8")
        fields, _files = parser.parse()
    except MultiPartParserError as error:
        raise Problem(400, "file.form", _("The body is no multipart/form-data.")) from error
    if not body.is_whole(length, request.META["CONTENT_TYPE"]):
        raise Problem(400, "body.broken_off", _("The body could not be read to its end."))
    for name in fields:
        raise _refused("request.unknown", name)
    if writer.name is None:
        raise _refused("request.required", FIELD, missing=True)
    return writer.name


class _Parser(MultiPartParser):
    """Django's, except that a name is not cleaned twice and no odd one makes a file vanish."""

    def sanitize_file_name(self, file_name: str) -> str:
        return file_name


class _ToDisk(FileUploadHandler):
    """Takes the one file that is expected, piece by piece."""

    def __init__(self, incoming: Incoming) -> None:
        super().__init__()
        self._incoming = incoming
        self.name: str | None = None

    def new_file(self, field_name: str, file_name: str, *_told: Any, **_more: Any) -> None:
        """Refuse another part or a second file. What the part says of its type is not asked."""
        if field_name != FIELD:
            raise _refused("request.unknown", field_name)
        if self.name is not None:
            raise _refused("request.unknown", f"{FIELD}/1")
        self.name = file_name

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        del start
        self._incoming.write(raw_data)

    def file_complete(self, file_size: int) -> None:
        del file_size  # decoded bytes; `Incoming` has counted them itself


class _Counted(io.RawIOBase):
    """The body, with how much of it was read and how it ended."""

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self._stream = stream
        self._count = 0
        self._tail = b""

    def read(self, size: int | None = -1, /) -> bytes:
        data: bytes = self._stream.read(size)
        self._count += len(data)
        self._tail = (self._tail + data)[-_TAIL:]
        return data

    def is_whole(self, length: int, content_type: str) -> bool:
        """Whether all announced bytes came and the closing boundary is among the last."""
        _kind, parameters = parse_header_parameters(content_type)
        closing = f"--{parameters['boundary']}--".encode()
        return self._count == length and closing in self._tail


def _length(request: Request) -> int:
    text = str(request.META.get("CONTENT_LENGTH") or "0")
    # Digits beyond that are no length of anything; they would cost time to convert.
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else MAX_SIZE * 2


def _refused(code: str, name: str, *, missing: bool = False) -> Problem:
    detail = (
        _("Send multipart/form-data with one part named “file” that has a file name.")
        if missing
        else _("This address takes one part named “file” and no other.")
    )
    at = name if missing or name.startswith(f"{FIELD}/") else pointer_part(name[:100])
    return Problem(
        400,
        "request.invalid",
        detail,
        errors=[{"code": code, "at": f"/{at}", "message": detail}],
    )
