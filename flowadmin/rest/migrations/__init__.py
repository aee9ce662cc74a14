"""Migrations of the stored first answers."""
