"""The pattern language agrees with Python's on what both know, and never takes long."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow.forms.patterns import MOST_POSITIONS, UnsafePattern, compile_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("", "", True),
        ("abc", "xabcx", True),
        ("^abc$", "xabc", False),
        ("^$", "", True),
        ("^$", "a", False),
        ("a.c", "a\nc", False),
        ("a.c", "a名c", True),
        ("^[a-c]+$", "abcab", True),
        ("^[^a-c]+$", "xyz\n", True),
        ("^[^a-c]+$", "xaz", False),
        ("[]a]", "]", True),
        ("[a-]", "-", True),
        (r"^\d{4}-\d{2}$", "2024-07", True),
        (r"^\d{4}-\d{2}$", "2024-7", False),
        (r"^[\w.]+@\w+$", "a.b@c", True),
        (r"^[\D]$", "7", False),
        (r"^[^\D]$", "7", True),
        (r"^\s\S$", "\tx", True),
        (r"a\|b", "a|b", True),
        ("^(ab|cd)*e$", "abcdabe", True),
        ("^(ab|cd)*e$", "abcde", True),
        ("^(ab|cd)*e$", "abce", False),
        ("^a{2,3}$", "a", False),
        ("^a{2,3}$", "aaa", True),
        ("^a{2,3}$", "aaaa", False),
        ("^a{2,}$", "aaaaa", True),
        ("^a{2,}$", "a", False),
        ("^(a{2}){2}$", "aaaa", True),
        ("^a{0}b$", "b", True),
        ("^a?$", "", True),
        ("名+", "名名", True),
    ],
)
def test_matches(pattern: str, text: str, *, found: bool) -> None:
    assert compile_pattern(pattern).found_in(text) is found
    assert (re.search(pattern, text) is not None) is found


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a)\\1", "escape"),
        ("(?=a)", "group"),
        ("(?P<n>a)", "group"),
        ("a*?", "repeat"),
        ("a**", "repeat"),
        ("*a", "repeat"),
        ("a{1,999}", "repeat"),
        ("a{3,2}", "repeat"),
        ("a{,3}", "repeat"),
        ("a{x}", "repeat"),
        ("a{2", "repeat"),
        ("(a", "group"),
        ("a)", "group"),
        ("[a", "class"),
        ("[z-a]", "class"),
        ("[[:alpha:]]", "class"),
        ("a\\", "escape"),
        ("\\b", "escape"),
        ("\\x41", "escape"),
        ("a" * 201, "length"),
        ("(" * 30 + ")" * 30, "depth"),
        ("(a{50}){50}", "size"),
        ("((((){50}){50}){50}){50}", "size"),
    ],
)
def test_outside_the_language(pattern: str, reason: str) -> None:
    with pytest.raises(UnsafePattern, match=f"^{reason}$"):
        compile_pattern(pattern)


SAFE = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", "1"]),
    lambda inner: (
        st.builds("({})*".format, inner)
        | st.builds("({})+".format, inner)
        | st.builds("({})?".format, inner)
        | st.builds("({}){{1,3}}".format, inner)
        | st.builds("({}|{})".format, inner, inner)
        | st.builds("{}{}".format, inner, inner)
    ),
    max_leaves=5,
)


@given(pattern=SAFE, text=st.text(alphabet="ab1\n", max_size=8), whole=st.booleans())
def test_agrees_with_python(pattern: str, text: str, whole: bool) -> None:
    if whole:
        pattern = f"^({pattern})$"
        text = text.replace("\n", "b")  # Python's $ also stands before a last newline
    try:
        ours = compile_pattern(pattern)
    except UnsafePattern:
        return
    assert ours.found_in(text) is (re.search(pattern, text) is not None)


@given(st.text(alphabet="ab()[]{}*+?|^$\\.-,0129dws", max_size=60), st.text(max_size=20))
def test_anything_compiles_or_is_refused(pattern: str, text: str) -> None:
    try:
        compiled = compile_pattern(pattern)
    except UnsafePattern:
        return
    assert compiled.found_in(text) in {True, False}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^(a+)+$", "a" * 1000 + "!", False),
        ("^(a|a)*$", "a" * 1000 + "!", False),
        ("^(.*a){20}c$", "ab" * 500, False),
        ("(a|b)*a(a|b){40}c", "ab" * 500, False),
        ("(a|b)*a(a|b){41}c", "ab" * 500 + "c", True),
    ],
)
def test_backtrackers_do_not_come_back_from_these(pattern: str, text: str, *, found: bool) -> None:
    compiled = compile_pattern(pattern)
    assert len(compiled.letters) <= MOST_POSITIONS
    assert compiled.found_in(text) is found
