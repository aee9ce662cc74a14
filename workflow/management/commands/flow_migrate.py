"""`manage.py flow_migrate KEY --from V --to V`: move running requests to another version."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.directory.models import Tenant, User
from flowadmin.directory.queries import people_by_id
from flowadmin.rest.problems import Problem
from workflow.actions import migrating
from workflow.models import Definition
from workflow.wording.moving import what_text, why_text

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Iterator, Sequence

    from workflow.actions.migrating import Moved, Route
    from workflow.engine.migrating import Fate


class Command(BaseCommand):
    """Exit 0: every request was moved, or would be; 1: some cannot be; 2: wrong use."""

    help = "Move running requests from one version of their process to another, or back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", help="the key of the process")
        parser.add_argument("--from", dest="old", type=int, required=True, metavar="V")
        parser.add_argument("--to", dest="new", type=int, required=True, metavar="V")
        parser.add_argument("--dry-run", action="store_true", help="only show the plan")
        parser.add_argument(
            "--undo",
            action="store_true",
            help="move back what was moved from V to V, as long as nothing was decided since",
        )
        parser.add_argument("--limit", type=int, default=0, help="so many requests at most")
        parser.add_argument("--reason", default="", help="for the history of each request")
        parser.add_argument("--by", default="", help="login name of the manager who does it")
        parser.add_argument("--tenant", default="", help="CODE, where several have this process")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        tenant = _tenant(options)
        user = _manager(options["by"], tenant) if options["by"] else None
        if options["limit"] < 0:
            raise CommandError("--limit is a number of requests.", returncode=2)
        if not options["dry_run"] and not options["reason"].strip():
            raise CommandError("Give a --reason, for the history of each request.", returncode=2)
        with translation.override("en"):
            try:
                route = migrating.route_of(
                    tenant, options["key"], options["old"], options["new"], undo=options["undo"]
                )
            except Problem as problem:
                raise CommandError(f"{problem.detail} [{problem.code}]", returncode=2) from problem
            results = list(self._moved(route, user, options))
            self._report(route, results, options)
        failed = sum(each.failed for each in results)
        if failed:
            raise CommandError(
                f"{failed} of {len(results)} requests cannot be moved.", returncode=1
            )

    def _moved(self, route: Route, user: User | None, options: dict[str, Any]) -> Iterator[Moved]:
        """One request after the other, each in a transaction of its own."""
        limit = options["limit"] or None
        total = min(filter(None, (limit, migrating.count(route))), default=0)
        for pk in self._shown(islice(migrating.candidates(route), limit), total):
            now = clock.now()
            if options["dry_run"]:
                yield migrating.rehearse(route, pk, now)
            else:
                yield migrating.move(route, pk, user=user, reason=options["reason"], now=now)

    def _shown(self, ids: Iterable[int], total: int) -> Iterator[int]:
        """The ids, with a bar on a terminal once it takes longer than two seconds."""
        begun = last = time.monotonic()
        terminal, drawn = sys.stderr.isatty(), False
        for done, instance_id in enumerate(ids):
            now = time.monotonic()
            if terminal and now - begun > 2 and now - last > 0.2:
                filled = 30 * done // max(total, 1)
                bar = "#" * filled + "." * (30 - filled)
                sys.stderr.write(f"\r[{bar}] {done}/{total} ")
                last, drawn = now, True
            yield instance_id
        if drawn:
            sys.stderr.write("\r" + " " * 60 + "\r")

    def _report(self, route: Route, results: Sequence[Moved], options: dict[str, Any]) -> None:
        people = _people(results)
        if options["json"]:
            self.stdout.write(json.dumps(_answer(results, people, options), ensure_ascii=False))
            return
        for each in results:
            self._tell(each)
        for login, (gain, lose) in people.items():
            self.stdout.write(f"inbox of {login}: {gain} more, {lose} less")
        good = sum(each.ok for each in results)
        told = "can be moved" if options["dry_run"] else "were moved"
        back = " back" if options["undo"] else ""
        where = route.old.number if options["undo"] else route.new.number
        self.stdout.write(f"{good} requests {told}{back} to version {where}.")

    def _tell(self, moved: Moved) -> None:
        """A request of which nothing changes but the version is only counted."""
        name = f"request {moved.instance} ({moved.number} {moved.title})"
        if not moved.ok:
            self.stdout.write(f"{name}: {moved.message} [{moved.code}]")
        told = [each for each in moved.fates if each.what != "kept" or each.passed_over]
        for fate in told if moved.ok else ():
            self.stdout.write(f"{name}: {_sentence(fate)}")
        if moved.ok and moved.dropped:
            self.stdout.write(f"{name}: emptied fields: {', '.join(moved.dropped)}")


def _sentence(fate: Fate) -> str:
    parts = [f"{fate.step} {what_text(fate)}"]
    if fate.target is not None:
        after = "behind" if fate.target.kind == "join" else "at"
        parts.append(f"goes on {after} {fate.target.id}")
    if fate.passed_over:
        parts.append(f"passes over {', '.join(fate.passed_over)}")
    return "; ".join(parts) + (f" ({why_text(fate)})" if fate.why else "")


def _answer(
    results: Sequence[Moved], people: dict[str, tuple[int, int]], options: dict[str, Any]
) -> dict[str, Any]:
    fates = Counter(fate.what for each in results for fate in each.fates)
    return {
        "key": options["key"],
        "from": options["old"],
        "to": options["new"],
        "undo": options["undo"],
        "dry_run": options["dry_run"],
        "moved": 0 if options["dry_run"] else sum(each.ok for each in results),
        "movable": sum(each.ok for each in results),
        "skipped": sum(each.skipped for each in results),
        "edited": sum(each.edited for each in results),
        "failed": sum(each.failed for each in results),
        "steps": dict(sorted(fates.items())),
        "people": [
            {"login": login, "gains": gain, "loses": lose}
            for login, (gain, lose) in people.items()
        ],
        "requests": [_row(each) for each in results],
    }


def _row(moved: Moved) -> dict[str, Any]:
    return {
        "instance": str(moved.instance),
        "number": moved.number,
        "title": moved.title,
        "ok": moved.ok,
        "code": moved.code,
        "message": moved.message,
        "dropped": list(moved.dropped),
        "steps": [
            {
                "step": fate.step,
                "what": fate.what,
                "why": fate.why,
                "goes_on": None if fate.target is None else fate.target.id,
                "about": list(fate.about),
                "passed_over": list(fate.passed_over),
            }
            for fate in moved.fates
        ],
    }


def _people(results: Sequence[Moved]) -> dict[str, tuple[int, int]]:
    """Whose inbox changes, by login name: tasks gained and lost."""
    good = [each for each in results if each.ok]
    gain = Counter(user for each in good for user in each.gain)
    lose = Counter(user for each in good for user in each.lose)
    known = people_by_id(sorted({*gain, *lose}))
    return {
        each.login: (gain[each.id], lose[each.id])
        for each in sorted(known, key=lambda person: person.login)
    }


def _tenant(options: dict[str, Any]) -> int:
    """Whose process is meant. Raises CommandError (exit 2) when that is not certain."""
    key, code = options["key"], options["tenant"]
    if code:
        tenant = Tenant.objects.filter(code=code).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {code!r}.", returncode=2)
        return tenant.pk
    owners = list(Definition.objects.filter(key=key).values_list("tenant_id", flat=True)[:2])
    if not owners:
        raise CommandError(f"There is no process {key!r}.", returncode=2)
    if len(owners) > 1:
        raise CommandError(
            f"Several tenants have a process {key!r}: give the --tenant.", returncode=2
        )
    return owners[0]


def _manager(login: str, tenant: int) -> User:
    """Who acts; another tenant's manager has no say here, an operator of the platform has."""
    found = User.objects.filter(login=login).first()
    if found is None:
        raise CommandError(f"There is no person {login!r}.", returncode=2)
    in_tenant = found.is_superuser or found.tenant_id == tenant
    if not (in_tenant and permissions.has(found, permissions.FLOW_MANAGE)):
        raise CommandError(f"{login} does not manage requests of this tenant.", returncode=2)
    return found
