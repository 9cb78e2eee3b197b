"""Of ``scipy.sparse``: matrices of Variables."""
