"""A real installation for the browser: the demo at work, live pages, one profile per person."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import expect

from flowadmin import clock
from flowadmin.directory.models import User
from tests.browser.hands import HANDS
from tests.browser.people import EXPENSE, Person
from tests.chromium import PATIENCE, listen, unexpected
from tests.conftest import DEMO_PASSWORD
from workflow.actions import demonstration
from workflow.actions.requests import start_request
from workflow.models import Instance

LOCALES = {"en": "en-GB", "zh-hans": "zh-CN"}


def pytest_collection_modifyitems(items):
    for item in items:
        if "/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture
def demo(transactional_db):
    """The demo organisation with its processes and requests in every state."""
    demonstration.load(password=DEMO_PASSWORD, now=clock.now())


@pytest.fixture
def site(dist, demo, live_server):
    """Address of the product itself: real middleware, real policy, real static files."""
    return live_server.url


@pytest.fixture
def file_expense(demo):
    """`file_expense(purpose)`: ann files an expense of 12,000 without a browser; the request."""

    def filed(purpose):
        values = {"purpose": purpose} | EXPENSE
        ann = User.objects.get(login="ann")
        start_request(user=ann, flow="expense", values=values, now=clock.now())
        return Instance.objects.get(title=f"Expense: {purpose}")

    return filed


@pytest.fixture
def sit_down(chromium, site):
    """`sit_down(login)`: a person with a browser of their own; complaints of a page fail the test.

    Keywords: ``hand`` (mouse or keyboard), ``language`` of the browser, ``width`` of the window,
    ``scheme`` of the device, ``expected`` words of complaints that belong to the test. The person
    is signed in and looks at the start page; without a login, at nothing yet.
    """
    expect.set_options(timeout=PATIENCE)
    profiles = []

    def person(login="", *, hand="mouse", language="en", width=1280, scheme="light", expected=()):
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            locale=LOCALES[language],
            color_scheme=scheme,
            base_url=site,
        )
        context.set_default_timeout(PATIENCE)
        profiles.append((context, listen(context), expected))
        if login:
            client = Client()
            client.force_login(User.objects.get(login=login))
            name = settings.SESSION_COOKIE_NAME
            context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": site}])
        page = context.new_page()
        if login:
            page.goto("/")
        return Person(page, HANDS[hand](page), language, site)

    yield person
    for context, complaints, expected in profiles:
        context.close()
        left = unexpected(complaints, expected)
        assert not left, "\n".join(left)
