"""The pure engine: definition, decide, evolve."""
