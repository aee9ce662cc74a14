"""Application drafts: the form of a request as far as somebody has filled it in, and filing it.

Theory of operation. A draft keeps what was typed, right or wrong, with the digest of the version
whose form it was typed into. When another version is live it is not restored by itself, and filing
it is refused; it stays until its owner saves it anew or deletes it (seed 001, P10 to P12). Filing
removes the draft in the transaction that starts the request: never both, never neither.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from flowadmin.files.models import ID_LENGTH, File
from flowadmin.rest.idempotency import recall
from flowadmin.rest.problems import Problem
from workflow import access, drafted
from workflow.actions import keeping_drafts
from workflow.actions.requests import start_request
from workflow.forms.findings import Finding
from workflow.models import Draft
from workflow.models.drafts import LONGEST_NAME, as_content
from workflow.published import definition_of
from workflow.runtime.execute import Settled
from workflow.runtime.starters import may_start
from workflow.wording.findings import worded
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.models import Definition, Version
    from workflow.runtime.execute import Once

    Picked = Mapping[str, Sequence[str]]

LARGEST: Final = 512 * 1024
_LONGEST_TITLE: Final = 60
_FILE_ID = re.compile(rf"[A-Za-z0-9_-]{{{ID_LENGTH}}}")


def create(
    *,
    user: User,
    definition: Definition,
    values: Mapping[str, object],
    picked: Picked,
    now: datetime,
    name: str = "",
    typed_into: Version | None = None,
) -> Draft:
    """Keep what somebody has typed into the form of the live version.

    Args:
        user: its owner, who has to be allowed to start the process.
        definition: a process of his tenant, as `access.definition` gave it.
        values: JSON values by field id as they were typed; none of them needs to be right.
        picked: login names by step id.
        now: the database's clock.
        name: at most 128 characters; else made of the first thing that was typed.
        typed_into: the version whose form was filled in, when that is not the live one any more.

    Raises Problem: 403 start.not_allowed, 409 draft.too_many, 422 draft.form_not_dynamic or
    draft.invalid. Source: seed 001, P2, P10.
    """
    live = require_dynamic_form(definition)
    version = typed_into or live
    if not may_start(definition_of(live.pk), user, now):
        raise Problem(403, "start.not_allowed", rejection_text("start.not_allowed"))
    draft = Draft(
        tenant_id=user.tenant_id,
        user=user,
        kind=Draft.Kind.APPLICATION,
        flow_key=definition.key,
        deployment_id=version.digest,
        based_on=version.number,
        name=(name or title_of(definition, values))[:LONGEST_NAME],
        content=_content(values, picked),
        created_at=now,
        updated_at=now,
    )
    with transaction.atomic():
        keeping_drafts.insert(draft)
        _keep_files(draft, values)
    return draft


def save_draft(
    *,
    draft: Draft,
    version: int,
    now: datetime,
    values: Mapping[str, object] | None = None,
    picked: Picked | None = None,
    name: str | None = None,
    onto: Version | None = None,
) -> Draft:
    """Save what is given over the draft; what is None stays.

    ``version`` is the draft's own, which the person saw; ``onto`` the version of the process
    whose form the values were typed into, None when that is the draft's still. Raises Problem:
    404 draft.deleted, 412 draft.version_moved, 422 draft.invalid; nothing is stored then.
    """
    now_values = values if values is not None else values_in(draft)
    now_picked = picked if picked is not None else picks_in(draft)
    columns: dict[str, Any] = {"content": _content(now_values, now_picked)}
    if name is not None:
        columns["name"] = name[:LONGEST_NAME]
    if onto is not None:
        columns |= {"deployment_id": onto.digest, "based_on": onto.number}
    with transaction.atomic():
        keeping_drafts.replace(draft, version, now, **columns)
        _keep_files(draft, now_values)
    return draft


def submit(
    *,
    user: User,
    draft: Draft,
    seen: int | None,
    now: datetime,
    once: Once,
    values: Mapping[str, object] | None = None,
    picked: Picked | None = None,
    typed_into: Version | None = None,
) -> Settled:
    """File the request of a draft and remove the draft, both or neither.

    Args:
        user: the draft's owner.
        draft: one of his application drafts.
        seen: the version of the draft that he saw; None when he does not say.
        now: the database's clock.
        once: the receipt: the second call with it gets the first answer.
        values: what was typed since the draft was saved; None: what stands in it.
        picked: as ``values``.
        typed_into: the version whose form ``values`` were typed into; None: that of the draft.

    Raises Problem: 404 draft.deleted, 412 draft.version_moved, 409 draft.deployment_changed, and
    those of a start; the draft is kept then (seed 001, P11).
    """
    try:
        with transaction.atomic():
            # The lock keeps two windows apart: the second finds no draft any more.
            keeping_drafts.hold(draft, seen)
            version = typed_into or _restorable(draft)
            settled = start_request(
                user=user,
                flow=draft.flow_key or "",
                values=values if values is not None else values_in(draft),
                now=now,
                picked=access.picked_people(
                    user, picked if picked is not None else picks_in(draft)
                ),
                once=once,
            )
            if settled.outcome is not None:
                if settled.outcome.version_id != version.pk:
                    # The race: somebody published between the two looks.
                    raise _changed(draft)
                Draft.objects.filter(pk=draft.pk).delete()
            return settled
    except Problem:
        # The race: this very call was carried out meanwhile and has removed the draft.
        stored = recall(once.receipt, now)
        if stored is None:
            raise
        return Settled(stored=stored)


def require_dynamic_form(definition: Definition) -> Version:
    """The live version, which has a form of its own. Raises Problem 422 draft.form_not_dynamic."""
    version = definition.current
    if version is None or definition_of(version.pk).form is None:
        raise Problem(
            422,
            "draft.form_not_dynamic",
            _("This process has no form of its own, so there is nothing to keep."),
        )
    return version


def is_restorable(draft: Draft, live: Version | None) -> bool:
    """Whether what was typed belongs to the form that is live now (seed 001, P11)."""
    return live is not None and live.digest == draft.deployment_id


def values_in(draft: Draft) -> dict[str, Any]:
    """What was typed, by field id."""
    return _object(draft.parts().get("values"))


def picks_in(draft: Draft) -> dict[str, tuple[str, ...]]:
    """Login names by step, as far as the draft holds such."""
    return {
        step: tuple(each for each in logins if isinstance(each, str))
        for step, logins in _object(draft.parts().get("picked")).items()
        if isinstance(logins, list)
    }


def title_of(definition: Definition, values: Mapping[str, object]) -> str:
    """The name of the process and the first text that was typed."""
    first = next(
        (each.strip() for each in values.values() if isinstance(each, str) and each.strip()), ""
    )
    first = " ".join(first.split())[:_LONGEST_TITLE]
    return f"{definition.name}: {first}" if first else definition.name


def _restorable(draft: Draft) -> Version:
    live = drafted.live_version(draft.tenant_id, draft.flow_key)
    if live is None or not is_restorable(draft, live):
        raise _changed(draft)
    return live


def _changed(draft: Draft) -> Problem:
    live = drafted.live_version(draft.tenant_id, draft.flow_key)
    return drafted.deployment_changed(draft.deployment_id, draft.based_on, live)


def _content(values: Mapping[str, object], picked: Picked) -> str:
    """The content as it is stored. Raises Problem 422 draft.invalid when it is too large."""
    content = as_content({"values": dict(values), "picked": dict(picked)})
    if len(content) > LARGEST:
        found = worded([Finding("doc.size", "/values", args={"high": LARGEST})])
        raise Problem(422, "draft.invalid", _("This cannot be kept as a draft."), errors=found)
    return content


def _keep_files(draft: Draft, values: Mapping[str, object]) -> None:
    """Note which files of the owner the draft holds, so that no sweep takes them.

    The row is locked by an update: a sweep that looks at the file at this moment either has
    deleted it already, or looks at the drafts after this one was committed.
    """
    named = {text for text in _texts(list(values.values())) if _FILE_ID.fullmatch(text)}
    rows = File.objects.filter(
        tenant_id=draft.tenant_id, owner_id=draft.user_id, bound_to="", id__in=named
    )
    held = ""
    if named and rows.update(bound_to=""):
        held = f" {' '.join(sorted(rows.values_list('id', flat=True)))} "
    if held != draft.files:
        Draft.objects.filter(pk=draft.pk).update(files=held)
        draft.files = held


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
