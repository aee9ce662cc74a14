"""Sentences for people: what codes, states and events are called in the reader's language."""
