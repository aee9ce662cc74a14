"""The administration of absences and working calendars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.admin.limited import RowsOf, TenantLimited
from flowadmin.directory.models import Calendar, CalendarDay, Substitute
from flowadmin.directory.time_forms import CalendarDayForm, CalendarForm, SubstituteForm
from flowadmin.directory.time_zones import local_time
from flowadmin.directory.working_time import WEEK

if TYPE_CHECKING:
    from django.http import HttpRequest


@admin.register(Substitute)
class SubstituteAdmin(TenantLimited):
    """Absences; an administrator enters them for anybody of the tenant."""

    form = SubstituteForm
    list_display = ("person", "substitute", "begins", "ends", "process", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("person", "substitute", "tenant")
    search_fields = ("person__login", "person__name", "substitute__login", "substitute__name")
    autocomplete_fields = ("person", "substitute")
    fields = ("tenant", "person", "substitute", "starts_at", "ends_at", "process", "created_by")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        del request
        return ("tenant", "created_by") if obj is not None else ("created_by",)

    @admin.display(description=_("from"), ordering="starts_at")
    def begins(self, row: Substitute) -> str:
        moment = local_time(row.starts_at, row.tenant.time_zone)
        return date_format(moment, "SHORT_DATETIME_FORMAT")

    @admin.display(description=_("until"), ordering="ends_at")
    def ends(self, row: Substitute) -> str:
        moment = local_time(row.ends_at, row.tenant.time_zone)
        return date_format(moment, "SHORT_DATETIME_FORMAT")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        if not change:
            obj.created_by = request.user
        super().save_model(request, obj, form, change)


class DaysOfCalendar(RowsOf):
    """Holidays, make-up days and days with hours of their own."""

    model = CalendarDay
    form = CalendarDayForm


@admin.register(Calendar)
class CalendarAdmin(TenantLimited):
    """Working calendars with their weekly hours and the dates that differ."""

    form = CalendarForm
    list_display = ("key", "name", "time_zone", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("tenant",)
    search_fields = ("key", "name")
    fieldsets = (
        (None, {"fields": ("tenant", "key", "name", "time_zone")}),
        (_("Working hours"), {"fields": WEEK}),
    )
    inlines = (DaysOfCalendar,)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        del request
        return ("tenant", "key") if obj is not None else ()
