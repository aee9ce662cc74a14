"""`manage.py flow_import FILE`: a process file of another system becomes ours, or says why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from flowadmin import clock
from flowadmin.directory.models import Tenant
from flowadmin.rest import front_door
from flowadmin.rest.problems import Problem
from workflow.actions import importing
from workflow.forms.findings import Finding, errors
from workflow.importing import detecting
from workflow.importing.mapping import NO_MAPPING, People, read_mapping
from workflow.importing.report import Carried
from workflow.wording.import_texts import worded

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from workflow.importing.report import Named
    from workflow.models import Version

# Other systems nest each node in the one before it: as deep as a process has nodes.
DEEPEST = 300
# Formats that the contract names and that are not built yet.
NOT_YET = ("warm_flow", "yudao")


class Command(BaseCommand):
    """Exit 0: carried (warnings may be there); 1: something could not be; 2: wrong use."""

    help = "Convert a process file of another system, and publish it when nothing is missing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="the file; JSON, UTF-8, at most 1 MiB")
        parser.add_argument(
            "--from",
            dest="source",
            default="auto",
            choices=["auto", *detecting.FORMATS, *NOT_YET],
            help="the system that the file comes from; flowdoc is our own",
        )
        parser.add_argument("--tenant", default="", help="CODE; may be left out if there is one")
        parser.add_argument("--key", default="", help="call the process KEY here")
        parser.add_argument("--people", default="", help="a file that says who their people are")
        parser.add_argument(
            "--create-people", action="store_true", help="make who is missing, without passwords"
        )
        parser.add_argument("--by", default="", help="LOGIN of the person who publishes")
        parser.add_argument("--dry-run", action="store_true", help="store nothing")
        parser.add_argument("--output", default="", help="write {document, form} to this file")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        if options["source"] in NOT_YET:
            text = f"Files of {options['source']} cannot be imported by this version."
            raise CommandError(text, returncode=2)
        people = _people(options["people"])
        tenant = _tenant(options["tenant"])
        carried = _carried(options, people)
        judged, missing, stored = _taken_in(carried, tenant, options)
        if options["output"] and carried.document is not None:
            _write(options["output"], carried)
        self._report(options, carried, judged, missing, stored)
        if not judged.ok:
            number = len(errors(judged.findings))
            raise CommandError(f"It could not be carried; errors: {number}.", returncode=1)

    def _report(
        self,
        options: dict[str, Any],
        carried: Carried,
        judged: importing.Judged,
        missing: tuple[Named, ...],
        stored: tuple[Version, bool] | None,
    ) -> None:
        if options["json"]:
            answer = _answer(carried, judged, missing, stored)
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            return
        for each in worded(judged.findings):
            place = each["at"] or "/"
            self.stdout.write(f"{each['level']} {place}: {each['message']} [{each['code']}]")
        if missing:
            listed = ", ".join(f"{one.kind} {one.code}" for one in missing)
            self.stdout.write(f"Not known in this tenant: {listed}.")
        if judged.ok:
            self.stdout.write(_ending(options, judged, stored))


def _ending(
    options: dict[str, Any], judged: importing.Judged, stored: tuple[Version, bool] | None
) -> str:
    if stored is not None:
        version, is_new = stored
        word = "Published" if is_new else "Was published before"
        return f"{word}: {version.definition.key}, version {version.number}."
    if judged.waits:
        return "It was carried and not published: see the warnings."
    if options["dry_run"]:
        return "It can be published. Nothing was stored (--dry-run)."
    return "It was carried and not published: name a tenant (--tenant CODE)."


def _answer(
    carried: Carried,
    judged: importing.Judged,
    missing: tuple[Named, ...],
    stored: tuple[Version, bool] | None,
) -> dict[str, Any]:
    unknown = {(one.kind, one.code) for one in missing}
    published = None
    if stored is not None:
        version, is_new = stored
        published = {
            "key": version.definition.key,
            "version": version.number,
            "digest": version.digest,
            "new": is_new,
        }
    return {
        "ok": judged.ok,
        "from": carried.source,
        "problems": worded(judged.findings),
        "people": [
            {
                "kind": one.kind,
                "id": one.source_id,
                "name": one.name,
                "code": one.code,
                "mapped": one.mapped,
                "missing": (one.kind, one.code) in unknown,
            }
            for one in carried.people
        ],
        "published": published,
        "document": carried.document if judged.ok else None,
        "form": carried.form if judged.ok else None,
    }


def _taken_in(
    carried: Carried, tenant: Tenant | None, options: dict[str, Any]
) -> tuple[importing.Judged, tuple[Named, ...], tuple[Version, bool] | None]:
    """What is to be said, who is not known here, and the version when it was published."""
    missing = () if tenant is None else importing.unknown_people(tenant, carried.people)
    if tenant is None or options["dry_run"] or not carried.ok:
        return importing.judge(tenant, carried), missing, None
    user = importing.publisher(tenant, options["by"])
    if user is None:
        who = f"{options['by']!r} may" if options["by"] else "Nobody may"
        raise CommandError(f"{who} publish in {tenant.code!r}: give --by.", returncode=2)
    made = missing if options["create_people"] else ()
    judged, stored = importing.take_in(
        user=user, carried=carried, missing=made, note=_note(carried), now=clock.now()
    )
    return judged, () if stored is not None else missing, stored


def _note(carried: Carried) -> str:
    return "" if carried.source == "flowdoc" else f"Imported from {carried.source}"


def _carried(options: dict[str, Any], people: People) -> Carried:
    """The conversion of the file; a file that is no JSON is a result with its position."""
    try:
        raw = front_door.parse(_bytes(options["file"]), max_depth=DEEPEST)
    except Problem as problem:
        return Carried(options["source"], None, None, _of_the_file(problem), (), {})
    return detecting.convert(raw, options["source"], people, options["key"])


def _of_the_file(problem: Problem) -> tuple[Finding, ...]:
    """What the front door says of a body, said of a file."""
    found = problem.errors or [{"code": problem.code, "at": "", "args": {}}]
    return tuple(Finding(each["code"], each["at"], args=each["args"]) for each in found)


def _people(file: str) -> People:
    if not file:
        return NO_MAPPING
    try:
        mapping, findings = read_mapping(front_door.parse(_bytes(file)))
    except Problem as problem:
        raise CommandError(f"{file}: {problem.detail}", returncode=2) from problem
    if findings:
        first = worded(findings)[0]
        raise CommandError(f"{file} {first['at'] or '/'}: {first['message']}", returncode=2)
    return mapping


def _bytes(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CommandError(f"{file} cannot be read: {reason}", returncode=2) from error


def _tenant(code: str) -> Tenant | None:
    """The tenant with this code; without one the only tenant, if it is the only one."""
    if code:
        tenant = Tenant.objects.filter(code=code).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {code!r}.", returncode=2)
        return tenant
    tenants = list(Tenant.objects.all()[:2])
    return tenants[0] if len(tenants) == 1 else None


def _write(file: str, carried: Carried) -> None:
    text = json.dumps(
        {"document": carried.document, "form": carried.form}, ensure_ascii=False, indent=2
    )
    try:
        Path(file).write_text(text + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CommandError(f"{file} cannot be written: {reason}", returncode=2) from error
