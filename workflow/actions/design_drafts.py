"""Design drafts: processes saved as far as they got, by one person; saving never publishes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import msgspec
from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from workflow import drafted
from workflow.actions import keeping_drafts, publishing
from workflow.engine.scenario import decode_scenarios
from workflow.forms.findings import Finding, errors
from workflow.models import Definition, Draft, Version
from workflow.models.drafts import LONGEST_NAME, as_content
from workflow.process_templates import documents
from workflow.wording.findings import worded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from flowadmin.directory.models import User

BLANK: Final = "blank"
TEMPLATES: Final = (BLANK, *documents.NAMES)
LONGEST_KEY: Final = 48
# Names of steps that are folded and the like: what the designer remembers about its own look.
LARGEST_VIEW: Final = 32 * 1024
LARGEST: Final = 1024 * 1024
# Stands for a part that is not given, since None is a form that was taken away.
KEEP: Final = object()


@dataclass(frozen=True, slots=True)
class Design:
    """What a design draft holds, as parsed JSON; none of it needs to be right."""

    document: dict[str, Any]
    form: dict[str, Any] | None = None
    view: dict[str, Any] | None = None
    # None: those of the published version go on.
    scenarios: list[Any] | None = None

    @classmethod
    def of(cls, draft: Draft) -> Design:
        """What a stored draft holds; a taken-over one may lack any part."""
        parts = draft.parts()
        document, form, view = (parts.get(name) for name in ("document", "form", "view"))
        scenarios = parts.get("scenarios")
        return cls(
            document if isinstance(document, dict) else {},
            form if isinstance(form, dict) else None,
            view if isinstance(view, dict) else None,
            scenarios if isinstance(scenarios, list) else None,
        )


def create(
    *,
    user: User,
    design: Design,
    now: datetime,
    name: str = "",
    version: Version | None = None,
) -> Draft:
    """Store a new draft of this person's.

    Args:
        user: its owner; that he may design was asked by whoever calls.
        design: as far as it got; the document has to be of flowdoc 1, and is not judged further.
        now: the database's clock.
        name: at most 128 characters; the process's own name when empty.
        version: the published version that it begins with; None for a new process.

    Raises Problem: 409 draft.too_many, 422 draft.invalid. Source: seed 001, P1.
    """
    content = _content(design)
    draft = Draft(
        tenant_id=user.tenant_id,
        user=user,
        kind=Draft.Kind.DESIGN,
        flow_key=_key(design.document),
        deployment_id=None if version is None else version.digest,
        based_on=None if version is None else version.number,
        name=(name or _text(design.document.get("name")))[:LONGEST_NAME],
        content=content,
        problems=_problem_count(user.tenant_id, design),
        created_at=now,
        updated_at=now,
    )
    return keeping_drafts.insert(draft)


def from_template(*, user: User, template: str, now: datetime, name: str = "") -> Draft:
    """A new draft of one of `TEMPLATES`, under a key that is free in the tenant.

    The process and its steps are named in the language of this moment, which is the one of
    whoever chooses the template (flowdoc 1 has one text for a name).
    """
    if template == BLANK:
        document, form = _blank(name)
    else:
        document, form = documents.document_in(template, get_language() or "en")
    key = _free_key(user.tenant_id, document["key"])
    document = {**document, "key": key, "form": {"key": key}}
    if name:
        document["name"] = name[:64]
    return create(user=user, design=Design(document, form), name=name, now=now)


def from_version(*, user: User, version: Version, now: datetime, name: str = "") -> Draft:
    """A new draft that begins as a published version."""
    design = Design(drafted.document_of(version), drafted.form_of(version))
    return create(user=user, design=design, name=name, version=version, now=now)


def duplicate(*, user: User, draft: Draft, now: datetime, name: str = "") -> Draft:
    """A second draft with the same content, which stands on the same version."""
    name = name or _("%(name)s (copy)") % {"name": (draft.name or "")[: LONGEST_NAME - 16]}
    copy = create(user=user, design=Design.of(draft), name=name, now=now)
    copy.based_on, copy.deployment_id = draft.based_on, draft.deployment_id
    copy.save(update_fields=["based_on", "deployment_id"])
    return copy


def open_or_make(*, user: User, definition: Definition, now: datetime) -> Draft:
    """This person's newest draft of a process, or a new one of its live version."""
    rows = drafted.drafts_of(user, Draft.Kind.DESIGN).filter(flow_key=definition.key)
    found = rows.first()
    if found is not None or definition.current is None:
        return found or from_template(user=user, template=BLANK, now=now)
    return from_version(user=user, version=definition.current, now=now)


