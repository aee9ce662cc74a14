"""Uploaded files: their bytes on disk, their rows, and who may have them."""
