"""The administration's forms for absences and working calendars."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.admin.widgets import AdminSplitDateTime
from django.core.exceptions import ValidationError
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.models import Calendar, CalendarDay, Substitute, Tenant
from flowadmin.directory.models.calendars import hours_problem, office_hours
from flowadmin.directory.time_zones import local_time, moment_of
from flowadmin.directory.working_time import WEEK, BadHours, hours_from_text, text_of_hours

if TYPE_CHECKING:
    from datetime import date, time

    from django.db.models import Model

TEXT_LENGTH = 300


def is_stored(row: Model) -> bool:
    """Whether the form changes a row, and does not make one."""
    key: int | None = row.pk
    return key is not None


class LocalMoment(forms.SplitDateTimeField):
    """A date and a time of the day, naive: the form knows of which zone they are."""

    widget = AdminSplitDateTime

    def compress(self, data_list: tuple[date, time] | None) -> datetime | None:
        if not data_list:
            return None
        day, clock = data_list
        if day in self.empty_values:
            raise ValidationError(self.error_messages["invalid_date"], code="invalid_date")
        if clock in self.empty_values:
            raise ValidationError(self.error_messages["invalid_time"], code="invalid_time")
        return datetime.combine(day, clock)


class SubstituteForm(forms.ModelForm[Substitute]):
    """An absence, whose two moments are written and shown in the tenant's time zone."""

    starts_at = LocalMoment(label=_("from"), help_text=_("In the time zone of the tenant."))
    ends_at = LocalMoment(
        label=_("until"), help_text=_("From this minute on they are there again.")
    )

    class Meta:
        model = Substitute
        fields = ("tenant", "person", "substitute", "starts_at", "ends_at", "process")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stored = is_stored(self.instance)
        if self.stored:
            for name in ("starts_at", "ends_at"):
                moment = getattr(self.instance, name)
                self.initial[name] = local_time(moment, self.instance.tenant.time_zone)

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        tenant: Tenant | None = self.instance.tenant if self.stored else found.get("tenant")
        for name in ("starts_at", "ends_at"):
            if tenant is None:
                found.pop(name, None)  # without a tenant it is no moment, and `tenant` says so
            elif name in found:
                self._place(found, name, tenant)
        return found

    def _place(self, found: dict[str, Any], name: str, tenant: Tenant) -> None:
        try:
            found[name] = moment_of(found[name], tenant.time_zone)
        except ValidationError as error:
            self.add_error(name, error)


class HoursField(forms.Field):
    """The hours of one day as text: ``09:00-12:00, 13:00-18:00``."""

    widget = forms.TextInput(attrs={"class": "vTextField", "maxlength": TEXT_LENGTH})

    def __init__(self, *, empty: list[list[str]] | None, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)
        self._empty = empty

    def to_python(self, value: Any) -> list[list[str]] | None:
        text = str(value or "").strip()
        if not text:
            return self._empty
        if len(text) > TEXT_LENGTH:
            raise hours_problem(BadHours("too_many", ""))
        try:
            return hours_from_text(text)
        except BadHours as problem:
            raise hours_problem(problem) from problem

    def prepare_value(self, value: Any) -> Any:
        return text_of_hours(value) if isinstance(value, list) else value


def _week_field(number: int) -> HoursField:
    return HoursField(empty=[], label=WEEKDAYS[number])


class CalendarForm(forms.ModelForm[Calendar]):
    """A working calendar: its weekly hours are seven lines of text, empty for a free day."""

    mon = _week_field(0)
    tue = _week_field(1)
    wed = _week_field(2)
    thu = _week_field(3)
    fri = _week_field(4)
    sat = _week_field(5)
    sun = _week_field(6)

    class Meta:
        model = Calendar
        fields = ("tenant", "key", "name", "time_zone")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stored = is_stored(self.instance)
        week = self.instance.hours if self.stored else office_hours()
        for name in WEEK:
            self.initial[name] = week.get(name, [])

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if set(WEEK) <= found.keys():
            self.instance.hours = {name: found[name] for name in WEEK if found[name]}
        elif not self.stored:
            # The lines that are wrong say so; the row's own check would only repeat it.
            self.instance.hours = office_hours()
        return found


class CalendarDayForm(forms.ModelForm[CalendarDay]):
    """One date that differs."""

    hours = HoursField(
        empty=None,
        label=_("own hours"),
        help_text=_("Such as 09:00-12:00, 13:00-18:00; empty: the usual hours."),
    )

    class Meta:
        model = CalendarDay
        fields = ("date", "working", "hours")
