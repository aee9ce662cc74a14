"""An empty folder for the bytes of each test, and a colleague."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.conf import settings
from django.test import override_settings

from tests.builders import a_person


@pytest.fixture(autouse=True)
def _own_folder(tmp_path):
    """Bytes of another test would look like differences."""
    with override_settings(ENVIRONMENT=replace(settings.ENVIRONMENT, data=tmp_path)):
        yield


@pytest.fixture
def gus(demo_tenant):
    """A colleague who has no part in anything."""
    return a_person(demo_tenant, "gus")
