"""The installation uses the front door: settings and addresses name its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as installed
from django.urls import resolve
from rest_framework.views import APIView

from flowadmin import urls
from flowadmin.rest.authentication import (
    BrowserSessionAuthentication,
    ExpiringTokenAuthentication,
)
from flowadmin.rest.front_door import StrictJSONParser
from flowadmin.rest.problems import answer_problem

if TYPE_CHECKING:
    from django.test import Client


@pytest.fixture(autouse=True)
def _addresses(settings: Any) -> None:
    """The product's own addresses, not those of the other tests."""
    settings.ROOT_URLCONF = "flowadmin.urls"


def test_rest_views_read_by_the_front_door_alone() -> None:
    assert APIView.parser_classes == [StrictJSONParser]
    assert APIView().get_exception_handler() is answer_problem


def test_tokens_are_asked_before_sessions() -> None:
    # The first one gives the challenge of a 401; without it DRF would answer 403.
    assert APIView.authentication_classes == [
        ExpiringTokenAuthentication,
        BrowserSessionAuthentication,
    ]


def test_order_of_middleware() -> None:
    order = list(installed.MIDDLEWARE)
    assert order[0] == "flowadmin.rest.request_ids.RequestIds"
    ours = order.index("flowadmin.rest.middleware.ProblemPages")
    assert order.index("django.middleware.locale.LocaleMiddleware") < ours
    assert ours < order.index("django.middleware.common.CommonMiddleware")


def test_error_views_are_ours() -> None:
    for status in (400, 403, 404, 500):
        name = getattr(urls, f"handler{status}")
        assert name.startswith("flowadmin.rest.pages.")
    assert installed.CSRF_FAILURE_VIEW == "flowadmin.rest.pages.csrf_failed"


def test_addresses() -> None:
    assert resolve("/api/v1/schema/").url_name == "schema"
    assert resolve("/problems/json.broken").url_name == "problem"


def test_log_lines_have_the_number_of_the_request() -> None:
    log: dict[str, Any] = installed.LOGGING
    assert "{request_id}" in log["formatters"]["line"]["format"]
    assert log["handlers"]["console"]["filters"] == ["request_id"]
    assert log["filters"]["request_id"]["()"] == "flowadmin.rest.request_ids.RequestIdFilter"


def test_unmatched_address_of_the_product(client: Client) -> None:
    answer = client.get("/api/v1/nothing")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
