"""Names lose what would harm their reader; the kind of a file is in its bytes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flowadmin.files.kinds import ACTIVE, OCTETS, TAKEN, NotTaken, media_type_of, served_as
from flowadmin.files.naming import clean_name, disposition, extension_of
from tests.files.uploads import PDF, PNG, PROGRAM

CLEANED = {
    "receipt.pdf": "receipt.pdf",
    "../../etc/passwd": "passwd",
    "..\\..\\boot.ini": "boot.ini",
    "C:\\Users\\ann\\Scan 1.PDF": "Scan 1.PDF",
    "/": "file",
    "..": "file",
    "": "file",
    ".htaccess": "htaccess",
    "a\x00b.pdf": "ab.pdf",
    "a\r\nSet-Cookie: x.pdf": "a Set-Cookie_ x.pdf",
    "invoice\u202efdp.exe": "invoicefdp.exe",
    "zero\u200bwidth\ufeff.txt": "zerowidth.txt",
    "e\u0301te\u0301.txt": "\u00e9t\u00e9.txt",
    "half\ud800pair.txt": "halfpair.txt",
    "no\uffffchar\ufdd0.txt": "nochar.txt",
    " \u00a0 发票 2026.pdf. ": "发票 2026.pdf",
    "a:b|c?.txt": "a_b_c_.txt",
    "\U0001f4c4.pdf": "\U0001f4c4.pdf",
}


@pytest.mark.parametrize("given_name", CLEANED)
def test_names_are_cleaned(given_name):
    assert clean_name(given_name) == CLEANED[given_name]


@pytest.mark.parametrize("letter", ["x", "发", "\U0001f4c4"])
def test_a_long_name_keeps_its_extension(letter):
    name = clean_name(letter * 400 + ".docx")
    assert name.endswith(letter + ".docx")
    assert len(name) <= 150
    assert 230 < len(name.encode()) <= 240 or len(name) == 150


def test_what_is_no_extension_is_cut_too():
    assert len(clean_name("a." + "b" * 400)) == 150
    assert extension_of("archive.tar.GZ") == "gz"
    assert extension_of("README") == ""
    assert extension_of(".pdf") == ""


@given(st.text(st.characters()))
def test_any_name_becomes_a_harmless_one(name):
    cleaned = clean_name(name)
    assert 1 <= len(cleaned) <= 150
    assert len(cleaned.encode()) <= 240
    assert not set(cleaned) & set('/\\:<>"|?*')
    assert not {unicodedata.category(one) for one in cleaned} & {"Cc", "Cf", "Cs", "Co", "Zl"}
    assert cleaned == cleaned.strip(" .") or cleaned.startswith("file.")
    assert clean_name(cleaned) == cleaned
    header = disposition(cleaned)
    assert header.isascii()
    assert header.isprintable()


def test_headers_name_the_file():
    assert disposition("receipt.pdf") == 'attachment; filename="receipt.pdf"'
    assert disposition("发票.pdf") == (
        "attachment; filename=\"__.pdf\"; filename*=UTF-8''%E5%8F%91%E7%A5%A8.pdf"
    )
    assert disposition("été 100%.txt") == (
        "attachment; filename=\"ete 100_.txt\"; filename*=UTF-8''%C3%A9t%C3%A9%20100%25.txt"
    )


HTML = b"<!DOCTYPE html><script>alert(1)</script>"
SVG = b'<?xml version="1.0"?>\n<svg onload="alert(1)"/>'
ZIP = b"PK\x03\x04\x14\x00\x08\x00"
FOUND = [
    ("a.pdf", PDF, "application/pdf"),
    ("a.png", PNG, "image/png"),
    ("a.png", PDF, "application/pdf"),
    ("a.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF", "image/jpeg"),
    ("a.gif", b"GIF89a\x01\x00", "image/gif"),
    ("a.webp", b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
    ("a.heic", b"\x00\x00\x00\x18ftypheic", "image/heic"),
    ("a.mp4", b"\x00\x00\x00\x18ftypisom", "video/mp4"),
    ("a.bmp", b"BM\x00\x01\x00\x00", "image/bmp"),
    ("a.docx", ZIP, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("a.zip", ZIP, "application/zip"),
    ("a.pdf", ZIP, "application/zip"),
    ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/vnd.ms-excel"),
    ("a.xls", b"a\tb\n1\t2\n", "text/plain"),
    ("a.csv", "编号,金额\n".encode("gb18030"), "text/csv"),
    ("a.txt", b"MZ is no program here", "text/plain"),
    ("a.txt", "\ufeffWide".encode("utf-16-le"), "text/plain"),
    ("README", b"plain", "text/plain"),
    ("scan", PNG, "image/png"),
    ("a.html", b"hello", "text/html"),
    ("a.txt", HTML, "text/html"),
    ("a.png", HTML, "text/html"),
    ("a.pdf", SVG, "image/svg+xml"),
    ("a.svg", b"<!-- x --><svg/>", "image/svg+xml"),
    ("a.xml", b"<?xml version='1.0'?><a/>", "application/xml"),
    ("a.html", b"\xef\xbb\xbf  <HTML><svg/>", "text/html"),
    ("a.dwg", b"AC1032\x00\x00\x00", OCTETS),
    ("a.bin", bytes(range(256)), OCTETS),
]


@pytest.mark.parametrize(("name", "head", "media_type"), FOUND)
def test_the_content_decides(name, head, media_type):
    assert media_type_of(name, head) == media_type


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("invoice.pdf.exe", PDF),
        ("invoice.pdf", PROGRAM),
        ("invoice", PROGRAM),
        ("a.bin", b"\x7fELF\x02\x01\x01\x00"),
        ("A.pdf", b"L\x00\x00\x00\x01\x14\x02\x00\x00\x00"),
        ("a.docm", ZIP),
        ("a.js", b"alert(1)"),
        ("a.jar", ZIP),
        ("nothing", bytes(range(256))),
    ],
)
def test_programs_and_unknown_kinds_are_refused(name, head):
    with pytest.raises(NotTaken):
        media_type_of(name, head)


def test_what_a_browser_could_run_goes_as_bytes():
    assert {served_as(one) for one in ACTIVE} == {OCTETS}
    assert served_as("image/png") == "image/png"


@given(st.sampled_from(sorted(TAKEN)), st.binary(max_size=64))
def test_any_content_has_a_kind_or_is_refused(extension, head):
    try:
        media_type = media_type_of(f"a.{extension}", head)
    except NotTaken:
        assert head.startswith((b"MZ", b"\x7f", b"\xfe", b"\xce", b"\xcf", b"\xca", b"L\x00"))
    else:
        assert media_type.isascii()
        assert len(media_type) <= 100
