"""Scipy.sparse: matrices of Variables."""
