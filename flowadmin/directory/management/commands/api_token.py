"""`manage.py api_token USER`: make a token by which a machine acts as a person."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from flowadmin import clock
from flowadmin.directory.actions import TOKEN_DAYS, issue_token
from flowadmin.directory.models import User


class Command(BaseCommand):
    """Prints the token as the last word of the last line (contract, Shapes)."""

    help = "Make an API token for a person; it is shown once and only its digest is stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="login name")
        parser.add_argument("--days", type=int, default=TOKEN_DAYS, help="days until it expires")
        parser.add_argument("--label", default="", help="what it is for")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        user = User.objects.filter(login=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(f"No active user has the login name {options['user']!r}.")
        try:
            raw = issue_token(user, now=clock.now(), days=options["days"], label=options["label"])
        except ValueError as wrong:
            raise CommandError(str(wrong), returncode=2) from wrong
        self.stdout.write(f"This token acts as {user.login} for {options['days']} days.")
        self.stdout.write(f"Token: {raw}")
