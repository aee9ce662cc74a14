"""In which order the fields of a form can be settled: what they are shown by and summed from."""

from __future__ import annotations

from functools import lru_cache
from graphlib import TopologicalSorter
from types import MappingProxyType
from typing import TYPE_CHECKING

from workflow.forms.conditions import fields_of
from workflow.forms.formdoc import fields_by_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.forms.formdoc import Field, FormDoc


@lru_cache(maxsize=512)
def settling_order(form: FormDoc) -> tuple[Field, ...]:
    """Every field after all that its `show_if` and `sum_of` read; document order otherwise.

    A form never changes, so its order is found once. One with a circle never gets through
    `reading.decode_form`; fields of one are put last.
    """
    known = {field.id: field for field in form.fields}
    circle = frozenset(circle_of(form))
    graph = {
        field.id: [name for name in needs(field) if name in known and name not in circle]
        for field in form.fields
    }
    return tuple(known[name] for name in TopologicalSorter(graph).static_order())


@lru_cache(maxsize=512)
def known_fields(form: FormDoc) -> Mapping[str, Field]:
    """The fields by id, found once for a form."""
    return MappingProxyType(fields_by_id(form))


def circle_of(form: FormDoc) -> tuple[str, ...]:
    """The fields that can never be settled, because they wait for each other or for such ones."""
    waiting = {field.id: set(needs(field)) for field in form.fields}
    known = set(waiting)
    while ready := [name for name, needed in waiting.items() if not needed & known]:
        known.difference_update(ready)
        for name in ready:
            del waiting[name]
    return tuple(waiting)


def needs(field: Field) -> tuple[str, ...]:
    """The ids of the fields that this one reads; a column counts as its table."""
    shown_by = () if field.show_if is None else fields_of(field.show_if)
    return (*shown_by, *(name.partition(".")[0] for name in field.sum_of))
