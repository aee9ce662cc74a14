"""English, as it is written in the United States."""
