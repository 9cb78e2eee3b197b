"""What of a call is part of a trace: its options, and the bounds of its slices.

They decide shapes, and what a rule does. So where one is a number of the graph, it is
taken out of it, with a guard: as an axis, in a shape, in ``x[:n]``. A place as in
``x[n]`` decides no shape, and stays in the graph.

>>> list(map(is_option, (np.sum, np.argmax, np.add), ("axis", "axis", "x2")))
[True, True, False]
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.facts import Operation, parameters_of
from srcgrad.protocols import ArrayProtocol
from srcgrad.rules.registry import PRIMITIVES, Primitive

# The options of functions without rules; what else these take is data.
OPTIONS = frozenset({"axis", "dims", "keepdims", "kth", "shape"})

# Arrays of these kinds tell lengths, places and choices.
WHOLE = "iub"

# Puts down that an array must have the same elements again.
Note = Callable[[Any], None]


def settled(function: Operation, args: Any, kwargs: Any, note: Note) -> tuple[Any, Any]:
    """The arguments of a call, with options as they are in this very run."""
    primitive = PRIMITIVES[function]
    if primitive.variadic is None:
        names = _positions(primitive)
        args = tuple(
            [
                _settled(arg, function, names[i] if i < len(names) else "", note)
                for i, arg in enumerate(args)
            ]
        )
    return args, {
        name: _settled(arg, function, name, note) for name, arg in kwargs.items()
    }


def _positions(primitive: Primitive) -> list[str]:
    if primitive.parameters or isinstance(primitive.function, np.ufunc):
        return list(primitive.parameters)
    try:
        return list(parameters_of(primitive.function)[0])
    except ValueError:  # C functions do not always tell
        return []


def is_option(function: Operation, name: str) -> bool:
    """Whether an argument decides what is computed, rather than of what."""
    primitive = PRIMITIVES[function]
    return name not in primitive.operands if primitive.rules else name in OPTIONS


def _settled(arg: Any, function: Operation, name: str, note: Note) -> Any:
    if name == "index":
        return _index(arg)
    return _option(arg, note) if is_option(function, name) else arg


def _index(item: Any) -> Any:
    """An index, with the bounds of its slices taken out of the graph."""
    if isinstance(item, tuple):
        return tuple(map(_index, item))
    if isinstance(item, slice):
        return slice(*map(_bound, (item.start, item.stop, item.step)))
    return item


def _bound(item: Any) -> Any:
    bound: Any = item
    return operator.index(bound) if isinstance(item, ArrayProtocol) else item


def _option(item: Any, note: Note) -> Any:
    """What is an option: its value, guarded."""
    if isinstance(item, (tuple, list)):
        return type(item)([_option(each, note) for each in item])
    if not isinstance(item, ArrayProtocol):
        return item
    if item.dtype.kind in WHOLE:
        if not item.shape:
            return item.item()  # type: ignore[attr-defined]
        note(item)
        return item.value
    # No rule can follow a float that is an option, the `ord` of a norm say.
    return float(item) if type(item.value) is float else item  # type: ignore[arg-type]
