"""The administration's pages, found by what is registered there: accessible, nothing too wide."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.test import RequestFactory
from django.urls import reverse
from playwright.sync_api import expect

from flowadmin.directory.models import User
from tests.browser import addresses
from tests.browser.addresses import ADMINISTRATION, NOT_ADMINISTRATION, OF_EVERY_KIND
from tests.browser.furnished import furnish
from tests.browser.looking import look_at

RULES = {"en": "wcag", "zh-hans": "none"}


def base(model):
    return f"{model._meta.app_label}_{model._meta.model_name}"


def test_no_page_is_forgotten():
    every = {f"{base(model)}_{page}" for model in admin.site._registry for page in OF_EVERY_KIND}
    assert addresses.names("admin/") - every == set(ADMINISTRATION) | NOT_ADMINISTRATION
    for name, address in ADMINISTRATION.items():
        assert addresses.name_of(address) == name


def pages_of(model, owner):
    """The list, the page of a row, and the empty one where rows may be added.

    Histories and questions before deleting are the same for all; one kind of row has to do.
    """
    request = RequestFactory().get("/admin/")
    request.user = User.objects.get(login="admin")
    row = owner.get_queryset(request).order_by("-pk").first()
    assert row is not None, f"Nothing of {model.__name__} is there to be looked at: furnished.py."
    found = {"changelist": (), "change": (row.pk,)}
    if owner.has_add_permission(request):
        found["add"] = ()
    if base(model) == "directory_department":
        found |= {"history": (row.pk,), "delete": (row.pk,)}
    return {
        f"admin-{model._meta.model_name}-{page}": reverse(f"admin:{base(model)}_{page}", args=args)
        for page, args in found.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("language", list(RULES))
@pytest.mark.parametrize("app", ["directory", "workflow", "notifications", ""])
def test_pages(sit_down, site, app, language):
    numbers = furnish()
    pages: dict[str, str] = {}
    for model, owner in admin.site._registry.items():
        if model._meta.app_label == app:
            pages |= pages_of(model, owner)
    if not app:
        pages = {
            f"admin-{name}": each.format_map(numbers) for name, each in ADMINISTRATION.items()
        }
    person = sit_down("admin", language=language)
    found = []
    for name, address in pages.items():
        person.open(address)
        expect(person.heading.first).to_be_visible()
        found += look_at(person, name, rules=RULES[language])
    assert not found, "\n".join(found)
