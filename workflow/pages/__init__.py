"""HTML entrances of workflow."""
