"""The rules of ``scipy.signal``."""
