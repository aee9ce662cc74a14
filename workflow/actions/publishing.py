"""Check a process and publish it: a new immutable version, and the pointer moves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _

from flowadmin.directory import queries as directory
from flowadmin.rest.problems import Problem
from workflow.actions import scenarios as rehearsed
from workflow.actions import versions
from workflow.actions.outside_checks import reachable_after_all, unknown_outside
from workflow.engine.canonical import canonical_bytes, digest
from workflow.engine.flowdoc.document import Flowdoc, FormRef
from workflow.engine.runnable import not_run_yet
from workflow.engine.validation import check_document, people_references
from workflow.engine.validation.calendars import calendar_references
from workflow.forms.digest import canonical_bytes as form_bytes
from workflow.forms.digest import form_digest
from workflow.forms.findings import Finding, errors
from workflow.forms.reading import decode_form
from workflow.forms.references import in_defaults
from workflow.forms.references import unknown as unknown_references
from workflow.models import Definition, Version
from workflow.wording.findings import worded

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.forms.formdoc import FormDoc


# The address `flows/validate` is not the one of a process (contract, REST).
RESERVED_KEY = "validate"


@dataclass(frozen=True, slots=True)
class Checked:
    """A process and its form as far as they could be read, with everything there is to say."""

    doc: Flowdoc | None
    form: FormDoc | None
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        return not errors(self.findings)


def check(tenant_id: int, document: object, form: object | None = None) -> Checked:
    """Everything that is wrong with a process, in one answer (approvals.md 3.2).

    ``document`` and ``form`` are parsed JSON. Positions in the form begin with ``/form``, those in
    the document with ``/document``. Nothing is stored.
    """
    form_doc, form_findings = decode_form(form) if form is not None else (None, ())

    def more(doc: Flowdoc) -> Iterable[Finding]:
        """What needs this version's abilities and this tenant's people."""
        if doc.key == RESERVED_KEY:
            yield Finding("id.reserved", "/key", args={"id": RESERVED_KEY})
        yield from not_run_yet(doc)
        yield from _unknown_people(tenant_id, doc)
        yield from _unknown_calendars(tenant_id, doc)
        yield from unknown_outside(tenant_id, doc, form_doc)

    checked = check_document(document, form_doc, also=more)
    findings = checked.findings
    if checked.doc is not None:
        findings = reachable_after_all(checked.doc, findings)
    placed = _placed("/document", findings)
    placed += _placed("/form", form_findings)
    if form_doc is not None:
        placed += _placed("/form", _unknown_defaults(tenant_id, form_doc))
    if checked.doc is not None and checked.doc.form is not None:
        placed += _about_form_reference(checked.doc, checked.doc.form, has_form=form is not None)
    return Checked(checked.doc, form_doc, tuple(placed))


def publish(
    *,
    user: User,
    document: object,
    form: object | None,
    note: str,
    now: datetime,
    scenarios: object | None = None,
    require_green: bool | None = None,
) -> tuple[Version, bool]:
    """Publish a process of the person's tenant; the version, and whether it is new.

    A document that equals a published version makes no second one: the pointer moves to that
    version (invariant 12). ``scenarios`` are stored with the version, in place of those that it
    had; what is left out is taken over from the version before (`scenarios.for_publishing`).
    Raises Problem 422 flow.invalid with all problems; nothing is stored.
    """
    checked = check(user.tenant_id, document, form)
    if not checked.ok or checked.doc is None:
        raise Problem(
            422, "flow.invalid", _("The process has problems."), errors=worded(checked.findings)
        )
    played, required = rehearsed.for_publishing(
        user, checked.doc, checked.form, scenarios, require_green=require_green
    )
    with transaction.atomic():
        definition = _locked_definition(user.tenant_id, checked.doc, now)
        version, is_new = _write_version(definition, checked.doc, checked.form, user, note, now)
        if played is not None:
            rehearsed.keep(
                version=version, user=user, played=played, require_green=required, now=now
            )
        return version, is_new


def _locked_definition(tenant_id: int, doc: Flowdoc, now: datetime) -> Definition:
    """The row of this key. Its update takes the row's lock, so that two publishers take turns."""
    definition, _created = Definition.objects.get_or_create(
        tenant_id=tenant_id, key=doc.key, defaults={"name": doc.name, "created_at": now}
    )
    Definition.objects.filter(pk=definition.pk).update(name=doc.name)
    return definition


