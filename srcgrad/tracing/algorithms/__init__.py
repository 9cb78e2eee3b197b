"""Calls of SciPy's algorithms, with the user's functions in them."""
