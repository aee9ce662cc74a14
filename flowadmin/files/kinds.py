"""What a file is: decided by its first bytes, narrowed by its name, never told by its sender."""

from __future__ import annotations

from typing import Final

from flowadmin.files.naming import extension_of

HEAD_SIZE: Final = 4096
OCTETS: Final = "application/octet-stream"
PLAIN: Final = "text/plain"

# Names that are taken; a file with any other extension is refused. Programs, scripts and
# documents that carry macros are left out on purpose.
_TAKEN_BY_USE: Final = {
    "text": "txt text log csv tsv md json yaml yml ini xml xsd html htm ics vcf eml msg",
    "office": "pdf ofd rtf doc dot docx dotx xls xlt xlsx ppt pot pps pptx ppsx wps et dps odt "
    "ods odp odg vsd vsdx mpp pages numbers key epub",
    "picture": "png jpg jpeg jfif gif webp bmp tif tiff heic heif avif psd ai eps svg",
    "drawing": "dwg dxf dwf step stp iges igs stl skp",
    "archive": "zip rar 7z gz tgz tar bz2 xz",
    "recording": "mp3 m4a aac wav ogg oga flac amr mp4 m4v mov avi webm mkv",
    "signature": "sig asc p7m p7s cer crt pem",
    "other": "bin dat",
}
TAKEN: Final = frozenset(" ".join(_TAKEN_BY_USE.values()).split())

_SIGNATURES: Final = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"{\\rtf", "application/rtf"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
)
# Programs of Unix, macOS and Java, and links of Windows. The two letters that begin a program of
# Windows also begin ordinary texts and are looked at after these.
_PROGRAMS: Final = (
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"L\x00\x00\x00\x01\x14\x02\x00",
)
_BRANDS: Final = {
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heif",
    b"avif": "image/avif",
    b"qt  ": "video/quicktime",
    b"M4A ": "audio/mp4",
}
_RIFF: Final = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}

_OPEN: Final = "application/vnd.openxmlformats-officedocument."
_ODF: Final = "application/vnd.oasis.opendocument."
# What the name may say about a content that has several uses.
_NARROWED: Final[dict[str, dict[str, str]]] = {
    "application/zip": {
        "docx": _OPEN + "wordprocessingml.document",
        "xlsx": _OPEN + "spreadsheetml.sheet",
        "pptx": _OPEN + "presentationml.presentation",
        "odt": _ODF + "text",
        "ods": _ODF + "spreadsheet",
        "odp": _ODF + "presentation",
        "ofd": "application/ofd",
        "epub": "application/epub+zip",
    },
    "application/x-ole-storage": {
        "doc": "application/msword",
        "xls": "application/vnd.ms-excel",
        "ppt": "application/vnd.ms-powerpoint",
        "msg": "application/vnd.ms-outlook",
    },
    PLAIN: {
        "csv": "text/csv",
        "tsv": "text/tab-separated-values",
        "md": "text/markdown",
        "json": "application/json",
        "ics": "text/calendar",
        "vcf": "text/vcard",
        "eml": "message/rfc822",
    },
}
# Whatever the name says: a text that a browser would run is called what it is.
_MARKUP: Final = (
    (b"<svg", "image/svg+xml"),
    (b"<!doctype html", "text/html"),
    (b"<html", "text/html"),
    (b"<script", "text/html"),
    (b"<?xml", "application/xml"),
    (b"<!--", "application/xml"),
)
_MARKUP_NAMES: Final = {
    "svg": "image/svg+xml",
    "html": "text/html",
    "htm": "text/html",
    "xml": "application/xml",
    "xsd": "application/xml",
}
ACTIVE: Final = frozenset({"text/html", "image/svg+xml", "application/xml"})

_UNTEXT: Final = bytes(set(range(32)) - set(b"\t\n\x0b\x0c\r\x1b")) + b"\x7f"
_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


class NotTaken(ValueError):
    """The name or the content is of a kind that nobody may attach."""


def media_type_of(name: str, head: bytes) -> str:
    """The media type of a file, such as ``image/png``.

    Args:
        name: its cleaned name. Only the extension counts: it has to be one of ``TAKEN``, and
            it chooses between the uses of one content (a ZIP may be a ``docx``).
        head: the first ``HEAD_SIZE`` bytes, or all when there are fewer.

    A content that is nothing we know is ``application/octet-stream``; without an extension it is
    refused. What the sender's header says is not asked.

    Raises:
        NotTaken: the extension is not taken, or the content is a program.

    Source: reliability.md, Upload (allow-list, content checked).
    """
    extension = extension_of(name)
    if extension and extension not in TAKEN:
        raise NotTaken(extension)
    found = _of_content(head)
    if found is None and head.startswith((*_PROGRAMS, b"MZ")):
        raise NotTaken(name)
    if found is None and not extension:
        raise NotTaken(name)
    if found == PLAIN:
        found = _of_markup(extension, head)
    return _NARROWED.get(found or "", {}).get(extension, found or OCTETS)


def served_as(media_type: str) -> str:
    """The ``Content-Type`` of a download: what a browser could run goes as plain bytes."""
    return OCTETS if media_type in ACTIVE else media_type


def _of_content(head: bytes) -> str | None:
    for begin, media_type in _SIGNATURES:
        if head.startswith(begin):
            return media_type
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "video/mp4")
    if head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12])
    # Two letters say little, so only what cannot be text is a picture of this kind.
    is_text = head.startswith(_MARKS) or len(head.translate(None, _UNTEXT)) == len(head)
    if is_text:
        return PLAIN
    return "image/bmp" if head.startswith(b"BM") else None


def _of_markup(extension: str, head: bytes) -> str:
    text = head.translate(None, b"\x00").removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe \t\r\n")
    begin = text[:1024].lower()
    for tag, media_type in _MARKUP:
        if begin.startswith(tag):
            # A picture may begin with a declaration or a comment.
            is_picture = media_type == "application/xml" and b"<svg" in begin
            return "image/svg+xml" if is_picture else media_type
    return _MARKUP_NAMES.get(extension, PLAIN)
