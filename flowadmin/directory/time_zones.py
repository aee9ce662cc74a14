"""IANA time zones: which names an organisation may choose, and the zone of a name."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

ZONE_LENGTH = 64
YEARS = range(1970, 3000)  # far from the ends of Python's calendar, whichever zone shows it


@cache
def names() -> frozenset[str]:
    """Every name of the tz database that comes with the product.

    Not `zoneinfo.available_timezones`: what it lists depends on the host, down to ``localtime``,
    and a stored zone must mean the same after a move to another machine.
    """
    listed = files("tzdata").joinpath("zones").read_text(encoding="utf-8")
    return frozenset(listed.split()) - {"Factory"}


def check_zone(name: str, field: str = "time_zone") -> None:
    """Refuse what is no IANA name.

    Raises:
        ValidationError: code ``bad_time_zone``, at `field`.
    """
    if name not in names():
        error = ValidationError(
            _("There is no time zone “%(name)s”: write an IANA name such as Asia/Shanghai."),
            code="bad_time_zone",
            params={"name": name},
        )
        raise ValidationError({field: error})


def zone(name: str) -> ZoneInfo:
    """The zone of a stored name (ZoneInfo keeps the ones that it has read).

    Raises:
        zoneinfo.ZoneInfoNotFoundError: somebody wrote another name past the models.
    """
    return ZoneInfo(name)


def local_time(moment: datetime, name: str) -> datetime:
    """An aware moment as the clocks of a zone show it, naive."""
    return moment.astimezone(zone(name)).replace(tzinfo=None)


def moment_of(local: datetime, name: str) -> datetime:
    """The moment in UTC at which the clocks of a zone show a naive time.

    Of a time that comes twice, when clocks go back, the first is meant.

    Raises:
        ValidationError: code ``no_such_time``, when clocks go forward over it; ``bad_year``, when
            it is so far away that no zone could show it any more.
    """
    if local.year not in YEARS:
        raise ValidationError(_("Write a year from 1970 to 2999."), code="bad_year")
    moment = local.replace(tzinfo=zone(name)).astimezone(UTC)
    if local_time(moment, name) == local:
        return moment
    raise ValidationError(
        _("The clocks of %(zone)s never show this time."),
        code="no_such_time",
        params={"zone": name},
    )
