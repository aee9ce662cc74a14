"""No process of a cluster begins without its services: it ends and names the variable."""

from __future__ import annotations

import pytest
from django.conf import settings

from tests.chaos.installation import free_port
from tests.cluster.processes import clean_environment, run_python

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.slow,
    pytest.mark.skipif(
        not settings.DATABASES["default"]["ENGINE"].endswith("postgresql"),
        reason="runs once, on PostgreSQL",
    ),
]

# gunicorn has an exit code of its own for a worker that could not begin.
PROCESSES = {
    "web": (
        3,
        ("-m", "gunicorn", "flowadmin.wsgi", "--bind", "127.0.0.1:0", "--no-control-socket"),
    ),
    "scan": (1, ("manage.py", "work", "--scan")),
    "worker": (1, ("-m", "celery", "-A", "flowadmin", "worker", "--concurrency", "1")),
    "beat": (1, ("-m", "celery", "-A", "flowadmin", "beat")),
}
every_process = pytest.mark.parametrize("name", PROCESSES)
# Beat asks the same question at the same place as the worker.
all_but_beat = pytest.mark.parametrize("name", [name for name in PROCESSES if name != "beat"])


def assert_refused(name, environment, *variables):
    """It ends by itself, says so in words, names the variables and gives no password away."""
    code, command = PROCESSES[name]
    done = run_python(environment, *command)
    said = (done.stdout + done.stderr).partition("FlowAdmin does not start")[2]
    assert done.returncode == code, done.stdout + done.stderr
    for variable in variables:
        assert variable in said
    assert "hidden" not in done.stdout + done.stderr
    if name != "web":
        assert "Traceback" not in done.stderr


@every_process
def test_without_its_variables(name, tmp_path):
    environment = clean_environment(FLOWADMIN_MODE="cluster", FLOWADMIN_DATA=str(tmp_path))
    assert_refused(name, environment, "REDIS_URL", "DATABASE_URL")


@all_but_beat
def test_with_the_database_down(name, tmp_path):
    environment = clean_environment(
        FLOWADMIN_MODE="cluster",
        FLOWADMIN_DATA=str(tmp_path),
        DATABASE_URL=f"postgres://someone:hidden@127.0.0.1:{free_port()}/flowadmin",
        REDIS_URL=f"redis://:hidden@127.0.0.1:{free_port()}/0",
    )
    assert_refused(name, environment, "DATABASE_URL")


@all_but_beat
def test_with_redis_down(name, postgresql_cluster):
    away = f"redis://:hidden@127.0.0.1:{free_port()}/0"
    environment = postgresql_cluster.environment() | {"REDIS_URL": away}
    assert_refused(name, environment, "REDIS_URL", "CELERY_BROKER_URL")


def test_celery_is_for_a_cluster(tmp_path):
    code, command = PROCESSES["worker"]
    done = run_python(clean_environment(FLOWADMIN_DATA=str(tmp_path)), *command)
    assert done.returncode == code
    assert "FLOWADMIN_MODE=cluster" in done.stderr
    assert "Traceback" not in done.stderr
