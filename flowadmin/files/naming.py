"""Names of files: cleaned when they come in, and written into a header when they go out."""

from __future__ import annotations

import unicodedata
from urllib.parse import quote

NAME_LENGTH = 150
NAMELESS = "file"
# Whoever downloads may have a file system that allows 255 bytes, and adds " (2)" by itself.
LONGEST_BYTES = 240
LONGEST_EXTENSION = 10

# Controls, formats (with them all marks that turn the direction of writing), halves of
# surrogate pairs, private characters.
_NO_TEXT = {"Cc", "Cf", "Cs", "Co"}
# Some file systems give these a meaning.
_RESERVED = str.maketrans(dict.fromkeys('<>:"|?*', "_"))
_TOKEN = "!#$&+-.^_`|~"  # noqa: S105  # the attr-char of RFC 8187


def clean_name(given: str) -> str:
    """The name under which a file is kept: shown, and given to downloads, but never a path.

    Args:
        given: what the sender called it, any text.

    Returns at least one and at most 150 characters (240 bytes of UTF-8): the last part of a
    path, without control characters, marks of writing direction or leading dots; the
    extension is kept when the rest has to be cut.

    Source: reliability.md, Upload.
    """
    last = unicodedata.normalize("NFC", given).replace("\\", "/").rpartition("/")[2]
    kept = "".join(
        " " if one.isspace() else one for one in last if one.isspace() or not _is_no_text(one)
    )
    name = " ".join(kept.translate(_RESERVED).split()).strip(" .")
    return _cut(name) if name else NAMELESS


def extension_of(name: str) -> str:
    """What follows the last full stop, in lower case; empty when there is none."""
    stem, stop, extension = name.rpartition(".")
    return extension.lower() if stem and stop else ""


def disposition(name: str) -> str:
    """The value of ``Content-Disposition`` for a download under this cleaned name.

    Old programs read ``filename``, in which a character outside ASCII becomes its base letter or
    an underscore; all others read ``filename*`` (RFC 6266, appendix D).
    """
    letters = (
        one for one in unicodedata.normalize("NFKD", name) if not unicodedata.combining(one)
    )
    plain = "".join(one if " " <= one <= "~" and one not in '"\\%' else "_" for one in letters)
    header = f'attachment; filename="{plain}"'
    return header if plain == name else f"{header}; filename*=UTF-8''{quote(name, safe=_TOKEN)}"


def _is_no_text(one: str) -> bool:
    point = ord(one)
    # Non-characters belong to the unassigned ones, of which a later Unicode makes characters.
    none = point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF
    return none or unicodedata.category(one) in _NO_TEXT


def _cut(name: str) -> str:
    stem, stop, extension = name.rpartition(".")
    if not stem or len(extension) > LONGEST_EXTENSION:
        stem, stop, extension = name, "", ""
    end = stop + extension
    while len(stem) + len(end) > NAME_LENGTH or len((stem + end).encode()) > LONGEST_BYTES:
        stem = stem[:-1]
    return stem.rstrip(" .") + end if stem.rstrip(" .") else NAMELESS + end
