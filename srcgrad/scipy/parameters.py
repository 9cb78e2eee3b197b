"""What the chapters share in which SciPy calls the user's functions.

SciPy's algorithm runs on ndarrays. Its result is then one node, whose gradient is found
from the user's function at the result; so all that it depends on must be among the
arguments (``args``), where it is seen.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad import autograd
from srcgrad.errors import NoRuleError, describe, here
from srcgrad.modes import enable_grad, is_grad_enabled
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.variable import Variable


class Parameters:
    """The Variables among some arguments, and the arguments made anew from others."""

    def __init__(self, args: Any) -> None:
        self._items, self._structure = flatten(args)
        self._places = [
            i for i, item in enumerate(self._items) if isinstance(item, ArrayProtocol)
        ]
        self.variables = [self._items[i] for i in self._places]

    def filled(self, values: Sequence[Any]) -> Any:
        """The arguments, with other values for the Variables."""
        items = list(self._items)
        for i, value in zip(self._places, values, strict=True):
            items[i] = value
        return unflatten(self._structure, items)

    @property
    def raw(self) -> Any:
        """The arguments as SciPy gets them: ndarrays for Variables."""
        return self.filled([variable.value for variable in self.variables])


def arguments(args: Any) -> tuple[Any, ...]:
    """``args`` as a tuple, as SciPy reads it."""
    return args if isinstance(args, tuple) else (args,)


def separate(value: Any) -> Any:
    """A Variable to differentiate by, on the tape of ``value`` if there is one."""
    if is_grad_enabled() and getattr(value, "requires_grad", False):
        return np.positive(value)
    return Variable(np.array(raw_of(value)), requires_grad=True)


def pulled_back(
    function: Callable[..., Any], values: Sequence[Any], g: Any
) -> tuple[Any, list[Any]]:
    """A function's result, and its VJP in each value: 0 if it does not depend on it.

    Both are on the tape if the values are, and gradients are recorded.
    """
    create_graph = is_grad_enabled()
    places = [separate(value) for value in values]
    with enable_grad():
        out = function(*places)
    if not getattr(out, "requires_grad", False):
        return out, [np.zeros(np.shape(raw_of(value))) for value in values]
    g = g(out) if callable(g) else g
    found = autograd.grad(out, places, g, create_graph=create_graph, allow_unused=True)
    zeros = [np.zeros(place.shape, place.dtype) for place in places]
    return out, [z if f is None else f for f, z in zip(found, zeros, strict=True)]


def as_array(out: Any) -> Any:
    """What a function has returned, as SciPy reads it: a list as a vector."""
    return np.stack(out) if isinstance(out, (list, tuple)) else out


def watched(item: Any) -> Any:
    """A function that SciPy is to call: an error if its result has a gradient to lose.

    SciPy would make a number of a Variable that came from elsewhere than ``args``.
    """
    if not callable(item):
        return item

    @functools.wraps(item)
    def call(*args: Any, **kwargs: Any) -> Any:
        out = item(*args, **kwargs)
        if any(getattr(leaf, "requires_grad", False) for leaf in flatten(out)[0]):
            name = getattr(item, "__name__", "the function")
            raise NoRuleError(
                f"the result of {name} depends on a Variable that SciPy's algorithm "
                f"does not see ({describe(here())}): pass it on in `args`"
            )
        return out

    return call


def refuse(name: str, what: str) -> None:
    """Say which way of calling has no derivative."""
    raise NoRuleError(
        f"srcgrad has no derivative of scipy.{name} {what} ({describe(here())})"
    )
