"""Of ``scipy.spatial``: what holds Variables."""
