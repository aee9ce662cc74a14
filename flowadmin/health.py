"""Two probes for whoever runs the installation: is the process alive, and may it get requests."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import redis
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.backoff import NoBackoff
from redis.retry import Retry

if TYPE_CHECKING:
    from django.http import HttpRequest

REDIS_TIMEOUT_SECONDS = 2


@never_cache
@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """The process answers. Asks nothing else: a database that is away is no reason to restart."""
    return HttpResponse("ok", content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """200 when every part that a request needs is there, 503 and the parts in words when not.

    Says no name, address or text of an error: anybody may ask (contract, REST: health).
    """
    parts = _database_parts()
    if settings.CLUSTER:
        parts["redis"] = _redis_state()
    good = all(state == "ok" for state in parts.values())
    return JsonResponse({"ready": good, **parts}, status=200 if good else 503)


def _database_parts() -> dict[str, str]:
    """Reads the table of migrations: on SQLite a bare SELECT 1 would not touch the file."""
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        applied = MigrationRecorder(connection).applied_migrations().keys()
    except DatabaseError:
        # A broken connection is not kept: the next probe opens another.
        connection.close()
        return {"database": "unreachable", "migrations": "unknown"}
    return {"database": "ok", "migrations": "ok" if _wanted() <= applied else "pending"}


@cache
def _wanted() -> frozenset[tuple[str, str]]:
    """The last migration of every application in the code of this process."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).graph.leaf_nodes())


def _redis_state() -> str:
    try:
        with redis.Redis.from_url(
            settings.ENVIRONMENT.redis_url,
            socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
            socket_timeout=REDIS_TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 0),
        ) as client:
            client.ping()
    except (redis.RedisError, OSError):
        return "unreachable"
    return "ok"


urlpatterns = [
    path("health/live", live, name="health-live"),
    path("health/ready", ready, name="health-ready"),
]