def _write_version(
    definition: Definition,
    doc: Flowdoc,
    form: FormDoc | None,
    user: User,
    note: str,
    now: datetime,
) -> tuple[Version, bool]:
    earlier = list(
        Version.objects.filter(definition=definition).order_by("number").defer("document", "form")
    )
    form_hash = form_digest(form) if form is not None else ""
    form_number = _form_number(earlier, form_hash)
    pinned = msgspec.structs.replace(
        doc, form=FormRef(key=doc.key, version=form_number) if form is not None else None
    )
    stored = canonical_bytes(pinned)
    same = next((each for each in earlier if each.digest == digest(stored)), None)
    version = same or Version.objects.create(
        tenant_id=definition.tenant_id,
        definition=definition,
        number=earlier[-1].number + 1 if earlier else 1,
        document=stored.decode(),
        digest=digest(stored),
        form=form_bytes(form).decode() if form is not None else "",
        form_number=form_number,
        form_digest=form_hash,
        note=note,
        published_by=user,
        published_at=now,
        visibility=doc.policy.visibility,
    )
    versions.point_to(definition, version, user=user, reason=note, now=now)
    return version, same is None


def _form_number(earlier: list[Version], form_hash: str) -> int:
    """The form's own version moves only when its digest does (contract, The form document)."""
    if not form_hash:
        return 0
    for each in earlier:
        if each.form_digest == form_hash:
            return each.form_number
    return max((each.form_number for each in earlier), default=0) + 1


def _unknown_people(tenant_id: int, doc: Flowdoc) -> Iterable[Finding]:
    references = people_references(doc)
    for kind in dict.fromkeys(reference.kind for reference in references):
        of_kind = [reference for reference in references if reference.kind == kind]
        unknown = set(
            directory.unknown_codes(tenant_id, kind, [reference.code for reference in of_kind])
        )
        for reference in of_kind:
            if reference.code in unknown:
                yield Finding(
                    "people.unknown_id",
                    reference.at,
                    reference.step,
                    args={"kind": kind, "code": reference.code},
                )


def _unknown_calendars(tenant_id: int, doc: Flowdoc) -> Iterable[Finding]:
    """A working calendar that is named has to be there (contract, Events of a step)."""
    named = list(calendar_references(doc))
    unknown = set(directory.unknown_codes(tenant_id, "calendar", [each.key for each in named]))
    for each in named:
        if each.key in unknown:
            yield Finding("target.unknown", each.at, each.step, args={"key": each.key})


def _unknown_defaults(tenant_id: int, form: FormDoc) -> Iterable[Finding]:
    """People and departments that new requests start with have to be there too."""
    given = in_defaults(form)
    kinds: tuple[Literal["user", "department"], ...] = ("user", "department")
    for kind in kinds:
        asked = [each for each in given if each.kind == kind]
        ids = [each.id for each in asked]
        missing = directory.unknown_codes(tenant_id, kind, ids)
        yield from unknown_references(asked, set(ids) - set(missing))


def _about_form_reference(doc: Flowdoc, named: FormRef, *, has_form: bool) -> Iterable[Finding]:
    """A form has the flow's key and comes with the document (contract, The form document)."""
    if not has_form:
        yield Finding("form.missing", "/form")
    elif named.key != doc.key:
        args = {"key": named.key, "flow": doc.key}
        yield Finding("form.other_key", "/document/form/key", level="warning", args=args)


def _placed(prefix: str, findings: Iterable[Finding]) -> list[Finding]:
    return [replace(each, at=prefix + each.at) for each in findings]
