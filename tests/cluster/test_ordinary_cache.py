"""With REDIS_URL the ordinary cache is django-redis at its index, the broker two further (D1)."""

from __future__ import annotations

import pytest
import redis

from tests.cluster.processes import with_index

pytestmark = pytest.mark.cluster

KEEP = """
import django
django.setup()
from django.conf import settings
from django.core.cache import cache
from django_redis.cache import RedisCache
from flowadmin.coordination.wake import send_by_name
from flowadmin.periodic import of_topic
assert type(cache._connections[cache._alias]) is RedisCache
cache.set("who", {"name": "Zo\\u00eb"}, timeout=60)
assert send_by_name(of_topic("steps")[0])
"""
READ = """
import django
django.setup()
from django.core.cache import cache
print(ascii(cache.get("who")["name"]))
"""


def keys(address):
    with redis.Redis.from_url(address) as store:
        return store.keys("*")


def test_the_cache_is_shared_at_index_n_and_the_broker_is_at_n_plus_2(postgresql_cluster):
    cluster = postgresql_cluster
    cluster.empty_queues()
    index = int(cluster.redis_url.rpartition("/")[2])
    kept = cluster.run("-c", KEEP)
    assert kept.returncode == 0, kept.stderr
    # Another process, perhaps on another machine, sees the same.
    read = cluster.run("-c", READ)
    assert (read.returncode, read.stdout.strip()) == (0, r"'Zo\xeb'"), read.stderr
    assert [key.decode() for key in keys(cluster.redis_url)] == [":1:who"]
    assert keys(with_index(cluster.redis_url, index + 1)) == []
    assert b"ordinary" in keys(with_index(cluster.redis_url, index + 2))
    assert [message["task"] for message in cluster.waiting()] == ["workflow.jobs.run_due_steps"]
    cluster.empty_queues()
