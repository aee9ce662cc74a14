"""`manage.py compact`: give the free space of the SQLite file back to the disk."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections

from flowadmin import archive, clock
from flowadmin.coordination import presence
from flowadmin.sqlite import copying

if TYPE_CHECKING:
    from argparse import ArgumentParser

OF_SERVERS = {
    "postgresql": "PostgreSQL's autovacuum does this by itself; `vacuumdb --analyze` does it now.",
    "mysql": "`mariadb-check --optimize flowadmin` does it now, table by table.",
}


class Command(BaseCommand):
    """Exit 0: done; 1: somebody uses the file; 2: the database is not a SQLite file."""

    help = "Write the SQLite file anew without its free pages, and count its indexes anew."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--online",
            action="store_true",
            help="while people work: empty the WAL and count anew, without writing the file anew",
        )
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Contract, Commands: `compact`; reliability.md 2.3 S3 and 4.7."""
        del args
        connection = connections[DEFAULT_DB_ALIAS]
        if not archive.is_sqlite():
            raise CommandError(
                f"This is for a SQLite file. {OF_SERVERS[connection.vendor]}", returncode=2
            )
        file = Path(connection.settings_dict["NAME"])
        connection.ensure_connection()
        if not options["online"]:
            self._refuse_company()
        before = copying.sizes_of(connection, file)
        try:
            if not options["online"]:
                copying.give_back(connection)
            copying.count_anew(connection)
        except OperationalError as error:
            raise CommandError(f"The file is in use or the disk is full: {error}.") from error
        emptied = copying.empty_wal(connection)
        after = copying.sizes_of(connection, file)
        if options["json"]:
            found = {"before": asdict(before), "after": asdict(after), "wal_emptied": emptied}
            self.stdout.write(json.dumps(found))
            return
        for name, sizes in (("before", before), ("after", after)):
            self.stdout.write(
                f"{name:<7} file {sizes.file:>12,} bytes, WAL {sizes.wal:>12,}, "
                f"free in it {sizes.free:>12,}"
            )
        if not emptied:
            self.stdout.write("A reader kept the WAL from being emptied; it is next time.")

    def _refuse_company(self) -> None:
        """Writing the file anew holds its lock: whoever serves would fail meanwhile."""
        try:
            presence.refuse_while_running(clock.now())
        except presence.StillRunning as refusal:
            raise CommandError(
                f"{refusal} Or use --online, which does not write the file anew."
            ) from refusal
