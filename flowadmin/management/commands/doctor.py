"""`manage.py doctor`: ask a live installation whether its invariants hold; reads only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from flowadmin import clock, doctor

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Exit 0: all hold; 1: some are broken, with ids of examples (contract, Commands)."""

    help = "Check the invariants of this installation and print what breaks them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        verdicts = doctor.examine(clock.now())
        broken = [each.id for each in verdicts if not each.ok]
        if options["json"]:
            checks = [
                {
                    "id": each.id,
                    "text": each.text,
                    "ok": each.ok,
                    "examples": each.examples,
                    "more": each.more,
                }
                for each in verdicts
            ]
            self.stdout.write(json.dumps({"ok": not broken, "checks": checks}))
        else:
            for each in verdicts:
                self.stdout.write(f"{'ok    ' if each.ok else 'BROKEN'} {each.id:<5} {each.text}")
                for example in each.examples:
                    self.stdout.write(f"         {example}")
                if each.more:
                    self.stdout.write("         … and more")
        if broken:
            raise CommandError(f"Broken: {', '.join(broken)}.", returncode=1)
