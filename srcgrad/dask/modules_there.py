"""What a function finds in modules here, and whether a worker finds the same.

A function that travels is imported on the worker, or imports what it calls: a module
that has been changed here is there as its file has it.
"""

import dis
import hashlib
import importlib
import operator
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from srcgrad.dask.programs import functions_in
from srcgrad.tracing.user_code.sources import codes_in

# What a number is known by, by the name of its module, and its own in that.
Digests = dict[tuple[str, str], tuple[Any, ...]]


def digests_of(function: Any) -> Digests:
    """The numbers and arrays that a function, and those it calls, find in modules.

    Not those that they set themselves.
    """
    functions = list(functions_in(function))
    stored = {name for each in functions for name in _stored(each)}
    found: Digests = {}
    for each in functions:
        names = {name for code in codes_in(each.__code__) for name in code.co_names}
        holders = [each.__globals__.get(name) for name in sorted(names)]
        if _is_imported(each):
            holders.append(sys.modules[each.__module__])
        for holder in holders:
            for name in sorted((names - stored) & _numbers(holder)):
                module, path = _place(holder)
                found[module, f"{path}{name}"] = _digest(vars(holder)[name])
    return found


def _numbers(holder: Any) -> set[str]:
    """The names of the numbers that a module has, or a class that is in one."""
    if isinstance(holder, type) and not _is_imported(holder):
        return set()
    if not isinstance(holder, ModuleType | type):
        return set()
    return {
        name
        for name, value in vars(holder).items()
        if isinstance(value, np.ndarray | np.number | int | float | complex)
        and np.asarray(value).dtype.kind != "O"
    }


@dataclass(frozen=True)
class Checked:
    """A function that is called only where modules have what they had."""

    function: Any
    digests: Digests

    def __call__(self, *args: Any) -> Any:
        _check(self.digests)
        return self.function(*args)


def _check(digests: Digests) -> None:
    """Raise if what is in modules here is another."""
    for (module, path), digest in digests.items():
        value = operator.attrgetter(path)(importlib.import_module(module))
        if _digest(value) != digest:
            raise RuntimeError(
                f"{module}.{path} is another here: it was changed where the function "
                "comes from, and goes along only as an argument"
            )


def _digest(value: Any) -> tuple[Any, ...]:
    array = np.asarray(value)
    return array.dtype.str, array.shape, hashlib.sha256(array.tobytes()).digest()


def _stored(function: Any) -> Iterator[str]:
    """The globals that a function sets itself."""
    for code in codes_in(function.__code__):
        for each in dis.get_instructions(code):
            if each.opname == "STORE_GLOBAL":
                yield each.argval


def _is_imported(item: Any) -> bool:
    """Whether a function or class travels by its name."""
    module = sys.modules.get(item.__module__ or "__main__")
    try:
        found = operator.attrgetter(item.__qualname__)(module)
    except AttributeError:
        return False
    return found is item and item.__module__ != "__main__"


def _place(holder: Any) -> tuple[str, str]:
    """The module that something is found in, and how its names begin there."""
    if isinstance(holder, ModuleType):
        return holder.__name__, ""
    return holder.__module__, f"{holder.__qualname__}."
