"""Scipy.linalg."""
