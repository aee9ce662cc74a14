"""Numbered pages and cursors, and parameters that nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.test import RequestFactory

from flowadmin.rest.pagination import (
    cursor_answer,
    page_answer,
    read_cursor,
    read_page,
    unknown_parameters,
)
from flowadmin.rest.problems import Problem

if TYPE_CHECKING:
    from django.test import Client

    from flowadmin.directory.models import User


def _request(query: str) -> Any:
    return RequestFactory().get(f"/x/?{query}")


def _code(call: Any, *arguments: Any) -> str:
    with pytest.raises(Problem) as caught:
        call(*arguments)
    assert caught.value.status == 400
    return caught.value.code


def test_pages_over_http(ann: User, client_of: Any) -> None:
    client: Client = client_of(ann)
    seen: list[int] = []
    address = "/api/v1/rows/"
    steps = []
    found: dict[str, Any] = {}
    while address:
        found = client.get(address).json()
        assert found["count"] == 45
        seen += found["results"]
        steps.append(len(found["results"]))
        address = found["next"]
    assert seen == list(range(45))
    assert steps == [20, 20, 5]
    assert found["previous"].endswith("/api/v1/rows/?page=2")
    assert client.get("/api/v1/rows/?pages=2").json()["code"] == "query.unknown"


def test_links_keep_the_other_parameters() -> None:
    request = _request("box=done&box=x&page_size=10&page=2&q=%E5%90%8D%26")
    found = page_answer(request, 45, ["row"])
    assert found["next"] == (
        "http://testserver/x/?box=done&box=x&page_size=10&page=3&q=%E5%90%8D%26"
    )
    assert found["previous"].count("page=1") == 1


def test_edges_of_pages() -> None:
    assert page_answer(_request(""), 0, []) == {
        "count": 0,
        "next": None,
        "previous": None,
        "results": [],
    }
    assert page_answer(_request("page=2"), 40, [])["next"] is None
    # Far behind the end, the way back leads to the last page that has rows.
    assert page_answer(_request("page=900"), 40, [])["previous"].endswith("page=2")
    page = read_page(_request("page=3&page_size=100"))
    assert (page.start, page.stop) == (200, 300)


@pytest.mark.parametrize(
    "query",
    ["page=0", "page=-1", "page=x", "page=", "page=1.0", "page=%D9%A1", "page=01", "page=1e3",
     "page=1000001", "page=99999999999999999999", "page=1&page=2", "page_size=0", "page_size=101",
     "page_size=x", "page=+1", "page=1%0A"],
)  # fmt: skip
def test_bad_pages(query: str) -> None:
    assert _code(read_page, _request(query)) == "query.malformed"


def test_cursor_walks_to_the_end_once() -> None:
    rows = [{"seq": number} for number in range(0, 70, 3)]
    query, seen, rounds = "page_size=5", [], 0
    while True:
        request = _request(query)
        asked = read_cursor(request)
        after = -1 if asked.after is None else asked.after
        fetched = [row for row in rows if row["seq"] > after][: asked.fetch]
        found = cursor_answer(
            request, fetched, position=lambda row: row["seq"], render=lambda row: row["seq"]
        )
        assert found["previous"] is None
        seen += found["results"]
        rounds += 1
        if found["next"] is None:
            break
        query = found["next"].split("?", 1)[1]
        assert "after" not in query
    assert seen == [row["seq"] for row in rows]
    assert rounds == 5


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "7", "YWZ0ZXI6", "YWZ0ZXI6LTE", "YWZ0ZXI6eA", "%E5%90%8D", "a" * 5000, "!!!!",
     "YWZ0ZXI6OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk"],
)  # fmt: skip
def test_bad_cursors(cursor: str) -> None:
    assert _code(read_cursor, _request(f"cursor={cursor}")) == "query.malformed"


def test_bad_sizes_of_cursor_lists() -> None:
    assert _code(read_cursor, _request("page_size=1000")) == "query.malformed"


def test_unknown_parameters_are_named() -> None:
    unknown_parameters(_request("a=1&b=2"), {"a", "b", "c"})
    with pytest.raises(Problem) as caught:
        unknown_parameters(_request("a=1&x=2&y=3"), {"a"})
    assert caught.value.code == "query.unknown"
    assert caught.value.errors is not None
    assert [error["args"]["parameter"] for error in caught.value.errors] == ["x", "y"]
