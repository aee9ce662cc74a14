"""Days and moments in English as the browser's `Intl` writes them with the style *medium*.

A day in a form, one in a timeline, and the same moment told by frontend/src/times.ts then look the
same. Chinese needs no file: Django's own formats and those of the browser agree.
"""

from __future__ import annotations

DATE_FORMAT = "M j, Y"
TIME_FORMAT = "g:i A"
DATETIME_FORMAT = "M j, Y, g:i A"
MONTH_DAY_FORMAT = "M j"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
