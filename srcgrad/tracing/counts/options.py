"""What of a call is part of a trace: its options, and the bounds of its slices.

They decide shapes, and what a rule does. So where one is a number of the graph, it is
taken out of it, with a guard: as an axis, in a shape, in ``x[:n]``. A place as in
``x[n]`` decides no shape, and stays in the graph.

>>> import numpy as np
>>> list(map(is_option, (np.sum, np.argmax, np.add), ("axis", "axis", "x2")))
[True, True, False]
"""

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

from srcgrad.facts import Operation, facts_of
from srcgrad.function_parameters import parameters_of
from srcgrad.protocols import ArrayProtocol
from srcgrad.rules.registry import PRIMITIVES, Primitive
from srcgrad.tracing.environment.symbolic import as_seen

# The options of functions without rules; what else these take is data.
OPTIONS = frozenset({"axis", "axes", "dims", "keepdims", "kth", "n", "offset", "shape"})

# What an index that selects the same each time is made of.
IN_PLACES = frozenset({int, type(None)})

# Arrays of these kinds tell lengths, places and choices.
WHOLE = "iub"

# Puts down that an array must have the same elements again.
Note = Callable[[Any], None]


def settled(function: Operation, args: Any, kwargs: Any, note: Note) -> tuple[Any, Any]:
    """The arguments of a call, with options as they are in this very run."""
    args = tuple(map(as_seen, args))
    primitive = PRIMITIVES.get(function)
    if primitive is not None and not kwargs and len(args) <= _data_first(primitive):
        return args, kwargs
    if kwargs:
        kwargs = {name: as_seen(arg) for name, arg in kwargs.items()}
    names = _positions(function)
    if names is not None:
        args = tuple(
            [
                _settled(arg, function, names[i] if i < len(names) else "", note)
                for i, arg in enumerate(args)
            ]
        )
    if kwargs:
        kwargs = {
            name: _settled(arg, function, name, note) for name, arg in kwargs.items()
        }
    return args, kwargs


@functools.lru_cache(maxsize=1024)
def _data_first(primitive: Primitive) -> int:
    """How many of the first arguments are no options, and no index, in any call."""
    if not primitive.rules or primitive.variadic:
        return 0
    operands = primitive.operands - {"index"}
    first = itertools.takewhile(operands.__contains__, primitive.parameters)
    return len(list(first))


@functools.lru_cache(maxsize=1024)
def takes_operands(function: Operation, count: int) -> bool:
    """Whether of a call of so many arguments there is no more to say than these."""
    primitive, known = PRIMITIVES.get(function), facts_of(function)
    if primitive is None or count > _data_first(primitive):
        return False
    is_by_value = known.shape_by_value or known.complex_by_value
    return not (known.by_layout or known.of_metadata or is_by_value)


def is_place(index: Any) -> bool:
    """Whether an index is of integers and bounds that are written there.

    >>> is_place(2), is_place((0, slice(1, None))), is_place((0, [1]))
    (True, True, False)
    """
    kind = type(index)
    if kind is tuple:
        return all(map(is_place, index))
    if kind is slice:
        return IN_PLACES.issuperset(map(type, (index.start, index.stop, index.step)))
    return kind in IN_PLACES or index is Ellipsis


def _positions(function: Operation) -> list[str] | None:
    """The names of the arguments by position; None if they are any number."""
    primitive = PRIMITIVES.get(function)
    if primitive is not None and primitive.rules:
        return None if primitive.variadic else list(primitive.parameters)
    try:
        names, variadic = parameters_of(function)
    except ValueError:  # C functions do not always tell
        return []
    return None if variadic else list(names)


def is_option(function: Operation, name: str) -> bool:
    """Whether an argument decides what is computed, rather than of what."""
    primitive = PRIMITIVES.get(function)
    if primitive is None or not primitive.rules:
        return name in OPTIONS
    return name not in primitive.operands


def _settled(arg: Any, function: Operation, name: str, note: Note) -> Any:
    if name == "index":
        return _index(arg)
    return _option(arg, name, note) if is_option(function, name) else arg


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


def _option(item: Any, name: str, note: Note) -> Any:
    """What is an option: its value, guarded."""
    if isinstance(item, (tuple, list)):
        return type(item)([_option(each, name, note) for each in item])
    if not isinstance(item, ArrayProtocol):
        return item
    if name == "dtype":
        return item.value  # which has one
    if item.dtype.kind in WHOLE:
        if not item.shape:
            number: Any = item.item()  # type: ignore[attr-defined]
            # Python takes its own truth for an integer, and not NumPy's.
            return item.dtype.type(number) if item.dtype == bool else number
        note(item)
        return item.value
    # No rule can follow a float that is an option, the `ord` of a norm say.
    return float(item) if type(item.value) is float else item  # type: ignore[arg-type]
