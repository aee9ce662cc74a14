"""A server of test pages without a database, and a tab of the browser on them."""

from __future__ import annotations

import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.test import override_settings

from tests.chromium import PATIENCE, listen, unexpected


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_args):
        """Nothing: the requests of a test are not news."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


@pytest.fixture
def page_settings():
    """Settings of the test pages: the product's frame without sessions and rows."""
    with override_settings(
        ROOT_URLCONF="tests.frontend.pages",
        ALLOWED_HOSTS=["127.0.0.1", "testserver"],
        FORM_RENDERER="flowadmin.form_renderer.FormRenderer",
        INSTALLED_APPS=[*settings.INSTALLED_APPS, "django.forms"]
        if "django.forms" not in settings.INSTALLED_APPS
        else settings.INSTALLED_APPS,
        MESSAGE_STORAGE="django.contrib.messages.storage.cookie.CookieStorage",
        MIDDLEWARE=[
            "csp.middleware.CSPMiddleware",
            "django.middleware.locale.LocaleMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "tests.frontend.pages.somebody",
            "django.contrib.messages.middleware.MessageMiddleware",
            "django_htmx.middleware.HtmxMiddleware",
        ],
        STORAGES=settings.STORAGES
        | {
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        },
    ):
        yield


@pytest.fixture
def site(dist, page_settings):
    """Address of a running server of the test pages."""
    server = make_server("127.0.0.1", 0, WSGIHandler(), _Server, _Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def open_page(chromium, site):
    """`open_page(path, width=…, theme=…)`: a fresh tab; what it complains about fails the test."""
    tabs = []

    def opened(path="/", *, width=1280, theme="light", language="en", expected=()):
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, locale=language, has_touch=width < 500
        )
        context.set_default_timeout(PATIENCE)
        context.add_cookies(
            [
                {"name": "theme", "value": theme, "url": site},
                {"name": "django_language", "value": language, "url": site},
            ]
        )
        complaints = listen(context)
        page = context.new_page()
        tabs.append((context, complaints, expected))
        page.goto(site + path)
        return page

    yield opened
    for context, complaints, expected in tabs:
        context.close()
        assert unexpected(complaints, expected) == []
