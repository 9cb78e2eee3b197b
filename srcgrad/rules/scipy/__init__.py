"""The rules of SciPy's functions, imported when SciPy is (``rules.libraries``)."""
