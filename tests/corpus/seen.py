"""What can be seen of a world: values, kinds, dtypes, what is one object, text."""

import contextlib
import io
import itertools
import logging
import types
import warnings
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad import Variable

CONTAINERS = (list, tuple, set, frozenset, deque)


class Seen:
    """Describe items, which ones are the same object too.

    Parameters
    ----------
    as_arrays : bool
        Describe Variables as what they hold.
    """

    def __init__(self, as_arrays: bool = False) -> None:
        self.as_arrays = as_arrays
        self.numbers: dict[int, int] = {}
        self.alive: list[Any] = []

    def __call__(self, item: Any) -> Any:
        kind = type(item).__name__
        if self.as_arrays and isinstance(item, Variable):
            return self(item.value)
        if isinstance(item, (types.ModuleType, type, types.BuiltinFunctionType)):
            return kind
        if isinstance(item, (float, complex, np.inexact)):
            return kind, item
        if item is None or isinstance(item, (bool, int, str, bytes, np.generic)):
            return kind, repr(item)
        if id(item) in self.numbers:
            return "number", self.numbers[id(item)]
        self.numbers[id(item)] = len(self.numbers)
        self.alive.append(item)
        return kind, *self.parts(item)

    def parts(self, item: Any) -> Any:
        if isinstance(item, Variable):
            grad = None if item.grad is None else self(item.grad.data)
            return item.requires_grad, self(np.array(item.data)), grad
        if isinstance(item, np.ndarray):
            return str(item.dtype), item.tolist(), item.strides
        if isinstance(item, dict):
            return [(self(key), self(value)) for key, value in item.items()]
        if isinstance(item, (slice, range)):
            return list(map(self, (item.start, item.stop, item.step)))
        if isinstance(item, (set, frozenset)):
            return sorted(map(repr, item))
        if isinstance(item, CONTAINERS):
            return list(map(self, item))
        if isinstance(item, np.random.Generator):
            return repr(item.bit_generator.state)
        if isinstance(item, np.random.RandomState):
            return repr(item.get_state())
        if isinstance(item, types.FunctionType):
            return [
                self(cell.cell_contents) if cell != types.CellType() else "empty"
                for cell in item.__closure__ or ()
            ]
        if isinstance(item, types.MethodType):
            return self(item.__self__)
        if isinstance(item, (itertools.count, logging.Logger)):
            return repr(item)
        slots = getattr(type(item), "__slots__", ())
        named = {name: getattr(item, name) for name in slots if hasattr(item, name)}
        return self({**named, **getattr(item, "__dict__", {})})


def same(ours: Any, theirs: Any) -> bool:
    """Compare what was seen: numbers up to rounding, all else exactly."""
    if isinstance(ours, (tuple, list)):
        return (
            type(ours) is type(theirs)
            and len(ours) == len(theirs)
            and all(map(same, ours, theirs))
        )
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, (float, complex, np.inexact)) and ours != 0:
        if ours == theirs:
            return True
        rtol = 1e-12 if np.asarray(ours).itemsize > 4 else 1e-6
        return bool(np.isclose(ours, theirs, rtol, 1e-13, equal_nan=True))
    return repr(ours) == repr(theirs)


def names_of(world: Any) -> dict[str, Any]:
    return {
        name: value
        for name, value in world.names.items()
        if not name.startswith("__") and not isinstance(value, types.ModuleType)
    }


OURS = ("a number was taken out", "srcgrad", "left to the tape", "stays on the tape")


class Said:
    """All text that comes out: printed, logged, warned of."""

    def __enter__(self) -> "Said":
        self.stack = contextlib.ExitStack()
        self.text = io.StringIO()
        self.stack.enter_context(contextlib.redirect_stdout(self.text))
        self.caught = self.stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        handler = logging.StreamHandler(self.text)
        root = logging.getLogger()
        level = root.level
        root.addHandler(handler)
        root.setLevel(logging.DEBUG)
        self.stack.callback(root.setLevel, level)
        self.stack.callback(root.removeHandler, handler)
        return self

    def __exit__(self, *details: Any) -> None:
        self.stack.close()

    def all(self) -> Any:
        warned = [(each.category, str(each.message)) for each in self.caught]
        others = [each for each in warned if not any(ours in each[1] for ours in OURS)]
        return self.text.getvalue(), others


@contextlib.contextmanager
def told(traced: Any, number: int) -> Iterator[None]:
    """Say which call it was that differs, and what has become of the function."""
    try:
        yield
    except AssertionError as error:
        text = f"call {number}\n{error}\n{traced.explain()}"
        raise AssertionError(text) from error
