"""The rows of notifications."""

from __future__ import annotations

from notifications.models.callbacks import Callback, CallbackPurge
from notifications.models.messages import (
    CHATS,
    Channel,
    ChatAddress,
    Medium,
    Message,
    OutsideHours,
    Route,
)
from notifications.models.notices import LONGEST_KEY, LONGEST_TITLE, Notice, Urge

__all__ = [
    "CHATS",
    "LONGEST_KEY",
    "LONGEST_TITLE",
    "Callback",
    "CallbackPurge",
    "Channel",
    "ChatAddress",
    "Medium",
    "Message",
    "Notice",
    "OutsideHours",
    "Route",
    "Urge",
]
