"""How a request's number is spelled, and in which period its series began."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

    from workflow.engine.flowdoc.document import Numbering

_PERIODS = {"year": "%Y", "month": "%Y%m", "day": "%Y%m%d"}


def period_of(numbering: Numbering, today: date) -> str:
    """The period of the tenant's day in which the series counts; nothing: one series for ever."""
    return today.strftime(_PERIODS[numbering.period])


def spelled(numbering: Numbering, period: str, count: int) -> str:
    """Prefix, period and the count with leading zeros: ``EXP-2026-000042``."""
    parts = (numbering.prefix.rstrip("-"), period, str(count).zfill(numbering.width))
    return "-".join(part for part in parts if part)
