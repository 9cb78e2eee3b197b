"""The rules of ``scipy.stats``.

What is around its statistics (``nan_policies``) is there as soon as one of them is.
"""

from srcgrad.rules.scipy.stats import nan_policies

__all__ = ["nan_policies"]
