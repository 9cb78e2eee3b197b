"""Samples for the rules of ``srcgrad.rules.scipy``."""
