"""Coordination between processes (seed 002)."""
