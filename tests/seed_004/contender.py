"""A process that competes for one SQLite file: `python -m tests.seed_004.contender VERB`.

It knows the product's database settings (FLOWADMIN_DATA) and nothing else of the product.
"""

from __future__ import annotations

import os
import signal
import sys

from django.conf import settings
from django.db import connection, transaction

from flowadmin.environment import read

ROUNDS = 60


def count_up() -> None:
    """Read, then write what follows from it, many times: the shape of every decision."""
    for _ in range(ROUNDS):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT value FROM counter WHERE id = 1")
            value = cursor.fetchone()[0]
            cursor.execute("UPDATE counter SET value = %s WHERE id = 1", [value + 1])
            cursor.execute("INSERT INTO entry (value) VALUES (%s)", [value + 1])


def die_inside() -> None:
    """Write both tables and be killed before the commit."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE counter SET value = value + 1 WHERE id = 1")
        cursor.execute("INSERT INTO entry (value) VALUES (1)")
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    settings.configure(DATABASES={"default": read().database}, USE_TZ=True)
    {"count_up": count_up, "die_inside": die_inside}[sys.argv[1]]()
