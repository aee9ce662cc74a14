"""What of an event an operator may see: how the request moved, and nothing that people wrote."""

from __future__ import annotations

import json
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

# Members that say where a request stands and by which rule it went on. What is not named here is
# hidden, so that a member that is added to an event later is hidden until somebody has judged it:
# form values, comments, texts of notices, titles, answers of rules and people are not named.
SHOWN = frozenset(
    {
        "activation", "because", "branch", "branches", "by_seat", "child", "code",
        "count", "counts", "decide", "done", "due", "flow", "group", "instance", "job", "kind",
        "later", "new", "new_number", "number", "old", "old_number", "origin", "outcome",
        "parent", "place", "reason", "removed", "result", "resume", "round", "seat", "since",
        "state", "step", "taken", "then", "to", "until", "version", "weight", "when_empty",
        "within",
    }
)  # fmt: skip


def facts_of(payload: str) -> dict[str, Any]:
    """An event's members; of one that cannot be read, none."""
    try:
        found = json.loads(payload)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def shown(facts: dict[str, Any]) -> dict[str, Any]:
    """The members in their order, with the hidden ones replaced by what kind of thing they are."""
    return {
        name: value if name in SHOWN and _is_plain(value) else hidden(value)
        for name, value in facts.items()
        if name != "event"
    }


def hidden(value: object) -> str:
    """Words in place of a value."""
    if isinstance(value, dict | list):
        count = len(value)
        return ngettext("(hidden: %(count)d entry)", "(hidden: %(count)d entries)", count) % {
            "count": count
        }
    return _("(hidden)")


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(_is_plain(each) and not isinstance(each, list) for each in value)
    return not isinstance(value, dict)
