"""The published processes of a tenant as people look for them: by category, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.models import Definition, Favourite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flowadmin.directory.models import User


def published_in_order(tenant_id: int) -> list[Definition]:
    """Every process that has a version, category by category; without one it comes last.

    In a category the position counts, then the name (interface.md 7.10). Sorted here and not by
    the database, because each database has rules of its own for letters.
    """
    rows = Definition.objects.filter(tenant_id=tenant_id, current__isnull=False)
    return in_order(rows.select_related("current", "current__published_by"))


def in_order(flows: Iterable[Definition]) -> list[Definition]:
    """Processes in the order of the catalogue."""
    return sorted(
        flows,
        key=lambda flow: (
            not flow.category,
            flow.category.casefold(),
            flow.position,
            flow.name.casefold(),
            flow.key,
        ),
    )


def by_category(flows: Sequence[Definition]) -> Iterator[tuple[str, list[Definition]]]:
    """Category and its processes, of processes that stand in order."""
    found: dict[str, list[Definition]] = {}
    for flow in flows:
        found.setdefault(flow.category, []).append(flow)
    yield from found.items()


def categories_of(tenant_id: int) -> list[str]:
    """The categories in use in a tenant, by name; they are suggested where one is typed."""
    rows = Definition.objects.filter(tenant_id=tenant_id).exclude(category="")
    return sorted(set(rows.values_list("category", flat=True)), key=str.casefold)


def favourites_of(user: User) -> frozenset[int]:
    """The ids of the processes that this person has marked."""
    rows = Favourite.objects.filter(user_id=user.pk, tenant_id=user.tenant_id)
    return frozenset(rows.values_list("definition_id", flat=True))
