"""Django's administration of notifications: everything is read."""

from __future__ import annotations

from notifications.admin import callbacks, channels, notices

__all__ = ["callbacks", "channels", "notices"]
