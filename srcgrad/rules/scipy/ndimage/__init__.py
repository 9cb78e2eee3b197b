"""The rules of ``scipy.ndimage``."""
