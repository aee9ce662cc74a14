"""The rows of notifications."""

from __future__ import annotations

from notifications.models.callbacks import Callback, CallbackPurge
from notifications.models.notices import LONGEST_KEY, LONGEST_TITLE, Notice, Urge

__all__ = ["LONGEST_KEY", "LONGEST_TITLE", "Callback", "CallbackPurge", "Notice", "Urge"]
