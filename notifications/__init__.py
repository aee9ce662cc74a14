"""Notices, reminders, urges and callbacks (seed 001)."""
