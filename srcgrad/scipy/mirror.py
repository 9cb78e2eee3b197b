"""Modules that look like SciPy's, with what takes Variables in the place of the rest.

>>> import scipy.special
>>> special = mirrored("special")
>>> special.softmax is scipy.special.softmax, special.euler is scipy.special.euler
(False, True)
"""

import functools
import importlib
import sys
from types import MethodType, ModuleType
from typing import Any

from srcgrad.rules.libraries import has_replacement, replacement_of

MODULES = (
    *("cluster", "cluster.hierarchy", "cluster.vq", "constants", "fft", "integrate"),
    *("interpolate", "linalg", "ndimage", "optimize", "signal", "signal.windows"),
    *("sparse", "sparse.linalg", "spatial", "spatial.distance", "spatial.transform"),
    *("special", "stats", "stats.contingency", "stats.qmc"),
)


class Mirror(ModuleType):
    """A module of SciPy's, looked into as names are asked for."""

    def __init__(self, name: str, original: str) -> None:
        super().__init__(name)
        self.__path__ = []  # it may have modules of its own
        self._original = original

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        # The library's own, imported when it is needed for the first time.
        item = getattr(importlib.import_module(self._original), name)
        found = reflected(item)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(self._original))


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


def reflected(item: Any) -> Any:
    """What stands for a member of SciPy's."""
    if isinstance(item, ModuleType):
        name = item.__name__.partition(".")[2]
        return mirrored(name) if name in MODULES else item
    if callable(item) and has_methods_with_rules(item):
        return Reflection(item)
    return replacement_of(item)


def has_methods_with_rules(item: Any) -> bool:
    """Whether an object is one whose methods have rules of their own."""
    method = getattr(item, "logpdf", None) or getattr(item, "logpmf", None)
    return isinstance(method, MethodType) and has_replacement(method)


@functools.cache
def mirrored(name: str) -> Mirror:
    """The mirror of one of SciPy's modules."""
    return Mirror(f"srcgrad.scipy.{name}", f"scipy.{name}")


def install(package: str) -> None:
    """Let ``import srcgrad.scipy.linalg`` find the mirrors."""
    for name in MODULES:
        sys.modules[f"{package}.{name}"] = mirrored(name)
