"""Scipy.optimize: roots, minima and fits, differentiated implicitly."""
