"""What the front door lets through, and what it refuses with which code and place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowadmin.rest.front_door import MAX_BODY, parse
from flowadmin.rest.problems import Problem

if TYPE_CHECKING:
    from django.test import Client

REFUSED: list[tuple[str, bytes, str, str]] = [
    ("byte order mark", b'\xef\xbb\xbf{"a": 1}', "json.encoding", ""),
    ("utf-16", '{"a": 1}'.encode("utf-16"), "json.encoding", ""),
    ("bad utf-8", b'{"a": "\xff"}', "json.encoding", ""),
    ("cut utf-8", b'{"a": "\xe4\xb8"}', "json.encoding", ""),
    ("raw surrogate", b'{"a": "\xed\xa0\x80"}', "json.encoding", ""),
    ("overlong", b'{"a": "\xc0\x80"}', "json.encoding", ""),
    ("nothing but a word", b"hello", "json.broken", ""),
    ("cut off", b'{"a": [1, 2', "json.broken", ""),
    ("trailing comma", b'{"a": 1,}', "json.broken", ""),
    ("two values", b'{"a": 1} {"b": 2}', "json.broken", ""),
    ("single quotes", b"{'a': 1}", "json.broken", ""),
    ("raw newline in text", b'{"a": "x\ny"}', "json.broken", ""),
    ("raw NUL in text", b'{"a": "x\x00y"}', "json.broken", ""),
    ("bad escape", b'{"a": "\\x41"}', "json.broken", ""),
    ("leading zero", b'{"a": 012}', "json.broken", ""),
    ("spaces only", b"   ", "json.broken", ""),
    ("unclosed text of escapes", b'{"a": "' + b'\\"' * 200_000, "json.broken", ""),
    ("unclosed text of backslashes", b'{"a": "' + b"\\" * 400_001, "json.broken", ""),
    ("only closing brackets", b"]" * 500_000, "json.broken", ""),
    ("NaN", b'{"a": NaN}', "json.number", "/a"),
    ("Infinity", b'{"a": [0, Infinity]}', "json.number", "/a/1"),
    ("minus Infinity", b'{"a": -Infinity}', "json.number", "/a"),
    ("1e400", b'{"a": {"b": 1e400}}', "json.float", "/a/b"),
    ("fraction", b'{"lines": [{"amount": 1.5}]}', "json.float", "/lines/0/amount"),
    ("exponent", b'{"a": 1E2}', "json.float", "/a"),
    ("2^53 + 1", b'{"a": 9007199254740993}', "json.integer", "/a"),
    ("-(2^53 + 1)", b'{"a": -9007199254740993}', "json.integer", "/a"),
    ("2^70", b'{"a": 1180591620717411303424}', "json.integer", "/a"),
    ("5,000 digits", b'{"a": ' + b"9" * 5000 + b"}", "json.integer", "/a"),
    ("900,000 digits", b'{"a": ' + b"9" * 900_000 + b"}", "json.integer", "/a"),
    ("same name twice", b'{"a": 1, "a": 1}', "json.duplicate", "/a"),
    ("same name by escape", b'{"x": [{"a": 1, "\\u0061": 2}]}', "json.duplicate", "/x/0/a"),
    (
        "twice at the top of a list",
        b'{"x": {"a/b": {"~": 1, "~": 2}}}',
        "json.duplicate",
        "/x/a~1b/~0",
    ),
    ("NUL", b'{"a": "x\\u0000"}', "json.text", "/a"),
    ("NUL in a name", b'{"ok": {"a\\u0000": 1}}', "json.text", "/ok"),
    ("bell", b'{"a": ["\\u0007"]}', "json.text", "/a/0"),
    ("escape character", b'{"a": "\\u001b[31m"}', "json.text", "/a"),
    ("delete", b'{"a": "\x7f"}', "json.text", "/a"),
    ("C1 control", b'{"a": "\xc2\x9b"}', "json.text", "/a"),
    ("half surrogate, high", b'{"a": "\\ud800"}', "json.text", "/a"),
    ("half surrogate, low", b'{"a": "\\udfff"}', "json.text", "/a"),
    ("surrogates the wrong way round", b'{"a": "\\ude00\\ud83d"}', "json.text", "/a"),
    ("half surrogate in a name", b'{"\\ud800": 1}', "json.text", ""),
    ("name of 129", b'{"x": {"' + b"k" * 129 + b'": 1}}', "json.key", "/x"),
    ("text of 64 KiB + 1", b'{"a": "' + b"x" * 65_537 + b'"}', "json.long", "/a"),
    ("text of 64 KiB + 2 in UTF-8", b'{"a": "' + "é".encode() * 32_769 + b'"}', "json.long", "/a"),
    ("33 levels", b'{"a":' + b"[" * 32 + b"]" * 32 + b"}", "json.deep", ""),
    ("3,000 levels", b'{"a":' + b"[" * 3000 + b"]" * 3000 + b"}", "json.deep", ""),
    ("3,000 levels of objects", b'{"a":' * 3000 + b"1" + b"}" * 3000, "json.deep", ""),
    ("100,000 levels", b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "json.nodes", ""),
    ("100,000 levels, cut off", b"[" * 100_000, "json.nodes", ""),
    ("3,000 levels, cut off", b"[" * 3000, "json.deep", ""),
    (
        "depth hidden behind an escape",
        b'{"a\\\\":' + b"[" * 40 + b"]" * 40 + b"}",
        "json.deep",
        "",
    ),
    ("20,001 values", b'{"a": [' + b"1," * 19_998 + b"1]}", "json.nodes", ""),
    ("20,000 empty lists", b'{"a": [' + b"[]," * 19_999 + b"[]]}", "json.nodes", ""),
    ("list", b"[]", "json.object", ""),
    ("text", b'"a"', "json.object", ""),
    ("number", b"1", "json.object", ""),
    ("fraction alone", b"1.5", "json.object", ""),
    ("null", b"null", "json.object", ""),
]

ACCEPTED: list[tuple[str, bytes, Any]] = [
    ("no body", b"", {}),
    ("empty object", b" {} ", {}),
    ("kinds", b'{"a": [1, -2, true, false, null, "x"]}', {"a": [1, -2, True, False, None, "x"]}),
    ("2^53", b'{"a": 9007199254740992}', {"a": 2**53}),
    ("-2^53", b'{"a": -9007199254740992}', {"a": -(2**53)}),
    ("tab, newline", b'{"a": "x\\t\\r\\ny"}', {"a": "x\t\r\ny"}),
    ("pair of surrogates", b'{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
    ("four bytes", '{"名": "\U0001f600"}'.encode(), {"名": "\U0001f600"}),
    ("not normalised", '{"a": "e\u0301"}'.encode(), {"a": "e\u0301"}),
    ("name of 128", b'{"' + b"k" * 128 + b'": 1}', {"k" * 128: 1}),
    ("text of 64 KiB", b'{"a": "' + b"x" * 65_536 + b'"}', {"a": "x" * 65_536}),
    ("brackets in text", b'{"a": "' + b"[" * 60_000 + b'"}', {"a": "[" * 60_000}),
    ("quote and brackets", b'{"a": "\\"' + b"[" * 40 + b'\\\\"}', {"a": '"' + "[" * 40 + "\\"}),
    (
        "same name in two objects",
        b'{"a": {"x": 1}, "b": {"x": 2}}',
        {"a": {"x": 1}, "b": {"x": 2}},
    ),
    ("20,000 values", b'{"a": [' + b"1," * 19_997 + b"1]}", {"a": [1] * 19_998}),
]


@pytest.mark.parametrize(
    ("body", "code", "at"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_refuses(body: bytes, code: str, at: str) -> None:
    with pytest.raises(Problem) as caught:
        parse(body)
    problem = caught.value
    assert (problem.status, problem.code, problem.members["at"]) == (400, code, at)
    assert problem.errors is not None
    assert [(error["code"], error["at"]) for error in problem.errors] == [(code, at)]
    assert problem.errors[0]["message"]


@pytest.mark.parametrize(
    ("body", "value"), [row[1:] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED]
)
def test_accepts(body: bytes, value: Any) -> None:
    assert parse(body) == value


def test_limits_of_depth_are_exact() -> None:
    def body(levels: int) -> bytes:
        return b'{"a":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"

    assert parse(body(32))
    assert parse(body(64), max_depth=64)
    with pytest.raises(Problem, match=r"json\.deep"):
        parse(body(65), max_depth=64)


def test_depth_names_line_and_column() -> None:
    body = b'{\n "a": "[[[",\n "b": ' + b"[" * 32 + b"]" * 32 + b"}"
    with pytest.raises(Problem) as caught:
        parse(body)
    # The 32nd bracket of the third line is the 33rd level.
    assert (caught.value.members["line"], caught.value.members["column"]) == (3, 7 + 31)


def test_broken_json_names_line_and_column() -> None:
    with pytest.raises(Problem) as caught:
        parse(b'{"a": 1,\n  "b" 2}')
    assert (caught.value.members["line"], caught.value.members["column"]) == (2, 7)


def test_size_is_refused_before_anything_is_read() -> None:
    with pytest.raises(Problem) as caught:
        parse(b"\xff" * (MAX_BODY + 1))
    assert (caught.value.status, caught.value.code) == (413, "body.too_large")
    assert parse(b" " * (MAX_BODY - 2) + b"{}") == {}


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None), max_size=20),
    lambda below: (
        st.lists(below, max_size=4)
        | st.dictionaries(st.text(st.characters(codec=None), max_size=8), below, max_size=4)
    ),
    max_leaves=12,
)


def _outcome(body: bytes) -> dict[str, Any] | Problem:
    try:
        return parse(body)
    except Problem as problem:
        return problem


@given(_json)
@settings(deadline=None)
def test_any_json_is_read_as_written_or_refused(value: Any) -> None:
    outcome = _outcome(json.dumps(value).encode())
    if isinstance(outcome, Problem):
        assert outcome.code.startswith("json.")
        # Nothing that was refused travels back in a form that cannot be sent.
        assert json.dumps(outcome.document(), ensure_ascii=False).encode()
    else:
        assert outcome == value


@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:\\u0d8 1.eE-+ntf', max_size=60))
@settings(deadline=None)
def test_any_bytes_are_read_or_refused(given: bytes | str) -> None:
    body = given.encode() if isinstance(given, str) else given
    outcome = _outcome(body)
    if isinstance(outcome, Problem):
        assert outcome.status == 400
    else:
        assert outcome == (json.loads(body) if body else {})


def _post(client: Client, path: str, body: bytes, kind: str = "application/json") -> Any:
    return client.post(path, data=body, content_type=kind)


@pytest.mark.parametrize(
    ("body", "code"), [(row[1], row[2]) for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_over_http_each_refusal_is_a_problem(client: Client, body: bytes, code: str) -> None:
    answer = _post(client, "/api/v1/echo/", body)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == code


def test_over_http_values_come_through(client: Client) -> None:
    answer = _post(client, "/api/v1/echo/", '{"名": ["\U0001f600", 9007199254740992]}'.encode())
    assert answer.status_code == 200
    assert answer.json() == {"名": ["\U0001f600", 2**53]}
    assert _post(client, "/api/v1/echo/", b"").json() == {}


def test_a_view_for_documents_reads_deeper(client: Client) -> None:
    body = b'{"a":' + b"[" * 63 + b"]" * 63 + b"}"
    assert _post(client, "/api/v1/document/", body).status_code == 200
    assert _post(client, "/api/v1/echo/", body).json()["code"] == "json.deep"


def test_two_mebibytes_are_too_large(client: Client) -> None:
    answer = _post(client, "/api/v1/echo/", b'{"a": "' + b"x" * 2 * MAX_BODY + b'"}')
    assert answer.status_code == 413
    assert answer.json()["code"] == "body.too_large"


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "application/json; charset=gbk",
        "application/json; charset=utf-16",
    ],
)
def test_other_media_types_are_refused(client: Client, kind: str) -> None:
    answer = _post(client, "/api/v1/echo/", b'{"a": 1}', kind)
    assert answer.status_code == 415
    assert answer.json()["code"] == "media_type.unsupported"


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"'])
def test_utf8_may_be_named(client: Client, charset: str) -> None:
    answer = _post(client, "/api/v1/echo/", b'{"a": 1}', f"application/json; charset={charset}")
    assert answer.json() == {"a": 1}


def test_a_body_in_chunks_is_not_taken_for_an_empty_one(client: Client) -> None:
    answer = client.generic(
        "POST",
        "/api/v1/echo/",
        content_type="application/json",
        headers={"Transfer-Encoding": "chunked"},
    )
    assert answer.status_code == 411
    assert answer.json()["code"] == "body.length"


@pytest.mark.parametrize("address", ["/api/v1/rows/?page=%00", "/api/v1/ro%00ws/"])
def test_nul_in_an_address_is_refused(client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    assert answer.json()["code"] == "query.malformed"
