"""`manage.py backup FILE`: one archive of database and uploaded files, taken while people work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, connections

from flowadmin import archive, clock
from flowadmin.coordination import presence

if TYPE_CHECKING:
    from argparse import ArgumentParser

DUMPERS = {
    "postgresql": 'pg_dump --format=custom --file=flowadmin.dump "$DATABASE_URL"',
    "mysql": "mariadb-dump --single-transaction --quick flowadmin > flowadmin.sql",
}


class Command(BaseCommand):
    """Exit 0: whole and read again; 1: no archive, or not everything is in it; 2: wrong use."""

    help = "Write database and uploaded files into one archive, and read it again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the archive; `.gz` at its end compresses")
        parser.add_argument(
            "--media-only",
            action="store_true",
            help="uploaded files alone: the database is dumped with its server's own tool",
        )
        parser.add_argument(
            "--alone",
            action="store_true",
            help="refuse while a process serves or works: the copy before an upgrade",
        )
        parser.add_argument(
            "--without-key",
            action="store_true",
            help="leave the generated SECRET_KEY out; without it sealed secrets stay sealed",
        )
        parser.add_argument(
            "--verify",
            action="store_true",
            help="write nothing: read an archive again and compare it with its own list",
        )
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Contract, Commands: `backup FILE` (online SQLite copy)."""
        del args
        file: Path = options["file"].absolute()
        if options["verify"]:
            self._verify(file, as_json=options["json"])
            return
        if not file.parent.is_dir():
            raise CommandError(f"There is no folder {file.parent}.", returncode=2)
        if file.exists():
            raise CommandError(f"{file} exists already. Choose another name.", returncode=2)
        if options["alone"]:
            self._refuse_company()
        with_database = archive.is_sqlite() and not options["media_only"]
        try:
            contents = archive.write(
                file,
                clock.now(),
                with_database=with_database,
                with_key=not options["without_key"],
                tell=self._tell,
            )
        except archive.CannotArchive as error:
            raise CommandError(str(error)) from error
        self._say(file, contents, as_json=options["json"])
        self._complain(contents, media_only=options["media_only"])

    def _refuse_company(self) -> None:
        """Seed 001 P13: what is copied before an upgrade must not change behind the copy."""
        try:
            presence.refuse_while_running(clock.now())
        except presence.StillRunning as refusal:
            raise CommandError(str(refusal)) from refusal

    def _verify(self, file: Path, *, as_json: bool) -> None:
        try:
            manifest = archive.verify(file)
        except archive.CannotArchive as error:
            raise CommandError(str(error)) from error
        if as_json:
            self.stdout.write(json.dumps({"ok": True, **manifest}))
        else:
            what = "database and files" if manifest["database"] else "files without database"
            self.stdout.write(
                f"Whole: {what} of {manifest['made_at']}, {len(manifest['members'])} members, "
                f"{manifest['schema']}."
            )

    def _tell(self, line: str) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"  {line}", self.style.NOTICE)

    def _say(self, file: Path, contents: archive.Contents, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(
                json.dumps(
                    {
                        "file": str(file),
                        "database": contents.database,
                        "files": contents.files,
                        "bytes": contents.size,
                        "archive_bytes": file.stat().st_size,
                        "deleted_meanwhile": contents.deleted,
                        "faults": contents.faults,
                    }
                )
            )
            return
        what = "the database and " if contents.database else ""
        self.stdout.write(
            f"{file} holds {what}{contents.files} uploaded files "
            f"({contents.size / 1e6:.1f} MB), read again and whole."
        )
        if archive.KEY in contents.members:
            self.stdout.write(
                "It also holds the secret key of this installation: guard it like the data."
            )

    def _complain(self, contents: archive.Contents, *, media_only: bool) -> None:
        """End with exit code 1 when the archive is not all that a backup should be."""
        if contents.faults:
            shown = "; ".join(contents.faults[:5])
            raise CommandError(
                f"{len(contents.faults)} uploaded files are not as their rows say ({shown}). "
                "The rest is in the archive. Run `manage.py doctor`."
            )
        if not contents.database and not media_only:
            vendor = connections[DEFAULT_DB_ALIAS].vendor
            raise CommandError(
                "The database is NOT in this archive; its server has its own tool for that:\n"
                f"  {DUMPERS[vendor]}\n"
                "Run it first, and this command with --media-only behind it."
            )
