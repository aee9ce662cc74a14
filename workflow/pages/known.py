"""Looking up what a form's fields name: people, departments and files, for the reader's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flowadmin.directory.models import Department, User
from flowadmin.files.models import File
from flowadmin.files.storing import described
from workflow.forms.scalars import rows_of, texts_of
from workflow.pages.forms import Outside
from workflow.pages.people import MOST_LISTED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from django.http import QueryDict

    from workflow.forms.formdoc import Field, FormDoc
    from workflow.forms.scalars import Value

LONGEST_ID = 64


def outside_of(
    user: User,
    form: FormDoc | None,
    values: Mapping[str, Value],
    data: QueryDict | None = None,
) -> Outside:
    """Names for the fields of a form, in at most three statements and none for plain fields.

    ``values`` are those that the reader may see; ``data`` is what he sent, whose files are named
    if they are his own.
    """
    if form is None:
        return Outside()
    kinds = {field.type for field in _all_fields(form)} & {"user", "department", "file"}
    if not kinds:
        return Outside()
    named = {kind: set(_named(form, kind, values)) for kind in kinds}
    people, all_people = _people(user, named["user"]) if "user" in kinds else ({}, False)
    units, all_units = (
        _departments(user, named["department"]) if "department" in kinds else ({}, False)
    )
    files = _files(user, named["file"], data) if "file" in kinds else {}
    return Outside(people, units, files, all_people, all_units)


def named_outside(tenant_id: int, named: Collection[tuple[str, str]]) -> Outside:
    """Names of people and departments of a tenant by (kind, code), for reading alone.

    In at most two statements, and none for kinds that are not mentioned.
    """
    logins = {code for kind, code in named if kind == "user"}
    codes = {code for kind, code in named if kind == "department"}
    people = User.objects.for_tenant(tenant_id).filter(login__in=logins)
    units = Department.objects.filter(tenant_id=tenant_id, code__in=codes)
    return Outside(
        dict(people.values_list("login", "name")) if logins else {},
        dict(units.values_list("code", "name")) if codes else {},
    )


def _all_fields(form: FormDoc) -> Iterator[Field]:
    for field in form.fields:
        yield field
        yield from field.columns


def _named(form: FormDoc, kind: str, values: Mapping[str, Value]) -> Iterator[str]:
    for field in form.fields:
        value = values.get(field.id)
        if field.type == kind:
            yield from texts_of(value)
        elif field.type == "table":
            for row in rows_of(value):
                for column in field.columns:
                    if column.type == kind:
                        yield from texts_of(row.get(column.id))


def _people(user: User, named: Iterable[str]) -> tuple[dict[str, str], bool]:
    everybody = User.objects.for_tenant(user.tenant_id)
    active = everybody.filter(is_active=True).order_by("name", "login")
    found = dict(active.values_list("login", "name")[: MOST_LISTED + 1])
    return _complete(found, everybody.filter(login__in=set(named)).values_list("login", "name"))


def _departments(user: User, named: Iterable[str]) -> tuple[dict[str, str], bool]:
    rows = Department.objects.filter(tenant_id=user.tenant_id)
    found = dict(rows.order_by("name", "code").values_list("code", "name")[: MOST_LISTED + 1])
    return _complete(found, rows.filter(code__in=set(named)).values_list("code", "name"))


def _complete(
    found: dict[str, str], named: Iterable[tuple[str, str]]
) -> tuple[dict[str, str], bool]:
    """All there are to choose from; or, where they are too many, the names of those mentioned."""
    if len(found) <= MOST_LISTED:
        return found, True
    return dict(named), False


def _files(user: User, named: Iterable[str], data: QueryDict | None) -> dict[str, str]:
    # Whoever may see the value may read the name of its file.
    known = {pk: str(shape["name"]) for pk, shape in described(user.tenant_id, set(named)).items()}
    if data is None:
        return known
    sent = {each for _name, several in data.lists() for each in several if _may_be_id(each)}
    own = File.objects.filter(
        tenant_id=user.tenant_id, owner_id=user.pk, bound_to="", id__in=list(sent)[:MOST_LISTED]
    )
    return known | dict(own.values_list("id", "name"))


def _may_be_id(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text) <= LONGEST_ID and text.isascii()
