"""What a draft stands on: the published version it began with, and the one that is live now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from django.db.models import Exists, OuterRef, Value
from django.db.models.functions import Concat
from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from workflow.engine.canonical import plain
from workflow.engine.differing import Difference, counted, differences
from workflow.engine.parsing import decode
from workflow.models import Definition, Draft, Version

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from django.db.models import QuerySet

    from flowadmin.directory.models import User


@dataclass(frozen=True, slots=True)
class Other:
    """Somebody else's draft of the same process: known by its owner, never by its content."""

    login: str
    name: str
    based_on: int | None
    updated_at: datetime


def drafts_of(user: User, kind: Draft.Kind) -> QuerySet[Draft]:
    """A person's own drafts, the newest first, without their content."""
    rows = Draft.objects.filter(
        user_id=user.pk, tenant_id=user.tenant_id, kind=kind, deleted_at__isnull=True
    )
    return rows.defer("content").order_by("-updated_at", "-pk")


def live_version(tenant_id: int, key: str | None) -> Version | None:
    """The version with which new requests of a process begin; None when there is none."""
    if not key:
        return None
    row = (
        Definition.objects.filter(tenant_id=tenant_id, key=key)
        .select_related("current", "current__published_by")
        .first()
    )
    return None if row is None else row.current


def live_versions(tenant_id: int, keys: Collection[str]) -> dict[str, tuple[int, str]]:
    """Number and digest of the live version by process key, in one statement."""
    rows = Definition.objects.filter(
        tenant_id=tenant_id, key__in=set(keys), current__isnull=False
    ).values_list("key", "current__number", "current__digest")
    return {key: (number, digest) for key, number, digest in rows}


def is_behind(draft: Draft, digest: str | None) -> bool:
    """Whether another version is live than the one that the draft began with.

    ``digest`` is that of the live version, None when nothing is published. Source: seed 001, P11.
    """
    return digest is not None and digest != draft.deployment_id


def require_live(live: Version | None, digest: str) -> None:
    """Raises Problem 409 draft.deployment_changed unless this digest is that of ``live``."""
    if live is None or live.digest != digest:
        raise deployment_changed(digest, None, live)


def require_over(live: Version | None, over: int) -> None:
    """The version that was compared with has to be live still (interface.md 7.10, Conflict).

    ``over`` is its number, 0 for none. Raises Problem 412 flow.version_moved when somebody has
    published meanwhile.
    """
    number = 0 if live is None else live.number
    if number == over:
        return
    by = None if live is None else live.published_by
    raise Problem(
        412,
        "flow.version_moved",
        _("Somebody has published this process meanwhile; compare before publishing."),
        current_version=number,
        changed_by=None if by is None else by.name,
        changed_at=None if live is None else live.published_at,
    )


def deployment_changed(digest: str | None, number: int | None, live: Version | None) -> Problem:
    """The refusal of what was typed into the form of an earlier version (seed 001, P11)."""
    return Problem(
        409,
        "draft.deployment_changed",
        _("The process was published anew since this was typed."),
        deployment=digest,
        based_on=number,
        live_deployment=None if live is None else live.digest,
        live_version=None if live is None else live.number,
    )


def others(draft: Draft) -> list[Other]:
    """Who else has a design draft of this process (interface.md 2, number 4)."""
    if not draft.flow_key:
        return []
    rows = (
        Draft.objects.filter(
            tenant_id=draft.tenant_id,
            kind=Draft.Kind.DESIGN,
            flow_key=draft.flow_key,
            deleted_at__isnull=True,
        )
        .exclude(user_id=draft.user_id)
        .order_by("-updated_at")
    )
    found = rows.values_list("user__login", "user__name", "based_on", "updated_at")
    return [Other(*row) for row in found[:20]]


def changes(draft: Draft, version: Version) -> tuple[Difference, ...]:
    """What the draft would change in a published version, part by part."""
    parts = draft.parts()
    old_form, new_form = form_of(version), parts.get("form")
    return differences(
        _comparable(document_of(version)),
        _comparable(parts.get("document")),
        old_form,
        new_form if isinstance(new_form, dict) else None,
    )


def between(older: Version, newer: Version) -> tuple[Difference, ...]:
    """What a version changed in an older one, part by part."""
    return differences(
        _comparable(document_of(older)),
        _comparable(document_of(newer)),
        form_of(older),
        form_of(newer),
    )


def change_counts(draft: Draft, version: Version) -> dict[str, int]:
    """How many parts the draft adds, removes, moves and changes; only what is not zero."""
    return {str(what): number for what, number in counted(changes(draft, version)).items()}


def document_of(version: Version) -> dict[str, Any]:
    """The process document of a version as JSON."""
    return _object(msgspec.json.decode(version.document))


def form_of(version: Version) -> dict[str, Any] | None:
    """The form of a version as JSON; None when it has none."""
    return _object(msgspec.json.decode(version.form)) if version.form else None


def held_by_a_draft() -> Exists:
    """A condition on an unbound file: a draft of its owner's holds it (contract, Files)."""
    return Exists(
        Draft.objects.filter(
            user_id=OuterRef("owner_id"),
            kind=Draft.Kind.APPLICATION,
            files__contains=Concat(Value(" "), OuterRef("id"), Value(" ")),
        )
    )


def _comparable(document: object) -> dict[str, Any]:
    """A document in its shortest spelling; which version of the form it had says nothing."""
    found = _object(document)
    decoded = decode(found).doc
    if decoded is not None:
        found = _object(plain(decoded))
    form = found.get("form")
    if isinstance(form, dict):
        found = {**found, "form": {name: form[name] for name in form if name != "version"}}
    return found


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
