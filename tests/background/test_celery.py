"""The cluster's Celery: settings that keep messages; its processes are tried in tests/cluster."""

from __future__ import annotations

import pytest
from celery.utils.imports import symbol_by_name

from flowadmin.celery import Loader, app, refuse_to_begin
from flowadmin.coordination.beat import MarkingScheduler
from flowadmin.periodic import THREADS


def test_messages_are_kept_until_the_work_is_done():
    assert app.conf.task_acks_late is True
    assert app.conf.task_reject_on_worker_lost is True
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.task_ignore_result is True
    assert app.conf.accept_content == ["json"]
    assert set(app.conf.task_queues) == set(THREADS)
    assert (app.conf.timezone, app.conf.enable_utc) == ("UTC", True)


def test_its_processes_ask_whether_they_may_begin_and_beat_leaves_its_mark():
    assert isinstance(app.loader, Loader)
    assert symbol_by_name(app.conf.beat_scheduler) is MarkingScheduler


def test_it_refuses_to_work_for_one_machine(settings):
    settings.CLUSTER = False
    with pytest.raises(SystemExit, match="FLOWADMIN_MODE=cluster"):
        refuse_to_begin()
