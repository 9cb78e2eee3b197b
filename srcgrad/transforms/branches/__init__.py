"""Passes on the arms of an ``if``."""
