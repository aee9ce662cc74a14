"""Takes an imported process in: looks up what it names, makes missing people, publishes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from flowadmin.directory import permissions
from flowadmin.directory import queries as directory
from flowadmin.directory.models import Department, Group, Role, User
from workflow.actions import publishing
from workflow.forms.findings import Finding, errors
from workflow.importing.checking import at_home, in_order

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from flowadmin.directory.models import Tenant
    from workflow.importing.report import Carried, Named
    from workflow.models import Version

# What the file cannot help: it is carried, and cannot be published before this is settled here.
_LATER = (
    "not_run_yet.",
    "people.unknown_id",
    "people.disabled",
    "subflow.",
    "target.",
    "rule.",
    "http.private_host",
)
NOBODY = 0  # no tenant: nothing can be looked up


@dataclass(frozen=True, slots=True)
class Judged:
    """An import as it stands in one tenant.

    `findings` has everything with positions in the source file; what only keeps the process from
    being published here (steps that this version does not run, people who are not known) are
    warnings. `waits` says that there is such a thing, `ok` that the file itself was carried
    (contract, Commands: exit 0).
    """

    findings: tuple[Finding, ...]
    waits: bool

    @property
    def ok(self) -> bool:
        return not errors(self.findings)


def judge(tenant: Tenant | None, carried: Carried) -> Judged:
    """Everything that is to be said of an import in a tenant, or without one. Reads only."""
    if carried.document is None:
        return Judged(carried.findings, waits=False)
    tenant_id = NOBODY if tenant is None else tenant.pk
    checked = publishing.check(tenant_id, carried.document, carried.form)
    found = [each for each in checked.findings if tenant is not None or not _looked_up(each)]
    later = [each for each in errors(found) if each.code.startswith(_LATER)]
    softened = [replace(each, level="warning") if each in later else each for each in found]
    findings = in_order([*carried.findings, *at_home(carried, softened)])
    return Judged(findings, waits=bool(later))


def _looked_up(finding: Finding) -> bool:
    return finding.code in {"people.unknown_id", "people.disabled", "target.unknown"} or (
        finding.code.startswith(("subflow.unknown", "rule."))
    )


def publisher(tenant: Tenant, login: str = "") -> User | None:
    """Who publishes: the person of the tenant with this login, or the first who may.

    Nobody when there is no such person or they may not publish.
    """
    people = User.objects.for_tenant(tenant.pk).filter(is_active=True).order_by("id")
    if login:
        people = people.filter(login=login)
    return next((one for one in people if permissions.has(one, permissions.FLOW_PUBLISH)), None)


def unknown_people(tenant: Tenant, people: Iterable[Named]) -> tuple[Named, ...]:
    """Those named by the file whom the tenant does not have, in the order of the file."""
    listed = tuple(people)
    missing: set[tuple[str, str]] = set()
    for kind in dict.fromkeys(one.kind for one in listed):
        codes = [one.code for one in listed if one.kind == kind]
        unknown = directory.unknown_codes(tenant.pk, kind, codes)
        missing.update((kind, code) for code in unknown)
    return tuple(one for one in listed if (one.kind, one.code) in missing)


def make_people(tenant: Tenant, people: Iterable[Named]) -> tuple[Finding, ...]:
    """Make people, roles, departments and groups with these codes; who could not be made.

    People get no password and cannot sign in before somebody gives them one; roles and groups
    have no members and permit nothing. A login that another tenant has is a finding: login names
    are unique over the installation (contract, REST).
    """
    refused: list[Finding] = []
    for one in people:
        try:
            with transaction.atomic():
                _make(tenant, one)
        except (ValidationError, IntegrityError):
            args: dict[str, str | int] = {"kind": one.kind, "code": one.code}
            refused.append(Finding("import.not_made", one.at, args=args))
    return tuple(refused)


def _make(tenant: Tenant, one: Named) -> None:
    name = (one.name or one.source_id)[:150]
    if one.kind == "user":
        if User.objects.filter(login=one.code).exists():
            raise ValidationError("taken", code="taken")
        User.objects.create_user(one.code, None, tenant=tenant, name=name)
        return
    row: Role | Department | Group
    if one.kind == "role":
        row = Role(tenant=tenant, code=one.code, name=name)
    elif one.kind == "department":
        row = Department(tenant=tenant, code=one.code, name=name)
    else:
        row = Group(tenant=tenant, code=one.code, name=name)
    row.full_clean()
    row.save()


@transaction.atomic
def take_in(
    *, user: User, carried: Carried, missing: Iterable[Named], note: str, now: datetime
) -> tuple[Judged, tuple[Version, bool] | None]:
    """Make `missing` people and publish the process; all of it or nothing.

    The version and whether it is new; None when something keeps it from being published here:
    then no row is left behind. `missing` is of the publisher's tenant (`unknown_people`).
    """
    refused = make_people(user.tenant, missing)
    judged = judge(user.tenant, carried)
    if refused:
        judged = Judged(in_order([*judged.findings, *refused]), judged.waits)
    if not judged.ok or judged.waits:
        transaction.set_rollback(True)
        return judged, None
    published = publishing.publish(
        user=user, document=carried.document, form=carried.form, note=note, now=now
    )
    return judged, published
