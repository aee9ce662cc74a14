"""Migrations of the coordination between processes."""
