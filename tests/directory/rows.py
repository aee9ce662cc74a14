"""Groups, posts, absences and calendars that the directory's tests need."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count

from flowadmin.directory.models import (
    Calendar,
    CalendarDay,
    Group,
    GroupMember,
    Post,
    PostHolder,
    Substitute,
)
from flowadmin.directory.models.calendars import office_hours

_numbers = count(1)


def a_group(tenant, code=None, *, members=()):
    code = code or f"group-{next(_numbers)}"
    group = Group.objects.create(tenant=tenant, code=code, name=code.title())
    for user in members:
        GroupMember.objects.create(group=group, user=user)
    return group


def a_post(tenant, code=None, *, holders=()):
    code = code or f"post-{next(_numbers)}"
    post = Post.objects.create(tenant=tenant, code=code, name=code.title())
    for user in holders:
        PostHolder.objects.create(post=post, user=user)
    return post


def day(number, hour=0, minute=0):
    """A moment of March 2026 in UTC."""
    return datetime(2026, 3, number, hour, minute, tzinfo=UTC)


def away(person, substitute=None, start=None, end=None, *, process=""):
    """An absence of one week around the tests' `now`, unless said otherwise."""
    return Substitute.objects.create(
        tenant=person.tenant,
        person=person,
        substitute=substitute,
        starts_at=start or day(1),
        ends_at=end or day(8),
        process=process,
    )


def a_calendar(tenant, key="shop", *, zone="Asia/Shanghai", hours=None, days=()):
    """`days` are (date, working, hours)."""
    calendar = Calendar.objects.create(
        tenant=tenant, key=key, name=key.title(), time_zone=zone, hours=hours or office_hours()
    )
    for date, working, own in days:
        CalendarDay.objects.create(calendar=calendar, date=date, working=working, hours=own)
    return calendar
