"""Which database a chaos test uses: an own one of the kind that this pytest run is on."""

from __future__ import annotations

import os

import pytest
from django.conf import settings

KINDS = {
    "flowadmin.sqlite": "sqlite",
    "django.db.backends.postgresql": "postgresql",
    "django.db.backends.mysql": "mariadb",
}


@pytest.fixture(scope="session")
def run_database():
    """Kind and server address for `Installation`."""
    kind = KINDS[settings.DATABASES["default"]["ENGINE"]]
    return kind, "" if kind == "sqlite" else os.environ["DATABASE_URL"]
