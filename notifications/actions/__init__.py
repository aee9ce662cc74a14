"""What is done with notices: written with a decision, read, reminded of, urged."""
