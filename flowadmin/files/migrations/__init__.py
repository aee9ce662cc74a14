"""Migrations of the uploaded files."""
