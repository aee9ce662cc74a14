"""Why: which source gave a person, who was left out, and what a condition saw, as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from workflow.forms.evaluation import text_of
from workflow.forms.formdoc import Field, fields_by_id, label_in, option_label
from workflow.wording.states import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django_stubs_ext import StrOrPromise

    from workflow.engine.decision import Definition
    from workflow.engine.events import Chosen, Dropped, Leaf
    from workflow.forms.scalars import Value

# Codes of departments and roles → their names: ("department", code) or ("role", code).
Titles = dict[tuple[str, str], str]

LONGEST_VALUE = 120

_CHOSEN: dict[str, StrOrPromise] = {
    "user": gettext_lazy("%(person)s: named in the process"),
    "role": gettext_lazy("%(person)s: role %(of)s"),
    "department": gettext_lazy("%(person)s: member of %(of)s"),
    "head": gettext_lazy("%(person)s: head of %(of)s"),
    "initiator": gettext_lazy("%(person)s: filed the request"),
    "head_instead_of_initiator": gettext_lazy(
        "%(person)s: head of %(of)s, instead of the person who filed the request"
    ),
}
_DROPPED: dict[str, StrOrPromise] = {
    "disabled": gettext_lazy("%(person)s was left out: the account is disabled"),
    "excluded": gettext_lazy("%(person)s was left out: the process excludes this person"),
    "is_initiator": gettext_lazy("%(person)s was left out: this person filed the request"),
    "beyond_cap": gettext_lazy("%(person)s was left out: the step takes no more people"),
}
_WHEN_EMPTY: dict[str, StrOrPromise] = {
    "people": gettext_lazy("Nobody was found, so the people named for this case were asked"),
    "managers": gettext_lazy("Nobody was found, so the managers of the process were asked"),
}
# A source → what `of` names; every other source names nothing that has a title.
_TITLED = {"head": "department", "head_instead_of_initiator": "department"} | {
    kind: kind for kind in ("department", "role")
}
_QUESTIONS: dict[str, StrOrPromise] = {
    "eq": gettext_lazy("%(what)s = %(value)s"),
    "is": gettext_lazy("%(what)s = %(value)s"),
    "ne": gettext_lazy("%(what)s ≠ %(value)s"),
    "gt": gettext_lazy("%(what)s > %(value)s"),
    "ge": gettext_lazy("%(what)s ≥ %(value)s"),
    "lt": gettext_lazy("%(what)s < %(value)s"),
    "le": gettext_lazy("%(what)s ≤ %(value)s"),
    "between": gettext_lazy("%(what)s is between %(value)s"),
    "in": gettext_lazy("%(what)s is one of %(value)s"),
    "contains": gettext_lazy("%(what)s contains “%(value)s”"),
    "starts": gettext_lazy("%(what)s starts with “%(value)s”"),
    "ends": gettext_lazy("%(what)s ends with “%(value)s”"),
    "matches": gettext_lazy("%(what)s matches “%(value)s”"),
    "before": gettext_lazy("%(what)s is before %(value)s"),
    "after": gettext_lazy("%(what)s is after %(value)s"),
    "within_last": gettext_lazy("%(what)s lies within the last %(value)s"),
    "within_next": gettext_lazy("%(what)s lies within the next %(value)s"),
    "has": gettext_lazy("%(what)s contains %(value)s"),
    "has_any": gettext_lazy("%(what)s contains one of %(value)s"),
    "has_all": gettext_lazy("%(what)s contains all of %(value)s"),
    "under": gettext_lazy("%(what)s lies under %(value)s"),
    "empty": gettext_lazy("%(what)s is empty"),
    "not_empty": gettext_lazy("%(what)s is filled in"),
}
_INITIATOR: dict[str, StrOrPromise] = {
    "role": gettext_lazy("The person who filed the request has one of the roles %(value)s"),
    "department": gettext_lazy("The person who filed the request belongs to %(value)s"),
    "is": gettext_lazy("The person who filed the request is %(value)s"),
}
_OUTCOMES: dict[str, StrOrPromise] = {
    "approved": gettext_lazy("“%(step)s” was approved"),
    "rejected": gettext_lazy("“%(step)s” was rejected"),
    "skipped": gettext_lazy("“%(step)s” was passed over"),
}


def chosen_text(why: Chosen, person: str, titles: Titles) -> str:
    """Which source gave this person a task."""
    text = _CHOSEN.get(why.by)
    if text is None:
        return f"{person}: {why.by} {why.of}".rstrip()
    return str(text) % {"person": person, "of": _titled(_TITLED.get(why.by), why.of, titles)}


def dropped_text(why: Dropped, person: str) -> str:
    """Why this person got no task."""
    text = _DROPPED.get(why.why)
    return f"{person}: {why.why}" if text is None else str(text) % {"person": person}


def when_empty_text(word: str) -> str:
    """What the empty rule did about it when it found other people; else empty."""
    return str(_WHEN_EMPTY.get(word, ""))


def value_text(field: Field | None, value: Value, language: str) -> str:
    """A form value as people read it: labels of options, yes and no, and no endless texts."""
    if value is None or value in ("", ()):
        return pgettext("value", "empty")
    if isinstance(value, bool):
        return pgettext("value", "yes") if value else pgettext("value", "no")
    if field is None or not field.options:
        return _shortened(text_of(value))
    ids = value if isinstance(value, tuple) else (str(value),)
    return _shortened(listed(option_label(field, each, language) for each in ids))


def leaf_text(
    leaf: Leaf,
    definition: Definition,
    shows: Callable[[str], bool],
    language: str,
    titles: Titles,
) -> str:
    """One question of a condition, its answer and the value that it saw at that time.

    Of a field that the reader may not see neither the name nor the value nor the answer is told.
    """
    if leaf.kind == "field":
        # `table.column` and the like are as hidden as the field that they belong to.
        if not shows(leaf.asked.partition(".")[0]):
            return _("A condition on a field that you may not see.")
        return _field_text(leaf, definition, language)
    return _answered(_other_question(leaf, definition, titles), held=leaf.held)


def _field_text(leaf: Leaf, definition: Definition, language: str) -> str:
    form = definition.form
    field = None if form is None else fields_by_id(form).get(leaf.asked)
    label = leaf.asked if field is None else label_in(field, language)
    value = _listed(leaf.expected, field, language)
    question = _filled(_QUESTIONS, leaf.op, {"what": label, "value": value})
    if leaf.op in {"empty", "not_empty"}:
        return _answered(question, held=leaf.held)
    if leaf.no_value:
        held = _("%(question)s: true, because there is no value")
        failed = _("%(question)s: false, because there is no value")
        return (held if leaf.held else failed) % {"question": question}
    seen = _listed(leaf.seen, field, language)
    held = _("%(question)s: true (the value was %(seen)s)")
    failed = _("%(question)s: false (the value was %(seen)s)")
    return (held if leaf.held else failed) % {"question": question, "seen": seen}


def _other_question(leaf: Leaf, definition: Definition, titles: Titles) -> str:
    if leaf.kind == "initiator":
        codes = leaf.expected.split(", ")
        value = listed(titles.get((leaf.asked, code), code) for code in codes)
        return _filled(_INITIATOR, leaf.asked, {"value": value})
    if leaf.kind == "step":
        planned = definition.plan.steps.get(leaf.asked)
        step = leaf.asked if planned is None else planned.step.name
        return _filled(_OUTCOMES, leaf.expected, {"step": step})
    return f"{leaf.asked} {leaf.op} {leaf.expected}".rstrip()


def _answered(question: str, *, held: bool) -> str:
    text = _("%(question)s: true") if held else _("%(question)s: false")
    return text % {"question": question}


def _listed(text: str, field: Field | None, language: str) -> str:
    """What a leaf keeps as one text, put back into what the field means by it."""
    if field is not None and field.type == "bool":
        return value_text(field, {"true": True, "false": False}.get(text, text), language)
    if field is not None and field.options:
        return value_text(field, tuple(text.split(", ")), language)
    return _shortened(text)


def _filled(texts: Mapping[str, StrOrPromise], key: str, args: Mapping[str, str]) -> str:
    text = texts.get(key)
    return " ".join([key, *args.values()]) if text is None else str(text) % args


def _titled(kind: str | None, codes: str, titles: Titles) -> str:
    """Names instead of codes, where they are known; a role source names several at once."""
    if kind is None:
        return codes
    return listed(titles.get((kind, code), code) for code in codes.split(", "))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
