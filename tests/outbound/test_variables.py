"""FLOWADMIN_CALLBACK_ALLOW, _HTTPS_ONLY and _PROXY: what each word becomes, what is a problem."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from flowadmin import environment
from flowadmin.reachable import Proxy, Reachable, read_reachable


@pytest.fixture
def read(monkeypatch, tmp_path):
    """Reads the environment with these variables, named without their common beginning."""

    def read_with(**variables):
        monkeypatch.setenv("FLOWADMIN_DATA", str(tmp_path))
        for name in ("ALLOW", "HTTPS_ONLY", "PROXY"):
            monkeypatch.delenv(f"FLOWADMIN_CALLBACK_{name}", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(f"FLOWADMIN_CALLBACK_{name}", value)
        return environment.read()

    return read_with


def test_nothing_set_opens_nothing(read):
    found = read()
    assert (found.callback_allow, found.callback_https_only, found.callback_proxy) == (
        (),
        False,
        None,
    )
    assert read(ALLOW="", PROXY="").problems == found.problems


def test_a_list(read):
    found = read(ALLOW="intranet, hooks.test:3000 ,10.0.0.0/8,,[::1]:9000", HTTPS_ONLY="1")
    assert found.problems == ()
    assert found.callback_https_only
    assert found.callback_allow == (
        Reachable(host="intranet"),
        Reachable(host="hooks.test", port=3000),
        Reachable(network=ip_network("10.0.0.0/8")),
        Reachable(network=ip_network("::1/128"), port=9000),
    )


@pytest.mark.parametrize(
    ("text", "host", "network", "port"),
    [
        ("Intranet.Test.", "intranet.test", None, None),
        ("intranet.test.:81", "intranet.test", None, 81),
        ("my_service", "my_service", None, None),
        ("a", "a", None, None),
        ("xn--fsqu00a.xn--0zwm56d", "xn--fsqu00a.xn--0zwm56d", None, None),
        ("127.0.0.1", "", "127.0.0.1/32", None),
        ("127.0.0.1:8081", "", "127.0.0.1/32", 8081),
        ("::1", "", "::1/128", None),
        ("[FD00::1]", "", "fd00::1/128", None),
        ("::ffff:10.0.0.1", "", "10.0.0.1/32", None),
        ("fd00::/8", "", "fd00::/8", None),
        ("0.0.0.0/0", "", "0.0.0.0/0", None),
    ],
)
def test_an_entry(text, host, network, port):
    assert read_reachable(text) == Reachable(host, network and ip_network(network), port)


def test_one_address_is_exact_and_a_range_is_not():
    assert read_reachable("10.0.0.1").exact
    assert read_reachable("10.0.0.1/32").exact
    assert not read_reachable("10.0.0.0/31").exact
    assert not read_reachable("intranet").exact


@pytest.mark.parametrize(
    "text",
    [
        "*", "*.test", "http://intranet", "intranet/", "intranet:", "intranet:0",
        "intranet:65536", "intranet:x", "a b", "-a", "a..b", "a" * 64, "例子.测试", "user@host",
        "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "10.0.0.1/8", "10.0.0.0/33",
        "::ffff:10.0.0.0/104", "10.0.0.0/8:80", "[::1", "[::1]x", "fe80::1%lo", "intranet;other",
        "a." * 127 + "test",
    ],
)  # fmt: skip
def test_a_word_that_is_no_entry_is_a_problem_and_opens_nothing(read, text):
    found = read(ALLOW=f"good.test,{text}")
    assert found.callback_allow == (Reachable(host="good.test"),)
    [problem] = found.problems
    assert problem.startswith("FLOWADMIN_CALLBACK_ALLOW ")
    assert repr(text) in problem


def test_a_switch_that_is_no_word(read):
    assert any("FLOWADMIN_CALLBACK_HTTPS_ONLY" in one for one in read(HTTPS_ONLY="yep").problems)


@pytest.mark.parametrize(
    ("text", "proxy"),
    [
        ("http://proxy", Proxy("proxy", 80)),
        ("HTTP://Proxy.test:3128/", Proxy("proxy.test", 3128)),
        ("http://10.0.0.1:3128", Proxy("10.0.0.1", 3128)),
        ("http://[::1]:3128", Proxy("::1", 3128)),
        ("http://me:p%40ss@proxy:3128", Proxy("proxy", 3128, "me", "p@ss")),
    ],
)
def test_a_proxy(read, text, proxy):
    found = read(PROXY=text)
    assert (found.callback_proxy, found.problems) == (proxy, ())


@pytest.mark.parametrize(
    "text",
    ["proxy:3128", "https://me:secret@proxy", "socks5://proxy:1080", "http://", "http://a/b",
     "http://me:secret@proxy:99999", "http://me:secret@127.1"],
)  # fmt: skip
def test_a_wrong_proxy_is_a_problem_and_lets_nothing_past_it(read, text):
    found = read(PROXY=text)
    [problem] = found.problems
    assert problem.startswith("FLOWADMIN_CALLBACK_PROXY ")
    assert "secret" not in problem
    assert found.callback_proxy == Proxy("proxy.invalid", 1)
