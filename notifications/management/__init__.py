"""Commands of notifications."""
