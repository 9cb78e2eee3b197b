"""Of ``scipy.optimize``: roots, minima and fits, differentiated implicitly."""
