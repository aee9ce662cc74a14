"""Working calendars of a tenant, with their holidays and make-up days."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.models.fixed import Code, FixedRow
from flowadmin.directory.models.organisation import Tenant
from flowadmin.directory.time_zones import ZONE_LENGTH, check_zone
from flowadmin.directory.working_time import WEEK, BadHours, read_hours, read_week

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

HOURS_TEXTS: dict[str, str | _StrPromise] = {
    "shape": _("Hours are lists of two times, such as 09:00 and 12:00."),
    "day": _("The days of a week are mon, tue, wed, thu, fri, sat and sun."),
    "time": _("Write times from 00:00 to 24:00, such as 09:00-12:00, 13:00-18:00."),
    "order": _("Working hours end after they begin; a night is two days."),
    "overlap": _("Working hours of one day follow each other and share no time."),
    "too_many": _("One day has at most 12 parts."),
    "empty": _("A working calendar needs working hours on at least one day of the week."),
}
RESERVED_KEYS = frozenset({"wall"})  # flowdoc: `clock: wall | calendar key`


def hours_problem(problem: BadHours) -> ValidationError:
    """What is wrong with hours, in words, with the position for whoever wrote JSON."""
    return ValidationError(
        HOURS_TEXTS[problem.code], code=f"hours_{problem.code}", params={"at": problem.at}
    )


def office_hours() -> dict[str, list[list[str]]]:
    """What a new calendar begins with: Monday to Friday, 9 to 12 and 13 to 18."""
    return {day: [["09:00", "12:00"], ["13:00", "18:00"]] for day in WEEK[:5]}


class CalendarRows(models.QuerySet["Calendar"]):
    """Working calendars, narrowed by tenant."""

    def for_tenant(self, tenant_id: int) -> Self:
        return self.filter(tenant_id=tenant_id)


class Calendar(FixedRow):
    """The usual working hours of a week; documents name it by its key."""

    FIXED = ("tenant_id", "key")

    tenant = models.ForeignKey(
        Tenant, models.PROTECT, related_name="calendars", verbose_name=_("tenant")
    )
    key = Code(_("key"))
    name = models.CharField(_("name"), max_length=150)
    time_zone = models.CharField(_("time zone"), max_length=ZONE_LENGTH, default="UTC")
    # {"mon": [["09:00", "12:00"], ["13:00", "18:00"]], …}; read by working_time.read_week
    hours = models.JSONField(_("working hours"), default=dict)

    objects: ClassVar[models.Manager[Calendar]] = CalendarRows.as_manager()

    class Meta:
        db_table = "org_calendar"
        ordering = ("key",)
        verbose_name = _("working calendar")
        verbose_name_plural = _("working calendars")
        constraints = [
            models.UniqueConstraint(fields=("tenant", "key"), name="org_calendar_key"),
        ]

    def __str__(self) -> str:
        return self.name

    def check_links(self, written: frozenset[str] | None) -> None:
        """Key, zone and hours can be used; `hours` is no field of the form, which has seven."""
        del written
        if self.key in RESERVED_KEYS:
            message = _("This key is reserved: it means no calendar at all.")
            raise ValidationError({"key": ValidationError(message, code="reserved")})
        check_zone(self.time_zone)
        try:
            read_week(self.hours)
        except BadHours as problem:
            raise hours_problem(problem) from problem


class CalendarDay(FixedRow):
    """One date that differs: a holiday, a make-up day, or a day with hours of its own."""

    FIXED: ClassVar[tuple[str, ...]] = ()

    calendar = models.ForeignKey(
        Calendar, models.CASCADE, related_name="days", verbose_name=_("working calendar")
    )
    date = models.DateField(_("date"))
    working = models.BooleanField(
        _("working day"),
        default=False,
        help_text=_("Off: a holiday. On: worked, also at a weekend."),
    )
    # Spans as in Calendar.hours; with nothing the day has working_time.usual_hours.
    hours = models.JSONField(_("own hours"), null=True, blank=True, default=None)

    class Meta:
        db_table = "org_calendar_day"
        ordering = ("date",)
        verbose_name = _("holiday or make-up day")
        verbose_name_plural = _("holidays and make-up days")
        constraints = [
            models.UniqueConstraint(fields=("calendar", "date"), name="org_calendar_day_once"),
        ]

    def __str__(self) -> str:
        return str(self.date)

    def check_links(self, written: frozenset[str] | None) -> None:
        """Own hours can be read, and only a working day has them."""
        del written
        if self.hours is None:
            return
        if not self.working:
            raise _at_hours(ValidationError(_("A free day has no hours."), code="free_day"))
        try:
            found = read_hours(self.hours)
        except BadHours as problem:
            raise _at_hours(hours_problem(problem)) from problem
        if not found:
            message = _("A working day has hours; leave them empty for the usual ones.")
            raise _at_hours(ValidationError(message, code="hours_empty"))


def _at_hours(error: ValidationError) -> ValidationError:
    return ValidationError({"hours": error})
