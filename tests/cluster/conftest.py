"""A cluster for the tests that need one; made once, on the kind of database of this run."""

from __future__ import annotations

import os

import pytest
from django.conf import settings

from tests.cluster.processes import Cluster

KINDS = {
    "django.db.backends.postgresql": ("postgresql", "FLOWADMIN_TEST_PG_URL"),
    "django.db.backends.mysql": ("mariadb", "FLOWADMIN_TEST_MYSQL_URL"),
}


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A cluster in which people work; its processes are started by the tests."""
    kind, variable = KINDS.get(settings.DATABASES["default"]["ENGINE"], ("", ""))
    if not kind:
        pytest.skip("a cluster has a database server: runs on PostgreSQL and MariaDB")
    for name in (variable, "FLOWADMIN_TEST_REDIS_URL"):
        if name not in os.environ:
            pytest.skip(f"needs {name}")
    with Cluster.made(kind, os.environ[variable], tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture
def postgresql_cluster(cluster):
    """The same for what the kind of database plays no part in: once is enough."""
    if cluster.database.kind != "postgresql":
        pytest.skip("runs once, on PostgreSQL")
    return cluster
