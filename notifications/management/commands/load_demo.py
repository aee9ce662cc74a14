"""`manage.py load_demo`: the demo organisation with its processes and a handful of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from flowadmin import clock
from notifications.actions.reading import mark_over_read
from workflow.actions import demonstration

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Safe to repeat: what exists is kept. A random password is printed this once."""

    help = "Load the demo organisation; what exists is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--password",
            default="",
            help="of all accounts; otherwise FLOWADMIN_DEMO_PASSWORD, otherwise a random one",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        password = options["password"] or settings.ENVIRONMENT.demo_password
        try:
            now = clock.now()
            loaded = demonstration.load(password=password, now=now)
        except demonstration.NotTheDemo as wrong:
            raise CommandError(
                f"The tenant 'demo' exists and is not the demo organisation (no {wrong}). "
                "Nothing was changed."
            ) from wrong
        if loaded.requests:
            # Weeks have passed in these stories: nobody would still be waiting to read of it.
            mark_over_read(tenant_id=loaded.tenant_id, now=now)
        for login, name, department in demonstration.accounts():
            self.stdout.write(f"  {login:<6} {name}, {department}")
        if loaded.password is None:
            self.stdout.write("The demo accounts existed before; their password was not changed.")
        elif password:
            self.stdout.write("Password of all demo accounts: the one that was given.")
        else:
            self.stdout.write(f"Password of all demo accounts: {loaded.password}")
        self.stdout.write(f"New: {loaded.flows} processes, {loaded.requests} requests.")
