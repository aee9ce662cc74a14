"""Which database a chaos test uses: an own one of the kind that this pytest run is on."""

from __future__ import annotations

import os

import pytest
from django.conf import settings

SUPPORTED = {"flowadmin.sqlite": "sqlite", "django.db.backends.postgresql": "postgresql"}


@pytest.fixture(scope="session")
def run_database():
    """Kind and server address for `Installation`; SQLite and PostgreSQL (issue 2)."""
    kind = SUPPORTED.get(settings.DATABASES["default"]["ENGINE"])
    if kind is None:
        pytest.skip("runs on SQLite and PostgreSQL; on MariaDB by script/chaos")
    return kind, os.environ.get("DATABASE_URL", "") if kind == "postgresql" else ""
