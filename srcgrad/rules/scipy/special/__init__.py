"""The rules of ``scipy.special``."""
