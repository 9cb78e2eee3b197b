"""The arguments of a call as NumPy and SciPy read them: nested lists are arrays.

>>> import srcgrad
>>> x = srcgrad.Variable(2.0, requires_grad=True)
>>> joined([[x, 1.0], [0.0, x]]).data
array([[2., 1.],
       [0., 2.]])
"""

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

import numpy as np

from srcgrad.facts import Operation, facts_of
from srcgrad.function_parameters import parameters_of
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, first_variable, meant, raw_of
from srcgrad.rules.registry import Primitive
from srcgrad.tape.function import sequence_like

LIST_TYPES = frozenset({list, tuple})
# Parameters of SciPy's that are sequences, and not arrays; those of numbers alone.
SEQUENCE_ARGUMENTS = frozenset(
    "args bounds bins range select_range subset_by_index subset_by_value".split()
)
OF_COUNTS = frozenset("axis axes shape s size".split())


def with_arrays(primitive: Primitive, args: Any, kwargs: Any) -> Any:
    """The arguments, with arrays for operands that are lists of numbers, or of arrays.

    In a followed function they may be lists with Variables too: ``x * [y, 1.0]``.
    """
    is_followed = _is_followed()

    def operand(name: str | None, arg: Any) -> Any:
        if type(arg) not in LIST_TYPES or name not in primitive.rules:
            return arg
        return _as_array(arg, primitive, name, is_followed)

    return _each([*primitive.parameters], args, kwargs, operand)


def with_operands(function: Operation, args: Any, kwargs: Any) -> Any:
    """The arguments as SciPy reads them: arrays for lists of numbers.

    In a followed function they may be lists with Variables too. A tuple holds a few
    arrays, such as ``(c, r)``, and not the rows of one.
    """
    is_followed = _is_followed()
    sequences = {*SEQUENCE_ARGUMENTS, facts_of(function).sequence}

    def operand(name: str | None, arg: Any) -> Any:
        is_sequence = name is not None and name in sequences
        if type(arg) not in LIST_TYPES or is_sequence or not arg:
            return arg  # an empty list may stand for a default
        if type(arg) is tuple:
            return tuple([operand(None, each) for each in arg])
        if _is_of_numbers(arg):
            return arg if name in OF_COUNTS else np.asarray(arg)
        try:
            return joined(arg) if is_followed else arg
        except ValueError:  # arrays of several shapes
            return [operand(None, each) for each in arg]

    try:
        names = [*parameters_of(function)[0]]
    except (TypeError, ValueError):  # it does not tell its signature
        names = []
    return _each(names, args, kwargs, operand)


def _each(
    names: list[str], args: Any, kwargs: Any, operand: Callable[[str | None, Any], Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    pairs = zip_longest(names[: len(args)], args)
    return (
        tuple([operand(name, arg) for name, arg in pairs]),
        {name: operand(name, arg) for name, arg in kwargs.items()},
    )


def _is_followed() -> bool:
    return state.recorder is not None or state.left_behind is not None


def _as_array(arg: Any, primitive: Primitive, name: str, is_followed: bool) -> Any:
    if type(arg) is list and _is_of_numbers(arg):
        return np.asarray(arg)
    function = primitive.function
    is_sequence = name in (facts_of(function).sequence, primitive.variadic)
    is_pythons = getattr(function, "__module__", "") in ("math", "cmath", "builtins")
    if is_sequence or is_pythons:
        return arg
    try:
        if not variables_in(arg):
            # SciPy's functions tell `(c, r)` from an array of two rows.
            return np.asarray(arg) if is_numpys(function) else arg
        return joined(arg) if is_followed else arg
    except ValueError:  # it is no array, such as `(factor, is_lower)`
        return arg


def joined(item: Any, **options: Any) -> Any:
    """Make an array of nested lists with Variables in them, as ``np.array`` would."""
    if not isinstance(item, (list, tuple)) or not variables_in(item):
        return item
    shape = np.array(unwrap(item)).shape  # or NumPy's error, if they do not fit
    leaves = list(_leaves(item))
    variable: Any = first_variable(leaves)
    if all(np.ndim(raw_of(leaf)) == 0 for leaf in leaves):
        flat = variable._call(np.array, (leaves,), options)
        return flat if len(shape) == 1 else np.reshape(flat, shape)
    rows = [joined(row) if variables_in(row) else np.array(row) for row in item]
    return variable._call(np.array, (rows,), options)


def _leaves(item: Any) -> Iterator[Any]:
    if isinstance(item, (list, tuple)):
        for each in item:
            yield from _leaves(each)
    else:
        yield item


def _is_of_numbers(item: Any) -> bool:
    if type(item) is list:
        return all(map(_is_of_numbers, item))
    return isinstance(item, (int, float, complex, np.number))


def take(item: Any, variables: list[Any]) -> Any:
    """The ndarrays of the Variables in an argument, which are added to a list."""
    if isinstance(item, ArrayProtocol):
        variables.append(item)
        return meant(item.value)
    kind = type(item)
    if isinstance(item, (tuple, list)):
        return sequence_like(item, [take(element, variables) for element in item])
    if kind is slice:
        start, stop, step = item.start, item.stop, item.step
        return slice(*(take(part, variables) for part in (start, stop, step)))
    return item


def unwrap(item: Any) -> Any:
    """The ndarrays of the Variables in an argument, nested ones included."""
    return take(item, [])


def variables_in(item: Any) -> list[Any]:
    """The Variables in an argument, nested ones included."""
    variables: list[Any] = []
    take(item, variables)
    return variables


def is_numpys(function: Callable[..., Any]) -> bool:
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, np.ufunc) or module.startswith("numpy")
