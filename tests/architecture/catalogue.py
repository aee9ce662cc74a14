"""The catalogue of translations: the strings of the sources, found with Babel, and the .po file.

`script/translations` runs this module; test_translations.py compares its findings with the file.
"""

from __future__ import annotations

import argparse
import re
import sys
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
LOCALE = "zh_Hans"
CATALOGUE = ROOT / "flowadmin" / "locale" / LOCALE / "LC_MESSAGES" / "django.po"

APPS = ("flowadmin", "rules", "workflow", "notifications")
# Django loads `zh_Hans`; this package has only `zh_CN`, so its few words are ours to translate.
BORROWED = ("django_filters",)
# What the packages' own Chinese catalogues leave in English and a person may meet.
ELSEWHERE: dict[str, tuple[str | tuple[str, str], ...]] = {
    "django": (
        "Model name",
        "Add link",
        "Change or view list link",
        "Error:",
        "Forgotten your login credentials?",
        "After you\u2019ve created a user, you\u2019ll be able to edit more user options.",
        "%(model)s instance with %(field)s %(value)r is not a valid choice.",
        (
            "This password is too short. It must contain at least %d character.",
            "This password is too short. It must contain at least %d characters.",
        ),
    ),
    "rest_framework": ("A valid biginteger is required.",),
}

# The functions of django.utils.translation, as makemessages knows them.
KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
HEADER = "# FlowAdmin in Simplified Chinese. Strings are gathered by script/translations."
# Lines of the header that would change with each run, or say nothing.
IDLE = re.compile(
    r'^"(POT-Creation-Date|PO-Revision-Date|Generated-By|Report-Msgid-Bugs-To|Last-Translator'
    r"|Language-Team|Project-Id-Version):.*\n",
    re.MULTILINE,
)
WIDTH = 98


def sources(root: Path = ROOT) -> Iterator[tuple[str, Path]]:
    """Every file that may hold a string for people: its name in the catalogue and its path."""
    folders = [(name, root / name) for name in (*APPS, "templates")]
    for name in BORROWED:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        folders.append((name, Path(spec.origin).parent))
    for name, folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".py", ".html", ".txt"} and "dist" not in path.parts:
                yield f"{name}/{path.relative_to(folder).as_posix()}", path


def python_of(path: Path) -> str:
    """The file as Python calls: a template's tags become the calls they stand for."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return text
    # What is left of a template is no Python: its indentation would be an error.
    return "\n".join(line.lstrip() for line in templatize(text).splitlines())


def gathered(root: Path = ROOT) -> Catalog:
    """All strings of the sources, with the files they stand in, without translations."""
    found = Catalog()
    for name, path in sources(root):
        calls = BytesIO(python_of(path).encode())
        for line, words, comments, context in extract(
            "python", calls, keywords=KEYWORDS, comment_tags=("Translators",)
        ):
            found.add(words, None, [(name, line)], auto_comments=comments, context=context)
    for name, strings in ELSEWHERE.items():
        for words in strings:
            found.add(words, None, [(name, 1)])
    return found


def kept(path: Path = CATALOGUE) -> Catalog:
    """The catalogue as it is stored; an empty one when there is none."""
    if not path.exists():
        return Catalog(locale=LOCALE, fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=LOCALE)


def key_of(message: Message) -> tuple[str | None, str]:
    """What identifies a message: its context and its (singular) English words."""
    words = message.id if isinstance(message.id, str) else message.id[0]
    return message.context, words


def messages(catalogue: Catalog) -> dict[tuple[str | None, str], Message]:
    """The messages of a catalogue by context and words, without the header."""
    return {key_of(each): each for each in catalogue if each.id}


def written(catalogue: Catalog) -> str:
    """The catalogue as a file that is the same whenever its strings are."""
    catalogue.header_comment, catalogue.fuzzy = HEADER, False
    out = BytesIO()
    write_po(out, catalogue, width=WIDTH, include_lineno=False)
    return IDLE.sub("", out.getvalue().decode())


def refreshed() -> tuple[str, list[str], list[str]]:
    """The file with today's strings, what is new in it and what is gone from it."""
    template, stored = gathered(), kept()
    before, after = messages(stored), messages(template)
    stored.update(template, no_fuzzy_matching=True)
    stored.obsolete.clear()
    new = [words for key in after.keys() - before.keys() if (words := key[1])]
    gone = [words for key in before.keys() - after.keys() if (words := key[1])]
    return written(stored), sorted(new), sorted(gone)


def untranslated(catalogue: Catalog) -> list[str]:
    """The English words of messages that have no translation, or only a guessed one."""
    return [
        key[1]
        for key, message in messages(catalogue).items()
        if message.fuzzy or not all(strings_of(message))
    ]


def strings_of(message: Message) -> tuple[str, ...]:
    """The translations of a message: one, or one for each plural form."""
    if message.string is None or isinstance(message.string, str):
        return (message.string or "",)
    return tuple(message.string)


def main() -> int:
    """Bring the catalogue up to date, or with ``--check`` only say whether it is."""
    parser = argparse.ArgumentParser(prog="script/translations")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when stale")
    check = parser.parse_args().check
    text, new, gone = refreshed()
    stale = not CATALOGUE.exists() or CATALOGUE.read_text(encoding="utf-8") != text
    if stale and not check:
        CATALOGUE.parent.mkdir(parents=True, exist_ok=True)
        CATALOGUE.write_text(text, encoding="utf-8")
    lines = [f"  new: {words}" for words in new] + [f"  gone: {words}" for words in gone]
    waiting = untranslated(kept())
    lines += [f"  to translate: {words}" for words in waiting]
    lines.append(f"{len(new)} new, {len(gone)} gone, {len(waiting)} to translate")
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(waiting) or (check and stale))


if __name__ == "__main__":
    sys.exit(main())
