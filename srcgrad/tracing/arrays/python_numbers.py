"""What stands for Python's functions of numbers, where there are Variables.

So that they stay in the graph, and yet are the numbers that Python would make:

>>> import srcgrad
>>> srcgrad.value_and_grad(lambda x: float(x) * round(x))(2.4)
(4.8, 2.0)
"""

import cmath
import math
import statistics
from typing import Any

import numpy as np

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import Operation
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, first_variable, meant, raw_of
from srcgrad.tape.apply import apply
from srcgrad.tape.function import has_edge
from srcgrad.tape.operands import unwrap
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.functional_array import FunctionalArray, array_of, contents
from srcgrad.tracing.arrays.traced_array import ASKED_FOR, TracedArray
from srcgrad.updates import cast

# What stands for an array or number also where no transform runs.
STANDING = (FunctionalArray, TracedArray)


def is_followed(variable: Any) -> bool:
    """Whether a Variable is an array or number to the function: not one of the user's.

    So it is in a transform, and where it stands for an ndarray.
    """
    return bool(state.depth) or variable.stands_for_array


def number(kind: type[Any]) -> Operation:
    """``float`` or ``complex``, of Variables."""

    def converted(*args: Any, **kwargs: Any) -> Any:
        args = tuple(_as_number(contents(arg)) for arg in args)
        kwargs = {name: _as_number(contents(arg)) for name, arg in kwargs.items()}
        if first_variable((*args, *kwargs.values())) is None:
            return kind(*args, **kwargs)
        return apply(kind, args, kwargs)

    return converted


def complex_of_two(*args: Any, **kwargs: Any) -> Any:
    """``np.complex128``, which is a ``complex`` of Python's: it may take two parts."""
    if len(args) != 2 or kwargs:
        return apply(np.complex128, contents(args), contents(kwargs))
    np.complex128(*unwrap(contents(args)))  # it takes no complex parts
    made = number(complex)(*args)
    is_one = isinstance(made, ArrayProtocol)
    return apply(np.complex128, (made,), {}) if is_one else np.complex128(made)


def integer(*args: Any, **kwargs: Any) -> Any:
    """``int``, of Variables: it jumps, and has no gradient."""
    args = contents(args)
    first = args[0] if len(args) == 1 else None
    if isinstance(first, Variable) and first.ndim == 0:
        return first._taken_out(int, int(first.value))
    return int(*args, **kwargs)


def integer_of(kind: type[np.integer[Any]]) -> Operation:
    """``np.int64`` and its kin, of Variables."""

    def made(item: Any = 0) -> Any:
        item = array_of(item) if isinstance(item, (list, tuple)) else contents(item)
        if not isinstance(item, ArrayProtocol) or type(item.value) in (float, int):
            return kind(integer(item))
        return cast(item, kind)[()]

    return made


def truth(item: Any = False) -> Any:
    """``np.bool_``, of Variables."""
    item = array_of(item) if isinstance(item, (list, tuple)) else contents(item)
    is_one = isinstance(item, ArrayProtocol)
    return np.not_equal(item, 0) if is_one else np.bool_(item)


def _as_number(item: Any) -> Any:
    """A Variable of the user's own as what stands for a number, with its gradient."""
    if not isinstance(item, ArrayProtocol) or is_followed(item):
        return item
    is_constant = not (has_edge(item) and state.grad_enabled)
    if is_constant and state.recorder is None:
        return item.value
    variable: Any = item
    return TracedArray.make(item.value, None if is_constant else variable.edge)


def item(variable: Any, *index: Any) -> Any:
    """``v.item()``: in the graph, if it is a float."""
    if index:
        place = index[0] if len(index) == 1 else index
        variable = (np.ravel(variable) if type(place) is int else variable)[place]
    kind = {"f": float, "c": complex}.get(variable.dtype.kind)
    if kind is None or variable.size != 1:
        return variable.item()
    found = _number_of(kind, np.reshape(variable, ()) if variable.ndim else variable)
    if not is_followed(variable) and isinstance(found, TracedArray):
        found.kept = ASKED_FOR
    return found


