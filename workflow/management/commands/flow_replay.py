"""`manage.py flow_replay ID|--all`: rebuild requests from their history and compare."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from flowadmin.directory.models import Tenant
from workflow.models import Instance
from workflow.runtime import replay

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Iterator

    from workflow.runtime.replay import Difference

# Differences printed at most; a broken table would otherwise fill the screen and the memory.
MOST_SHOWN = 1000


class Command(BaseCommand):
    """Reads only. Exit 0: no difference; 1: differences, one a line; 2: wrong use."""

    help = "Rebuild requests from their history and compare every row with what is stored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", nargs="?", type=int, help="the id of one request")
        parser.add_argument("--all", action="store_true", help="every request")
        parser.add_argument("--tenant", default="", help="only requests of the tenant CODE")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        ids, total = _wanted(options)
        found: list[Difference] = []
        checked = differing = unread = 0
        for instance_id in self._shown(ids, total):
            checked += 1
            try:
                differences = replay.differences(instance_id)
            except RuntimeError as busy:
                unread += 1
                self.stderr.write(str(busy))
                continue
            differing += bool(differences)
            found += differences[: MOST_SHOWN - len(found)]
        self._report(found, as_json=options["json"], checked=checked, differing=differing)
        if differing or unread:
            raise CommandError(
                f"{differing} of {checked} requests differ from their history"
                + (f", {unread} could not be read." if unread else "."),
                returncode=1,
            )

    def _report(
        self, found: list[Difference], *, as_json: bool, checked: int, differing: int
    ) -> None:
        if as_json:
            answer = {
                "checked": checked,
                "differing": differing,
                "differences": [asdict(each) for each in found],
            }
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            return
        for each in found:
            self.stdout.write(
                f"request {each.instance}: {each.table} {each.row} {each.column}: "
                f"stored {_short(each.stored)}, by the history {_short(each.replayed)}"
            )
        if not differing:
            are = "request is what its" if checked == 1 else "requests are what their"
            self.stdout.write(f"{checked} {are} history says.")

    def _shown(self, ids: Iterable[int], total: int) -> Iterator[int]:
        """The ids, with a bar on a terminal once it takes longer than two seconds."""
        begun = last = time.monotonic()
        terminal = sys.stderr.isatty()
        drawn = False
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


def _wanted(options: dict[str, Any]) -> tuple[Iterable[int], int]:
    """The ids to look at, and how many. Raises CommandError (exit 2) for wrong use."""
    one, code = options["id"], options["tenant"]
    if (one is None) != options["all"]:
        raise CommandError("Give the id of one request, or --all.", returncode=2)
    rows = Instance.objects.all()
    tenant_id = None
    if code:
        tenant = Tenant.objects.filter(code=code).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {code!r}.", returncode=2)
        tenant_id = tenant.pk
        rows = rows.filter(tenant_id=tenant_id)
    if one is None:
        return replay.instance_ids(tenant_id), rows.count()
    if not (0 < one < 2**63) or not rows.filter(pk=one).exists():
        raise CommandError(f"There is no request {one}.", returncode=2)
    return [one], 1


def _short(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:300]}…"
