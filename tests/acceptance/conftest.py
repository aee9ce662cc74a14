"""What the acceptance tests share: an organisation in memory, callers, people, and moments."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import translation

from flowadmin import clock, doctor
from tests.api.caller import Caller
from tests.builders import a_person
from tests.engine.builders import Organisation, demo
from workflow.runtime import replay

# I2, I3, I4 and I13.
INVARIANTS = (
    doctor.tasks_end_once,
    doctor.histories_are_whole,
    doctor.requests_wait_for_something,
    doctor.rows_are_of_one_tenant,
)


@pytest.fixture(autouse=True)
def _english():
    """A page that was asked for in another language leaves it active on its thread."""
    with translation.override("en"):
        yield


@pytest.fixture(autouse=True)
def _rows_follow_from_the_history(request):
    """Whatever a test did: each row is what the history says, and `doctor` finds nothing."""
    if "db" in request.fixturenames or "transactional_db" in request.fixturenames:
        name = "transactional_db" if "transactional_db" in request.fixturenames else "db"
        request.getfixturevalue(name)  # so that this ends before the rows are rolled back
        yield
        for pk in list(replay.instance_ids()):
            assert replay.differences(pk) == []
        moment = clock.now()
        for find in INVARIANTS:
            assert find(moment) == [], find.__doc__
    else:
        yield


@pytest.fixture
def org() -> Organisation:
    """The demo organisation of the engine's tests, in memory: kim heads it and manages."""
    return demo()


@pytest.fixture
def later(now):
    """Each call is a minute later, so that no two commands share a moment."""
    moments = (now + timedelta(minutes=minute) for minute in range(10_000))
    return lambda: next(moments)


@pytest.fixture
def api(client_of):
    """`api(user)` calls the REST interface in the session of `user`."""
    return lambda user: Caller(client_of(user))


@pytest.fixture
def fay(demo_tenant):
    """A colleague with no role and no department."""
    return a_person(demo_tenant, "fay", name="Fay Sun")


@pytest.fixture
def gus(demo_tenant):
    """A colleague who has no part in anything."""
    return a_person(demo_tenant, "gus", name="Gus Hill")
