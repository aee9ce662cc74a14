"""Why a way was taken: what a condition asked and saw, and form values, as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from workflow.forms.evaluation import text_of
from workflow.forms.formdoc import Field, field_named, label_in
from workflow.forms.operators import days_of
from workflow.forms.scalars import rows_of, texts_of
from workflow.wording.states import listed, step_name
from workflow.wording.values import Titled, told_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django_stubs_ext import StrOrPromise

    from workflow.engine.decision import Definition
    from workflow.engine.events import Leaf
    from workflow.forms.scalars import Value
    from workflow.wording.following import Titles

LONGEST_VALUE = 120

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
# What is asked of the rows of a table: `count_ge`, `sum_gt`.
_OF_ROWS: dict[str, StrOrPromise] = {
    "count": gettext_lazy("Rows of %(field)s"),
    "sum": gettext_lazy("Sum of %(field)s"),
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
# Fields whose value may be a list of words.
_OF_SEVERAL = frozenset({"choice", "multi_choice", "user", "department"})


def value_text(
    field: Field | None, value: Value, language: str, titles: Titles | None = None
) -> str:
    """A form value as people read it: names, labels, amounts in threes, and no endless texts.

    ``titles`` are names by (kind, code); whoever is missing there is told by the code.
    """
    if value is None or value in ("", ()):
        return pgettext("value", "empty")
    if isinstance(value, bool):
        return pgettext("value", "yes") if value else pgettext("value", "no")
    if rows := rows_of(value):
        # What stands in the rows is not told here: not every reader sees every column.
        return ngettext("%(count)d row", "%(count)d rows", len(rows)) % {"count": len(rows)}
    if field is not None and field.type == "file":
        count = len(texts_of(value))
        return ngettext("%(count)d file", "%(count)d files", count) % {"count": count}
    if field is None:
        return _shortened(text_of(value))
    return _shortened(told_value(field, value, language, Titled(titles or {})))


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
    if is_hidden(leaf, shows):
        return _("A condition on a field that you may not see.")
    if leaf.kind == "field":
        return _field_text(leaf, definition, language, titles)
    return _answered(leaf, _other_question(leaf, definition, titles))


def is_hidden(leaf: Leaf, shows: Callable[[str], bool]) -> bool:
    """Whether a question is about a field, or a column, that the reader may not see."""
    # A column is as hidden as its table, and may be hidden by itself.
    return leaf.kind == "field" and not (shows(leaf.asked.partition(".")[0]) and shows(leaf.asked))


def field_label(definition: Definition, name: str, language: str) -> str:
    """What a field is called in this language, or ``table.column`` with both their labels."""
    form = definition.form
    if form is None:
        return name
    table, dot, _column = name.partition(".")
    found = [field_named(form, each) for each in ((table, name) if dot else (name,))]
    labels = [label_in(each, language) for each in found if each is not None]
    return " · ".join(labels) or name


def question_text(leaf: Leaf, definition: Definition, language: str, titles: Titles) -> str:
    """What a condition asks, without an answer: for people who draw processes, or read them."""
    if leaf.kind == "field":
        question, _field = _field_question(leaf, definition, language, titles)
    else:
        question = _other_question(leaf, definition, titles)
    return _asked(leaf, question)[0]


def _field_question(
    leaf: Leaf, definition: Definition, language: str, titles: Titles
) -> tuple[str, Field | None]:
    """The question, and the field whose values it is about: none for a number of rows."""
    form = definition.form
    field = None if form is None else field_named(form, leaf.asked)
    what, op = field_label(definition, leaf.asked, language), leaf.op
    counted, _sep, number_op = op.partition("_")
    if counted in _OF_ROWS:
        what, op = str(_OF_ROWS[counted]) % {"field": what}, number_op
        field = None if counted == "count" else field
    value = _expected(op, leaf.expected, field, language, titles)
    return _filled(_QUESTIONS, op, {"what": what, "value": value}), field


def _field_text(leaf: Leaf, definition: Definition, language: str, titles: Titles) -> str:
    question, field = _field_question(leaf, definition, language, titles)
    if leaf.op in {"empty", "not_empty"}:
        return _answered(leaf, question)
    question, is_so = _asked(leaf, question)
    if leaf.no_value:
        held = _("%(question)s: true, because there is no value")
        failed = _("%(question)s: false, because there is no value")
        return (held if is_so else failed) % {"question": question}
    seen = _listed(leaf.seen, field, language, titles)
    held = _("%(question)s: true (the value was %(seen)s)")
    failed = _("%(question)s: false (the value was %(seen)s)")
    return (held if is_so else failed) % {"question": question, "seen": seen}


def _other_question(leaf: Leaf, definition: Definition, titles: Titles) -> str:
    if leaf.kind == "initiator":
        kind = "user" if leaf.asked == "is" else leaf.asked
        value = _titled(kind, leaf.expected, titles)
        return _filled(_INITIATOR, leaf.asked, {"value": value})
    if leaf.kind == "step":
        step = step_name(definition, leaf.asked)
        return _filled(_OUTCOMES, leaf.expected, {"step": step})
    if leaf.kind == "rule":
        value = _word(leaf.expected)
        return _("The rule %(rule)s answers %(value)s") % {"rule": leaf.asked, "value": value}
    return f"{leaf.asked} {leaf.op} {leaf.expected}".rstrip()


def _word(text: str) -> str:
    """What a rule is expected to say."""
    words = {"true": pgettext("value", "yes"), "false": pgettext("value", "no")}
    return words.get(text) or _shortened(text)


def _asked(leaf: Leaf, question: str) -> tuple[str, bool]:
    """The question as the condition puts it, and its answer: of a *not*, both the other way."""
    if leaf.denied:
        return _("not (%(question)s)") % {"question": question}, not leaf.held
    return question, leaf.held


def _answered(leaf: Leaf, question: str) -> str:
    asked, is_so = _asked(leaf, question)
    text = _("%(question)s: true") if is_so else _("%(question)s: false")
    return text % {"question": asked}


def _expected(op: str, text: str, field: Field | None, language: str, titles: Titles) -> str:
    """What a question compares with, which is not always of the kind of the field."""
    if op.startswith("within_"):
        span = days_of(int(text) if text.isascii() and text.isdecimal() else text)
        if span is None:
            return text
        return ngettext("%(count)d day", "%(count)d days", span.days) % {"count": span.days}
    if op == "under":
        return _titled("department", text, titles)
    if op == "between":
        ends = [_listed(each, field, language, titles) for each in text.split(", ")]
        if len(ends) == 2:
            return _("%(least)s and %(most)s") % {"least": ends[0], "most": ends[1]}
    return _listed(text, field, language, titles)


def _titled(kind: str, text: str, titles: Titles) -> str:
    return _shortened(listed(titles.get((kind, code), code) for code in text.split(", ")))


def _listed(text: str, field: Field | None, language: str, titles: Titles) -> str:
    """What a leaf keeps as one text, put back into what the field means by it."""
    if field is None or field.type in {"text", "long_text", "file"}:
        return _shortened(text)
    if field.type == "bool":
        value: Value = {"true": True, "false": False}.get(text, text)
        return value_text(field, value, language, titles)
    if field.type in _OF_SEVERAL:
        return value_text(field, tuple(text.split(", ")), language, titles)
    return listed(value_text(field, each, language, titles) for each in text.split(", "))


def _filled(texts: Mapping[str, StrOrPromise], key: str, args: Mapping[str, str]) -> str:
    text = texts.get(key)
    return " ".join([key, *args.values()]) if text is None else str(text) % args


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
