"""The catalogue: the processes that a person may start, by favourites and categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from workflow.catalogue import favourites_of, published_in_order
from workflow.forms.formdoc import RENDERED, label_in
from workflow.models import Definition
from workflow.pages.answers import language_of_page, page, reader
from workflow.published import definition_of
from workflow.runtime.starters import may_start
from workflow.wording.states import listed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User
    from workflow.engine.decision import Definition as Compiled

LONGEST_SEARCH = 100
MOST_ASKED = 4


@dataclass(frozen=True, slots=True)
class Tile:
    """A process in the catalogue; ``asks`` names the first fields of its form."""

    key: str
    name: str
    category: str
    asks: str
    icon: str
    is_open: bool
    is_favourite: bool


@dataclass(frozen=True, slots=True)
class Shelf:
    """Tiles under one heading: the favourites, then a category each."""

    title: str
    tiles: tuple[Tile, ...]


@login_required
@require_safe
def catalogue(request: HttpRequest) -> HttpResponse:
    """`/start/?q=`: the processes that this person may start (interface.md 7.5)."""
    return catalogue_page(request, reader(request), request.GET.get("q", ""))


def catalogue_page(request: HttpRequest, user: User, words: str) -> HttpResponse:
    """The catalogue, or what of it has the words in its name, its category or its first fields."""
    search = words[:LONGEST_SEARCH].strip()
    tiles = _tiles(user, timezone.now())
    context = {
        "shelves": _shelves([tile for tile in tiles if _has(tile, search.casefold())]),
        "searched": search,
        "any": bool(tiles),
    }
    return page(request, "workflow/catalogue.html", context)


def _tiles(user: User, now: datetime) -> list[Tile]:
    favourites = favourites_of(user)
    tiles = []
    for row in published_in_order(user.tenant_id):
        compiled = definition_of(row.current_id or 0)
        if may_start(compiled, user, now):
            tile = Tile(
                key=row.key,
                name=row.name,
                category=row.category,
                asks=_asks(compiled),
                icon=icon_of(compiled),
                is_open=row.state == Definition.State.ACTIVE,
                is_favourite=row.pk in favourites,
            )
            tiles.append(tile)
    return tiles


def _has(tile: Tile, words: str) -> bool:
    texts = (tile.name, tile.category, tile.asks)
    return any(words in text.casefold() for text in texts)


def _shelves(tiles: Sequence[Tile]) -> list[Shelf]:
    """The favourites first, each process once; headings only where there are several."""
    favourites = tuple(tile for tile in tiles if tile.is_favourite)
    found: dict[str, list[Tile]] = {}
    for tile in tiles:
        if not tile.is_favourite:
            found.setdefault(tile.category, []).append(tile)
    shelves = [Shelf(_("Favourites"), favourites)] if favourites else []
    for category, rest in found.items():
        shelves.append(Shelf(category or _("Other processes"), tuple(rest)))
    if list(found) == [""] and not favourites:
        return [Shelf("", tuple(found[""]))]
    return shelves


def _asks(compiled: Compiled) -> str:
    """What one has to fill in: the labels of the first fields that the initiator may edit."""
    if compiled.form is None:
        return ""
    rights = compiled.start_rights()
    labels = [
        label_in(each, language_of_page())
        for each in compiled.form.fields
        if rights.get(each.id) in ("edit", "must") and each.type in RENDERED
    ]
    more = ["…"] if len(labels) > MOST_ASKED else []
    return listed([*labels[:MOST_ASKED], *more])


def icon_of(compiled: Compiled) -> str:
    """A picture by what the form is about: money, days, or just text."""
    types = {each.type for each in compiled.form.fields} if compiled.form else set()
    if "amount" in types:
        return "receipt"
    return "calendar-event" if "date" in types else "file-text"
