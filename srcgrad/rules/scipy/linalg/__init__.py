"""The rules of ``scipy.linalg``."""
