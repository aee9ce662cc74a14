"""Where a process stands in the catalogue: its category, its place there, and people's favourites.

Theory of operation. Positions are numbers without meaning outside their category, and whoever
arranges one process may renumber its neighbours. The race: two people arrange at the same moment.
Both first lock one and the same row, the tenant's oldest process, so that the second counts from
what the first has left; no other writer waits for two of these rows, so nobody can block another
in a circle.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from django.db import transaction
from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from workflow.actions import versions
from workflow.catalogue import categories_of, in_order
from workflow.models import Definition, Favourite
from workflow.models.definitions import LONGEST_CATEGORY

if TYPE_CHECKING:
    from flowadmin.directory.models import User

UP: Final = -1
DOWN: Final = 1


def arrange(
    *, definition: Definition, category: str | None = None, position: int | None = None
) -> Definition:
    """Put a process into a category, at a place of it.

    Args:
        definition: a process of the person's tenant; that he may was asked by whoever calls.
        category: its new category, empty for none; None to leave it where it is. One that differs
            from a category in use only in capitals is that category.
        position: its place there from 1, beyond the last one at the end; None leaves it, or puts
            it last in a new category.

    Returns the process as it is stored. Raises Problem 422 category.invalid; nothing is written.
    Source: interface.md 7.10.
    """
    wanted = None if category is None else _clean(category)
    with transaction.atomic():
        _lock(definition.tenant_id)
        definition.refresh_from_db()
        was = definition.category
        if wanted is not None:
            definition.category = _spelled_as_used(definition.tenant_id, wanted)
        if position is not None or definition.category != was:
            _place(definition, position)
    return definition


def move(*, definition: Definition, by: int) -> Definition:
    """Move a process one place `UP` or `DOWN` in its category; nothing happens at its end."""
    with transaction.atomic():
        _lock(definition.tenant_id)
        definition.refresh_from_db()
        keys = [each.pk for each in _category(definition)]
        if definition.pk in keys:
            _place(definition, keys.index(definition.pk) + 1 + by)
    return definition


def set_favourite(*, user: User, definition: Definition, on: bool) -> None:
    """Mark a process as one of this person's favourites, or no longer; twice does no harm."""
    rows = Favourite.objects.filter(user_id=user.pk, definition=definition)
    if not on:
        rows.delete()
        return
    # The race: two windows mark the same process. The unique pair makes one row of the two.
    Favourite.objects.get_or_create(
        user_id=user.pk, definition=definition, defaults={"tenant_id": user.tenant_id}
    )


def _lock(tenant_id: int) -> None:
    oldest = Definition.objects.filter(tenant_id=tenant_id).order_by("pk").first()
    if oldest is not None:
        versions.lock(oldest)


def _category(definition: Definition) -> list[Definition]:
    """The processes of a category as they stand, this one among them."""
    rows = Definition.objects.filter(
        tenant_id=definition.tenant_id, category=definition.category, current__isnull=False
    )
    return in_order(rows)


def _place(definition: Definition, position: int | None) -> None:
    """Write the process and the numbers of those that it makes room among."""
    others = [each for each in _category(definition) if each.pk != definition.pk]
    place = len(others) if position is None else max(0, min(position - 1, len(others)))
    others.insert(place, definition)
    for number, each in enumerate(others, start=1):
        if each.pk == definition.pk:
            definition.position = number
        elif each.position != number:
            Definition.objects.filter(pk=each.pk).update(position=number)
    Definition.objects.filter(pk=definition.pk).update(
        category=definition.category, position=definition.position
    )


def _clean(category: str) -> str:
    text = unicodedata.normalize("NFC", " ".join(category.split()))
    if len(text) > LONGEST_CATEGORY or not text.isprintable():
        raise Problem(
            422,
            "category.invalid",
            _("A category is one line of at most %(most)d characters.")
            % {"most": LONGEST_CATEGORY},
        )
    return text


def _spelled_as_used(tenant_id: int, category: str) -> str:
    for used in categories_of(tenant_id):
        if used.casefold() == category.casefold():
            return used
    return category
