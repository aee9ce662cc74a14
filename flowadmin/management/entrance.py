"""The command line: Django's, with a look at who runs before a command that writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from django.core.exceptions import ImproperlyConfigured
from django.core.management import ManagementUtility, get_commands
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from flowadmin import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.management.base import BaseCommand

OURS = {"flowadmin", "rules", "workflow", "notifications"}
# Those of Django that write rows; `work` announces itself.
WRITES = {"migrate", "loaddata", "flush", "createsuperuser", "changepassword", "clearsessions"}
# Those of ours that only read, or never look at the rows: they help to find out what is wrong.
READS = {
    "work", "doctor", "backup", "flow_validate", "flow_export", "flow_whatif", "rule_ddl",
    "coord_status",
}  # fmt: skip


class CommandLine(ManagementUtility):
    """Refuses a command that writes while processes of another version run (seed 001 P15)."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Django's own way to the command. Ends with exit code 1 when it must not run now."""
        command = super().fetch_command(subcommand)
        if writes(subcommand):
            refuse_beside_others()
        return command


def refuse_beside_others() -> None:
    """End this process with exit code 1 while one of another version runs."""
    from flowadmin.coordination import presence  # noqa: PLC0415 - models need Django's set-up

    try:
        presence.refuse_other_versions(clock.now())
    except presence.MixedVersions as refusal:
        sys.stderr.write(f"{refusal}\n")
        sys.exit(1)
    except (DatabaseError, ImproperlyConfigured):
        # The command itself says it better, or needs no database.
        connections[DEFAULT_DB_ALIAS].close()


def writes(name: str) -> bool:
    """Whether a command may write rows that processes of another version would not understand."""
    app = get_commands().get(name, "django.core")
    return name in WRITES or (app.split(".")[0] in OURS and name not in READS)


def execute(arguments: Sequence[str]) -> None:
    """Run ``manage.py`` with these arguments, the name of the program first."""
    CommandLine(list(arguments)).execute()
