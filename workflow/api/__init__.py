"""REST entrances of workflow."""
