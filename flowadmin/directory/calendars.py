"""Reads of time: the tenant's zone and its working calendars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flowadmin.directory.codes import possible
from flowadmin.directory.models import Calendar, Tenant
from flowadmin.directory.time_zones import zone
from flowadmin.directory.working_time import WorkingTime, read_hours, read_week, usual_hours

if TYPE_CHECKING:
    from datetime import date
    from zoneinfo import ZoneInfo

    from flowadmin.directory.working_time import Hours


def zone_of(tenant_id: int) -> ZoneInfo:
    """The time zone of a tenant.

    Raises:
        Tenant.DoesNotExist: there is no such tenant.
    """
    return zone(Tenant.objects.values_list("time_zone", flat=True).get(pk=tenant_id))


def working_time(tenant_id: int, key: str) -> WorkingTime | None:
    """The working calendar of this tenant with this key, in two statements; nothing without one.

    Raises:
        working_time.BadHours: somebody wrote unusable hours past the models.
    """
    if not possible([key]):
        return None
    found = Calendar.objects.filter(tenant_id=tenant_id, key=key).first()
    if found is None:
        return None
    week = read_week(found.hours)
    days: dict[date, Hours] = {}
    for day, working, hours in found.days.values_list("date", "working", "hours"):
        if not working:
            days[day] = ()
        else:
            days[day] = usual_hours(week, day) if hours is None else read_hours(hours)
    return WorkingTime(zone(found.time_zone), week, days)
