"""Tokens by which machines act as a person."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from flowadmin import clock
from flowadmin.directory import actions, queries
from flowadmin.directory.models import ApiToken, User


def test_a_token_works_until_its_last_moment(ann, now):
    raw = actions.issue_token(ann, now=now, days=2, label="nightly export")
    assert queries.user_of_token(raw, now) == ann
    end = now + timedelta(days=2)
    assert queries.user_of_token(raw, end - timedelta(microseconds=1)) == ann
    assert queries.user_of_token(raw, end) is None


def test_only_the_digest_is_stored(ann, now):
    raw = actions.issue_token(ann, now=now)
    token = ApiToken.objects.get()
    assert raw not in {str(value) for value in vars(token).values()}
    assert len(token.digest) == 64
    assert token.expires_at - now == timedelta(days=90)


@pytest.mark.parametrize("raw", ["", "x", "fa_", "\0", "\ud800", "é" * 3000])
def test_what_was_never_issued_is_nobody(ann, now, raw):
    actions.issue_token(ann, now=now)
    assert queries.user_of_token(raw, now) is None


def test_a_deactivated_person_has_no_token(ann, now):
    raw = actions.issue_token(ann, now=now)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert queries.user_of_token(raw, now) is None


@pytest.mark.parametrize(
    "wrong", [{"days": 0}, {"days": 3651}, {"label": "x" * 101}, {"label": "a\nb"}]
)
def test_what_a_token_may_not_be(ann, now, wrong):
    with pytest.raises(ValueError, match="must be"):
        actions.issue_token(ann, now=now, **wrong)
    assert not ApiToken.objects.exists()


def test_use_is_noted_once_an_hour(ann, now, django_assert_num_queries):
    raw = actions.issue_token(ann, now=now)
    unused = queries.token_of(raw, now)
    assert unused is not None
    actions.note_token_use(unused, now)
    with django_assert_num_queries(0):
        token = ApiToken(pk=1, last_used_at=now)
        actions.note_token_use(token, now + timedelta(minutes=59))
    later = now + timedelta(hours=1)
    used = queries.token_of(raw, later)
    assert used is not None
    assert used.last_used_at == now
    actions.note_token_use(used, later)
    assert ApiToken.objects.get().last_used_at == later


def test_the_command_ends_with_the_token(ann, capsys):
    call_command("api_token", "ann", "--days", "7", "--label", "script")
    raw = capsys.readouterr().out.splitlines()[-1].split()[-1]
    moment = clock.now()
    assert queries.user_of_token(raw, moment) == ann
    assert queries.user_of_token(raw, moment + timedelta(days=7, minutes=1)) is None
    assert ApiToken.objects.get().label == "script"


@pytest.mark.parametrize(
    ("arguments", "code"), [(["nobody"], 1), (["ann", "--days", "0"], 2), (["ANN"], 1)]
)
def test_the_command_refuses(ann, arguments, code):
    with pytest.raises(CommandError) as error:
        call_command("api_token", *arguments)
    assert error.value.returncode == code
    assert not ApiToken.objects.exists()
