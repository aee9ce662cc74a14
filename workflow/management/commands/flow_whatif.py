"""`manage.py flow_whatif KEY --draft ID --last N`: past requests through a new version."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from flowadmin import clock
from flowadmin.directory.models import Tenant
from workflow.actions import publishing
from workflow.actions.design_drafts import Design
from workflow.engine.decision import Definition as Compiled
from workflow.engine.plan import compile_plan
from workflow.forms.findings import errors
from workflow.management.commands.flow_validate import read_both
from workflow.models import Definition, Draft
from workflow.whatif import MOST, compare
from workflow.wording.findings import worded

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

    from workflow.whatif import Example, Report

_WORDS = {
    "same": "same path and people",
    "other_path": "other path",
    "other_people": "other people",
    "cannot_decide": "cannot be decided",
}


class Command(BaseCommand):
    """Reads only. Exit 0: every request could be decided; 1: some could not, or the document has
    problems, or there is no such process; 2: wrong use."""

    help = (
        "Replay what was put into the last requests of a process through a new version of it, and "
        "count which would have gone another way. Nothing is written and nothing is sent. People "
        "are those of today. The new version stands in a design draft, or in a file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", help="the key of the process")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--draft", type=int, metavar="ID", help="a design draft of the tenant")
        source.add_argument("--document", metavar="FILE", help="a flowdoc, or {document, form}")
        parser.add_argument("--form", default="", metavar="FILE", help="the file of its form")
        parser.add_argument(
            "--last", type=int, default=100, metavar="N", help=f"1 to {MOST}; default 100"
        )
        parser.add_argument("--tenant", default="", help="CODE; may be left out if there is one")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        if not 1 <= options["last"] <= MOST:
            raise CommandError(f"--last takes 1 to {MOST}.", returncode=2)
        tenant, key = _tenant(options["tenant"]), options["key"]
        document, form = _proposed(tenant, options)
        if not Definition.objects.filter(tenant_id=tenant.pk, key=key).exists():
            raise CommandError(f"There is no process {key!r}.", returncode=1)
        candidate = self._candidate(tenant, key, document, form)
        report = compare(
            tenant_id=tenant.pk,
            key=key,
            candidate=candidate,
            last=options["last"],
            now=clock.now(),
            progress=_bar(),
        )
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(report), ensure_ascii=False))
        else:
            self._print(report)
        if report.counts["cannot_decide"]:
            count = report.counts["cannot_decide"]
            raise CommandError(f"{count} of {report.looked_at} cannot be decided.", returncode=1)

    def _candidate(
        self, tenant: Tenant, key: str, document: object, form: object | None
    ) -> Compiled:
        checked = publishing.check(tenant.pk, document, form)
        if checked.doc is None or not checked.ok:
            for each in worded(errors(checked.findings)):
                self.stderr.write(f"{each['at'] or '/'}: {each['message']} [{each['code']}]")
            raise CommandError("The document has problems.", returncode=1)
        if checked.doc.key != key:
            raise CommandError(
                f"The document is of the process {checked.doc.key!r}.", returncode=2
            )
        return Compiled(compile_plan(checked.doc), checked.form)

    def _print(self, report: Report) -> None:
        self.stdout.write(f"{report.looked_at} requests")
        for kind, count in report.counts.items():
            self.stdout.write(f"  {_WORDS[kind]}: {count}")
        for code, count in report.by_code.items():
            self.stdout.write(f"    {code}: {count}")
        if report.branches:
            self.stdout.write("Branches (then → now)")
        for each in report.branches:
            self.stdout.write(f"  {each.step} / {each.branch}: {each.past} → {each.candidate}")
        for example in report.examples:
            self.stdout.write(_line(example))


def _proposed(tenant: Tenant, options: dict[str, Any]) -> tuple[object, object | None]:
    """Document and form of the new version. Raises CommandError: 1 no such draft, 2 bad file."""
    if options["draft"] is None:
        document, form, _together = read_both(options["document"], options["form"])
        return document, form
    if options["form"]:
        raise CommandError("A draft has its own form: leave --form out.", returncode=2)
    rows = Draft.objects.filter(
        tenant_id=tenant.pk, kind=Draft.Kind.DESIGN, deleted_at__isnull=True
    )
    draft = rows.filter(pk=options["draft"]).first()
    if draft is None:
        raise CommandError(f"There is no design draft {options['draft']}.", returncode=1)
    design = Design.of(draft)
    return design.document, design.form


def _line(example: Example) -> str:
    reasons = " ".join(each for each in (example.code, example.about) if each)
    where = f" at {example.step_name} ({example.step})" if example.step else ""
    what = f"{_WORDS[example.comparison]}{where}{f': {reasons}' if reasons else ''}"
    return f"{_address(example)} {example.number} {example.title} — {what}"


def _address(example: Example) -> str:
    return reverse("request", args=[example.id])


def _as_json(report: Report) -> dict[str, Any]:
    answer = asdict(report)
    answer["examples"] = [
        asdict(each) | {"id": str(each.id), "url": _address(each)} for each in report.examples
    ]
    return answer


def _tenant(code: str) -> Tenant:
    tenants = list(Tenant.objects.filter(**({"code": code} if code else {}))[:2])
    if not tenants:
        raise CommandError(f"There is no tenant {code!r}.", returncode=2)
    if len(tenants) > 1:
        raise CommandError("There are several tenants: name one with --tenant.", returncode=2)
    return tenants[0]


def _bar() -> Callable[[int, int], None] | None:
    """A bar on a terminal once it takes longer than two seconds."""
    if not sys.stderr.isatty():
        return None
    begun = time.monotonic()
    drawn = [begun]

    def draw(done: int, total: int) -> None:
        now = time.monotonic()
        if done == total and drawn[0] > begun:
            sys.stderr.write("\r" + " " * 60 + "\r")
        elif now - begun > 2 and now - drawn[0] > 0.2:
            drawn[0] = now
            filled = 30 * done // max(total, 1)
            sys.stderr.write(f"\r[{'#' * filled}{'.' * (30 - filled)}] {done}/{total} ")

    return draw
