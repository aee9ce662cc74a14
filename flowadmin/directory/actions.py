"""Writes of the directory that are no forms of the administration."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from axes.models import AccessAttempt
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from flowadmin.directory.models import ApiToken, User
from flowadmin.directory.queries import digest_of_token

TOKEN_DAYS = 90  # contract, Commands: `api_token`
TOKEN_DAYS_LIMIT = 3650
USE_NOTED_EVERY = timedelta(hours=1)


def issue_token(user: User, *, now: datetime, days: int = TOKEN_DAYS, label: str = "") -> str:
    """Make an API token for `user` and return it; it cannot be read again afterwards.

    Args:
        user: whom the token stands for.
        now: aware UTC, the database's clock.
        days: how long it works, 1 to 3650.
        label: what it is for, at most 100 characters.

    Raises:
        ValueError: `days` or `label` is out of range.
    """
    if not 1 <= days <= TOKEN_DAYS_LIMIT:
        raise ValueError(f"days must be from 1 to {TOKEN_DAYS_LIMIT}.")
    if len(label) > 100 or not label.isprintable():
        raise ValueError("label must be at most 100 printable characters.")
    raw = f"fa_{secrets.token_urlsafe(32)}"
    ApiToken.objects.create(
        user=user,
        digest=digest_of_token(raw),
        label=label,
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    return raw


def note_token_use(token: ApiToken, now: datetime) -> None:
    """Remember roughly when a token was last used: at most one write an hour.

    Reading requests would otherwise each take the writer's lock of SQLite.
    """
    before = now - USE_NOTED_EVERY
    if token.last_used_at is not None and token.last_used_at > before:
        return
    ApiToken.objects.filter(
        Q(last_used_at__isnull=True) | Q(last_used_at__lte=before), pk=token.pk
    ).update(last_used_at=now)


def choose_language(user: User, language: str) -> None:
    """Keep the language in which `user` reads pages.

    Raises:
        ValueError: the installation does not speak it.
    """
    if language not in dict(settings.LANGUAGES):
        raise ValueError(f"There is no language {language!r}.")
    User.objects.filter(pk=user.pk).update(language=language)
    user.language = language


def choose_theme(user: User, theme: str) -> None:
    """Keep how pages look for `user`: ``system``, ``light`` or ``dark``.

    Raises:
        ValueError: there is no such theme.
    """
    chosen = User.Theme(theme)
    User.objects.filter(pk=user.pk).update(theme=chosen)
    user.theme = chosen


def count_try(login: str, address: str, *, now: datetime, wait: timedelta, limit: int) -> bool:
    """Count one try to sign in before the password is looked at; False when `limit` is reached.

    Counting first, by one conditional statement, is what holds the limit when a hundred tries
    arrive at once: counting after the (slow) hash would let all of them through the reading.

    Args:
        login: login name as typed; it need not exist.
        address: IP address of the caller.
        now: aware UTC.
        wait: how long the tries of a window count.
        limit: tries per window.
    """
    with transaction.atomic():
        AccessAttempt.objects.filter(attempt_time__lt=now - wait).delete()
        row, _made = AccessAttempt.objects.get_or_create(
            username=login,
            ip_address=address,
            user_agent="",
            defaults={"failures_since_start": 0, "get_data": "", "post_data": ""},
        )
        counted = AccessAttempt.objects.filter(pk=row.pk, failures_since_start__lt=limit).update(
            failures_since_start=F("failures_since_start") + 1, attempt_time=now
        )
    return bool(counted == 1)
