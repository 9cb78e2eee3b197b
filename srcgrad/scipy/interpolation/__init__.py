"""Scipy.interpolate: splines, and whatever goes through points."""
