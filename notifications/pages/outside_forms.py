"""The form by which a person chooses what reaches him outside the app, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _

from notifications.hours import Hours
from notifications.models import Medium, Notice, OutsideHours, Route
from workflow.pages.controls import Boxes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import time

    from django.http import QueryDict

    from flowadmin.directory.models import User


class OutsideForm(forms.Form):
    """Kinds for each medium that is open, quiet hours, and a digest."""

    quiet_from = forms.TimeField(
        label=_("Quiet from"), required=False, widget=forms.TimeInput(attrs={"type": "time"})
    )
    quiet_to = forms.TimeField(
        label=_("Quiet until"),
        required=False,
        widget=forms.TimeInput(attrs={"type": "time"}),
        help_text=_("An earlier time than the beginning is on the next day."),
    )
    quiet_days = forms.TypedMultipleChoiceField(
        label=_("Days without messages"),
        required=False,
        coerce=int,
        choices=list(WEEKDAYS.items()),
        widget=Boxes,
    )
    digest = forms.ChoiceField(label=_("How messages come"), choices=OutsideHours.Digest)
    digest_hour = forms.TypedChoiceField(
        label=_("Hour of the daily message"),
        coerce=int,
        choices=[(hour, f"{hour:02}:00") for hour in range(24)],
    )

    def __init__(self, user: User, media: Sequence[str], data: QueryDict | None) -> None:
        self.media_offered = tuple(media)
        kept = OutsideHours.objects.filter(pk=user.pk).first() or OutsideHours(user=user)
        chosen = Route.objects.filter(user=user).values_list("medium", "kind")
        initial: dict[str, Any] = {
            "quiet_from": _clock(kept.quiet_from),
            "quiet_to": _clock(kept.quiet_to),
            "quiet_days": [int(digit) for digit in kept.quiet_days],
            "digest": kept.digest,
            "digest_hour": kept.digest_hour,
        }
        for medium, kind in chosen:
            initial.setdefault(f"kinds_{medium}", []).append(kind)
        super().__init__(data, initial=initial)
        for medium in self.media_offered:
            self.fields[f"kinds_{medium}"] = forms.MultipleChoiceField(
                label=Medium(medium).label,
                required=False,
                choices=Notice.Kind.choices,
                widget=Boxes,
            )
        if Medium.EMAIL.value in self.media_offered:
            address = user.email or _("No e-mail address of yours is known here.")
            self.fields[f"kinds_{Medium.EMAIL.value}"].help_text = address
        self.order_fields([f"kinds_{medium}" for medium in self.media_offered])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        try:
            cleaned["hours"] = Hours(
                quiet_from=_minute(cleaned["quiet_from"]),
                quiet_to=_minute(cleaned["quiet_to"]),
                quiet_days=frozenset(cleaned["quiet_days"]),
                digest=cleaned["digest"],
                digest_hour=cleaned["digest_hour"],
            )
        except ValueError as wrong:
            field = str(wrong)
            self.add_error(field, ValidationError(_WRONG[field], code=f"hours.{field}"))
        return cleaned

    def kinds(self) -> dict[str, list[str]]:
        """What was chosen for each medium that was offered."""
        return {medium: self.cleaned_data[f"kinds_{medium}"] for medium in self.media_offered}


_WRONG = {
    "quiet_days": _("At least one day must be left on which messages may come."),
    "quiet_to": _("Say both when quiet begins and when it ends, or neither."),
    "quiet_from": _("Quiet must not end at the minute at which it begins."),
    "digest": _("There is no such way."),
}


def _minute(at: time | None) -> int | None:
    return None if at is None else at.hour * 60 + at.minute


def _clock(minute: int | None) -> str:
    return "" if minute is None else f"{minute // 60:02}:{minute % 60:02}"