def _number_of(kind: type[Any], element: Any) -> Any:
    element = _as_number(element)
    is_constant = not isinstance(element, ArrayProtocol)
    return kind(element) if is_constant else apply(kind, (element,), {})


def to_list(variable: Any) -> Any:
    """``v.tolist()``: numbers in the graph, in nested lists."""
    kind = {"f": float, "c": complex}.get(variable.dtype.kind)
    if kind is None or not (is_followed(variable) or has_edge(variable)):
        return variable.tolist()
    if variable.ndim:
        return [to_list(each) for each in variable]
    return _number_of(kind, variable)


def rounded(number: Any, ndigits: Any = None) -> Any:
    """``round``: to an integer, it is one, and has no gradient."""
    number = contents(number)
    if ndigits is None and state.depth and state.recorder is None:
        return round(unwrap(number))
    return round(number, ndigits)


def total(iterable: Any, /, start: Any = 0) -> Any:
    """``sum``, which sums Python's floats more exactly than ``+`` does."""
    if isinstance(iterable, ArrayProtocol):
        return sum(contents(iterable), start)
    items = contents(list(iterable))
    if first_variable(items) is None:
        return sum(items, start)
    if all(type(raw_of(each)) in (float, int) for each in (*items, start)):
        return apply(sum, (items, start), {})
    return sum(items, start)


def of_items(function: Operation) -> Operation:
    """A function of ``math`` that takes sequences of numbers."""

    def replaced(*args: Any, **kwargs: Any) -> Any:
        args = tuple([list(contents(a)) if _is_iterable(a) else a for a in args])
        if first_variable((*args, *kwargs.values())) is None:
            return function(*args, **kwargs)
        return apply(function, args, kwargs)

    return replaced


def mean_of_floats(data: Any, *weights: Any, **named: Any) -> Any:
    """``statistics.fmean``, which divides an exact sum."""
    items = list(contents(data))
    if weights or named or first_variable(items) is None:
        return statistics.fmean(items, *weights, **named)
    return apply(math.fsum, (items,), {}) / len(items)


def spread_of(function: Operation) -> Operation:
    """A function of ``statistics`` that takes numbers, but no mean of them.

    It would lose the gradient there: it takes its numbers apart into integers.
    """

    def replaced(data: Any, *mean: Any, **named: Any) -> Any:
        items = list(contents(data))
        given = contents((*mean, *named.values()))
        if first_variable((items, given)) is None:
            return function(items, *contents(mean), **contents(named))
        if any(each is not None for each in given):
            raise located(
                NoRuleError(
                    f"statistics.{function.__name__} about a given mean has no "
                    "derivative"
                ),
                "leave the mean out, or write it with NumPy",
            )
        return apply(function, (items,), {})

    return replaced


def _is_iterable(item: Any) -> bool:
    return hasattr(type(item), "__iter__")


def of_complex(function: Operation) -> Operation:
    """A function of ``cmath``: it computes with complex numbers from the start."""

    def replaced(*args: Any) -> Any:
        made = [
            apply(complex, (arg,), {}) if isinstance(arg, ArrayProtocol) else arg
            for arg in contents(args)
        ]
        return apply(function, tuple(made), {})

    return replaced


def polar(z: Any) -> Any:
    """``cmath.polar``."""
    z = apply(complex, (contents(z),), {})
    return abs(z), apply(cmath.phase, (z,), {})


def is_instance(item: Any, kinds: Any) -> bool:
    """``isinstance``: in a transform, a Variable is an ndarray or number too."""
    if state.depth or isinstance(item, STANDING):
        return isinstance(item, kinds) or isinstance(meant(raw_of(item)), kinds)
    return isinstance(item, kinds)


def is_scalar(element: Any) -> bool:
    """``np.isscalar``: what stands for a number is one."""
    is_number = isinstance(element, ArrayProtocol) and is_followed(element)
    return np.isscalar(meant(raw_of(element)) if is_number else element)


def kind_of(item: Any, *args: Any) -> Any:
    """``type``."""
    if not args and (state.depth or isinstance(item, STANDING)):
        return type(meant(raw_of(item)))
    return type(item, *args)
