"""``Program``: what travels to the workers, as source.

A gradient is a few modules that need NumPy alone, one for each kind of block; where it
cannot be written as one, it is the function itself.
"""

import functools
import inspect
import linecache
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle
import numpy as np

from srcgrad.errors import is_internal
from srcgrad.pytree import flatten, unflatten
from srcgrad.tracing.export.exporting import Exported
from srcgrad.tracing.export.modules import loaded

Callback = Callable[..., Any]

# A worker remembers so many; some are of earlier parameters.
MOST_PROGRAMS = 16


class Program(NamedTuple):
    """A function for other processes.

    Attributes
    ----------
    modules : tuple of Exported
        Each for calls of one kind; the first that takes a call serves it.
    function : callable or None
        What serves all others.
    sources : dict
        The lines of the files that the function was written in.
    """

    modules: tuple[Exported, ...]
    function: Callback | None = None
    sources: dict[str, list[str]] = {}  # noqa: RUF012 (never changed)

    def pickled(self) -> bytes:
        """What travels."""
        return cloudpickle.dumps(tuple(self))  # type: ignore[no-any-return]


class Missed(Exception):  # noqa: N818 (it never reaches the user)
    """No module is for a call, or it failed in one."""


@functools.lru_cache(maxsize=MOST_PROGRAMS)
def received(pickled: bytes) -> Callback:
    """The function of a program that has come here.

    Raises
    ------
    Missed
        By the function, saying why.
    """
    program = Program(*cloudpickle.loads(pickled))
    for filename, lines in program.sources.items():
        if not linecache.getlines(filename):  # of a notebook, or of another machine
            linecache.cache[filename] = len("".join(lines)), None, lines, filename
    functions = [_function_of(each) for each in program.modules]

    def run(*args: Any) -> Any:
        why: Exception = RuntimeError("it has no source")
        for function in functions:
            try:
                return function(*args)
            except (ImportError, MemoryError, OSError):  # the worker's own troubles
                raise
            except Exception as error:
                why = error
        if program.function is not None:
            return program.function(*args)
        raise Missed from why

    return run


def _function_of(module: Exported) -> Callback:
    """The last function that a module offers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "exported.py")
        module.write(path)
        found = loaded(path)
    return getattr(found, found.__all__[-1])  # type: ignore[no-any-return]


def read_only(tree: Any) -> Any:
    """The same, whose arrays cannot be written into: tasks and later calls share them.

    >>> read_only([np.ones(2)])[0].flags.writeable
    False
    """
    leaves, structure = flatten(tree)
    return unflatten(structure, [_read_only(leaf) for leaf in leaves])


def _read_only(leaf: Any) -> Any:
    if type(leaf) is not np.ndarray or not leaf.flags.writeable:
        return leaf
    view = leaf.view()
    view.flags.writeable = False
    return view


def sources_of(function: Any) -> dict[str, list[str]]:
    """The lines of the files that a function, and those it calls, were written in."""
    found: dict[str, list[str]] = {}
    waiting, seen = [function], set[int]()
    while waiting:
        each = inspect.unwrap(waiting.pop())
        each = getattr(each, "__func__", getattr(each, "func", each))
        if not inspect.isfunction(each) or id(each) in seen:
            continue
        seen.add(id(each))
        filename = each.__code__.co_filename
        if not is_internal[filename]:
            found[filename] = linecache.getlines(filename)
        names = inspect.getclosurevars(each)
        waiting += [*names.globals.values(), *names.nonlocals.values()]
    return found
