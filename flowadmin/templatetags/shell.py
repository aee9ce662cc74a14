"""Tags of the page frame: icons, the navigation and the choices of language and theme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_info, pgettext_lazy
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.template.context import Context

register = template.Library()

SPRITE = "flowadmin/dist/icons.svg"


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of the navigation; `code` is what a page puts into its block `nav_active`."""

    code: str
    label: Any
    icon: str
    url_name: str
    short: Any = ""
    query: str = ""
    keys: str = ""
    counter: str = ""
    on_phone: bool = True
    staff: bool = False
    # Shown to whoever has one of them; empty: to everybody.
    permissions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A place as one page shows it."""

    place: Place
    address: str
    here: bool
    count: int


PLACES = (
    Place("home", _("Home"), "home", "home", keys="g h"),
    Place("inbox", _("Inbox"), "inbox", "inbox", keys="g i", counter="todo"),
    Place(
        "notices",
        pgettext_lazy("box", "Notices"),
        "bell",
        "notices",
        counter="notices",
        on_phone=False,
    ),
    Place(
        "done",
        pgettext_lazy("box", "Done"),
        "checks",
        "inbox",
        query="?box=done",
        keys="g o",
        on_phone=False,
    ),
    Place("start", _("New request"), "circle-plus", "start", _("New"), keys="n"),
    Place("mine", _("My requests"), "send", "mine", _("Mine"), keys="g m"),
    Place(
        "drafts",
        _("Drafts"),
        "file-text",
        "drafts",
        keys="g d",
        counter="drafts",
        on_phone=False,
    ),
    Place(
        "copied",
        _("Copied to me"),
        "copy",
        "inbox",
        query="?box=copied",
        keys="g c",
        on_phone=False,
    ),
    Place(
        "processes",
        _("Processes"),
        "sitemap",
        "processes",
        on_phone=False,
        permissions=("flow.design", "flow.publish", "flow.manage"),
    ),
    Place(
        "runs",
        _("Run history"),
        "robot",
        "runs",
        on_phone=False,
        permissions=("ops.view",),
    ),
    Place("admin", _("Administration"), "settings", "admin:index", on_phone=False, staff=True),
)


@register.simple_tag
def icon(name: str, *, css: str = "", label: str = "") -> SafeString:
    """One icon of the sprite; without `label` it is decoration and hidden from screen readers.

    Arguments:
        name: a line of ``frontend/icons.txt`` (a test fails on any other).
        css: further classes, separated by blanks.
        label: what the icon says when no word stands beside it.
    """
    address = f"{static(SPRITE)}#{name}"
    classes = f"icon {css}".strip()
    if label:
        return format_html(
            '<svg class="{}" role="img" aria-label="{}"><use href="{}"/></svg>',
            classes,
            label,
            address,
        )
    return format_html(
        '<svg class="{}" aria-hidden="true" focusable="false"><use href="{}"/></svg>',
        classes,
        address,
    )


@register.simple_block_tag
def capture(content: str) -> SafeString:
    """`{% capture as name %}…{% endcapture %}`: the text of a block as a variable."""
    return SafeString(content.strip())


def _address(place: Place) -> str:
    try:
        return reverse(place.url_name) + place.query
    except NoReverseMatch:
        return ""  # this installation does not carry the page


def _guess(request: HttpRequest | None) -> str:
    """Which place the address belongs to, for pages that do not say."""
    match = request.resolver_match if request else None
    if request is None or match is None:
        return ""
    if match.url_name == "inbox":
        box = request.GET.get("box", "")
        return box if box in {"done", "copied"} else "inbox"
    return {"start-flow": "start"}.get(match.url_name or "", match.url_name or "")


@register.inclusion_tag("components/navigation.html", takes_context=True)
def navigation(context: Context, where: str = "", *, phone: bool = False) -> dict[str, Any]:
    """The list of places, in the side bar or in the phone's bar.

    Arguments:
        where: code of the place the page belongs to; guessed from the address when empty.
        phone: only the places of the phone's bar.
    """
    user = context.get("user")
    staff = bool(getattr(user, "is_staff", False))
    granted: frozenset[str] = getattr(context.get("request"), "granted", frozenset())
    counters = {
        # Every page has this one, from a context processor, and counts it only here.
        "notices": 0 if phone else context.get("unread_notices", 0),
        **(context.get("counters") or {}),
    }
    here = where or _guess(context.get("request"))
    entries = [
        Entry(
            place,
            address,
            here=place.code == here,
            count=counters.get(place.counter, 0) if place.counter else 0,
        )
        for place in PLACES
        if (staff or not place.staff)
        and (not place.permissions or not granted.isdisjoint(place.permissions))
        and (place.on_phone or not phone)
        and (address := _address(place))
    ]
    return {
        "phone": phone,
        "groups": [
            [entry for entry in entries if not _is_apart(entry.place)],
            [entry for entry in entries if _is_apart(entry.place)],
        ],
    }


def _is_apart(place: Place) -> bool:
    """Whether it is for those who look after the product, below what everybody uses."""
    return place.staff or bool(place.permissions)


@register.inclusion_tag("components/choices.html", takes_context=True)
def choices(context: Context) -> dict[str, Any]:
    """The menus of language and theme; each choice is a small POST form."""
    request = context.get("request")
    theme = getattr(request, "theme", "") or "system"
    language = get_language() or settings.LANGUAGE_CODE
    return {
        "next": request.get_full_path() if request else "",
        "csrf_token": context.get("csrf_token", ""),
        "languages": [
            {
                "code": code,
                "name": get_language_info(code)["name_local"],
                "lang": html_language(code),
                "chosen": code == language,
            }
            for code, _name in settings.LANGUAGES
        ],
        "themes": [
            {"code": code, "name": name, "icon": picture, "chosen": code == theme}
            for code, name, picture in (
                ("light", _("Light"), "sun"),
                ("dark", _("Dark"), "moon"),
                ("system", _("As the device"), "device-desktop"),
            )
        ],
    }


@register.simple_tag
def page_language() -> str:
    """The page's language as HTML names it."""
    return html_language(get_language() or settings.LANGUAGE_CODE)


def html_language(code: str) -> str:
    """BCP 47 form of one of Django's language codes: ``zh-hans`` is ``zh-Hans``."""
    first, _dash, rest = code.partition("-")
    return f"{first}-{rest.title()}" if len(rest) == 4 else code
