"""How a request's number is spelled, and in which period its series began."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from workflow.engine.flowdoc.document import Numbering

_PERIODS = {"none": "", "year": "%Y", "month": "%Y%m", "day": "%Y%m%d"}


def period_of(numbering: Numbering, now: datetime) -> str:
    """The period of ``now`` in which the series counts, or nothing for one series for ever."""
    form = _PERIODS[numbering.period]
    return now.strftime(form) if form else ""


def spelled(numbering: Numbering, period: str, count: int) -> str:
    """Prefix, period and the count with leading zeros: ``EXP-2026-000042``."""
    parts = (numbering.prefix.rstrip("-"), period, str(count).zfill(numbering.width))
    return "-".join(part for part in parts if part)
