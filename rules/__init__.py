"""Rule storage and publishing (seed 000)."""
