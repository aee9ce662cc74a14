"""`manage.py flow_validate FILE`: everything that is wrong with a process document."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from flowadmin.directory.models import Tenant
from flowadmin.rest import front_door
from flowadmin.rest.problems import Problem
from workflow.actions import publishing, scenarios
from workflow.wording.findings import worded

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping, Sequence

# As deep as REST takes documents (contract, A task is one seat).
DEEPEST = 64


class Command(BaseCommand):
    """Exit 0: it can be published (warnings may be there); 1: problems; 2: cannot be read."""

    help = "Check a process document as publishing would, and print every problem with its place."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", help="a flowdoc, or {document, form} as REST takes it; JSON, UTF-8"
        )
        parser.add_argument("--form", default="", help="the file of its form")
        parser.add_argument(
            "--tenant", default="", help="look people, roles and departments up in tenant CODE"
        )
        parser.add_argument(
            "--scenarios",
            default="",
            help="play the scenarios of this file, {scenarios: [...]}, by people of --tenant",
        )
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        document, form, together = read_both(options["file"], options["form"])
        tenant_id = _tenant_id(options["tenant"])
        raw = _read_scenarios(options["scenarios"], tenant_id)
        checked = publishing.check(tenant_id or 0, document, form)
        findings = [
            each if together else replace(each, at=each.at.removeprefix("/document"))
            for each in checked.findings
            if tenant_id is not None or each.code != "people.unknown_id"
        ]
        problems = [*worded(findings), *_of_scenarios(tenant_id, checked, raw)]
        errors = sum(each["level"] == "error" for each in problems)
        if options["json"]:
            answer = {"ok": not errors, "problems": problems}
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
        else:
            self._print(problems)
        if errors:
            lacks_form = any(each.code == "form.missing" for each in findings)
            hint = " Give its form with --form FILE." if lacks_form else ""
            raise CommandError(f"It cannot be published; errors: {errors}.{hint}", returncode=1)
        if not options["json"]:
            looked = "" if tenant_id is not None else " People were not looked up (--tenant CODE)."
            self.stdout.write(f"It can be published.{looked}")

    def _print(self, problems: Sequence[Mapping[str, Any]]) -> None:
        for each in problems:
            step = f" (step {each['step']})" if each["step"] else ""
            self.stdout.write(
                f"{each['level']} {each['at'] or '/'}{step}: {each['message']} [{each['code']}]"
            )


def read_both(file: str, form_file: str) -> tuple[object, object | None, bool]:
    """The document, its form, and whether one file holds both, as REST takes them."""
    read = _read(file)
    form: object | None = _read(form_file) if form_file else None
    if "document" not in read or "flowdoc" in read:
        return read, form, False
    if unknown := sorted(set(read) - {"document", "form", "note"}):
        raise CommandError(f"{file}: unknown member {unknown[0]!r}.", returncode=2)
    return read["document"], read.get("form") if form is None else form, True


def _read_scenarios(file: str, tenant_id: int | None) -> object | None:
    if not file:
        return None
    if tenant_id is None:
        raise CommandError("--scenarios needs the people of --tenant CODE.", returncode=2)
    read = _read(file)
    if set(read) != {"scenarios"}:
        raise CommandError(f"{file}: this is not {{scenarios: [...]}}.", returncode=2)
    raw: object = read["scenarios"]
    return raw


def _of_scenarios(
    tenant_id: int | None, checked: publishing.Checked, raw: object | None
) -> list[dict[str, Any]]:
    """Here a red scenario is an error: the exit code says whether all are green."""
    if raw is None or tenant_id is None:
        return []
    doc = checked.doc if checked.ok else None
    played = scenarios.play_all(tenant_id, doc, checked.form, raw)
    return scenarios.problems(played, red_is="error")


def _read(file: str) -> dict[str, Any]:
    try:
        return front_door.parse(Path(file).read_bytes(), max_depth=DEEPEST)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CommandError(f"{file} cannot be read: {reason}", returncode=2) from error
    except Problem as problem:
        where = next((one["at"] for one in problem.errors or () if one["at"]), "")
        place = f" at {where}" if where else ""
        # What REST reads is a body; here it is a file.
        detail = problem.detail.replace("The body", "The file", 1)
        raise CommandError(f"{file}{place}: {detail}", returncode=2) from problem


def _tenant_id(code: str) -> int | None:
    if not code:
        return None
    tenant = Tenant.objects.filter(code=code).first()
    if tenant is None:
        raise CommandError(f"There is no tenant {code!r}.", returncode=2)
    return tenant.pk
