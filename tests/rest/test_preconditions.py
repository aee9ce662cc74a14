"""The version that the caller saw, from the header and from the body."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import RequestFactory
from rest_framework.request import Request

from flowadmin.rest.front_door import StrictJSONParser
from flowadmin.rest.preconditions import (
    etag_of,
    expected_version,
    if_match,
    if_match_or_new,
    is_unchanged,
)
from flowadmin.rest.problems import Problem


def _request(body: Any = None, **headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    raw = RequestFactory().post(
        "/x", data=json.dumps(body or {}), content_type="application/json", headers=named
    )
    return Request(raw, parsers=[StrictJSONParser()])


def _refused(call: Any, request: Request) -> tuple[int, str]:
    with pytest.raises(Problem) as caught:
        call(request)
    return caught.value.status, caught.value.code


def test_either_place_is_enough() -> None:
    assert expected_version(_request({"task_version": 7})) == 7
    assert expected_version(_request({"task_version": 0})) == 0
    assert expected_version(_request(If_Match='"7"')) == 7
    assert expected_version(_request({"task_version": 7}, If_Match=' "7" ')) == 7


def test_both_must_agree() -> None:
    request = _request({"task_version": 7}, If_Match='"8"')
    assert _refused(expected_version, request) == (400, "precondition.disagree")


def test_neither_is_428() -> None:
    for body in ({}, {"comment": "x"}):
        assert _refused(expected_version, _request(body)) == (428, "precondition.missing")
    assert _refused(if_match, _request({"task_version": 7})) == (428, "precondition.missing")


@pytest.mark.parametrize(
    "header",
    ["7", "*", 'W/"7"', '"7", "8"', '""', '"x"', '"-1"', '"07"', '"7', '"1.0"', '"1000000000"',
     '"\u0667"', ""],
)  # fmt: skip
def test_malformed_headers(header: str) -> None:
    for call in (expected_version, if_match, if_match_or_new):
        request = _request({"task_version": 7}, If_Match=header)
        assert _refused(call, request) == (400, "precondition.malformed")


@pytest.mark.parametrize("version", [True, False, None, "7", -1, 1_000_000_000, [7], {"a": 7}])
def test_malformed_versions_in_the_body(version: Any) -> None:
    request = _request({"task_version": version}, If_Match='"1"')
    with pytest.raises(Problem) as caught:
        expected_version(request)
    assert (caught.value.status, caught.value.code) == (400, "precondition.malformed")
    assert caught.value.errors is not None
    assert caught.value.errors[0]["at"] == "/task_version"


def test_create_only() -> None:
    assert if_match_or_new(_request(If_None_Match="*")) is None
    assert if_match_or_new(_request(If_Match='"3"')) == 3
    assert _refused(if_match_or_new, _request()) == (428, "precondition.missing")
    both = _request(If_None_Match="*", If_Match='"3"')
    assert _refused(if_match_or_new, both) == (400, "precondition.disagree")
    other = _request(If_None_Match='"3"')
    assert _refused(if_match_or_new, other) == (400, "precondition.malformed")


def test_polled_reads() -> None:
    etag = etag_of(3)
    assert etag == '"3"'
    for given in ('"3"', 'W/"3"', '"2", W/"3"', "*"):
        assert is_unchanged(_request(If_None_Match=given), etag)
    for given in ('"2"', "3", "", '"33"'):
        assert not is_unchanged(_request(If_None_Match=given), etag)
    assert not is_unchanged(_request(), etag)
