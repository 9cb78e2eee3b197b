"""``Program``: what travels to the workers, as source.

A gradient is a few modules that need NumPy alone, one for each kind of block; where it
cannot be written as one, it is the function itself.
"""

import functools
import inspect
import io
import linecache
import pickle
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CellType, CodeType, ModuleType
from typing import Any, NamedTuple

import cloudpickle
import numpy as np

from srcgrad.errors import add_note, is_internal
from srcgrad.pytree import flatten, unflatten
from srcgrad.tracing.export.exporting import Exported
from srcgrad.tracing.export.modules import loaded
from srcgrad.tracing.user_code.sources import codes_in

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
        return pickled(tuple(self))


class Missed(Exception):  # noqa: N818 (it never reaches the user)
    """No module is for a call, or it failed in one."""


@functools.lru_cache(maxsize=MOST_PROGRAMS)
def received(program: bytes) -> Callback:
    """The function of a program that has come here.

    Raises
    ------
    Missed
        By the function, saying why.
    """
    modules, function, sources = unpickled(program)
    for filename, lines in sources.items():
        if not linecache.getlines(filename):  # of a notebook, or of another machine
            linecache.cache[filename] = len("".join(lines)), None, lines, filename
    compiled = [_function_of(each) for each in modules]

    def run(*args: Any) -> Any:
        why: Exception = RuntimeError("it has no source")
        for each in compiled:
            try:
                return each(*args)
            except (ImportError, MemoryError, OSError):  # the worker's own troubles
                raise
            except Exception as error:
                why = error
        if function is not None:
            return function(*args)
        raise Missed from why

    return run


def _function_of(module: Exported) -> Callback:
    """The last function that a module offers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "exported.py")
        module.write(path)
        found = loaded(path)
    return getattr(found, found.__all__[-1])  # type: ignore[no-any-return]


def prepared(tree: Any) -> Any:
    """The same, whose arrays are as every worker has them, and cannot be written into.

    What has come over the wire may lie anywhere in memory, and a view have gaps: of
    these BLAS rounds in another way. Tasks and later calls share the arrays.

    >>> array = prepared([np.ones((4, 4))[:, ::2]])[0]
    >>> array.flags.c_contiguous, array.flags.writeable
    (True, False)
    """
    leaves, structure = flatten(tree)
    return unflatten(structure, [_prepared(leaf) for leaf in leaves])


def _prepared(leaf: Any) -> Any:
    if type(leaf) is not np.ndarray:
        return leaf
    flags = leaf.flags
    is_plain = flags.aligned and (flags.c_contiguous or flags.f_contiguous)
    found = leaf.view() if is_plain else np.array(leaf, order="A")
    found.flags.writeable = False
    return found


class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Cloudpickle's, but functions keep the names of their files.

    So errors show the user's lines, and the source of a function is found.
    """

    def reducer_override(self, item: Any) -> Any:
        if type(item) is not CodeType:
            return super().reducer_override(item)
        make, args = self.dispatch_table[CodeType](item)[:2]
        return _in_file, (make, args, item.co_filename)


def _in_file(make: Callback, args: Any, filename: str) -> CodeType:
    return make(*args).replace(co_filename=filename)  # type: ignore[no-any-return]


def pickled(item: Any) -> bytes:
    """Anything, functions of a script and lambdas too, as bytes.

    >>> pickle.loads(pickled(lambda x: x + 1))(2)
    3
    """
    with io.BytesIO() as file:
        Pickler(file).dump(item)
        return file.getvalue()


def unpickled(data: bytes) -> Any:
    """What was pickled elsewhere; an error says what is to be installed here."""
    try:
        return pickle.loads(data)
    except ImportError as error:
        add_note(
            error,
            "what is imported has to be where the workers are, too: install it there, "
            "or send a file of yours by client.upload_file",
        )
        raise


def sources_of(function: Any) -> dict[str, list[str]]:
    """The lines of the files that a function, and those it calls, were written in."""
    found: dict[str, list[str]] = {}
    for each in functions_in(function):
        filename = each.__code__.co_filename
        if not is_internal[filename]:
            found[filename] = linecache.getlines(filename)
    return found


def functions_in(function: Any) -> Iterator[Any]:
    """A function, and those that it calls, as far as their names tell."""
    waiting, seen = [function], set[int]()
    while waiting:
        each = inspect.unwrap(waiting.pop())
        each = getattr(each, "__func__", getattr(each, "func", each))
        if not inspect.isfunction(each) or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        names = {name for code in codes_in(each.__code__) for name in code.co_names}
        seen_there = [each.__globals__.get(name) for name in names]
        modules = filter(_is_users, seen_there)
        waiting += [vars(module).get(name) for module in modules for name in names]
        waiting += seen_there
        waiting += map(_content, each.__closure__ or ())


def _is_users(item: Any) -> bool:
    """Whether something is a module that is not installed."""
    filename = getattr(item, "__file__", None) if isinstance(item, ModuleType) else None
    return bool(
        filename and not is_internal[filename] and "site-packages" not in filename
    )


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # of a name that has no value yet
        return None
