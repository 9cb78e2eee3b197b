"""Scipy.stats."""
