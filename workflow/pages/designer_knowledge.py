"""What the designer is told of the tenant: the names of what a process may mention."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from flowadmin.directory.models import Calendar
from flowadmin.directory.search import listed, named
from rules.asking import registered
from workflow.forms.formdoc import field_named, label_in
from workflow.models import Definition, Secret, Target
from workflow.pages.answers import language_of_page
from workflow.published import definition_of
from workflow.runtime.calls import SCHEDULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flowadmin.directory.models import User

Named = dict[str, Any]

# Longer lists are searched in (`/directory/search`); what the document names is always told.
MOST_LISTED = 200
# Whose `ids` are codes of which kind.
_BY = {
    "user": "user",
    "role": "role",
    "group": "group",
    "post": "post",
    "department": "department",
    "in_role": "role",
    "in_department": "department",
    "is": "user",
}
_DELIVERED = {
    "user": "users",
    "role": "roles",
    "group": "groups",
    "post": "posts",
    "department": "departments",
}


def knowledge_of(user: User, document: object, form: object = None) -> dict[str, list[Named]]:
    """Names for the designer of `document`: only of the reader's tenant, and never a secret.

    `document` and `form` are a draft's raw JSON, however broken. The shape is `Knowledge` in
    frontend/src/designer/knowledge.ts. About a dozen statements, whatever is in the document.
    """
    tenant = user.tenant_id
    mentioned = _mentioned([document, form])
    people = {
        plural: _named(tenant, kind, mentioned.get(kind, set()))
        for kind, plural in _DELIVERED.items()
    }
    return people | {
        "flows": list(_flows(tenant)),
        "targets": [
            {"code": key, "name": key}
            for key in Target.objects.filter(tenant_id=tenant)
            .order_by("key")
            .values_list("key", flat=True)[:MOST_LISTED]
        ],
        "calendars": [
            {"code": key, "name": name}
            for key, name in Calendar.objects.filter(tenant_id=tenant)
            .order_by("name", "key")
            .values_list("key", "name")[:MOST_LISTED]
        ],
        "secrets": [
            {"code": key, "name": key}
            for key in Secret.objects.filter(tenant_id=tenant)
            .order_by("key")
            .values_list("key", flat=True)[:MOST_LISTED]
        ],
        "retries": [{"code": key, "name": _schedule(key)} for key in SCHEDULES],
        "rules": [
            {"code": name, "name": name, "versions": list(range(1, newest + 1))}
            for name, newest in registered()[:MOST_LISTED]
        ],
    }


def _named(tenant: int, kind: str, codes: set[str]) -> list[Named]:
    """What the document mentions, and of the kinds that are few the others too."""
    found = {each.code: each for each in named(tenant, kind, sorted(codes))}
    if kind != "user":
        found |= {each.code: each for each in listed(tenant, kind, MOST_LISTED)}
    return [asdict(each) for each in sorted(found.values(), key=lambda each: each.name)]


def _mentioned(roots: list[object]) -> dict[str, set[str]]:
    """The codes that people sources, bases and conditions of the documents name, by kind."""
    found: dict[str, set[str]] = {}
    waiting = list(roots)
    while waiting:
        here = waiting.pop()
        if isinstance(here, list):
            waiting.extend(here)
        elif isinstance(here, dict):
            waiting.extend(here.values())
            for kind, codes in _codes(here):
                found.setdefault(kind, set()).update(each for each in codes if _is_text(each))
    return found


def _codes(part: dict[Any, Any]) -> Iterator[tuple[str, list[Any]]]:
    """What one object names; nothing of it needs to be well formed."""
    kind = part.get("by", part.get("initiator"))
    if _is_text(kind) and kind in _BY and isinstance(part.get("ids"), list):
        yield _BY[kind], part["ids"]
    if _is_text(part.get("department")):
        yield "department", [part["department"]]
    if _is_text(part.get("role")):
        yield "role", [part["role"]]
    if isinstance(part.get("weights"), dict):
        yield "user", list(part["weights"])
    if part.get("type") in ("user", "department") and "label" in part:
        default = part.get("default")
        yield part["type"], default if isinstance(default, list) else [default]
    if _is_text(part.get("field")) and part.get("op") in ("is", "in", "under"):
        # The type of the field decides; asking for both kinds costs no statement more.
        value = part.get("value")
        values = value if isinstance(value, list) else [value]
        yield "user", values
        yield "department", values


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _flows(tenant: int) -> Iterator[Named]:
    """The published processes with the fields of their forms, for inputs and outputs."""
    language = language_of_page()
    rows = Definition.objects.filter(tenant_id=tenant, current__isnull=False).order_by("name")
    columns = ("key", "name", "current_id", "current__number")
    for key, name, version, number in rows.values_list(*columns)[:MOST_LISTED]:
        form = definition_of(version).form
        fields = [] if form is None else [each.id for each in form.fields]
        yield {
            "code": key,
            "name": name,
            "version": number,
            "fields": [
                {"code": each, "name": label_in(field, language), "note": field.type}
                for each in fields
                if form is not None and (field := field_named(form, each)) is not None
            ],
        }


def _schedule(key: str) -> str:
    """What a retry schedule is called."""
    return {
        "default": _("Up to 5 attempts within 8 minutes"),
        "long": _("Up to 8 attempts within 2 days"),
        "none": _("One attempt only"),
    }.get(key, key)
