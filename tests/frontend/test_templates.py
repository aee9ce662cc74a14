"""Every template compiles, shows known icons, and holds nothing that the CSP would refuse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Engine, TemplateSyntaxError, engines

from flowadmin.templatetags.parts import STATES
from flowadmin.templatetags.shell import PLACES

FOLDERS = [settings.BASE_DIR / "templates"] + [
    settings.BASE_DIR / app / "templates"
    for app in ("flowadmin", "rules", "workflow", "notifications")
]
TEMPLATES = sorted(
    file.relative_to(folder).as_posix() for folder in FOLDERS for file in folder.rglob("*.html")
)
KNOWN = set((settings.BASE_DIR / "frontend/icons.txt").read_text().split())
FORBIDDEN = {
    "an inline style": r"<[^>]*\sstyle\s*=",
    "a style element": r"<style\b",
    "an event handler": r"<[^>]*\son[a-z]+\s*=",
    "an inline script": r"<script(?![^>]*\ssrc=)",
    "a script address": r"javascript:",
    "code in htmx": r"\shx-(on|vars|vals\s*=\s*[\"']js:|headers\s*=\s*[\"']js:)",
}


def template_of(name):
    return Engine.get_default().get_template(name)


def source(name):
    return Path(template_of(name).origin.name).read_text()


def test_the_frame_is_among_them():
    assert {"base.html", "plain.html", "components/shell.html"} <= set(TEMPLATES)


@pytest.mark.parametrize("name", TEMPLATES)
def test_template_compiles(name):
    assert template_of(name).nodelist is not None


@pytest.mark.parametrize("name", TEMPLATES)
def test_template_holds_nothing_inline(name):
    text = source(name)
    # What a tag puts out is looked at in the browser tests, which fail on a violation.
    found = [
        what for what, pattern in FORBIDDEN.items() if re.search(pattern, text, re.IGNORECASE)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('<p class="a" style="color:red">', "an inline style"),
        ("<style>p {}</style>", "a style element"),
        ('<a href="#" onclick="go()">', "an event handler"),
        ("<script>go()</script>", "an inline script"),
        ('<a href="javascript:go()">', "a script address"),
        ('<a hx-on:click="go()">', "code in htmx"),
        ("<a hx-vals='js:{a: 1}'>", "code in htmx"),
    ],
)
def test_the_patterns_find_what_they_forbid(text, what):
    assert re.search(FORBIDDEN[what], text, re.IGNORECASE)


@pytest.mark.parametrize("name", TEMPLATES)
def test_icons_named_in_templates_are_known(name):
    assert set(re.findall(r"{%\s*icon\s+[\"']([^\"']+)", source(name))) <= KNOWN


def test_icons_named_in_python_are_known():
    used = {place.icon for place in PLACES} | {icon for _tone, icon, _word in STATES.values()}
    used |= {"sun", "moon", "device-desktop", "clock", "clock-exclamation"}
    assert used <= KNOWN


def test_the_sprite_holds_each_known_icon(dist):
    sprite = (dist / "icons.svg").read_text()
    assert set(re.findall(r'<symbol id="([^"]+)"', sprite)) == KNOWN
    assert "<script" not in sprite


def test_a_broken_template_would_be_noticed():
    with pytest.raises(TemplateSyntaxError):
        engines["django"].from_string("{% load shell %}{% icon %}")
