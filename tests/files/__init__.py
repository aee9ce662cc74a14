"""Tests of uploaded files."""
