"""The database's clock: aware, UTC, with microseconds, and running inside a transaction."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from flowadmin import clock


@pytest.mark.django_db
def test_it_is_utc_and_near_this_machines_time():
    moment = clock.now()

    assert moment.tzinfo is UTC
    # The servers of the tests run on this machine; an hour would be a wrong zone.
    assert abs(moment - datetime.now(UTC)) < timedelta(minutes=30)


@pytest.mark.django_db
def test_it_goes_on_inside_a_transaction():
    with transaction.atomic():
        moments = [clock.now() for _ in range(200)]

    assert moments == sorted(moments)
    assert moments[0] < moments[-1]
    assert any(moment.microsecond % 1000 for moment in moments)
