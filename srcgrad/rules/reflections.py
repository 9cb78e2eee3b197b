"""Objects of libraries whose methods have rules: distributions, free or frozen.

>>> import srcgrad
>>> from scipy import stats
>>> norm = reflected(stats.norm)
>>> norm.logpdf(srcgrad.Variable(1.0, requires_grad=True)).grad_fn is None
False
"""

from types import MethodType
from typing import Any

from srcgrad.rules.libraries import has_replacement, replacement_of


class Reflection:
    """An object with methods that take Variables: a distribution, free or frozen."""

    def __init__(self, original: Any) -> None:
        self._original = original

    def __getattr__(self, name: str) -> Any:
        return replacement_of(getattr(self._original, name))

    @property  # type: ignore[misc]  # SciPy's functions look at it
    def __class__(self) -> Any:
        return type(self._original)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Reflection(replacement_of(self._original)(*args, **kwargs))

    def __repr__(self) -> str:
        return f"<srcgrad's {self._original!r}>"


def has_methods_with_rules(item: Any) -> bool:
    """Whether an object is one whose methods have rules of their own."""
    method = getattr(item, "logpdf", None) or getattr(item, "logpmf", None)
    return isinstance(method, MethodType) and has_replacement(method)


def reflected(item: Any) -> Any:
    """What stands for a member of a library's module."""
    if callable(item) and has_methods_with_rules(item):
        return Reflection(item)
    return replacement_of(item)
