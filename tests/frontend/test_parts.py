"""The tags and includes that pages are put together from, as HTML."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.template import engines
from django.test import Client
from django.utils import translation

from flowadmin.templatetags.parts import STATES, initials, span_in_words
from flowadmin.templatetags.shell import html_language
from tests.frontend.pages import NOW, Leave


def render(text, **context):
    return engines["django"].from_string("{% load shell parts %}" + text).render(context)


@pytest.mark.parametrize(
    ("name", "mark"),
    [("Ann Lee", "AL"), ("bao", "B"), ("王小明", "明"), ("Ann Mary Lee", "AL"), ("  ", "?")],
)
def test_initials(name, mark):
    assert initials(name) == mark


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(seconds=5), "1 minute"),
        (timedelta(minutes=59), "59 minutes"),
        (timedelta(hours=1), "1 hour"),
        (timedelta(hours=47), "47 hours"),
        (timedelta(days=2), "2 days"),
    ],
)
def test_span_in_words(span, words):
    assert span_in_words(span) == words


@pytest.mark.parametrize(
    ("due", "tone", "words"),
    [
        (timedelta(days=5), "neutral", "Due in 5 days"),
        (timedelta(hours=2), "warning", "Due in 2 hours"),
        (timedelta(hours=-30), "danger", "Overdue by 30 hours"),
    ],
)
def test_due_chip_says_it_in_words_and_colour(due, tone, words):
    html = render("{% due_chip due now %}", due=NOW + due, now=NOW)
    assert f'data-tone="{tone}"' in html
    assert words in html


def test_due_chip_is_empty_without_a_due_time():
    assert render("{% due_chip due now %}", due=None, now=NOW).strip() == ""


@pytest.mark.parametrize("state", STATES)
def test_status_chip_has_colour_icon_and_word(state):
    html = render("{% status_chip state %}", state=state)
    assert "<use href=" in html
    assert str(STATES[state][2]) in html


def test_names_and_states_are_escaped():
    html = render("{% person_chip name name name %}{% status_chip name %}", name='<b a="c">')
    assert "<b" not in html
    assert "&lt;b" in html


@pytest.mark.parametrize(
    ("page", "count", "words", "links"),
    [
        (1, 132, "1–20 of 132", {"?status=a&amp;page=2"}),  # noqa: RUF001
        (7, 132, "121–132 of 132", {"?status=a&amp;page=6"}),  # noqa: RUF001
        (1, 5, "1–5 of 5", set()),  # noqa: RUF001
        (1, 0, "No entries", set()),
    ],
)
def test_pager_says_where_and_keeps_the_filter(rf, page, count, words, links):
    request = rf.get("/inbox/?status=a&page=3")
    html = render("{% pager page 20 count %}", page=page, count=count, request=request)
    assert words in html
    assert {part.split('"')[0] for part in html.split('href="')[1:] if part[0] == "?"} == links


@pytest.mark.parametrize(
    ("code", "tag"), [("en", "en"), ("zh-hans", "zh-Hans"), ("pt-br", "pt-br")]
)
def test_language_is_named_as_html_does(code, tag):
    assert html_language(code) == tag


def test_field_ties_label_help_and_error_to_the_control(page_settings):
    html = str(Leave({"days": "x"}))
    assert '<label class="form-label" for="id_days">Days</label>' in html
    assert 'aria-describedby="id_days_helptext id_days_error"' in html
    assert 'aria-invalid="true"' in html
    assert 'id="id_days_error"' in html
    assert '<a href="#id_days">Days</a>' in html


def test_help_of_a_field_is_escaped(page_settings):
    """A form's help is typed by the designer of a process: it is text, never markup."""
    html = str(Leave())
    assert "Without &lt;b&gt;weekends&lt;/b&gt;." in html


def test_required_is_not_marked_but_optional_is(page_settings):
    html = str(Leave()["reason"].as_field_group())
    assert "(optional)" in html
    assert "(optional)" not in str(Leave()["days"].as_field_group())


def test_page_has_landmarks_and_marks_where_it_is(page_settings):
    html = Client().get("/inbox/").content.decode()
    assert html.count("<main") == 1
    assert html.count("<h1") == 1
    assert html.count('aria-current="page"') == 2  # side bar and the phone's bar
    assert '<meta name="csrf-token" content="' in html
    assert 'href="#main"' in html


def test_where_it_is_can_be_guessed_from_the_address(page_settings):
    html = Client().get("/mine/").content.decode()
    marked = [line for line in html.splitlines() if 'aria-current="page"' in line]
    assert all('href="/mine/"' in line for line in marked)
    assert len(marked) == 2


def test_a_fragment_is_the_inside_of_the_page(page_settings):
    html = Client().get("/inbox/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in html
    assert '<nav class="side-nav"' not in html
    assert "<title>A page" in html
    assert "Leave of 2 days" in html


def test_nobody_signed_in_gets_no_navigation(page_settings):
    html = Client().get("/inbox/?anonymous").content.decode()
    assert "side-nav" not in html
    assert "bottom-bar" not in html
    assert "Sign in" in html


def test_navigation_speaks_the_language_of_the_page(page_settings):
    with translation.override("zh-hans"):
        html = render("{% page_language %}")
    assert html == "zh-Hans"
