"""`manage.py flow_export KEY`: a published process and its form, as `flow_import` takes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import F

from flowadmin.directory.models import Tenant
from workflow.models import Version

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Exit 0: printed; 1: there is no such process or version; 2: wrong use."""

    help = "Print {document, form} of a published process: canonical JSON, one line."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        # Django's own --version tells Django's; here it is the version of the process.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", help="the key of the process")
        parser.add_argument(
            "--version", dest="number", type=int, metavar="N", help="default: the current one"
        )
        parser.add_argument("--tenant", default="", help="CODE; may be left out if there is one")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        version = _version(_tenant(options["tenant"]), options["key"], options["number"])
        form = json.loads(version.form) if version.form else None
        answer = {"document": json.loads(version.document), "form": form}
        self.stdout.write(
            json.dumps(answer, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        )


def _version(tenant: Tenant, key: str, number: int | None) -> Version:
    versions = Version.objects.filter(
        tenant_id=tenant.pk, definition__tenant_id=tenant.pk, definition__key=key
    )
    if number is None:
        found = versions.filter(definition__current_id=F("pk")).first()
    else:
        found = versions.filter(number=number).first()
    if found is None:
        which = "" if number is None else f" version {number}"
        raise CommandError(f"There is no published process {key!r}{which}.", returncode=1)
    return found


def _tenant(code: str) -> Tenant:
    tenants = list(Tenant.objects.filter(**({"code": code} if code else {}))[:2])
    if not tenants:
        raise CommandError(f"There is no tenant {code!r}.", returncode=2)
    if len(tenants) > 1:
        raise CommandError("There are several tenants: name one with --tenant.", returncode=2)
    return tenants[0]
