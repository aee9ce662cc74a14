"""What the documents show is run."""
