"""Django backend that makes SQLite a first-class home."""
