"""Where e-mail leaves: read from the environment, and what is wrong is said without a password."""

from __future__ import annotations

import pytest

from flowadmin import environment
from flowadmin.mail_server import MailServer, read_mail_server, read_public_url

GIVEN = {
    "FLOWADMIN_EMAIL_URL": "smtp+tls://flow%40x:p%2Fw@mail.example.com",
    "FLOWADMIN_EMAIL_FROM": "flow@example.com",
    "FLOWADMIN_PUBLIC_URL": "https://flow.example.com/",
}


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("smtp://mail", MailServer("mail", 25, "", "", "")),
        ("smtp+ssl://u:p@mail", MailServer("mail", 465, "u", "p", "tls")),
        ("smtps://mail:2465", MailServer("mail", 2465, "", "", "tls")),
        (GIVEN["FLOWADMIN_EMAIL_URL"],
         MailServer("mail.example.com", 587, "flow@x", "p/w", "starttls")),
    ],
)  # fmt: skip
def test_servers(text, server):
    assert read_mail_server(text) == server


@pytest.mark.parametrize(
    "text",
    ["mail", "http://mail", "smtp://", "smtp://mail/x", "smtp://mail:x", "smtp://u@mail",
     "smtp://mail:70000", "smtp://mail?x=1"],
)  # fmt: skip
def test_what_is_no_server(text):
    with pytest.raises(ValueError, match=r"^it "):
        read_mail_server(text)


@pytest.mark.parametrize("text", ["flow", "ftp://flow", "https://u@flow", "https://flow/?a", ""])
def test_what_is_no_public_address(text):
    with pytest.raises(ValueError, match=r"^it "):
        read_public_url(text)


@pytest.fixture
def read(monkeypatch, tmp_path):
    def given(**changed):
        monkeypatch.setenv("FLOWADMIN_DATA", str(tmp_path))
        for name, text in (GIVEN | changed).items():
            monkeypatch.setenv(name, text)
        return environment.read()

    return given


def test_all_three_together(read):
    found = read()
    assert found.problems == ()
    assert found.mail_server is not None
    assert found.mail_server.password == "p/w"
    assert found.public_url == "https://flow.example.com"
    assert read(FLOWADMIN_EMAIL_URL="").mail_server is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("FLOWADMIN_EMAIL_URL", "smtp://user:hidden@mail:x"),
        ("FLOWADMIN_EMAIL_FROM", ""),
        ("FLOWADMIN_EMAIL_FROM", "FlowAdmin"),
        ("FLOWADMIN_PUBLIC_URL", ""),
        ("FLOWADMIN_PUBLIC_URL", "flow.example.com"),
    ],
)
def test_what_is_missing_is_named(read, name, text):
    problems = " ".join(read(**{name: text}).problems)
    assert name in problems
    assert "hidden" not in problems
