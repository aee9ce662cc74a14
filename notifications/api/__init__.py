"""The REST interface of notices."""
