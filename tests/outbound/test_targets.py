"""Reading targets: what is kept, what is refused with which code, and that parsers agree."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowadmin.outbound.messages import NotAllowed, Objection
from flowadmin.outbound.targets import LONGEST, Target, read_target


@pytest.mark.parametrize(
    ("text", "url", "authority"),
    [
        ("http://good.test", "http://good.test/", "good.test"),
        ("HTTP://Good.TEST./a?b=c#d", "http://good.test/a?b=c", "good.test"),
        ("https://good.test:443/x", "https://good.test/x", "good.test"),
        ("https://good.test:80?q", "https://good.test:80/?q", "good.test:80"),
        ("http://my_service:8080/", "http://my_service:8080/", "my_service:8080"),
        ("http://8.8.8.8:08080/", "http://8.8.8.8:8080/", "8.8.8.8:8080"),
        ("http://[2606:4700:4700:0::1111]/", "http://[2606:4700:4700::1111]/",
         "[2606:4700:4700::1111]"),
        ("http://[::ffff:8.8.8.8]:81/", "http://8.8.8.8:81/", "8.8.8.8:81"),
        ("http://例子.测试/路?值=1", "http://xn--fsqu00a.xn--0zwm56d/%E8%B7%AF?%E5%80%BC=1",
         "xn--fsqu00a.xn--0zwm56d"),
        ("http://good.test/%2e%2E/../a%20b", "http://good.test/%2e%2E/../a%20b", "good.test"),
        ("http://good.test/\"<>^`{|}", "http://good.test/%22%3C%3E%5E%60%7B%7C%7D", "good.test"),
    ],
)  # fmt: skip
def test_reads(text, url, authority):
    target = read_target(text)
    assert (target.url, target.authority) == (url, authority)
    assert read_target(target.url) == target


def test_a_literal_is_known_as_an_address():
    assert read_target("http://8.8.8.8/").literal == ip_address("8.8.8.8")
    assert read_target("http://[::1]:99/") == Target("http", "::1", 99, "/", ip_address("::1"))
    assert read_target("http://good.test/").literal is None
    assert read_target("https://good.test/").https


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("http://good.test\\@evil.test/", Objection.CHARACTER, 16),
        ("http://good.test/\r\nX: y", Objection.CHARACTER, 17),
        (" http://good.test/", Objection.CHARACTER, 0),
        ("http://good.test/a b", Objection.CHARACTER, 18),
        ("http://good\t.test/", Objection.CHARACTER, 11),
        ("http://good\u200b.test/", Objection.CHARACTER, 11),
        ("http://good.test/\ud800", Objection.CHARACTER, 17),
        ("http://good.test/\x00", Objection.CHARACTER, 17),
        ("http://user:pw@good.test/", Objection.USERINFO, 7),
        ("http://@good.test/", Objection.USERINFO, 7),
        ("http://good.test:99999/", Objection.PORT_NUMBER, 16),
        ("http://good.test:0/", Objection.PORT_NUMBER, 16),
        ("http://good.test:/", Objection.PORT_NUMBER, 16),
        ("http://good.test:-1/", Objection.PORT_NUMBER, 16),
        ("http://good.test:\u0661/", Objection.PORT_NUMBER, 16),
        ("http://good.test:80:80/", Objection.PORT_NUMBER, 16),
        ("http://[::1]x/", Objection.HOST, 12),
        ("http:///path", Objection.HOST, 7),
        ("http://", Objection.HOST, 7),
        ("http://good..test/", Objection.HOST, 7),
        ("http://good.test../", Objection.HOST, 7),
        ("http://./", Objection.HOST, 7),
        ("http://-good.test/", Objection.HOST, 7),
        ("http://good%2etest/", Objection.HOST, 7),
        ("http://a,b.test/", Objection.HOST, 7),
        ("http://" + "a" * 64 + ".test/", Objection.HOST, 7),
        ("http://" + "a." * 127 + "test/", Objection.HOST, 7),
        ("http://[::1/", Objection.HOST, 7),
        ("http://[good.test]/", Objection.HOST, 7),
        ("http://]/", Objection.HOST, 7),
        ("http://[fe80::1%25lo]/", Objection.SPELLING, 7),
        ("http://[fe80::1%lo]/", Objection.SPELLING, 7),
        ("http://2130706433/", Objection.SPELLING, 7),
        ("http://0x7f.1/", Objection.SPELLING, 7),
        ("http://0177.0.0.1/", Objection.SPELLING, 7),
        ("http://127.1/", Objection.SPELLING, 7),
        ("http://good.123/", Objection.SPELLING, 7),
        ("http://0x/", Objection.SPELLING, 7),
        ("http://①②⑦.0.0.1/", Objection.SPELLING, 7),
        ("http://127。0。0。1/", Objection.SPELLING, 7),
        ("http://\uff2c\uff2f\uff23\uff21\uff2chost/", Objection.SPELLING, 7),
        ("http://straße.test/", Objection.SPELLING, 7),
        ("ftp://good.test/", Objection.SCHEME, 0),
        ("file:///etc/passwd", Objection.SCHEME, 0),
        ("gopher://good.test/", Objection.SCHEME, 0),
        ("//good.test/", Objection.SCHEME, 0),
        ("http:good.test", Objection.SCHEME, 0),
        ("http:/good.test", Objection.SCHEME, 0),
        ("", Objection.SCHEME, 0),
        ("http://good.test/" + "a" * LONGEST, Objection.LENGTH, LONGEST),
    ],
)
def test_refuses(text, code, position):
    with pytest.raises(NotAllowed) as caught:
        read_target(text)
    assert (caught.value.code, caught.value.position) == (code, position)


SCHEMES = st.sampled_from(["http://", "https://", "HTTP://", "http:", "//", "ftp://", ""])
HOSTS = st.one_of(
    st.sampled_from(["good.test", "127.1", "0x7f000001", "①.1", "[::1]", "a.b.", "localhost"]),
    st.from_regex(r"[a-z0-9.:\[\]%_-]{0,20}", fullmatch=True),
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(lambda address: f"[{address}]"),
    st.text(max_size=12),
)
PORTS = st.one_of(st.just(""), st.integers(-1, 70000).map(lambda port: f":{port}"))
RESTS = st.one_of(st.just(""), st.text(alphabet="/?#@\\:%.é一 ab", max_size=15), st.text())
URLS = st.builds("".join, st.tuples(SCHEMES, st.sampled_from(["", "u@"]), HOSTS, PORTS, RESTS))


@settings(max_examples=3000, deadline=None)
@given(URLS)
def test_every_text_is_refused_or_read_as_another_parser_reads_it(text):
    with suppress(NotAllowed):
        target = read_target(text)
        assert read_target(target.url) == target
        other = urlsplit(target.url)
        assert other.username is None
        assert (other.scheme, other.hostname) == (target.scheme, target.host)
        assert (other.port or {"http": 80, "https": 443}[other.scheme]) == target.port
        assert target.url.isascii()
        assert not set(target.url) & set(" \\\r\n\t")
        assert "." not in target.host[-1:]
        given_host = urlsplit(text).hostname
        if target.literal is None and given_host.isascii():
            assert given_host.removesuffix(".") == target.host
