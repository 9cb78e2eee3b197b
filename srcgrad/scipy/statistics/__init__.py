"""Of ``scipy.stats``: what holds Variables, or looks for a parameter."""
