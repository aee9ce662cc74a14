"""`manage.py merge_flow_tables`: five tables of an older script into the three of ours."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from flowadmin import clock, failpoints
from flowadmin.coordination import presence
from flowadmin.directory import time_zones
from flowadmin.older_tables import OlderTableInTheWay
from notifications.legacy import comparing, counting, moving, older

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

    from notifications.legacy.moving import Moved, Trouble
    from notifications.legacy.older import Older

LOCK = "flowadmin_merge_flow_tables"
LOCK_NUMBER = 0x666C6F77
LOCK_SECONDS = 600
NOTHING = "Nothing to merge: there is no table of the older script in this database."


class Command(BaseCommand):
    """Exit 0: done, nothing to do, or nothing left; 1: see what is printed; 2: wrong use."""

    help = "Bring the five tables of the older script into flow_draft, flow_notice, flow_callback."

    def add_arguments(self, parser: ArgumentParser) -> None:
        ways = parser.add_mutually_exclusive_group()
        ways.add_argument(
            "--check", action="store_true", help="only count what is not moved; 1 if anything is"
        )
        ways.add_argument(
            "--dry-run", action="store_true", help="move, compare, and keep nothing of it"
        )
        ways.add_argument(
            "--drop-legacy", action="store_true", help="remove the older tables when all is moved"
        )
        parser.add_argument(
            "--zone", default="UTC", help="time zone of the older tables' moments (default: UTC)"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Contract, Commands; seed 001 P17 to P28."""
        del args
        self.told: dict[str, Any] = {}
        self.as_json: bool = options["json"]
        zone = self._zone(options["zone"])
        try:
            found = older.find(connection)
            if not found:
                self._say(NOTHING, merged=0)
            elif options["check"]:
                self._check(found)
            else:
                with self._alone():
                    self._act(found, zone, options)
        except (older.NotToBeRead, OlderTableInTheWay, presence.StillRunning) as refusal:
            raise CommandError(str(refusal)) from refusal
        finally:
            if self.as_json:
                self.stdout.write(json.dumps(self.told, ensure_ascii=False))

    def _act(self, found: Older, zone: ZoneInfo, options: dict[str, Any]) -> None:
        if options["drop_legacy"]:
            self._drop(found)
        else:
            self._merge(found, zone, dry=options["dry_run"])

    # Looking -----------------------------------------------------------------------------------

    def _check(self, found: Older) -> None:
        self._refuse_unready(found)
        left = counting.left(connection, found)
        self._say(
            f"Watches without a reminder: {left.watches}\n"
            f"Attempts without an entry in a history: {left.attempts}\n"
            f"Notices and callbacks that were not moved: {left.others}",
            watches=left.watches,
            attempts=left.attempts,
            others=left.others,
        )
        self._hosts(found)
        if not left.nothing:
            raise CommandError("Not everything is moved: run merge_flow_tables.")

    def _hosts(self, found: Older) -> None:
        hosts = counting.receivers(connection, found)
        self._say("", hosts=[each._asdict() for each in hosts])
        if hosts:
            self._say(
                "Callbacks that are not delivered go to these hosts. FLOWADMIN_CALLBACK_ALLOW "
                "must name those in your own network before they can be delivered:"
            )
        for host in hosts:
            why = "must be named" if host.private else "must be named if its address is private"
            self._say(f"  {host.place or '(no readable address)'}  {host.rows} rows, {why}")

    # Moving ------------------------------------------------------------------------------------

    def _merge(self, found: Older, zone: ZoneInfo, *, dry: bool) -> None:
        if found.in_the_way and dry:
            names = ", ".join(found.in_the_way)
            raise CommandError(f"Of the older script still: {names}. Run migrate first.")
        for name in older.make_ours(connection):
            self._say(f"Made {name}; what the older script had there is {name}_legacy.")
        failpoints.reached("merge.after_ddl")
        found = older.find(connection)
        with transaction.atomic():
            self._move(found, zone)
            transaction.set_rollback(dry)
        if dry:
            self._say("Nothing of it was kept: this was a dry run.")
        self._hosts(found)

    def _move(self, found: Older, zone: ZoneInfo) -> None:
        """The one transaction. Raises CommandError, which rolls it back, for any trouble."""
        if counting.is_done(connection, found):
            self._say("All of it was moved before; nothing was written.", merged=0)
            return
        move = moving.Move(
            connection, found, zone, lambda _table: failpoints.reached("merge.after_each_table")
        )
        moved = move.run()
        self._refuse_troubles(moved.troubles, "cannot be moved")
        self._refuse_troubles(list(comparing.differences(move)), "did not arrive as they were")
        left = counting.left(connection, found)
        if not left.nothing:
            raise CommandError(f"{sum(left)} rows would be left behind. Nothing was kept.")
        moving.count_on(connection)
        self._tell(moved)

    def _tell(self, moved: Moved) -> None:
        for table in older.COLUMNS:
            if moved.rows[table] or moved.kept[table]:
                self._say(
                    f"{table}: {moved.rows[table]} rows moved and compared, "
                    f"{moved.kept[table]} were here before."
                )
        self._say("", merged=moved.rows.total(), kept=moved.kept.total())

    def _refuse_troubles(self, troubles: list[Trouble], what: str) -> None:
        if not troubles:
            return
        self._say("", troubles=[[each.table, each.id, each.text] for each in troubles])
        for each in troubles:
            self._say(f"{each.table} {each.id}: {each.text}")
        raise CommandError(
            f"{len(troubles)} rows {what}. Nothing was kept; correct them and run it again."
        )

    # Removing ----------------------------------------------------------------------------------

    def _drop(self, found: Older) -> None:
        self._refuse_unready(found)
        left = counting.left(connection, found)
        if not left.nothing:
            raise CommandError(
                f"Not dropped: {left.watches} watches, {left.attempts} attempts and {left.others} "
                "other rows are not moved. Run merge_flow_tables first."
            )
        names = older.drop(connection, found)
        self._say(f"Removed {', '.join(names)}.", dropped=names)

    # Conditions --------------------------------------------------------------------------------

    def _refuse_unready(self, found: Older) -> None:
        if found.in_the_way or not older.are_ours(connection):
            raise CommandError("The tables of this version are not all there: run migrate first.")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No process serves, the schema is the present one, and no second merge runs."""
        presence.refuse_while_running(clock.now())
        if not _newest() <= set(MigrationRecorder(connection).applied_migrations()):
            raise CommandError("Not all migrations are applied: run migrate first.")
        try:
            with _one_merge():
                yield
        except DatabaseError as error:
            raise CommandError(f"The database refused: {error}. Nothing was kept.") from error

    def _zone(self, name: str) -> ZoneInfo:
        if name not in time_zones.names():
            raise CommandError(f"There is no time zone {name!r}.", returncode=2)
        return ZoneInfo(name)

    def _say(self, text: str, **members: Any) -> None:
        self.told |= members
        if text and not self.as_json:
            self.stdout.write(text)


@cache
def _newest() -> frozenset[tuple[str, str]]:
    """The last migration of each app."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).graph.leaf_nodes())


@contextmanager
def _one_merge() -> Iterator[None]:
    """Hold the lock of the merge; a second one waits. On SQLite the transaction is the lock."""
    if connection.vendor == "sqlite":
        yield
        return
    take, give = (
        (f"SELECT GET_LOCK('{LOCK}', {LOCK_SECONDS})", f"SELECT RELEASE_LOCK('{LOCK}')")
        if connection.vendor == "mysql"
        else (
            f"SELECT 1 FROM (SELECT pg_advisory_lock({LOCK_NUMBER})) l",  # noqa: S608
            f"SELECT pg_advisory_unlock({LOCK_NUMBER})",
        )
    )
    with connection.cursor() as cursor:
        cursor.execute(take)
        if cursor.fetchone()[0] != 1:
            raise CommandError("Another merge_flow_tables runs. Try again when it has ended.")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(give)
            cursor.fetchone()
