"""Processes to begin with: documents that a new process may be made of."""
