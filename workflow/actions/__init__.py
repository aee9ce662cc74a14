"""Everything that can be done to a process or a request."""
