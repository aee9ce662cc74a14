"""What every test may ask for: the demo organisation, signed-in clients, a fixed moment."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.test import Client, override_settings

# Playwright keeps an event loop in its thread; Django must not refuse the database because of it.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

DEMO_PASSWORD = "correct horse battery"
pytest_plugins = ["tests.chromium"]


@pytest.fixture(autouse=True, scope="session")
def _test_installation(tmp_path_factory):
    """A data folder of its own, cheap password hashes, and static files without a manifest."""
    data = tmp_path_factory.mktemp("data")
    (data / "static").mkdir()
    static = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    before = os.environ.get("FLOWADMIN_DATA")
    os.environ["FLOWADMIN_DATA"] = str(data)
    with override_settings(
        SETTINGS_MODULE=settings.SETTINGS_MODULE,  # an override would hide its name
        ENVIRONMENT=replace(settings.ENVIRONMENT, data=data),
        STATIC_ROOT=data / "static",
        STORAGES=settings.STORAGES | {"staticfiles": static},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    ):
        yield
    if before is None:
        del os.environ["FLOWADMIN_DATA"]
    else:
        os.environ["FLOWADMIN_DATA"] = before


@pytest.fixture
def now():
    """A fixed moment: aware UTC, a Monday morning."""
    return datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def demo_tenant(db):
    """The tenant `demo` with its departments, roles and people; and `other` with eve."""
    from flowadmin.directory.demo import make_people  # noqa: PLC0415 - after Django's set-up

    return make_people(DEMO_PASSWORD).tenant


def _person(login):
    from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up

    return User.objects.select_related("tenant", "department").get(login=login)


@pytest.fixture
def ann(demo_tenant):
    """An engineer: applies."""
    return _person("ann")


@pytest.fixture
def bao(demo_tenant):
    """Head of engineering: approves."""
    return _person("bao")


@pytest.fixture
def chi(demo_tenant):
    """A member of finance."""
    return _person("chi")


@pytest.fixture
def dan(demo_tenant):
    """Head of finance: approves next."""
    return _person("dan")


@pytest.fixture
def eve(demo_tenant):
    """A stranger: of the tenant `other`."""
    return _person("eve")


@pytest.fixture
def admin(demo_tenant):
    """The operator of the platform."""
    return _person("admin")


@pytest.fixture
def client_of():
    """`client_of(user)` is a browser in which `user` is signed in.

    Keywords go to Django's client, such as ``enforce_csrf_checks=True`` and ``headers``.
    """

    def signed_in(user, **options):
        client = Client(**options)
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture(autouse=True)
def _no_versions_of_another_test():
    """Versions never change, so a process keeps them; a test's rollback gives their ids again."""
    yield
    from workflow.published import definition_of  # noqa: PLC0415 - after Django's set-up

    definition_of.cache_clear()
