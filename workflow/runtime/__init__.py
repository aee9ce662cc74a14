"""The one writer of instances and what it needs."""