def save_draft(
    *,
    draft: Draft,
    version: int,
    now: datetime,
    name: str | None = None,
    document: Any = KEEP,
    form: Any = KEEP,
    view: Any = KEEP,
    scenarios: Any = KEEP,
) -> Draft:
    """Save the parts that are given; the others stay as they are.

    ``version`` is the draft's own, which the person saw. Raises Problem: 404 draft.deleted, 412
    draft.version_moved, 422 draft.invalid; nothing is stored then.
    """
    was = Design.of(draft)
    design = Design(
        was.document if document is KEEP else document,
        was.form if form is KEEP else form,
        was.view if view is KEEP else view,
        was.scenarios if scenarios is KEEP else scenarios,
    )
    keeping_drafts.replace(
        draft,
        version,
        now,
        name=draft.name if name is None else name[:LONGEST_NAME],
        content=_content(design),
        flow_key=_key(design.document),
        problems=_problem_count(draft.tenant_id, design),
    )
    return draft


def publish(
    *,
    user: User,
    draft: Draft,
    seen: int | None,
    note: str,
    now: datetime,
    scenarios: object | None = None,
    require_green: bool | None = None,
) -> tuple[Version, bool]:
    """Publish what a draft holds; it stands on that version from then on.

    ``seen`` is the version of the draft that the person saw; None when he does not say. Returns
    the version, and whether it is new. Its own scenarios are stored with the version unless others
    are given. Raises Problem: 404, 412 draft.version_moved, 422
    flow.invalid with all problems; nothing is stored then.
    """
    with transaction.atomic():
        keeping_drafts.hold(draft, seen)
        design = Design.of(draft)
        version, is_new = publishing.publish(
            user=user,
            document=design.document,
            form=design.form,
            note=note,
            now=now,
            scenarios=design.scenarios if scenarios is None else scenarios,
            require_green=require_green,
        )
        # Not a save: its version stays, so that an open window can go on working.
        Draft.objects.filter(pk=draft.pk).update(
            based_on=version.number, deployment_id=version.digest
        )
    draft.based_on, draft.deployment_id = version.number, version.digest
    return version, is_new


def findings_of(tenant_id: int, design: Design) -> Sequence[Finding]:
    """Everything that stands in the way of publishing it, with positions as `flows/validate`."""
    return publishing.check(tenant_id, design.document, design.form).findings


def _problem_count(tenant_id: int, design: Design) -> int:
    return len(errors(findings_of(tenant_id, design)))


def _content(design: Design) -> str:
    """The content as it is stored. Raises Problem 422 draft.invalid."""
    flowdoc = design.document.get("flowdoc")
    if type(flowdoc) is not int or flowdoc != 1:
        raise _invalid(Finding("doc.version", "/document/flowdoc", args={"expected": 1}))
    view = design.view or {}
    if len(msgspec.json.encode(view)) > LARGEST_VIEW:
        raise _invalid(Finding("doc.size", "/view", args={"high": LARGEST_VIEW}))
    parts: dict[str, Any] = {"document": design.document, "form": design.form, "view": view}
    if design.scenarios is not None:
        _refuse_unreadable(design.scenarios)
        parts["scenarios"] = design.scenarios
    content = as_content(parts)
    if len(content) > LARGEST:
        raise _invalid(Finding("doc.size", "/document", args={"high": LARGEST}))
    return content


def _refuse_unreadable(scenarios: list[Any]) -> None:
    """Which steps they name is judged when they are played, and what they are made of here."""
    found = decode_scenarios(scenarios).findings
    if errors(found):
        raise _invalid(*(replace(each, at=f"/scenarios{each.at}") for each in found))


def _invalid(*findings: Finding) -> Problem:
    return Problem(
        422, "draft.invalid", _("This cannot be kept as a draft."), errors=worded(findings)
    )


def _blank(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Start, an approval by nobody yet, end (interface.md 7.9, Empty)."""
    step = {"id": "approve", "kind": "approve", "name": _("Approval"), "who": {"any_of": []}}
    document = {"flowdoc": 1, "key": "process", "name": name or _("New process")}
    return document | {"steps": [step]}, {"formdoc": 1, "fields": []}


def _free_key(tenant_id: int, wanted: str) -> str:
    """The key itself, or with a number behind it, so that no process of the tenant has it."""
    taken = set(
        Definition.objects.filter(tenant_id=tenant_id, key__startswith=wanted).values_list(
            "key", flat=True
        )
    )
    taken |= {
        key
        for key in Draft.objects.filter(
            tenant_id=tenant_id, kind=Draft.Kind.DESIGN, flow_key__startswith=wanted
        ).values_list("flow_key", flat=True)
        if key
    }
    numbered = (f"{wanted}_{number}" for number in range(2, len(taken) + 3))
    return next(key for key in (wanted, *numbered) if key not in taken)


def _key(document: dict[str, Any]) -> str:
    key = document.get("key")
    return key if isinstance(key, str) and len(key) <= LONGEST_KEY else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
