"""Processes, requests and tasks (seeds 001 and 004)."""
