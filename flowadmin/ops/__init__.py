"""Pages for operators: what runs in the background, and one request as a machine sees it."""
