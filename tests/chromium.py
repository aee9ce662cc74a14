"""The browser of the tests: built front end, one Chromium, an ear for complaints of pages."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

CHROMIUM = Path(os.environ.get("FLOWADMIN_CHROMIUM", "/usr/bin/chromium"))
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
PATIENCE = 10_000  # milliseconds that a page may take on a busy machine
# Chromium tells most violations in the console itself; the event tells all of them.
_TELL_VIOLATIONS = """document.addEventListener("securitypolicyviolation", (event) =>
    console.error(`CSP violation: ${event.effectiveDirective} ${event.blockedURI}`))"""


@pytest.fixture(scope="session")
def dist():
    """The built files; built now when a source changed."""
    subprocess.run([settings.BASE_DIR / "script" / "build"], check=True)
    return settings.BASE_DIR / "flowadmin" / "static" / "flowadmin" / "dist"


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests of a process."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip("no Chromium here")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def listen(context):
    """Everything that pages of this context complain of from now on: a list that grows.

    Errors and warnings of the console, exceptions that no script caught, and violations of the
    content security policy.
    """
    complaints = []

    def hear(page):
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text) if message.type in {"error", "warning"} else None
            ),
        )

    context.add_init_script(_TELL_VIOLATIONS)
    context.on("page", hear)
    return complaints


def unexpected(complaints, expected):
    """The complaints in which none of the expected words stands."""
    return [text for text in complaints if not any(word in text for word in expected)]


def overhang(page):
    """By how many pixels the page is wider than its window: 0 when nobody has to scroll."""
    return page.evaluate(
        "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)"
    )
