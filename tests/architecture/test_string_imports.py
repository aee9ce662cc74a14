"""Everything that is imported by a string exists: settings, the periodic table, names of pages."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.module_loading import import_string

from flowadmin.celery import app
from flowadmin.coordination.presence import Presence
from flowadmin.periodic import PERIODIC, THREADS, beat_schedule, of_topic

ROOT = Path(__file__).resolve().parents[2]
DOTTED = re.compile(r"[a-z_]\w*(\.\w+)+")
# Values that look like names of Python things but are of another kind.
OTHER_KINDS = {
    "LOGGING",
    "ALLOWED_HOSTS",
    "CACHES",
    "DATABASES",
    "AUTH_USER_MODEL",
    "SILENCED_SYSTEM_CHECKS",
}


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from strings(one)


def dotted_names() -> list[tuple[str, str]]:
    """Every dotted name in the project's own settings, with the setting it stands in."""
    module = importlib.import_module(settings.SETTINGS_MODULE)
    return sorted(
        (name, text)
        for name in dir(module)
        if name.isupper() and name not in OTHER_KINDS
        for text in set(strings(getattr(module, name)))
        if DOTTED.fullmatch(text)
    )


def resolves(text: str) -> bool:
    try:
        importlib.import_module(text)
    except ImportError:
        try:
            import_string(text)
        except ImportError:
            return False
    return True


def test_settings_are_found():
    names = dotted_names()
    assert ("MIDDLEWARE", "django.middleware.csrf.CsrfViewMiddleware") in names
    assert ("INSTALLED_APPS", "flowadmin.directory") in names
    assert any(name == "REST_FRAMEWORK" for name, _ in names)


@pytest.mark.django_db  # importing the WSGI entrance asks the database whether it may start
@pytest.mark.parametrize(("setting", "text"), dotted_names())
def test_settings_resolve(setting, text, monkeypatch):
    # The test's process serves nobody, so it does not announce itself.
    monkeypatch.setattr(Presence, "begin", lambda _self: None)
    assert resolves(text), f"{setting} names {text}"


def test_a_wrong_name_is_noticed():
    assert not resolves("flowadmin.rest.problems.no_such_thing")
    assert not resolves("flowadmin.no_such_module")


@pytest.mark.parametrize("job", PERIODIC, ids=lambda job: job.name)
def test_periodic_jobs_are_tasks_that_need_no_argument(job):
    task = import_string(job.task)
    assert task.name == job.task
    assert job.task in app.tasks
    demanded = [
        one
        for one in inspect.signature(task.run).parameters.values()
        if one.default is one.empty and one.kind not in {one.VAR_KEYWORD, one.VAR_POSITIONAL}
    ]
    assert demanded == []
    assert job.queue in THREADS
    assert job.every_seconds > 0


def test_the_table_is_beats_schedule():
    assert app.conf.beat_schedule == beat_schedule()
    assert [entry["task"] for entry in beat_schedule().values()] == [job.task for job in PERIODIC]
    assert len(beat_schedule()) == len(PERIODIC)
    for job in PERIODIC:
        if job.topic is not None:
            assert job in of_topic(job.topic)


def url_names(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for one in patterns:
        if isinstance(one, URLResolver):
            inner = f"{space}{one.namespace}:" if one.namespace else space
            yield from url_names(one.url_patterns, inner)
        elif one.name:
            yield f"{space}{one.name}"


def test_templates_name_pages_that_exist():
    known = set(url_names(get_resolver().url_patterns))
    missing = [
        f"{path.relative_to(ROOT)}: {found[1]}"
        for path in sorted(ROOT.glob("**/templates/**/*.html"))
        if ".venv" not in path.parts and "node_modules" not in path.parts
        for found in re.finditer(
            r"{%\s*url\s+[\"']([\w:-]+)[\"']([^%]*)%}", path.read_text("utf-8")
        )
        if " as " not in found[2] and found[1] not in known
    ]
    assert missing == []
