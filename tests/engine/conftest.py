"""The engine's tests need neither Django's settings nor a database: `-p no:django` works here."""

from __future__ import annotations

import pytest

from tests.engine.builders import Organisation, demo


@pytest.fixture(autouse=True, scope="session")
def _test_installation():
    """Takes the place of the product's installation, which nothing here needs."""


@pytest.fixture(autouse=True)
def _no_versions_of_another_test():
    """Takes the place of the clean-up of published versions; here nothing is published."""


@pytest.fixture
def org() -> Organisation:
    """The demo organisation, in memory."""
    return demo()
