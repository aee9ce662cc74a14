"""The JSON front door: parsing, problems, preconditions, idempotency, pages of lists."""
