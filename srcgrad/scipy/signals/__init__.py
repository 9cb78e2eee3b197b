"""Of ``scipy.signal``: what holds Variables, or looks for a filter."""
