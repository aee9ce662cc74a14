"""The templates of processes: what each is called, and its document in one language.

Theory of operation. Each template is one JSON file of this folder. Its form has bilingual labels,
as any form may; the names in its process document are one text in flowdoc 1, so the file holds
both (``{"en": …, "zh-hans": …}``) and `document_in` takes the one of whoever chooses the template.
People are named by what every organisation has (heads, the initiator, people in a field), and
where somebody with an office is needed by the code of a post: an organisation without that post is
told so before it publishes, and nothing else stands in the way (interface.md 7.9, Empty).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

# In the order of the gallery; also the names that `design-drafts/` takes as `template`.
NAMES: Final = ("leave", "expense", "purchase", "seal", "onboarding")
_FOLDER: Final = Path(__file__).resolve().parent
_LANGUAGES: Final = frozenset({"en", "zh-hans"})


@dataclass(frozen=True, slots=True)
class Template:
    """One entry of the gallery, in one language; ``posts`` are the offices that it asks for."""

    name: str
    title: str
    line: str
    icon: str
    posts: Mapping[str, str]


def template_in(name: str, language: str) -> Template:
    """What the gallery says of the template ``name``.

    Args:
        name: one of `NAMES`.
        language: of the reader, such as ``en`` or ``zh-hans``; English for any other.
    """
    found = _read(name)
    return Template(
        name=name,
        title=_in(found["name"], language),
        line=_in(found["line"], language),
        icon=found["icon"],
        posts=_in(found.get("posts", {}), language),
    )


def document_in(name: str, language: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The process document and the form of a template as parsed JSON, for the caller to change.

    Args:
        name: one of `NAMES`.
        language: in which the process and its steps are named; the form has both languages.
    """
    found = _read(name)
    form: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(found["form"]))
    return _in(found["document"], language), form


@lru_cache(maxsize=len(NAMES))
def _read(name: str) -> dict[str, Any]:
    if name not in NAMES:
        raise ValueError(name)
    found: dict[str, Any] = msgspec.json.decode((_FOLDER / f"{name}.json").read_bytes())
    return found


def _in(value: Any, language: str) -> Any:
    """A copy of a JSON value in which each pair of texts is the one of the language."""
    if isinstance(value, list):
        return [_in(each, language) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == _LANGUAGES:
        return value["zh-hans" if language.lower().startswith("zh") else "en"]
    return {name: _in(each, language) for name, each in value.items()}
