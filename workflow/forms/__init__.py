"""Form documents and values, pure."""
