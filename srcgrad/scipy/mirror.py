"""Modules that look like SciPy's, with what takes Variables in the place of the rest.

>>> import scipy.special
>>> special = mirrored("special")
>>> special.softmax is scipy.special.softmax, special.euler is scipy.special.euler
(False, True)
"""

import functools
import importlib
import sys
from types import ModuleType
from typing import Any

from srcgrad.rules import reflections
from srcgrad.rules.libraries import about_old_scipy

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
        importlib.import_module("scipy")
        if about := about_old_scipy():
            raise ImportError(f"{self.__name__}: {about}")
        item = getattr(importlib.import_module(self._original), name)
        found = reflected(item)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(self._original))


def reflected(item: Any) -> Any:
    """What stands for a member of SciPy's."""
    if isinstance(item, ModuleType):
        name = item.__name__.partition(".")[2]
        return mirrored(name) if name in MODULES else item
    return reflections.reflected(item)


@functools.cache
def mirrored(name: str) -> Mirror:
    """The mirror of one of SciPy's modules."""
    return Mirror(f"srcgrad.scipy.{name}", f"scipy.{name}")


def install(package: str) -> None:
    """Let ``import srcgrad.scipy.linalg`` find the mirrors."""
    for name in MODULES:
        sys.modules[f"{package}.{name}"] = mirrored(name)
