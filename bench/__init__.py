"""Benchmarks: ratios to a raw floor in the same run, never seconds as a verdict."""
