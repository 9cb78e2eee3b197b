"""Scipy.ndimage."""
