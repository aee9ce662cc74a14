"""What the tests of notices read, in the fewest words."""

from __future__ import annotations

from notifications.models import Notice
from notifications.queries import sent_to


def to(user, kind=None):
    """The kinds of this person's notices, oldest first; or of one kind the tasks' ids."""
    rows = sent_to(user).order_by("id")
    if kind is None:
        return list(rows.values_list("kind", flat=True))
    return list(rows.filter(kind=kind).values_list("task_id", flat=True))


def reminders(**found):
    """Rows of reminders, oldest first."""
    return list(Notice.objects.filter(reminder_key__isnull=False, **found).order_by("id"))


def all_rows():
    """Every value of every notice: what a denied action must leave as it is."""
    return list(Notice.objects.order_by("pk").values())
