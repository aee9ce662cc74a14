"""`manage.py purge --callbacks`: take away callbacks that ended long ago."""

from __future__ import annotations

import json
import re
import threading
from argparse import ArgumentTypeError
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from flowadmin import clock
from flowadmin.directory.models import Tenant
from notifications.actions.purging import old_callbacks, purge_callbacks
from notifications.models import Callback

if TYPE_CHECKING:
    from argparse import ArgumentParser

_AGE = re.compile(r"([1-9][0-9]{0,4})d")
STATES = {"delivered": Callback.Status.SUCCEEDED, "failed": Callback.Status.FAILED}
PAUSE_SECONDS = 1.0


def days(text: str) -> timedelta:
    """An age such as ``90d``. Raises ArgumentTypeError."""
    found = _AGE.fullmatch(text)
    if found is None:
        raise ArgumentTypeError("an age is a number of days, such as 90d")
    return timedelta(days=int(found[1]))


class Command(BaseCommand):
    """Exit 0: done, also when there was nothing; 2: wrong use. Reliability.md 4.7."""

    help = "Remove callbacks, whole rows, that ended long ago; nothing else ever removes one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--callbacks", action="store_true", required=True)
        parser.add_argument(
            "--older-than", type=days, required=True, metavar="90d", help="unchanged for so long"
        )
        parser.add_argument("--status", choices=list(STATES), default="delivered")
        parser.add_argument("--tenant", help="code of the tenant; all by default")
        parser.add_argument("--dry-run", action="store_true", help="only count")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Contract, Commands. Batches of 500 with a second between them."""
        del args
        now = clock.now()
        before, status = now - options["older_than"], STATES[options["status"]].value
        found = old_callbacks(status, before, self._tenant(options["tenant"]))
        pause = threading.Event()
        done = 0
        for tenant_id in () if options["dry_run"] else found:
            done += purge_callbacks(
                tenant_id=tenant_id,
                status=status,
                before=before,
                now=now,
                between=lambda: pause.wait(PAUSE_SECONDS),
            )
        if options["json"]:
            self.stdout.write(json.dumps({"found": sum(found.values()), "removed": done}))
        elif options["dry_run"]:
            self.stdout.write(f"{sum(found.values())} callbacks would be removed.")
        else:
            self.stdout.write(
                f"{done} callbacks removed. On SQLite `manage.py compact` gives the space back."
            )

    def _tenant(self, code: str | None) -> int | None:
        if code is None:
            return None
        found = Tenant.objects.filter(code=code).values_list("id", flat=True).first()
        if found is None:
            raise CommandError(f"There is no tenant {code!r}.", returncode=2)
        return found
