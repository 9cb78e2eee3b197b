"""The rules of ``scipy.stats``."""
