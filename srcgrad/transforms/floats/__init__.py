"""Graphs on Python's floats, where that is worth it."""
